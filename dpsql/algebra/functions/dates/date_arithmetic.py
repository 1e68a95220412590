"""Dates and timestamps moved by whole days or intervals, and the days between two dates."""

from __future__ import annotations

from dpsql.algebra.expressions import Call, Duration, Expr, Literal
from dpsql.algebra.facts import FIRST_DAY, LAST_DAY, MICROS_PER_DAY, Fact
from dpsql.algebra.functions import spell
from dpsql.algebra.functions.coerce import NAMES, is_text_literal
from dpsql.algebra.functions.dates.calendar import add_months
from dpsql.algebra.functions.ranges import bounded_fact, integer_fact, interval, micros, span, within
from dpsql.algebra.functions.table import Mistyped, Signature, any_null
from dpsql.algebra.types import TEMPORAL, SqlType
from dpsql.privacy import Interval

# Ten thousand years of each unit: far enough to leave the years 1 to 9999 from any date, near enough that the
# engine's arithmetic does not overflow before the result is looked at.
_MOST = Duration(120_000, 3_660_000, 320_000_000_000_000_000)
_DAYS = LAST_DAY - FIRST_DAY
_I, _DATE, _TIME, _SPAN = SqlType.INTEGER, SqlType.DATE, SqlType.TIMESTAMP, SqlType.INTERVAL


def shift_types(args: tuple[Expr, ...], plus: bool) -> Signature:
    """date or timestamp ± interval, date ± integer, date - date."""
    left, right = _kind(args[0], args[1]), _kind(args[1], args[0])
    if plus and left in (_SPAN, _I) and right in TEMPORAL:
        return Signature((left, right), _shifted(right, left, args[0]))
    if not plus and (left, right) == (_DATE, _DATE):
        return Signature((_DATE, _DATE), _I)
    if not plus and left in TEMPORAL and right in TEMPORAL:
        raise Mistyped("the difference of timestamps is an interval; use date_diff('second', x, y)")
    if left in TEMPORAL and right in (_SPAN, _I):
        return Signature((left, right), _shifted(left, right, args[1]))
    hint = "; a length of time is written INTERVAL '1 day'" if {left, right} & set(TEMPORAL) else ""
    raise Mistyped(f"cannot {'add' if plus else 'subtract'} {NAMES[left]} and {NAMES[right]}{hint}")


def _kind(arg: Expr, other: Expr) -> SqlType:
    """Quoted text beside a date is a date, and NULL beside it a number of days."""
    if is_text_literal(arg) and other.type in TEMPORAL:
        return other.type
    return _I if arg.type is SqlType.NULL else arg.type


def _shifted(moment: SqlType, by: SqlType, amount: Expr) -> SqlType:
    if by is _I:
        if moment is _TIME:
            raise Mistyped("a timestamp is moved by an interval, not by a number; write + INTERVAL '1' DAY")
        return _DATE
    value = amount.value if isinstance(amount, Literal) else None
    if not isinstance(value, Duration):
        raise Mistyped("the interval must be written as a constant, such as INTERVAL '1' DAY")
    if abs(value.months) > _MOST.months or abs(value.days) > _MOST.days or abs(value.micros) > _MOST.micros:
        raise Mistyped("the interval is longer than 10000 years")
    return _TIME


def shift_fact(call: Call, facts: tuple[Fact, ...]) -> Fact:
    """The fact of a call that `shift_types` allowed; what leaves the years 1 to 9999 is NULL."""
    nullable = any_null(facts)
    if call.type is _I:
        return integer_fact(nullable, _minus(span(facts[0]), span(facts[1])))
    return bounded_fact(call.type, nullable, _exact(call, facts))


def _minus(x: Interval, y: Interval) -> Interval:
    return Interval(x.lo - y.hi, x.hi - y.lo)


def _exact(call: Call, facts: tuple[Fact, ...]) -> Interval:
    """The range of the moved date or timestamp, before what leaves the calendar is made NULL."""
    at = _moment_index(facts)
    moment, amount = facts[at], call.args[1 - at]
    if isinstance(amount, Literal) and isinstance(amount.value, Duration):
        return _moved(moment, amount.value, call.op == "add")
    days = span(facts[1 - at])
    if call.op == "sub":
        return _minus(span(moment), days)
    return Interval(span(moment).lo + days.lo, span(moment).hi + days.hi)


def _moment_index(facts: tuple[Fact, ...]) -> int:
    return 0 if facts[0].type in TEMPORAL else 1


def _moved(moment: Fact, by: Duration, plus: bool) -> Interval:
    sign = 1 if plus else -1
    rest = sign * (by.days * MICROS_PER_DAY + by.micros)
    lo, hi = int(micros(moment).lo), int(micros(moment).hi)
    if by.months == 0:
        return interval(lo + rest, hi + rest)
    # Two days can land on the same last day of a month, so that the later of two times may come out earlier.
    slack = 0 if moment.type is _DATE else MICROS_PER_DAY - 1
    first = add_months(lo // MICROS_PER_DAY, sign * by.months) * MICROS_PER_DAY
    last = add_months(hi // MICROS_PER_DAY, sign * by.months) * MICROS_PER_DAY
    return interval(first + rest, last + slack + rest)


def emit_shift(call: Call, args: tuple[str, ...], facts: tuple[Fact, ...]) -> str:
    """The engine's arithmetic, its operands bounded before and its result looked at after."""
    sign = "+" if call.op == "add" else "-"
    if call.type is _I:
        return f"({args[0]} {sign} {args[1]})"
    at = _moment_index(facts)
    amount = args[1 - at] if call.type is _TIME else _day_count(args[1 - at], facts[1 - at])
    return spell.on_calendar(f"({args[at]} {sign} {amount})", call.type, _exact(call, facts))


def _day_count(sql: str, fact: Fact) -> str:
    """A number of days as the INTEGER that the engine adds; beyond the calendar's length it is NULL."""
    if not within(span(fact), interval(-_DAYS, _DAYS)):
        sql = spell.inside(sql, spell.integer(-_DAYS), spell.integer(_DAYS))
    return spell.cast_to(sql, "INTEGER")
