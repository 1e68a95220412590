"""PostgreSQL's types by OID, and the one that clients are shown for each of DuckDB's."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

_DECIMAL: Final = re.compile(r"DECIMAL\((\d+),(\d+)\)")
_HEADER: Final = 4


@dataclass(frozen=True, slots=True)
class PgType:
    """A type: its OID, its names in the catalog and in SQL, its length in bytes (-1: variable), its category.

    `element` and `array` are the OIDs of an array's element type and of this type's array type, or 0.
    """

    oid: int
    name: str
    sql: str
    length: int
    category: str
    element: int = 0
    array: int = 0
    kind: str = "b"


# OID, name, name in SQL, length, category (P: pseudo-types), OID of the array type, DuckDB's types shown as this one.
_TYPES: Final = """
16|bool|boolean|1|B|1000|BOOLEAN
17|bytea|bytea|-1|U|1001|BLOB
18|char|"char"|1|Z|1002|
19|name|name|64|S|1003|
20|int8|bigint|8|N|1016|UINTEGER,BIGINT
21|int2|smallint|2|N|1005|TINYINT,UTINYINT,SMALLINT
22|int2vector|int2vector|-1|A|1006|
23|int4|integer|4|N|1007|USMALLINT,INTEGER
24|regproc|regproc|4|N|1008|
25|text|text|-1|S|1009|
26|oid|oid|4|N|1028|
27|tid|tid|6|U|1010|
28|xid|xid|4|U|1011|
30|oidvector|oidvector|-1|A|1013|
114|json|json|-1|U|199|JSON
142|xml|xml|-1|U|143|
700|float4|real|4|N|1021|FLOAT
701|float8|double precision|8|N|1022|DOUBLE
705|unknown|unknown|-2|X|0|
1033|aclitem|aclitem|16|U|1034|
1042|bpchar|character|-1|S|1014|
1043|varchar|character varying|-1|S|1015|VARCHAR
1082|date|date|4|D|1182|DATE
1083|time|time without time zone|8|D|1183|TIME
1114|timestamp|timestamp without time zone|8|D|1115|TIMESTAMP
1184|timestamptz|timestamp with time zone|8|D|1185|TIMESTAMP WITH TIME ZONE
1186|interval|interval|16|T|1187|INTERVAL
1266|timetz|time with time zone|12|D|1270|
1560|bit|bit|-1|V|1561|
1562|varbit|bit varying|-1|V|1563|BIT
1700|numeric|numeric|-1|N|1231|UBIGINT,HUGEINT,UHUGEINT,DECIMAL
2202|regprocedure|regprocedure|4|N|2207|
2205|regclass|regclass|4|N|2210|
2206|regtype|regtype|4|N|2211|
2950|uuid|uuid|16|U|2951|UUID
3802|jsonb|jsonb|-1|U|3807|
4089|regnamespace|regnamespace|4|N|4090|
4096|regrole|regrole|4|N|4097|
2249|record|record|-1|P|2287|
2275|cstring|cstring|-2|P|1263|
2276|any|"any"|4|P|0|
2277|anyarray|anyarray|-1|P|0|
2278|void|void|4|P|0|
2279|trigger|trigger|4|P|0|
2281|internal|internal|8|P|0|
2283|anyelement|anyelement|4|P|0|
3831|anyrange|anyrange|-1|P|0|
3838|event_trigger|event_trigger|4|P|0|
"""


@cache
def pg_types() -> tuple[PgType, ...]:
    """Every type that clients may ask for, and its array type, by OID."""
    types = []
    for line in _TYPES.split("\n")[1:-1]:
        oid, name, sql, length, category, array, _ = line.split("|")
        kind = "p" if category == "P" else "b"
        one = PgType(int(oid), name, sql, int(length), category, 0, int(array), kind)
        types.append(one)
        if one.array:
            types.append(PgType(one.array, f"_{name}", f"{sql}[]", -1, "A", one.oid))
    return tuple(sorted(types, key=lambda t: t.oid))


@cache
def _of_duckdb() -> Mapping[str, PgType]:
    """The types by the names of DuckDB's types and lists; text by the empty name."""
    by_name = {t.name: t for t in pg_types()}
    lines = [line.split("|") for line in _TYPES.split("\n")[1:-1]]
    names = {one: name for _, name, *_, several in lines for one in several.split(",")} | {"": "text"}
    lists = {f"{one}[]": by_name[f"_{name}"] for one, name in names.items()}
    return {one: by_name[name] for one, name in names.items()} | lists


def pg_type_of(duckdb_type: str) -> PgType:
    """The type shown for one of DuckDB's; text for what PostgreSQL lacks."""
    end = "[]" if duckdb_type.endswith("[]") else ""
    base = duckdb_type.removesuffix("[]").partition("(")[0]
    types = _of_duckdb()
    return types.get(f"{base}{end}") or types[end]


def modifier(duckdb_type: str) -> int:
    """atttypmod: precision and scale of a DECIMAL; -1 for other types."""
    match = _DECIMAL.fullmatch(duckdb_type)
    if match is None:
        return -1
    return (int(match.group(1)) << 16 | int(match.group(2))) + _HEADER
