"""SQLAlchemy's types for DuckDB's."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, Final

from sqlalchemy import types

from dpsql.algebra.types import base_name
from dpsql.interfaces.sqlalchemy.compiler import DOUBLE, HUGEINT
from dpsql.release.render.type_codes import decimal_shape

_TYPES: Final = MappingProxyType[str, Any](
    {
        "BOOLEAN": types.BOOLEAN,
        **dict.fromkeys(("TINYINT", "UTINYINT", "SMALLINT"), types.SMALLINT),
        **dict.fromkeys(("USMALLINT", "INTEGER"), types.INTEGER),
        **dict.fromkeys(("UINTEGER", "BIGINT"), types.BIGINT),
        **dict.fromkeys(("UBIGINT", "HUGEINT", "UHUGEINT"), HUGEINT),
        **dict.fromkeys(("FLOAT", "DOUBLE"), DOUBLE),
        **dict.fromkeys(("VARCHAR", "ENUM", "UUID", "JSON"), types.VARCHAR),
        "BLOB": types.BLOB,
        "DATE": types.DATE,
        "TIME": types.TIME,
        **dict.fromkeys(("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"), types.TIMESTAMP),
        "INTERVAL": types.Interval,
    }
)


def sqlalchemy_type(name: str) -> types.TypeEngine[Any]:
    """SQLAlchemy's type of a column; NullType where it has none."""
    shape = decimal_shape(name)
    if shape is not None:
        return types.DECIMAL(*shape)
    if name == "TIMESTAMP WITH TIME ZONE":
        return types.TIMESTAMP(timezone=True)
    found: types.TypeEngine[Any] = _TYPES.get(base_name(name), types.NullType)()
    return found
