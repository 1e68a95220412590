"""How a column is read so that its facts hold: clamped to its bounds, unlisted values NULL, one zero, no NaN.

The engines lay a view of the policy's types over each source; what is written here stands on top of it. NaN is
greater than every number in DuckDB's order, so that clamping takes it for the upper bound. Adding 0.0 turns -0.0
into 0.0: DuckDB holds the two equal, and a choice of rows by content must not tell them apart.

Dates are clamped by LEAST and GREATEST, whose range DuckDB's optimiser does not know. Of a CASE it knows the least and
the greatest date of the source, clamped or not, and it raises where date_trunc cannot be taken of them.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Final, TypeGuard

from dpsql.algebra.catalog import ColumnInfo
from dpsql.algebra.expressions import Literal, LiteralValue
from dpsql.algebra.facts import NATURAL, value_at
from dpsql.algebra.functions.spell import literal
from dpsql.algebra.types import TEMPORAL, SqlType

_BOTH = 2  # a list of both truth values leaves none out
# Of a longer list the engine makes a hash table, wherever the test stands; a shorter one it compares value by value.
_LONG = 256
# Every query reads the columns of its tables several times.
_REMEMBERED: Final = 512


def quoted(name: str) -> str:
    """An identifier in double quotes."""
    return '"' + name.replace('"', '""') + '"'


def text_literal(value: str | Path) -> str:
    """A text, or the name of a file, as SQL."""
    return "'" + str(value).replace("'", "''") + "'"


@lru_cache(maxsize=_REMEMBERED)
def column_sql(column: ColumnInfo, raw: str) -> str:
    """The SQL that makes the fact of a column hold for `raw`, the column as a view has it."""
    if column.values is not None and (column.type is not SqlType.BOOLEAN or len(set(column.values)) < _BOTH):
        if _contiguous(column.values):
            return f"CASE WHEN {raw} BETWEEN {min(column.values)} AND {max(column.values)} THEN {raw} END"
        return f"CASE WHEN {raw} IN ({_among(column.values, column.type)}) THEN {raw} END"
    ends = ends_of(column)
    if ends is None:
        return raw
    lo, hi = ends
    if column.type in TEMPORAL:
        return f"CASE WHEN {raw} IS NOT NULL THEN LEAST(GREATEST({raw}, {lo}), {hi}) END"
    kept = with_one_zero(column.type, raw)
    # Where no value of a block is outside, which is one test, the block is copied as it is.
    nearest = f"CASE WHEN {raw} > {hi} THEN {hi} ELSE {lo} END"
    return f"CASE WHEN {raw} NOT BETWEEN {lo} AND {hi} THEN {nearest} ELSE {kept} END"


def with_one_zero(kind: SqlType, value: str) -> str:
    """A value of a type with one zero where it has two."""
    return f"{value} + 0.0::DOUBLE" if kind is SqlType.DOUBLE else value


@lru_cache(maxsize=_REMEMBERED)
def ends_of(column: ColumnInfo) -> tuple[str, str] | None:
    """The least and the greatest value that a column without a list is clamped to, as SQL; None where it is not."""
    interval = column.fact.interval
    if interval is None or (column.type is SqlType.INTEGER and interval == NATURAL[SqlType.INTEGER]):
        return None
    least, most = (value_at(end, column.type) for end in (interval.lo, interval.hi))
    return literal(Literal(least, column.type)), literal(Literal(most, column.type))


def _among(values: tuple[LiteralValue, ...], kind: SqlType) -> str:
    """What a value is looked for in."""
    if len(values) > _LONG:
        return f"SELECT unnest({list_sql(values, kind)})"
    return ", ".join(literal(Literal(v, kind)) for v in values)


def list_sql(values: tuple[LiteralValue, ...], kind: SqlType) -> str:
    """A list of values as SQL; of a long one the whole is cast, which takes less time than each value."""
    if len(values) <= _LONG or kind not in (SqlType.INTEGER, SqlType.DATE):
        return f"[{', '.join(literal(Literal(v, kind)) for v in values)}]"
    texts = ("NULL" if v is None else str(v) for v in values)
    written = texts if kind is SqlType.INTEGER else (t if t == "NULL" else text_literal(t) for t in texts)
    return f"CAST([{', '.join(written)}] AS {kind.value}[])"


def _contiguous(values: tuple[LiteralValue, ...]) -> TypeGuard[tuple[int, ...]]:
    """Whether the values are all the integers of a range, which is quicker to test than a long list."""
    numbers = [v for v in values if isinstance(v, int) and not isinstance(v, bool)]
    return len(numbers) == len(values) > 1 and max(numbers) - min(numbers) + 1 == len(set(numbers))
