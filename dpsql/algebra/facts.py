"""What is known about the value of an expression before any row is read: `Fact`, derived bottom-up.

Facts about columns come from the policy (or, for public tables, from their public rows); everything above follows
by the rules of the function table. Numbers have their range as they are, dates theirs in days since 1970-01-01,
timestamps in microseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date, datetime, timedelta
from fractions import Fraction
from typing import assert_never

from dpsql.algebra.expressions import Call, Column, Duration, Expr, Literal, ScalarParameter
from dpsql.algebra.types import SqlType
from dpsql.privacy import Interval
from dpsql.slotted import dataclass

BIGINT_RANGE = Interval(Fraction(-(2**63)), Fraction(2**63 - 1))
HUGEINT_SAFE = Interval(Fraction(-(2**126)), Fraction(2**126))
DOUBLE_MAX = Fraction(1.7976931348623157e308)
DOUBLE_RANGE = Interval(-DOUBLE_MAX, DOUBLE_MAX)
FIRST_DAY = (date(1, 1, 1) - date(1970, 1, 1)).days
LAST_DAY = (date(9999, 12, 31) - date(1970, 1, 1)).days
DATE_RANGE = Interval(Fraction(FIRST_DAY), Fraction(LAST_DAY))
MICROS_PER_DAY = 86_400_000_000
TIMESTAMP_RANGE = Interval(
    Fraction(FIRST_DAY * MICROS_PER_DAY), Fraction((LAST_DAY + 1) * MICROS_PER_DAY - 1)
)

NATURAL: Mapping[SqlType, Interval] = {
    SqlType.INTEGER: BIGINT_RANGE,
    SqlType.DOUBLE: DOUBLE_RANGE,
    SqlType.DATE: DATE_RANGE,
    SqlType.TIMESTAMP: TIMESTAMP_RANGE,
}


@dataclass(frozen=True, slots=True)
class Fact:
    """Type, whether NULL can occur, and the range: an Interval for numbers, dates and timestamps, None for the rest.

    A column without bounds has the range of its type, so that totality can be proved and a sum is seen to be
    unbounded. `longest` is the most characters of a text, as far as the policy or the query says so.
    """

    type: SqlType
    nullable: bool
    interval: Interval | None = None
    longest: int | None = None

    def or_null(self, nullable: bool = True) -> Fact:
        """The same fact with NULL possible as well, if `nullable`."""
        return replace(self, nullable=self.nullable or nullable)


def fits_bigint(interval: Interval | None) -> bool:
    """Whether every integer of the range is a BIGINT."""
    return interval is not None and BIGINT_RANGE.lo <= interval.lo and interval.hi <= BIGINT_RANGE.hi


def number_of(value: object) -> Fraction | None:
    """A literal's place on the number line (days or microseconds for dates), or None for text and booleans."""
    if isinstance(value, bool) or value is None or isinstance(value, str | Duration):
        return None
    if isinstance(value, datetime):
        return Fraction((value - datetime(1970, 1, 1)) // timedelta(microseconds=1))
    if isinstance(value, date):
        return Fraction((value - date(1970, 1, 1)).days)
    if isinstance(value, int | float | Fraction):
        return Fraction(value)
    raise TypeError(f"no number for a {type(value).__name__}")


def literal_fact(literal: Literal) -> Fact:
    """The fact of a constant."""
    at = number_of(literal.value)
    longest = len(literal.value) if isinstance(literal.value, str) else 0 if literal.value is None else None
    return Fact(literal.type, literal.value is None, Interval(at, at) if at is not None else None, longest)


CallRule = Callable[[Call, tuple[Fact, ...]], Fact]


class Facts:
    """Facts of expressions under given facts of columns; each expression is looked at once."""

    def __init__(self, columns: Mapping[Column, Fact], rule: CallRule) -> None:
        self.columns = columns
        self._rule = rule
        self._known: dict[Expr, Fact] = {}

    def of(self, expr: Expr) -> Fact:
        """The fact of an expression. Raises KeyError for a column that the relation does not have."""
        remembered = self._known.get(expr)
        if remembered is None:
            remembered = self._known[expr] = self._derive(expr)
        return remembered

    def _derive(self, expr: Expr) -> Fact:
        if isinstance(expr, Column):
            return self.columns[expr]
        if isinstance(expr, Literal):
            return literal_fact(expr)
        if isinstance(expr, ScalarParameter):
            return Fact(expr.type, False, Interval(expr.lo, expr.hi))
        if isinstance(expr, Call):
            return self._rule(expr, tuple(self.of(a) for a in expr.args))
        assert_never(expr)


def value_at(number: Fraction, kind: SqlType) -> bool | int | float | date | datetime:
    """The value of a type at a place on its number line; the inverse of `number_of`."""
    if kind is SqlType.DATE:
        return date(1970, 1, 1) + timedelta(days=int(number))
    if kind is SqlType.TIMESTAMP:
        return datetime(1970, 1, 1) + timedelta(microseconds=int(number))
    return float(number) if kind is SqlType.DOUBLE else int(number)
