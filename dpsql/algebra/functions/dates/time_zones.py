"""AT TIME ZONE: moments of one time zone as the clocks of another one show them.

The engine converts by ICU's rules. How far the clocks of a zone are from UTC, at the least and at the most, comes from
the IANA time zone database (Eggert, Olson, "Time Zone Database"): the engine's shift is clamped to that, so that a
range holds whichever release of the rules the engine has.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from dpsql.algebra.expressions import Call, Expr, Literal
from dpsql.algebra.facts import Fact
from dpsql.algebra.functions import spell
from dpsql.algebra.functions.ranges import bounded_fact, interval, span
from dpsql.algebra.functions.table import Function, Mistyped, Signature, Takes
from dpsql.algebra.types import SqlType
from dpsql.privacy import Interval

_NAME = re.compile(r"[A-Z][A-Za-z0-9_+-]*(/[A-Z][A-Za-z0-9_+-]*){0,2}")
_UTC = "UTC"
# Clocks were set by the sun before the first of these, and go by the last one's rules after the last.
_FIRST, _EPOCH, _LAST = datetime(1850, 1, 1), datetime(1970, 1, 1), datetime(2038, 1, 1)
_STEP = timedelta(days=15)
_MICRO = timedelta(microseconds=1)
_START = "TIMESTAMP '1970-01-01 00:00:00'"
_ZONES = 64
_S, _TIME = SqlType.TEXT, SqlType.TIMESTAMP


def rows() -> tuple[Function, ...]:
    """The entry of AT TIME ZONE."""
    summary = "x AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Berlin': of two constant zones, one may be any other"
    return (Function("at_zone", (), Takes(3, 3, _types, _TIME), summary, fact=_fact, emit=_emit),)


@lru_cache(maxsize=_ZONES)
def offsets(zone: str, since_epoch: bool) -> Interval:
    """How many microseconds the clocks of a zone are ahead of UTC, from the least to the most; always, or since 1970.

    Raises Mistyped for a name that the IANA time zone database does not have.
    """
    if zone == _UTC:
        return interval(0, 0)
    try:
        rules = ZoneInfo(zone if _NAME.fullmatch(zone) else "")
    except (ZoneInfoNotFoundError, ValueError, OSError):
        shown = zone[:40] if zone[:40].isprintable() else "this name"
        raise Mistyped(f"the time zone {shown} is not known; write its name as in 'Europe/Berlin'") from None
    first = _EPOCH if since_epoch else _FIRST
    moments = (first + i * _STEP for i in range((_LAST - first) // _STEP))
    distances = {rules.utcoffset(m) or timedelta() for m in moments}
    return interval(min(distances) // _MICRO, max(distances) // _MICRO)


def shift(call: Call, since_epoch: bool) -> Interval:
    """How many microseconds a call of at_zone moves a moment by, from the least to the most; always, or since 1970."""
    here, there = (offsets(_zone(a), since_epoch) for a in call.args[1:])
    return Interval(there.lo - here.hi, there.hi - here.lo)


def _zone(arg: Expr) -> str:
    if not isinstance(arg, Literal) or not isinstance(arg.value, str):
        raise Mistyped("AT TIME ZONE takes a constant name such as 'Europe/Berlin'")
    return arg.value


def _types(args: tuple[Expr, ...]) -> Signature:
    for zone in args[1:]:
        offsets(_zone(zone), since_epoch=True)
    return Signature((_TIME, _S, _S), _TIME)


def _moved(call: Call, moment: Fact) -> Interval:
    by = shift(call, since_epoch=span(moment).lo >= 0)
    return Interval(span(moment).lo + by.lo, span(moment).hi + by.hi)


def _fact(call: Call, facts: tuple[Fact, ...]) -> Fact:
    return bounded_fact(_TIME, facts[0].nullable, _moved(call, facts[0]))


def _emit(call: Call, args: tuple[str, ...], facts: tuple[Fact, ...]) -> str:
    sql = spell.once(args[0], lambda x: _clamped(call, x, args, facts[0]))
    return spell.on_calendar(sql, _TIME, _moved(call, facts[0]))


def _clamped(call: Call, x: str, args: tuple[str, ...], moment: Fact) -> str:
    """A moment moved as the engine does, by no more than is known of the zones."""
    least, most = (_limits(x, *ends, moment) for ends in _ends(call))
    apart = f"epoch_us(timezone({args[2]}, timezone({args[1]}, {x}))) - epoch_us({x})"
    # Where x is NULL so is the sum, whatever GREATEST makes of it.
    return f"({x} + to_microseconds(LEAST(GREATEST({apart}, {least}), {most})))"


def _ends(call: Call) -> tuple[tuple[int, int], tuple[int, int]]:
    """The least and the most, each of all times and since 1970."""
    always, since = shift(call, since_epoch=False), shift(call, since_epoch=True)
    return (int(always.lo), int(since.lo)), (int(always.hi), int(since.hi))


def _limits(x: str, always: int, since: int, moment: Fact) -> str:
    if span(moment).lo >= 0 or always == since:
        return spell.integer(since)
    return f"CASE WHEN {x} < {_START} THEN {spell.integer(always)} ELSE {spell.integer(since)} END"
