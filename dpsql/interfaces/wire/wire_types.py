"""The types of PostgreSQL that columns of answers are sent in.

Numbers are those of PostgreSQL's catalog pg_type, fixed for its built-in types
(https://www.postgresql.org/docs/16/catalog-pg-type.html, src/include/catalog/pg_type.dat).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from dpsql.algebra.types import base_name
from dpsql.engines.base import OutputColumn
from dpsql.interfaces.wire.messages import Field


class Unsendable(Exception):
    """A column or value that PostgreSQL has no type for here; the text is for the client."""


@dataclass(frozen=True, slots=True)
class WireType:
    """A type by its name in PostgreSQL: its number, its length (-1: varies), and the number of the type of its lists.

    A list has its element's type in `element`.
    """

    name: str
    oid: int
    length: int
    lists: int = 0
    element: WireType | None = None


_SCALARS: Final = (
    WireType("bool", 16, 1, 1000),
    WireType("bytea", 17, -1, 1001),
    WireType("int8", 20, 8, 1016),
    WireType("int2", 21, 2, 1005),
    WireType("int4", 23, 4, 1007),
    WireType("text", 25, -1, 1009),
    WireType("float4", 700, 4, 1021),
    WireType("float8", 701, 8, 1022),
    WireType("date", 1082, 4, 1182),
    WireType("time", 1083, 8, 1183),
    WireType("timestamp", 1114, 8, 1115),
    WireType("timestamptz", 1184, 8, 1185),
    WireType("interval", 1186, 16, 1187),
    WireType("numeric", 1700, -1, 1231),
    WireType("uuid", 2950, 16, 2951),
)
TYPES: Final = MappingProxyType({kind.name: kind for kind in _SCALARS})
"""Types by name."""
_OF_ENGINE: Final = MappingProxyType(
    {
        "BOOLEAN": "bool",
        "TINYINT": "int2",
        "SMALLINT": "int2",
        "UTINYINT": "int2",
        "INTEGER": "int4",
        "USMALLINT": "int4",
        "BIGINT": "int8",
        "UINTEGER": "int8",
        "HUGEINT": "numeric",
        "UBIGINT": "numeric",
        "UHUGEINT": "numeric",
        "DECIMAL": "numeric",
        "FLOAT": "float4",
        "DOUBLE": "float8",
        "VARCHAR": "text",
        "ENUM": "text",
        "JSON": "text",
        '"NULL"': "text",
        "NULL": "text",
        "UUID": "uuid",
        "BLOB": "bytea",
        "DATE": "date",
        "TIME": "time",
        "TIMESTAMP": "timestamp",
        "TIMESTAMP_S": "timestamp",
        "TIMESTAMP_MS": "timestamp",
        "TIMESTAMP_NS": "timestamp",
        "TIMESTAMP WITH TIME ZONE": "timestamptz",
        "INTERVAL": "interval",
    }
)
_LIST: Final = re.compile(r"(.*)\[\d*\]", re.DOTALL)
_DECIMAL: Final = re.compile(r"DECIMAL\((\d+),(\d+)\)")


def wire_type(engine_type: str) -> WireType:
    """The type that values of a DuckDB type are sent in. Raises Unsendable."""
    if a_list := _LIST.fullmatch(engine_type):
        element = wire_type(a_list.group(1))
        if element.element is None:
            return WireType(f"_{element.name}", element.lists, -1, 0, element)
    elif (name := _OF_ENGINE.get(base_name(engine_type))) is not None:
        return TYPES[name]
    raise Unsendable(f"a column of the type {engine_type} cannot be sent; CAST it to text")


def field_of(column: OutputColumn) -> Field:
    """A column as RowDescription tells it. Raises Unsendable."""
    kind, shape = wire_type(column.type), _DECIMAL.fullmatch(column.type)
    modifier = (int(shape.group(1)) << 16 | int(shape.group(2))) + 4 if shape else -1
    return Field(column.name, kind.oid, kind.length, modifier)
