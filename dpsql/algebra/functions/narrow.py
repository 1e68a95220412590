"""What a filter teaches about columns: facts of the rows for which a predicate is true."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction

from dpsql.algebra.expressions import Call, Column, Expr, Literal, nodes
from dpsql.algebra.facts import MICROS_PER_DAY, Fact, Facts, number_of
from dpsql.algebra.functions.call_facts import fact_rule
from dpsql.algebra.functions.dates.parts import truncated
from dpsql.algebra.functions.dates.time_zones import shift
from dpsql.algebra.functions.entries import STRICT
from dpsql.algebra.functions.ranges import float_above, float_below, hull
from dpsql.algebra.functions.table import Mistyped
from dpsql.algebra.types import SqlType
from dpsql.privacy import Interval

ColumnFacts = Mapping[Column, Fact]

_LONGEST: Mapping[object, int] = {
    "second": 10**6,
    "minute": 60 * 10**6,
    "hour": 3600 * 10**6,
    "day": MICROS_PER_DAY,
    "week": 7 * MICROS_PER_DAY,
    "month": 31 * MICROS_PER_DAY,
    "quarter": 92 * MICROS_PER_DAY,
    "year": 366 * MICROS_PER_DAY,
}
"""The longest pieces of time of each unit."""
_FLIPPED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}


def narrow(columns: ColumnFacts, predicate: Expr) -> ColumnFacts:
    """The facts of the columns in rows for which the predicate is true.

    Sound: such a row satisfies the result. Where no row can satisfy it, the result is some valid fact.
    """
    if isinstance(predicate, Column):
        return _known(columns, predicate)
    if not isinstance(predicate, Call):
        return columns
    if predicate.op == "and":
        for part in predicate.args:
            columns = narrow(columns, part)
        return columns
    if predicate.op == "or":
        return _either(columns, tuple(narrow(columns, part) for part in predicate.args))
    if predicate.op == "is_true":
        return narrow(columns, predicate.args[0])
    if predicate.op == "not":
        return _negated(columns, predicate.args[0])
    if predicate.op == "in":
        return _among(_known(columns, predicate.args[0]), predicate.args[0], predicate.args[1:])
    if predicate.op in _FLIPPED:
        return _compared(_known(columns, predicate), predicate)
    return _known(columns, predicate) if predicate.op in STRICT else columns


def _negated(columns: ColumnFacts, inner: Expr) -> ColumnFacts:
    if isinstance(inner, Call) and inner.op == "is_null":
        return _known(columns, inner.args[0])
    return _known(columns, inner)


def _known(columns: ColumnFacts, expr: Expr) -> ColumnFacts:
    """The facts where the expression is not NULL."""
    sure = [c for c in _needed(expr) if c in columns and columns[c].nullable]
    return {**columns, **{c: replace(columns[c], nullable=False) for c in sure}} if sure else columns


def _needed(expr: Expr) -> Iterable[Column]:
    stack: list[Expr] = [expr]
    while stack:
        node = stack.pop()
        if isinstance(node, Column):
            yield node
        elif isinstance(node, Call) and node.op in STRICT:
            stack.extend(node.args)


def _either(columns: ColumnFacts, branches: tuple[ColumnFacts, ...]) -> ColumnFacts:
    """What holds in every branch of an OR."""
    changed = {c for b in branches for c in columns if b[c] is not columns[c]}
    return {**columns, **{c: _weakest(tuple(b[c] for b in branches)) for c in changed}}


def _weakest(facts: tuple[Fact, ...]) -> Fact:
    ranges = [f.interval for f in facts if f.interval is not None]
    whole = hull(ranges) if len(ranges) == len(facts) else None
    return Fact(facts[0].type, any(f.nullable for f in facts), whole)


def _compared(columns: ColumnFacts, call: Call) -> ColumnFacts:
    left, right = call.args
    if (found := range_of_constant(right)) is not None:
        return _beside(columns, left, call.op, found)
    if (found := range_of_constant(left)) is not None:
        return _beside(columns, right, _FLIPPED[call.op], found)
    return columns


def range_of_constant(expr: Expr) -> Interval | None:
    """What an expression without columns lies in, as the same moment for a clock's now less thirty days."""
    if isinstance(expr, Literal):
        at = number_of(expr.value)
        return Interval(at, at) if at is not None else None
    if any(isinstance(node, Column) for node in nodes(expr)):
        return None
    try:
        return Facts({}, fact_rule).of(expr).interval
    except Mistyped:
        return None


def _beside(columns: ColumnFacts, side: Expr, op: str, other: Interval) -> ColumnFacts:
    """The facts where `side op x` is true of some x of the range."""
    if op in ("eq", "ge", "gt"):
        columns = _bounded(columns, side, "ge" if op == "eq" else op, other.lo)
    if op in ("eq", "le", "lt"):
        columns = _bounded(columns, side, "le" if op == "eq" else op, other.hi)
    return columns


def _among(columns: ColumnFacts, value: Expr, members: tuple[Expr, ...]) -> ColumnFacts:
    if not all(isinstance(m, Literal) for m in members):
        return columns
    places = [p for m in members if isinstance(m, Literal) and (p := number_of(m.value)) is not None]
    if not places:
        return columns
    return _bounded(_bounded(columns, value, "ge", min(places)), value, "le", max(places))


