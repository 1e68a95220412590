"""Values on the integer grid, as SQL: rounded, cast and clipped at the aggregate's input."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from dpsql.algebra.expressions import Call, Column, Expr
from dpsql.algebra.facts import Facts
from dpsql.algebra.functions import emit
from dpsql.algebra.functions.spell import clamped, double
from dpsql.algebra.types import NUMERIC, SqlType
from dpsql.plan.types import Grid

# Below this a rounded quotient is far from the ends of BIGINT, so that the cast cannot raise.
_SAFE = Fraction(2**62)
_EXACT = frozenset({"add", "sub", "mul", "neg", "abs", "cast", "coalesce"})


def grid_sql(grid: Grid, base: Facts, column: Callable[[Column], str]) -> str:
    """The grid integer of a value, before clipping: a BIGINT, NULL where the value is NULL; it never raises."""
    if grid.arg.type is SqlType.INTEGER:
        return _of_integer(grid, base, column)
    value = emit(grid.arg, base, column)
    interval = base.of(grid.arg).interval
    assert interval is not None
    if interval.magnitude / grid.step >= _SAFE:
        value = moved_into(value, grid.lo * grid.step, grid.hi * grid.step)
    return f"TRY_CAST(round({value} / {double(float(grid.step))}) AS BIGINT)"


def moved_into(value: str, lo: Fraction, hi: Fraction) -> str:
    """A DOUBLE moved into [lo, hi]; NULL stays NULL."""
    least, most = double(float(lo)), double(float(hi))
    return f"(CASE WHEN {value} < {least} THEN {least} WHEN {value} > {most} THEN {most} ELSE {value} END)"


def _of_integer(grid: Grid, base: Facts, column: Callable[[Column], str]) -> str:
    value = emit(grid.arg, base, column)
    if grid.step != 1:
        lo, hi = int(grid.lo * grid.step), int(grid.hi * grid.step)
        inside = clamped(value, min(lo, hi), max(lo, hi))
        return f"CAST(round(CAST({inside} AS DOUBLE) / {double(float(grid.step))}) AS BIGINT)"
    fact = base.of(grid.arg)
    if fact.interval is not None and fact.interval.magnitude < _SAFE:
        return value
    return f"CAST({clamped(value, grid.lo, grid.hi)} AS BIGINT)"


def clipped(name: str, grid: Grid) -> str:
    """A grid integer clipped to [lo, hi]; NULL stays NULL."""
    return (
        f"CASE WHEN {name} < {grid.lo} THEN {grid.lo} WHEN {name} > {grid.hi} THEN {grid.hi} ELSE {name} END"
    )


def is_inside(grid: Grid, base: Facts) -> bool:
    """Whether every grid integer of a value lies in [lo, hi] before clipping, since columns are clamped at the scan.

    *Because* a value lies in the range of its fact: a column does, and so does what integers and correctly rounded
    doubles of such ranges add up or multiply to (IEEE 754: rounding is monotone). Dividing by the step, which is
    positive, and rounding, halves away from 0, are monotone, too: every quotient lies between those of the ends, which
    are computed here as DuckDB does. A library function is not counted on; where a column holds what one gave, as
    that of a subquery does, its range has the margin of the error.
    """
    value, interval = grid.arg, base.of(grid.arg).interval
    if not _is_exact(value) or interval is None or interval.magnitude / grid.step >= _SAFE:
        return False
    if value.type is SqlType.INTEGER:
        return grid.step == 1 and grid.lo <= interval.lo and interval.hi <= grid.hi
    if value.type is not SqlType.DOUBLE:
        return False
    step = float(grid.step)
    least, most = (_rounded(float(end) / step) for end in (interval.lo, interval.hi))
    return grid.lo <= least and most <= grid.hi


def _is_exact(value: Expr) -> bool:
    """Whether a number is a column, a constant, or a sum, a product or a choice of such, rounded correctly at most."""
    if not isinstance(value, Call):
        return True
    if value.op == "case":
        return all(_is_exact(x) for x in (*value.args[1::2], value.args[-1]))
    return value.op in _EXACT and all(a.type in NUMERIC and _is_exact(a) for a in value.args)


def _rounded(number: float) -> int:
    """The nearest whole number; of two the one farther from 0."""
    rest, whole = math.modf(abs(number))  # both exact
    away = int(whole) + (rest >= 0.5)
    return away if number > 0 else -away
