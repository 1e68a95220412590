"""The rows of a released table as the private engine reads them: public values inside of their ranges."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction

from dpsql.algebra.expressions import Literal, LiteralValue
from dpsql.algebra.facts import NATURAL, number_of, value_at
from dpsql.algebra.functions.spell import literal
from dpsql.algebra.relations import Released, ReleasedColumn
from dpsql.algebra.types import SqlType
from dpsql.privacy import Interval

MOST_INPUT_VALUES = 2_000_000
"""The most values of a released table that a later release reads."""


class InputTooLarge(Exception):
    """A released table is larger than what a later release may read."""


def input_query(node: Released) -> str:
    """The query of a released table with its columns typed and in their ranges, by the public engine's own rules.

    What lists the values of a column and what reads them use this one query, so that both have the same values: an
    infinite moment, which Python cannot hold, is an end of the range in either.
    """
    columns = ", ".join(f"{_in_range(f'c{i}', c)} AS c{i}" for i, c in enumerate(node.columns))
    names = ", ".join(f"c{i}" for i in range(len(node.columns)))
    return f"SELECT {columns} FROM ({node.sql}) AS t({names})"


def _in_range(raw: str, column: ReleasedColumn) -> str:
    """A column as `input_value` has its values."""
    kind = column.type.value
    if column.type not in NATURAL:
        return f"CAST({raw} AS {kind})"
    interval = column.interval if column.interval is not None else NATURAL[column.type]
    ends = (_within(end, interval, column.type) for end in (interval.lo, interval.hi))
    lo, hi = (literal(Literal(end, column.type)) for end in ends)
    if column.type is SqlType.INTEGER:
        return f"CAST(CASE WHEN {raw} > {hi} THEN {hi} WHEN {raw} < {lo} THEN {lo} ELSE {raw} END AS {kind})"
    value = f"CAST({raw} AS {kind})"
    if column.type is SqlType.DOUBLE:
        inside = f"WHEN {value} > {hi} THEN {hi} WHEN {value} < {lo} THEN {lo} ELSE {value} + 0.0::DOUBLE"
        return f"CASE WHEN isnan({value}) THEN NULL {inside} END"
    return f"CASE WHEN {value} IS NOT NULL THEN LEAST(GREATEST({value}, {lo}), {hi}) END"


def input_columns(node: Released, rows: Sequence[Sequence[object]]) -> tuple[tuple[LiteralValue, ...], ...]:
    """The values of each column, row by row: of the types and in the ranges of the node, or NULL.

    Of rows that agree on the columns that tell rows apart only the first is read, so that multiplicities that were
    derived from them hold. Raises InputTooLarge.
    """
    if len(rows) * max(1, len(node.columns)) > MOST_INPUT_VALUES:
        raise InputTooLarge
    typed = [tuple(input_value(v, c) for v, c in zip(row, node.columns, strict=True)) for row in rows]
    return column_by_column(node, typed)


def column_by_column(
    node: Released, typed: Sequence[tuple[LiteralValue, ...]]
) -> tuple[tuple[LiteralValue, ...], ...]:
    """The columns of rows whose values are of the node's types and ranges; of rows that are alike only the first."""
    if node.unique is not None:
        first: dict[tuple[LiteralValue, ...], tuple[LiteralValue, ...]] = {}
        for row in typed:
            first.setdefault(tuple(row[at] for at in node.unique), row)
        typed = list(first.values())
    typed = typed[: node.rows]
    return tuple(tuple(row[i] for row in typed) for i in range(len(node.columns)))


def columns_read(
    node: Released, finished: Callable[[str], Sequence[Sequence[object]]]
) -> tuple[tuple[LiteralValue, ...], ...]:
    """What `input_columns` gives: of the rows that were read when the query was planned, or else of its query."""
    return node.held if node.held is not None else input_columns(node, finished(input_query(node)))


def input_value(value: object, column: ReleasedColumn) -> LiteralValue:
    """One value in the column's type and range; NaN is NULL, and so is what is not of the type."""
    if column.type is SqlType.BOOLEAN:
        return value if isinstance(value, bool) else None
    if column.type is SqlType.TEXT:
        return str(value) if value is not None else None
    number = _number(value)
    interval = column.interval if column.interval is not None else NATURAL[column.type]
    return None if number is None else _within(number, interval, column.type)


def _number(value: object) -> Fraction | float | None:
    if isinstance(value, float | Decimal):
        if not math.isfinite(value):
            return None if math.isnan(value) else float(value)
        return Fraction(value)
    return number_of(value) if isinstance(value, int | date | datetime) else None


def _within(number: Fraction | float, interval: Interval, kind: SqlType) -> LiteralValue:
    inside = min(max(number, interval.lo), interval.hi)
    at = Fraction(inside)
    if kind is SqlType.DOUBLE:
        return double_within(at, interval.lo, interval.hi)
    whole = min(max(Fraction(round(at)), Fraction(math.ceil(interval.lo))), Fraction(math.floor(interval.hi)))
    return value_at(whole, kind)


def double_within(at: Fraction, lo: Fraction, hi: Fraction) -> float:
    """The nearest double that lies in a range, on which totality was proved."""
    near = float(at)
    if Fraction(near) > hi:
        return math.nextafter(near, -math.inf)
    return math.nextafter(near, math.inf) if Fraction(near) < lo else near
