"""The types of PostgreSQL that columns of answers are sent in.

Numbers are those of PostgreSQL's catalog pg_type, fixed for its built-in types
(https://www.postgresql.org/docs/16/catalog-pg-type.html, src/include/catalog/pg_type.dat).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType
from typing import Final

from dpsql.algebra.types import base_name
from dpsql.engines.base import OutputColumn
from dpsql.interfaces.wire.failures import Unsendable
from dpsql.interfaces.wire.messages import Field
from dpsql.slotted import dataclass
from dpsql.sql.system_tables.pg_types import types_by_name


@dataclass(frozen=True, slots=True)
class WireType:
    """A type by the name of what it is written as: its number, its length (-1: varies), the number of its lists' type.

    The name is PostgreSQL's, but for types of its catalogs that are written as another: name as text, xid as oid, and
    as `shown` what is sent in text, and in binary where `objects` has the numbers of what it names. A list has its
    element's type in `element`; `first` is the number of its first place.
    """

    name: str
    oid: int
    length: int
    lists: int = 0
    element: WireType | None = None
    first: int = 1
    objects: Mapping[str, int] | None = field(default=None, compare=False, repr=False)


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
# Types of PostgreSQL's catalogs by what they are written as, and what the engine must hold for that.
_TEXTS: Final = frozenset({"name", "varchar", "bpchar", "text", "cstring", "unknown", "json", "xml", "void"})
_NUMBERS: Final = frozenset({"oid", "xid", "cid", "regconfig", "regdictionary", "regcollation"})
_VECTORS: Final = MappingProxyType({"int2vector": "int2", "oidvector": "oid"})
_HELD: Final = MappingProxyType(
    {
        "text": ("text",),
        "char": ("text",),
        "jsonb": ("text",),
        "oid": ("int2", "int4", "int8"),
        "int2": ("int2", "int4", "int8"),
        "int4": ("int2", "int4", "int8"),
        "int8": ("int2", "int4", "int8", "numeric"),
        "numeric": ("int2", "int4", "int8", "numeric", "float8"),
        "float4": ("float4", "float8"),
        "float8": ("float4", "float8"),
        "timestamptz": ("timestamp", "timestamptz"),
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


def column_type(column: OutputColumn) -> WireType:
    """The type that a column is sent in: PostgreSQL's own where the answer is from its catalogs. Raises Unsendable.

    A catalog type that does not fit what the engine holds is none: DuckDB's own is sent then.
    """
    held = wire_type(column.type)
    return _catalog_type(column.pg_type, held, column.objects) or held if column.pg_type else held


def _catalog_type(name: str, held: WireType, objects: Mapping[str, int] | None) -> WireType | None:
    known = types_by_name().get(name)
    if known is None:
        return None
    if held.element is not None:
        if name == "anyarray":
            return WireType(name, known.oid, -1, 0, held.element)
        inner = _VECTORS.get(name, name.removeprefix("_"))
        element = _catalog_type(inner, held.element, objects) if inner != name else None
        if element is None:
            return None
        return WireType(known.name, known.oid, -1, 0, element, 0 if name in _VECTORS else 1)
    written = "text" if name in _TEXTS else "oid" if name in _NUMBERS else name
    if held.name in _HELD.get(written, (written,)):
        return WireType(written, known.oid, known.length, known.array)
    if held.name != "text":
        return None
    return WireType("shown", known.oid, known.length, known.array, objects=objects)


def field_of(column: OutputColumn) -> Field:
    """A column as RowDescription tells it. Raises Unsendable."""
    kind, shape = column_type(column), _DECIMAL.fullmatch(column.type)
    modifier = (int(shape.group(1)) << 16 | int(shape.group(2))) + 4 if shape else -1
    return Field(column.name, kind.oid, kind.length, modifier, column.table, column.place)
