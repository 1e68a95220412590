"""What becomes of a source's types: an engine computes with the policy's types, and with nothing behind them.

Every expression here is total, and none can be seen through: an optimiser that moved a comparison behind a cast would
compare by the source's rules, where text that is no UUID is an error.
"""

from __future__ import annotations

import duckdb

from dpsql.algebra.scan import quoted
from dpsql.algebra.types import sql_type
from dpsql.policy.model import ColumnType
from dpsql.slotted import dataclass

REPLACED = "?"
"""What DuckDB reads of Parquet files in the place of a byte that no text can have."""
ENGINE_TYPE = {kind: sql_type(kind).value for kind in ColumnType}
_SMALL_INTEGERS = frozenset({"tinyint", "smallint", "integer", "bigint", "utinyint", "usmallint", "uinteger"})
WIDE_INTEGERS = frozenset({"ubigint", "hugeint", "uhugeint"})
_MOMENTS = frozenset(
    {"timestamp", "timestamp_s", "timestamp_ms", "timestamp_ns", "timestamp with time zone", "timestamptz_ns"}
)
ACCEPTED = {
    ColumnType.INTEGER: _SMALL_INTEGERS | WIDE_INTEGERS,
    ColumnType.FLOAT: _SMALL_INTEGERS | WIDE_INTEGERS | {"float", "double", "decimal"},
    ColumnType.TEXT: frozenset({"varchar", "enum", "uuid"}),
    ColumnType.BOOLEAN: frozenset({"boolean"}),
    ColumnType.DATE: frozenset({"date"}),
    ColumnType.TIMESTAMP: _MOMENTS | {"date"},
}
# What a file says that was written of a column without any value: one value more must not decide whether it is read.
NO_VALUES = "null"
# Types whose values a column's type does not keep apart: as keys they would make one unit of two.
_MERGED = {
    **dict.fromkeys(ColumnType, frozenset[str]()),
    ColumnType.INTEGER: WIDE_INTEGERS,
    ColumnType.FLOAT: _SMALL_INTEGERS | WIDE_INTEGERS | {"decimal"},
    ColumnType.TIMESTAMP: frozenset({"timestamp_ns", "timestamptz_ns"}),
}
# What a column without bounds is clamped to. A key is not: clamping would make one unit of several.
_NAMED = {
    ColumnType.FLOAT: "isfinite({0})",
    ColumnType.DATE: "{0} BETWEEN DATE '0001-01-01' AND DATE '9999-12-31'",
    ColumnType.TIMESTAMP: "{0} BETWEEN TIMESTAMP '0001-01-01' AND TIMESTAMP '9999-12-31 23:59:59.999999'",
}
# The types of a public table's columns that the policy does not list; wide integers depend on how large they are.
_NATURAL = {
    **dict.fromkeys(_SMALL_INTEGERS, ColumnType.INTEGER),
    **dict.fromkeys(("float", "double", "decimal"), ColumnType.FLOAT),
    **dict.fromkeys(_MOMENTS, ColumnType.TIMESTAMP),
    "boolean": ColumnType.BOOLEAN,
    "date": ColumnType.DATE,
}
_AS_TEXT = frozenset(
    {
        "varchar", "enum", "uuid", "bit", "blob", "bignum", "time", "time_ns", "time with time zone", "interval",
        "list", "array", "struct", "tuple", "map", "union", "variant", "geometry", "null",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class SourceColumn:
    """A column of a source: `kind` is DuckDB's own word for its type, `written` the type as DuckDB writes it."""

    name: str
    kind: str
    written: str


def columns_of(connection: duckdb.DuckDBPyConnection, sql: str) -> tuple[SourceColumn, ...]:
    """The columns of a table or table function, with the types that DuckDB itself says they have."""
    relation = connection.sql(f"SELECT * FROM {sql}")
    pairs = zip(relation.columns, relation.types, strict=True)
    return tuple(SourceColumn(name, str(kind.id), str(kind)) for name, kind in pairs)


def reads_as(column: SourceColumn, wanted: ColumnType, *, public: bool = False) -> bool:
    """Whether a column of the source can be listed under a type of the policy; as a public text nearly any can."""
    rendered = public and wanted is ColumnType.TEXT and column.kind in _AS_TEXT
    return rendered or column.kind in ACCEPTED[wanted] or column.kind == NO_VALUES


def merges(column: SourceColumn, wanted: ColumnType) -> bool:
    """Whether two values of the column could become one value of the type."""
    return column.kind in _MERGED[wanted]


def natural_type(column: SourceColumn, fits_bigint: bool) -> ColumnType | None:
    """The type of a public column that no policy lists, or None where there is none for it."""
    if column.kind in WIDE_INTEGERS:
        return ColumnType.INTEGER if fits_bigint else ColumnType.TEXT
    return _NATURAL.get(column.kind, ColumnType.TEXT if column.kind in _AS_TEXT else None)


def public_sql(column: SourceColumn, wanted: ColumnType) -> str:
    """A column of a public table in one of our types, whole. For floats there is one zero."""
    if wanted is ColumnType.FLOAT:
        return f"{_converted(column, wanted)} + 0.0::DOUBLE"
    return _binary(as_text(column)) if wanted is ColumnType.TEXT else _converted(column, wanted)


def private_sql(column: SourceColumn, wanted: ColumnType, longest: int | None) -> str:
    """A column of a private table in its policy's type; text has at most `longest` characters, None is no limit."""
    if wanted is not ColumnType.TEXT:
        return _converted(column, wanted)
    text = as_text(column)
    if longest is None:
        # No comparison is moved behind concat, which turns NULL into no text.
        apart = f"CASE WHEN {quoted(column.name)} IS NOT NULL THEN concat({text}) END"
        return _binary(text if column.kind == "varchar" else apart)
    # The number of bytes is at hand, that of characters is not; it is no less.
    return _binary(f"CASE WHEN strlen({text}) > {longest} THEN left({text}, {longest}) ELSE {text} END")


def key_sql(column: SourceColumn, wanted: ColumnType, longest: int, *, replaced: bool = False) -> str:
    """A key of a private table: NULL, which owns nothing, for what its column would be clamped or cut to.

    `replaced`: texts that are no UTF-8 are read with REPLACED in them, so that two keys could become one.
    """
    value = as_text(column) if wanted is ColumnType.TEXT else _converted(column, wanted)
    if wanted is ColumnType.TEXT:
        fits = f"(strlen({value}) <= {longest} OR length({value}) <= {longest})"
        whole = f" AND NOT contains({value}, '{REPLACED}')" if replaced else ""
        return _binary(f"CASE WHEN {fits}{whole} THEN {value} END")
    inside = _NAMED.get(wanted)
    return f"CASE WHEN {inside.format(value)} THEN {value} END" if inside is not None else value


def stored_integer(column: SourceColumn) -> str:
    """An integer as the source has it, where that is a type whose every value is one of ours.

    A condition on it is asked while the source is read, which leaves out parts that have no such value. The engine
    does not move one behind the cast to our type.
    """
    return quoted(column.name) if column.kind in _SMALL_INTEGERS else _converted(column, ColumnType.INTEGER)


def _binary(text: str) -> str:
    """Compared byte by byte: under a collation of the source, one key could be equal to the keys of two units."""
    return f"{text} COLLATE C"


def as_text(column: SourceColumn) -> str:
    """A column as text, under its source's collation."""
    value = quoted(column.name)
    return value if column.written == "VARCHAR" else f"CAST({value} AS VARCHAR)"


def _converted(column: SourceColumn, wanted: ColumnType) -> str:
    """A number, truth or moment in one of our types; what that cannot hold moves to its nearest end or is NULL."""
    value, kind, engine_type = quoted(column.name), column.kind, ENGINE_TYPE[wanted]
    if column.written == engine_type:
        return value
    if wanted is ColumnType.INTEGER and kind in WIDE_INTEGERS:
        return _as_bigint(value, kind.upper())
    if wanted is ColumnType.TIMESTAMP and kind == "date":
        inside = f"LEAST(GREATEST({value}, DATE '0000-01-01'), DATE '10000-01-01')"
        return f"CASE WHEN {value} IS NOT NULL THEN CAST({inside} AS TIMESTAMP) END"
    if wanted is ColumnType.TIMESTAMP:
        return f"TRY_CAST({value} AS TIMESTAMP)"  # moments with a zone are moments in UTC: `settings.connect`
    return f"CAST({value} AS {engine_type})"


def _as_bigint(value: str, raw: str) -> str:
    """A wide integer, compared in its own type: no other one holds all of its values."""
    lowest, highest = "(-9223372036854775808)::HUGEINT", f"9223372036854775807::{raw}"
    below = f"WHEN {value} < {lowest} THEN {lowest} " if raw == "HUGEINT" else ""
    return f"CAST(CASE {below}WHEN {value} > {highest} THEN {highest} ELSE {value} END AS BIGINT)"