def _bounded(columns: ColumnFacts, side: Expr, op: str, at: Fraction | None) -> ColumnFacts:
    """The facts where `side op at` is true; `side` is a column, plain, widened by a cast, in another zone, or the start
    of the piece of time that it lies in."""
    if isinstance(side, Call) and side.op == "at_zone" and at is not None:
        return _unmoved(columns, side, op, at)
    if at is not None and (found := _floored(side)) is not None:
        return _above_floor(columns, *found, op, at)
    column = side.args[0] if isinstance(side, Call) and side.op == "cast" else side
    if at is None or op == "ne" or not isinstance(column, Column) or column not in columns:
        return columns
    range_ = columns[column].interval
    if range_ is None or (column is not side and not _widens(column.type, side.type)):
        return columns
    lo = _least(column.type, side.type, op, at) if op in ("eq", "ge", "gt") else range_.lo
    hi = _most(column.type, side.type, op, at) if op in ("eq", "le", "lt") else range_.hi
    return {**columns, column: replace(columns[column], interval=_cut(range_, lo, hi))}


def _unmoved(columns: ColumnFacts, side: Call, op: str, at: Fraction) -> ColumnFacts:
    """The facts where `side op at` is true of a moment that is moved from one time zone to another."""
    moment = side.args[0]
    column = moment.args[0] if isinstance(moment, Call) and moment.op == "cast" else moment
    interval = columns[column].interval if isinstance(column, Column) and column in columns else None
    by = shift(side, since_epoch=interval is not None and interval.lo >= 0)
    if op in ("eq", "ge", "gt"):
        columns = _bounded(columns, moment, "ge" if op == "eq" else op, at - by.hi)
    if op in ("eq", "le", "lt"):
        columns = _bounded(columns, moment, "le" if op == "eq" else op, at - by.lo)
    return columns


def _floored(side: Expr) -> tuple[Expr, str] | None:
    """A moment and the unit behind the day or the start of the unit that it lies in."""
    if not isinstance(side, Call) or side.args[-1].type is not SqlType.TIMESTAMP:
        return None
    if side.op == "cast" and side.type is SqlType.DATE:
        return side.args[0], "date"
    unit = side.args[0]
    if side.op != "date_trunc" or not isinstance(unit, Literal) or unit.value not in _LONGEST:
        return None
    return (side.args[1], str(unit.value)) if side.type is SqlType.TIMESTAMP else None


def _above_floor(columns: ColumnFacts, moment: Expr, unit: str, op: str, at: Fraction) -> ColumnFacts:
    """The facts where `floor op at`: a moment is no earlier than its floor, and before the start of the next unit."""
    if unit == "date":
        whole = math.floor(at) + 1 if op == "gt" else math.ceil(at) - 1 if op == "lt" else math.floor(at)
        unit, at, op = "day", Fraction(whole * MICROS_PER_DAY), {"gt": "ge", "lt": "le"}.get(op, op)
    if op in ("eq", "ge", "gt"):
        columns = _bounded(columns, moment, "ge", at)
    if op in ("eq", "le", "lt"):
        start = truncated(unit, math.floor(at))
        end = start if op == "lt" and start == at else truncated(unit, start + _LONGEST[unit])
        columns = _bounded(columns, moment, "lt", Fraction(end))
    return columns


def _widens(column: SqlType, side: SqlType) -> bool:
    return (column, side) in ((SqlType.INTEGER, SqlType.DOUBLE), (SqlType.DATE, SqlType.TIMESTAMP))


def _cut(old: Interval, lo: Fraction, hi: Fraction) -> Interval:
    """The part of a range in [lo, hi]; where there is none, the nearest end."""
    if hi < old.lo:
        return Interval(old.lo, old.lo)
    if lo > min(hi, old.hi):
        return Interval(old.hi, old.hi)
    return Interval(max(lo, old.lo), min(hi, old.hi))


def _most(column: SqlType, side: SqlType, op: str, at: Fraction) -> Fraction:
    """The greatest value of the column for which `column <= at` (or `<`) can be true."""
    if column is SqlType.DATE and side is SqlType.TIMESTAMP:
        at /= MICROS_PER_DAY
    if column is SqlType.DOUBLE:
        return _next_below(at) if op == "lt" else at
    if op == "lt":
        return Fraction(math.ceil(at) - 1)
    # A large integer may be rounded down to `at` when it is made a double, but not past the next double.
    return Fraction(math.floor(_next_above(at) if side is SqlType.DOUBLE else at))


def _least(column: SqlType, side: SqlType, op: str, at: Fraction) -> Fraction:
    mirrored = {"gt": "lt", "ge": "le", "eq": "eq"}[op]
    return -_most(column, side, mirrored, -at)


def _next_above(at: Fraction) -> Fraction:
    """A double above a double, or the number itself beyond the doubles, where no integer is rounded to it."""
    return float_above(at + Fraction(5e-324)) if abs(at) < Fraction(1.7e308) else at


def _next_below(at: Fraction) -> Fraction:
    return float_below(at - Fraction(5e-324)) if abs(at) < Fraction(1.7e308) else at
