"""Aggregates over the rows of one unit: what is known of their values, and the grid that doubles are added up on.

The sum of one unit's rows is a private value like any other, but it must not depend on the order of the rows: doubles
are rounded to a grid of a power of two first, fine enough for 2**40 steps in the range of the summed expression.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from dpsql.algebra.facts import BIGINT_RANGE, DOUBLE_RANGE, Fact, Facts
from dpsql.algebra.functions.ranges import outward
from dpsql.algebra.of_unit import QUANTILES, SPREADS, PerUnitAggregate, PerUnitMeasure, Ranked, Window
from dpsql.algebra.types import SqlType
from dpsql.privacy import Interval
from dpsql.slotted import dataclass

# A sum that nothing limits is clipped here, far inside of HUGEINT; it has no bound that a release could use.
LARGEST = 2**62
_STEPS = 2**40
# The squares of so many steps, from the least value on, are BIGINTs; sums of them are HUGEINTs for any number of rows.
_SQUARED = 2**31
COUNTS = frozenset({PerUnitAggregate.COUNT_ROWS, PerUnitAggregate.COUNT, PerUnitAggregate.COUNT_DISTINCT})


@dataclass(frozen=True, slots=True)
class UnitGrid:
    """Multiples of `step` from `lo` to `hi`, both in steps; `rows` is the most rows of one unit, if known."""

    step: Fraction
    lo: int
    hi: int
    rows: int | None

    @property
    def least(self) -> int:
        """The least sum of one row or more, in steps."""
        if self.lo >= 0:
            return self.lo
        return max(self.lo * self.rows, -LARGEST) if self.rows is not None else -LARGEST

    @property
    def most(self) -> int:
        """The greatest sum of one row or more, in steps."""
        if self.hi <= 0:
            return self.hi
        return min(self.hi * self.rows, LARGEST) if self.rows is not None else LARGEST


def unit_grid(measure: PerUnitMeasure, facts: Facts, rows: int | None) -> UnitGrid:
    """The grid of a sum or an average over one unit's rows."""
    assert measure.arg is not None
    interval = facts.of(measure.arg).interval
    assert interval is not None
    if measure.arg.type is SqlType.INTEGER:
        return UnitGrid(Fraction(1), max(int(interval.lo), -LARGEST), min(int(interval.hi), LARGEST), rows)
    step = power_of_two(max(interval.magnitude, Fraction(1, _STEPS)) / _STEPS)
    return UnitGrid(step, (interval.lo / step).__floor__(), (interval.hi / step).__ceil__(), rows)


@dataclass(frozen=True, slots=True)
class Spread:
    """Multiples of `step` above `lo`, at most `width` of them, of which a variance or deviation is taken.

    With `exact` the numerator of the variance, n times the sum of squares less the square of the sum, is a HUGEINT.
    """

    step: Fraction
    lo: Fraction
    width: int
    exact: bool

    def most(self, aggregate: PerUnitAggregate) -> Fraction:
        """The greatest value in steps, or squares of steps: two rows at both ends, or as many rows at either."""
        width = Fraction(self.width)
        if aggregate is PerUnitAggregate.VAR_POP:
            return width * width / 4
        if aggregate is PerUnitAggregate.VAR_SAMP:
            return width * width / 2
        # the square of 0.7072 is above 1/2
        return width / 2 if aggregate is PerUnitAggregate.STDDEV_POP else width * Fraction(7072, 10_000)

    def scale(self, aggregate: PerUnitAggregate) -> Fraction:
        """What one is worth of the values that `most` counts."""
        squared = aggregate in (PerUnitAggregate.VAR_POP, PerUnitAggregate.VAR_SAMP)
        return self.step * self.step if squared else self.step


def spread_of(measure: PerUnitMeasure, facts: Facts, rows: int | None) -> Spread:
    """The grid of a variance or deviation over one unit's rows."""
    assert measure.arg is not None
    interval = facts.of(measure.arg).interval
    assert interval is not None
    whole = measure.arg.type is SqlType.INTEGER
    step = power_of_two(max((interval.hi - interval.lo) / _SQUARED, Fraction(1, _SQUARED)))
    step = max(step, Fraction(1)) if whole else step
    width = ((interval.hi - interval.lo) / step).__ceil__()
    return Spread(step, interval.lo, width, rows is not None and (rows * width) ** 2 < 2**125)


