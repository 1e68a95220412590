"""Dates that are put together from numbers."""

from __future__ import annotations

from dpsql.algebra.expressions import Call, Expr, Literal
from dpsql.algebra.facts import Fact
from dpsql.algebra.functions import spell
from dpsql.algebra.functions.dates.calendar import day_number, month_length
from dpsql.algebra.functions.ranges import clip, interval, span, within
from dpsql.algebra.functions.table import Function, Mistyped, Signature, Takes, any_null
from dpsql.algebra.types import SqlType
from dpsql.privacy import Interval

_LIMITS = (interval(1, 9999), interval(1, 12), interval(1, 31))
_SHORTEST = interval(1, 28)
_WIDTHS = (4, 2, 2)


def rows() -> tuple[Function, ...]:
    """The entry of MAKE_DATE."""
    summary = "the date of a year, a month and a day; NULL where there is none"
    taken = Takes(3, 3, _types, SqlType.DATE)
    return (Function("make_date", ("make_date",), taken, summary, "YEAR({date}), 2, 28", _fact, _emit),)


def _types(args: tuple[Expr, ...]) -> Signature:
    parts = [a.value for a in args if isinstance(a, Literal) and isinstance(a.value, int)]
    if len(parts) == len(args) and not _exists(*parts):
        raise Mistyped("MAKE_DATE takes a year from 1 to 9999, a month of it, and a day of that month")
    return Signature((SqlType.INTEGER,) * 3, SqlType.DATE)


def _exists(year: int, month: int, day: int) -> bool:
    in_calendar = all(limit.lo <= x <= limit.hi for x, limit in zip((year, month, day), _LIMITS, strict=True))
    return in_calendar and day <= month_length(year, month)


def _spans(facts: tuple[Fact, ...]) -> list[Interval]:
    return [span(f) for f in facts]


def _fact(_call: Call, facts: tuple[Fact, ...]) -> Fact:
    """Dates grow with the year, then with the month, then with the day, so that the ends of all three bound them."""
    ranges = [clip(x, limit) for x, limit in zip(_spans(facts), _LIMITS, strict=True)]
    first, last = (int(x.lo) for x in ranges), (int(x.hi) for x in ranges)
    sure = all(within(x, y) for x, y in zip(_spans(facts), (*_LIMITS[:2], _SHORTEST), strict=True))
    return Fact(SqlType.DATE, any_null(facts) or not sure, interval(_number(*first), _number(*last)))


def _number(year: int, month: int, day: int) -> int:
    return day_number(year, month, min(day, month_length(year, month)))


def _emit(_call: Call, args: tuple[str, ...], facts: tuple[Fact, ...]) -> str:
    """The date's text, which a 30th of February is not: each part is first looked at, and then written out in full."""
    parts = [
        f"lpad({spell.cast_to(_looked_at(sql, fact, limit), 'VARCHAR')}, {width}, '0')"
        for sql, fact, limit, width in zip(args, facts, _LIMITS, _WIDTHS, strict=True)
    ]
    return "TRY_CAST((" + " || '-' || ".join(parts) + ") AS DATE)"


def _looked_at(sql: str, fact: Fact, limit: Interval) -> str:
    if within(span(fact), limit):
        return sql
    return spell.inside(sql, spell.integer(int(limit.lo)), spell.integer(int(limit.hi)))
