"""PostgreSQL's types by OID, and the one that clients are shown for each of DuckDB's."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from functools import cache
from types import MappingProxyType
from typing import Final

from dpsql.slotted import dataclass
from dpsql.sql.system_tables.pg_columns import C_COLLATION, DEFAULT_COLLATION, INFORMATION_SCHEMA
from dpsql.sql.system_tables.pg_type_rows import TYPE_ROWS

_DECIMAL: Final = re.compile(r"DECIMAL\((\d+),(\d+)\)")
_HEADER: Final = 4
_ARRAYS_OF_TEXT: Final = frozenset({"_text", "_varchar", "_bpchar"})
_ROLES: Final = ("in", "out", "recv", "send", "typmodin", "typmodout")
_ARRAY_FUNCTIONS: Final = MappingProxyType(
    {
        "in": ("array_in", 750),
        "out": ("array_out", 751),
        "recv": ("array_recv", 2400),
        "send": ("array_send", 2401),
    }
)
_RECORD_FUNCTIONS: Final = MappingProxyType(
    {
        "in": ("record_in", 2290),
        "out": ("record_out", 2291),
        "recv": ("record_recv", 2402),
        "send": ("record_send", 2403),
    }
)
_ARRAY_SUBSCRIPT: Final = 6179
_SUBSCRIPTS: Final = MappingProxyType(
    {"jsonb": 6098, "_record": 6179, **dict.fromkeys(("name", "point", "lseg", "box", "line"), 6180)}
)
OTHER_FUNCTIONS: Final = MappingProxyType(
    {
        "array_typanalyze": 3816,
        "range_typanalyze": 3916,
        "multirange_typanalyze": 4242,
        "ts_typanalyze": 3688,
        "array_subscript_handler": _ARRAY_SUBSCRIPT,
        "raw_array_subscript_handler": 6180,
        "jsonb_subscript_handler": 6098,
    }
)
"""The functions that take an element of a value, or make statistics of values, by name."""


@dataclass(frozen=True, slots=True)
class PgType:
    """A type as pg_type has it: OID, names in the catalog and in SQL, length in bytes (-1: variable), category.

    `element` and `array` are the OIDs of an array's element type and of this type's array type, or 0. `functions` are
    the name and OID of each function of it: in, out, recv, send, typmodin, typmodout. `relation` is the table whose
    rows it is the type of, or 0, and `schema` where that is no schema of PostgreSQL's own. A domain has the OID of its
    `base`, and maybe a `modifier` and a `default`.
    """

    oid: int
    name: str
    sql: str
    length: int
    category: str
    element: int = 0
    array: int = 0
    kind: str = "b"
    by_value: bool = False
    preferred: bool = False
    align: str = "i"
    storage: str = "x"
    functions: Mapping[str, tuple[str, int]] = field(default_factory=lambda: _ARRAY_FUNCTIONS)
    relation: int = 0
    schema: int = 0
    base: int = 0
    modifier: int = -1
    default: str | None = None

    def function(self, role: str) -> int:
        """The OID of one of its functions, or 0."""
        return self.functions[role][1] if role in self.functions else 0

    @property
    def subscript(self) -> int:
        """The OID of the function that takes an element, or 0."""
        return _SUBSCRIPTS.get(self.name, _ARRAY_SUBSCRIPT if self.category == "A" else 0)

    @property
    def analyze(self) -> int:
        """The OID of the function that makes statistics of its values, or 0 for the usual one."""
        of_kind = {"r": 3916, "m": 4242}.get(self.kind, 0)
        array = 3816 if self.name.startswith("_") and self.element else 0
        return 3688 if self.name == "tsvector" else of_kind or array

    @property
    def delimiter(self) -> str:
        """What stands between the elements of an array of it."""
        return ";" if self.name in ("box", "_box") else ","

    @property
    def collation(self) -> int:
        """The OID of its collation, or 0."""
        if self.name in ("name", "_name") or self.name.removeprefix("_") in _TEXT_DOMAINS:
            return C_COLLATION
        texts = self.category == "S" or (self.category == "Z" and self.name != "char")
        return DEFAULT_COLLATION if texts or self.name in _ARRAYS_OF_TEXT else 0


_TEXT_DOMAINS: Final = frozenset({"character_data", "sql_identifier", "yes_or_no"})


def _own_type(line: str) -> PgType:
    oid, name, sql, length, by_value, kind, category, layout, array, element, functions = line.split("|")
    prefix, *oids = functions.split()
    named = {}
    for role, number in zip(_ROLES, map(int, oids), strict=False):
        if number:
            start = prefix.rstrip("_") if role.startswith("typmod") else prefix
            named[role] = (f"{start}{role}", number)
    return PgType(
        *(int(oid), name, sql or name, int(length), category[0], int(element), int(array), kind),
        *(by_value == "t", category.endswith("*"), layout[0], layout[1], MappingProxyType(named)),
    )


def array_of(one: PgType) -> PgType:
    """The type of arrays of a type that has one."""
    category, kind = ("P", "p") if one.name == "record" else ("A", "b")
    align = "d" if one.align == "d" else "i"
    return PgType(
        *(one.array, f"_{one.name}", f"{one.sql}[]", -1, category, one.oid),
        kind=kind,
        align=align,
        functions=_ARRAY_FUNCTIONS | {r: f for r, f in one.functions.items() if r.startswith("typmod")},
        schema=one.schema,
    )


def row_type(oid: int, relation: int, name: str, schema: int) -> PgType:
    """The type of a table's rows; the OID of its array type is the next one."""
    return PgType(
        *(oid, name, name, -1, "C", 0, oid + 1, "c"),
        align="d",
        functions=_RECORD_FUNCTIONS,
        relation=relation,
        schema=schema,
    )


