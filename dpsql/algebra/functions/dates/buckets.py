"""TIME_BUCKET: the start of the piece of constant width that a date or timestamp lies in."""

from __future__ import annotations

from dpsql.algebra.expressions import Call, Duration, Expr, Literal
from dpsql.algebra.facts import MICROS_PER_DAY, Fact
from dpsql.algebra.functions import spell
from dpsql.algebra.functions.coerce import needed
from dpsql.algebra.functions.dates.calendar import civil, day_number
from dpsql.algebra.functions.ranges import bounded_fact, interval, micros
from dpsql.algebra.functions.table import Function, Mistyped, Signature, Takes, called
from dpsql.algebra.types import TEMPORAL, SqlType
from dpsql.privacy import Interval

FIRST_MONDAY = day_number(2000, 1, 3) * MICROS_PER_DAY
"""Where the engine begins to count, in microseconds since 1970-01-01; for months it is the first day of 2000."""
_FIRST_YEAR = 2000
_MOST = Duration(12_000, 366_000, 32_000_000_000_000_000)


def rows() -> tuple[Function, ...]:
    """The entry of TIME_BUCKET."""
    summary = (
        "the start of the piece of that width, as in TIME_BUCKET(INTERVAL '15 minutes', x); pieces of days and less "
        "are counted from a third argument that is a constant date or moment, or moved by an interval"
    )
    example = "INTERVAL '15 minutes', {ts}"
    return (Function("time_bucket", ("time_bucket",), Takes(2, 2, _types), summary, example, _fact, _emit),)


def bucketed(width: Duration, micros: int) -> int:
    """The start of the piece that a timestamp lies in; both in microseconds since 1970-01-01."""
    if width.months:
        year, month, _ = civil(micros // MICROS_PER_DAY)
        months = (year - _FIRST_YEAR) * 12 + month - 1
        year, month = divmod(months - months % width.months, 12)
        return day_number(_FIRST_YEAR + year, month + 1, 1) * MICROS_PER_DAY
    step = width.days * MICROS_PER_DAY + width.micros
    return micros - (micros - FIRST_MONDAY) % step


def _types(args: tuple[Expr, ...]) -> Signature:
    width = args[0].value if isinstance(args[0], Literal) else None
    moment = args[1].type
    if not isinstance(width, Duration) or not _is_width(width):
        raise Mistyped(
            "TIME_BUCKET takes a constant width above 0 of months, or of days and less, such as INTERVAL '15 minutes'"
        )
    if moment not in TEMPORAL and moment is not SqlType.NULL:
        raise needed(SqlType.DATE, moment, "a date or timestamp")
    if moment is SqlType.DATE and width.micros:
        raise Mistyped("pieces of a date are whole days; write CAST(x AS TIMESTAMP) for shorter ones")
    kind = SqlType.DATE if moment is SqlType.DATE else SqlType.TIMESTAMP
    return Signature((SqlType.INTERVAL, kind), kind)


def _is_width(width: Duration) -> bool:
    rest = width.days * MICROS_PER_DAY + width.micros
    small = width.months <= _MOST.months and width.days <= _MOST.days and width.micros <= _MOST.micros
    return small and min(width.months, width.days, width.micros) >= 0 and (width.months > 0) is not (rest > 0)


def _range(call: Call, moment: Fact) -> Interval:
    assert isinstance(call.args[0], Literal) and isinstance(call.args[0].value, Duration)
    width, scale = call.args[0].value, MICROS_PER_DAY if call.type is SqlType.DATE else 1
    return interval(*(bucketed(width, int(end)) // scale for end in (micros(moment).lo, micros(moment).hi)))


def _fact(call: Call, facts: tuple[Fact, ...]) -> Fact:
    return bounded_fact(call.type, facts[1].nullable, _range(call, facts[1]))


def _emit(call: Call, args: tuple[str, ...], facts: tuple[Fact, ...]) -> str:
    return spell.on_calendar(called(call, args, facts), call.type, _range(call, facts[1]))
