"""Interval arithmetic for facts: exact where the engine is exact, widened outwards where it rounds."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction

from dpsql.algebra.facts import DOUBLE_MAX, DOUBLE_RANGE, HUGEINT_SAFE, MICROS_PER_DAY, NATURAL, Fact
from dpsql.algebra.functions.table import Mistyped
from dpsql.algebra.types import SqlType
from dpsql.privacy import Interval

ZERO = Interval(Fraction(0), Fraction(0))
# A library function is off by less than 8 units in the last place on every platform's libm in use.
_LIBRARY_ERROR = Fraction(1, 2**49)
_TINY = Fraction(5e-324)
_OVERFLOW = DOUBLE_MAX + 2**970


def interval(lo: int | Fraction, hi: int | Fraction) -> Interval:
    """The interval between two exact numbers."""
    return Interval(Fraction(lo), Fraction(hi))


def span(fact: Fact) -> Interval:
    """The range of a value that has one; a constant NULL has no value, so that any range is true of it."""
    return ZERO if fact.interval is None else fact.interval


def hull(intervals: Iterable[Interval]) -> Interval:
    """The least interval around at least one interval."""
    known = tuple(intervals)
    return Interval(min(i.lo for i in known), max(i.hi for i in known))


def within(inner: Interval, outer: Interval) -> bool:
    """Whether `inner` lies in `outer`."""
    return outer.lo <= inner.lo and inner.hi <= outer.hi


def clip(inner: Interval, outer: Interval) -> Interval:
    """The part of `inner` in `outer`, or the nearest point of `outer` where they do not meet."""
    return Interval(min(max(inner.lo, outer.lo), outer.hi), max(min(inner.hi, outer.hi), outer.lo))


def corners(op: Callable[[Fraction, Fraction], Fraction], a: Interval, b: Interval) -> Interval:
    """The range of an operation that is monotone in each argument."""
    values = [op(x, y) for x in (a.lo, a.hi) for y in (b.lo, b.hi)]
    return Interval(min(values), max(values))


def float_below(x: Fraction) -> Fraction:
    """The largest finite double that is at most x; x itself beyond the doubles."""
    if abs(x) >= DOUBLE_MAX:
        return x
    near = float(x)
    return Fraction(near if Fraction(near) <= x else math.nextafter(near, -math.inf))


def float_above(x: Fraction) -> Fraction:
    """The least finite double that is at least x; x itself beyond the doubles."""
    return -float_below(-x)


def outward(exact: Interval) -> Interval:
    """The range of a correctly rounded double whose exact value lies in `exact`."""
    return Interval(_rounded_in(float_below(exact.lo)), _rounded_in(float_above(exact.hi)))


def _rounded_in(x: Fraction) -> Fraction:
    """Rounding to nearest reaches infinity only half a unit in the last place beyond the largest double."""
    return x if abs(x) >= _OVERFLOW else max(min(x, DOUBLE_MAX), -DOUBLE_MAX)


def loosened(exact: Interval) -> Interval:
    """The range of a double that a mathematical library computes within its error, or by a few roundings."""
    return outward(
        Interval(
            exact.lo - abs(exact.lo) * _LIBRARY_ERROR - _TINY,
            exact.hi + abs(exact.hi) * _LIBRARY_ERROR + _TINY,
        )
    )


def nonzero_parts(y: Interval, whole: bool) -> tuple[Interval, ...]:
    """The parts of a divisor's range without 0; a whole number that is not 0 is at least 1 away from it."""
    step = Fraction(1) if whole else _TINY
    parts = []
    if y.hi >= step:
        parts.append(Interval(max(y.lo, step), y.hi))
    if y.lo <= -step:
        parts.append(Interval(y.lo, min(y.hi, -step)))
    return tuple(parts)


def integer_fact(nullable: bool, exact: Interval) -> Fact:
    """The fact of an INTEGER result. Raises Mistyped where it could leave what the engine's integers hold."""
    if not within(exact, HUGEINT_SAFE):
        raise Mistyped(
            "an integer result can be too large; bound the column in the policy or use LEAST and GREATEST"
        )
    return Fact(SqlType.INTEGER, nullable, exact)


def double_fact(nullable: bool, rounded: Interval) -> Fact:
    """The fact of a DOUBLE result that is made NULL where it would not be finite."""
    finite = within(rounded, DOUBLE_RANGE)
    return Fact(SqlType.DOUBLE, nullable or not finite, clip(rounded, DOUBLE_RANGE))


def micros(moment: Fact) -> Interval:
    """The range of a date or timestamp in microseconds since 1970-01-01."""
    scale = MICROS_PER_DAY if moment.type is SqlType.DATE else 1
    return Interval(span(moment).lo * scale, span(moment).hi * scale)


def bounded_fact(kind: SqlType, nullable: bool, exact: Interval, limit: Interval | None = None) -> Fact:
    """The fact of a result that is made NULL outside `limit`, or outside the values of its type."""
    limit = NATURAL[kind] if limit is None else limit
    return Fact(kind, nullable or not within(exact, limit), clip(exact, limit))