@cache
def pg_types() -> tuple[PgType, ...]:
    """Every type that clients may ask for, and its array type, by OID."""
    own = [_own_type(line) for line in TYPE_ROWS.strip().split("\n")]
    return tuple(sorted((*own, *(array_of(t) for t in own if t.array)), key=lambda t: t.oid))


@cache
def domains() -> tuple[PgType, ...]:
    """The domains of information_schema, each behind the type of arrays of it, by OID."""
    made = (
        _domain(12418, "cardinal_number", "int4"),
        _domain(12421, "character_data", "varchar"),
        _domain(12423, "sql_identifier", "name"),
        _domain(12429, "time_stamp", "timestamptz", 2, "CURRENT_TIMESTAMP(2)"),
        _domain(12431, "yes_or_no", "varchar", 7),
    )
    return tuple(t for one in made for t in (array_of(one), one))


def _domain(oid: int, name: str, base: str, modifier: int = -1, default: str | None = None) -> PgType:
    of = types_by_name()[base]
    functions = {"in": ("domain_in", 2597), "recv": ("domain_recv", 2598)}
    functions |= {role: of.functions[role] for role in ("out", "send")}
    return PgType(
        *(oid, name, f"information_schema.{name}", of.length, of.category, 0, oid - 1, "d", of.by_value),
        align=of.align,
        storage=of.storage,
        functions=MappingProxyType(functions),
        schema=INFORMATION_SCHEMA,
        base=of.oid,
        modifier=modifier,
        default=default,
    )


@cache
def types_by_name() -> Mapping[str, PgType]:
    """The types by their names in the catalog."""
    return MappingProxyType({t.name: t for t in pg_types()})


_OF_DUCKDB: Final = MappingProxyType(
    {
        "BOOLEAN": "bool", "BLOB": "bytea", "BIT": "varbit", "JSON": "json", "UUID": "uuid", "VARCHAR": "varchar",
        **dict.fromkeys(("TINYINT", "UTINYINT", "SMALLINT"), "int2"),
        **dict.fromkeys(("USMALLINT", "INTEGER"), "int4"),
        **dict.fromkeys(("UINTEGER", "BIGINT"), "int8"),
        **dict.fromkeys(("UBIGINT", "HUGEINT", "UHUGEINT", "DECIMAL"), "numeric"),
        "FLOAT": "float4", "DOUBLE": "float8", "DATE": "date", "TIME": "time", "TIMESTAMP": "timestamp",
        "TIMESTAMP WITH TIME ZONE": "timestamptz", "INTERVAL": "interval",
    }
)  # fmt: skip


def pg_type_of(duckdb_type: str) -> PgType:
    """The type shown for one of DuckDB's; text for what PostgreSQL lacks."""
    array = "_" if duckdb_type.endswith("[]") else ""
    base = duckdb_type.removesuffix("[]").partition("(")[0]
    return types_by_name()[f"{array}{_OF_DUCKDB.get(base, 'text')}"]


def modifier(duckdb_type: str) -> int:
    """atttypmod: precision and scale of a DECIMAL; -1 for other types."""
    match = _DECIMAL.fullmatch(duckdb_type)
    if match is None:
        return -1
    return (int(match.group(1)) << 16 | int(match.group(2))) + _HEADER
