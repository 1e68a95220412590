"""Lengths of time that rows give: x + n * INTERVAL '1 day', x - INTERVAL (n) DAY, and x - y for moments."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from dpsql.algebra.expressions import Call, Duration, Expr, Literal
from dpsql.algebra.facts import MICROS_PER_DAY, Fact
from dpsql.algebra.functions import spell
from dpsql.algebra.functions.coerce import NAMES, is_text_literal
from dpsql.algebra.functions.ranges import bounded_fact, corners, interval, micros, span, within
from dpsql.algebra.functions.table import Function, Mistyped, Signature, Takes, any_null, takes
from dpsql.algebra.types import TEMPORAL, SqlType
from dpsql.privacy import Interval

# Ten thousand years: what is moved farther leaves the years 1 to 9999 from any date.
_MOST_MICROS = 320_000_000_000_000_000


def rows() -> tuple[Function, ...]:
    """The entries of dates moved by several steps, and of the time between two moments."""
    summary = "x + n * INTERVAL '1 day', x - INTERVAL (n) HOUR"
    between = "x - y of moments, one of them a timestamp: compared with INTERVAL '1 day', or in AVG"
    counted = takes(SqlType.INTEGER, gives=SqlType.INTERVAL)
    return (
        Function("step", (), Takes(3, 3, _types), summary, fact=_fact, emit=_emit),
        Function("elapsed", (), counted, between, fact=_elapsed_fact, emit="{0}"),
    )


def _elapsed_fact(_call: Call, facts: tuple[Fact, ...]) -> Fact:
    """Rows have no INTERVAL: it stands for its microseconds, which is what is computed."""
    return replace(facts[0], type=SqlType.INTERVAL)


def _types(args: tuple[Expr, ...]) -> Signature:
    moment, count, size = args
    step = size.value if isinstance(size, Literal) and isinstance(size.value, Duration) else Duration()
    one_kind = not step.months and (step.days == 0) is not (step.micros == 0)
    if not one_kind or abs(_micros(step)) > _MOST_MICROS:
        raise Mistyped(
            "a computed number of steps goes by weeks, days, hours or less; months and years need a constant number, "
            "as in INTERVAL 3 MONTH"
        )
    if count.type not in (SqlType.INTEGER, SqlType.NULL):
        kind = NAMES[count.type]
        raise Mistyped(
            f"an interval is multiplied by a whole number, not by {kind}; CAST(x AS BIGINT) is one"
        )
    if is_text_literal(moment) or moment.type not in (*TEMPORAL, SqlType.NULL):
        raise Mistyped(f"a date or timestamp is moved by an interval, not {NAMES[moment.type]}")
    kind = SqlType.DATE if moment.type is SqlType.DATE else SqlType.TIMESTAMP
    return Signature((kind, SqlType.INTEGER, SqlType.INTERVAL), SqlType.TIMESTAMP)


def _micros(step: Duration) -> int:
    return step.days * MICROS_PER_DAY + step.micros


def _step(call: Call) -> Duration:
    assert isinstance(call.args[2], Literal) and isinstance(call.args[2].value, Duration)
    return call.args[2].value


def _size(call: Call) -> int:
    """The microseconds of one step."""
    return _micros(_step(call))


def _counted(call: Call) -> Interval:
    """The numbers of steps that stay within ten thousand years; others leave the calendar."""
    most = max(_MOST_MICROS // abs(_size(call)), 1)
    return interval(-most, most)


def _exact(call: Call, facts: tuple[Fact, ...]) -> Interval:
    """The range of the moved moment, before what leaves the calendar is made NULL."""
    moment, size = micros(facts[0]), Fraction(_size(call))
    moved = corners(lambda n, s: n * s, span(facts[1]), Interval(size, size))
    return Interval(moment.lo + moved.lo, moment.hi + moved.hi)


def _fact(call: Call, facts: tuple[Fact, ...]) -> Fact:
    return bounded_fact(SqlType.TIMESTAMP, any_null(facts), _exact(call, facts))


def _emit(call: Call, args: tuple[str, ...], facts: tuple[Fact, ...]) -> str:
    moment, count, step = args
    most = _counted(call)
    if not within(span(facts[1]), most):
        count = spell.inside(count, spell.integer(int(most.lo)), spell.integer(int(most.hi)))
    moved = f"({moment} + {_length(call, spell.cast_to(count, 'BIGINT'), step)})"
    return spell.on_calendar(moved, SqlType.TIMESTAMP, _exact(call, facts))


def _length(call: Call, count: str, step: str) -> str:
    """So many steps. The engine multiplies an INTERVAL by 32 bits alone: enough for days, but not for seconds."""
    micros = _step(call).micros
    return f"to_microseconds({count} * {spell.integer(micros)})" if micros else f"{count} * {step}"