def power_of_two(least: Fraction) -> Fraction:
    """The least power of two that is not below a positive number."""
    exponent = least.numerator.bit_length() - least.denominator.bit_length()
    power = Fraction(2) ** (exponent - 1)
    while power < least:
        power *= 2
    return power


def measure_fact(measure: PerUnitMeasure, facts: Facts, rows: int | None) -> Fact:
    """What is known of a measure in a group of one unit that has at least one row, at most `rows`.

    A DOUBLE is the nearest one to what is derived, so that its range ends in doubles: the square of a width, or a total
    of many rows, may be none, and the nearest one may lie beyond it.
    """
    fact = _derived(measure, facts, rows)
    if fact.type is not SqlType.DOUBLE or fact.interval is None:
        return fact
    return replace(fact, interval=outward(fact.interval))


def _derived(measure: PerUnitMeasure, facts: Facts, rows: int | None) -> Fact:
    aggregate, some = measure.aggregate, _may_be_empty(measure, facts)
    if aggregate in COUNTS:
        most = Fraction(rows) if rows is not None else BIGINT_RANGE.hi
        return Fact(SqlType.INTEGER, False, Interval(Fraction(0 if some else 1), most))
    assert measure.arg is not None
    argument = facts.of(measure.arg)
    if aggregate in (PerUnitAggregate.MIN, PerUnitAggregate.MAX) or aggregate in QUANTILES:
        return Fact(measure.type, some, argument.interval)
    if aggregate in SPREADS:
        spread = spread_of(measure, facts, rows)
        lonely = aggregate in (PerUnitAggregate.VAR_SAMP, PerUnitAggregate.STDDEV_SAMP)
        most = spread.most(aggregate) * spread.scale(aggregate)
        return Fact(SqlType.DOUBLE, some or lonely, Interval(Fraction(0), most))
    grid = unit_grid(measure, facts, rows)
    if aggregate is PerUnitAggregate.AVG:
        return Fact(SqlType.DOUBLE, some, Interval(grid.lo * grid.step, grid.hi * grid.step))
    return Fact(measure.type, some, _sums(grid, measure.type))


def _sums(grid: UnitGrid, kind: SqlType) -> Interval:
    """The range of a sum. One that only the number of rows would limit has no range that a release can use."""
    lo, hi = grid.least * grid.step, grid.most * grid.step
    if grid.rows is None and kind is SqlType.DOUBLE:
        lo = DOUBLE_RANGE.lo if grid.lo < 0 else lo
        hi = DOUBLE_RANGE.hi if grid.hi > 0 else hi
    return Interval(lo, hi)


def rows_in_frame(window: Window, rows: int | None) -> int | None:
    """The most rows in the frame of a row whose unit has at most `rows` rows."""
    limits = [n for n in (window.frame.most, rows) if n is not None]
    return min(limits, default=None)


def window_fact(window: Window, facts: Facts, rows: int | None) -> Fact:
    """What is known of a window's value among at most `rows` rows of one unit."""
    value = window.value
    if isinstance(value, PerUnitMeasure):
        fact = measure_fact(value, facts, rows_in_frame(window, rows))
        return fact if window.frame.has_row else _of_nothing(fact, value)
    if value.arg is not None:
        return facts.of(value.arg).or_null(window.may_miss)
    if value.type is SqlType.DOUBLE:
        return Fact(SqlType.DOUBLE, False, Interval(Fraction(0), Fraction(1)))
    most = Fraction(max(rows, 1)) if rows is not None else BIGINT_RANGE.hi
    if value.ranked is Ranked.NTILE:
        most = min(most, Fraction(value.offset))
    return Fact(SqlType.INTEGER, False, Interval(Fraction(1), most))


def _of_nothing(fact: Fact, measure: PerUnitMeasure) -> Fact:
    """An aggregate's fact where there may be no row at all: a count is 0 then, anything else NULL."""
    if measure.aggregate not in COUNTS:
        return fact.or_null()
    assert fact.interval is not None
    return replace(fact, interval=Interval(Fraction(0), fact.interval.hi))


def _may_be_empty(measure: PerUnitMeasure, facts: Facts) -> bool:
    """Whether no row of a group may count: a condition may leave none, and NULL is left out."""
    if measure.where.type is SqlType.BOOLEAN and getattr(measure.where, "value", None) is not True:
        return True
    return measure.arg is not None and facts.of(measure.arg).nullable
