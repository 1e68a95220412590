"""Parts, boundaries and names of dates and timestamps."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from types import MappingProxyType

from dpsql.algebra.expressions import Call, Expr, Literal
from dpsql.algebra.facts import MICROS_PER_DAY, Fact
from dpsql.algebra.functions.coerce import NAMES, needed, unified
from dpsql.algebra.functions.dates.arithmetic import floor_days
from dpsql.algebra.functions.dates.calendar import civil, day_number, month_length
from dpsql.algebra.functions.ranges import any_null, integer_fact, interval, loosened, span
from dpsql.algebra.functions.table import EmitRule, Function, Mistyped, Signature
from dpsql.algebra.types import TEMPORAL, SqlType
from dpsql.privacy import Interval

_DATE, _TIME, _I, _D, _S = SqlType.DATE, SqlType.TIMESTAMP, SqlType.INTEGER, SqlType.DOUBLE, SqlType.TEXT

_ALIASES = MappingProxyType(
    {
        "years": "year",
        "quarters": "quarter",
        "months": "month",
        "mon": "month",
        "weeks": "week",
        "weekofyear": "week",
        "days": "day",
        "dayofmonth": "day",
        "dayofweek": "dow",
        "weekday": "dow",
        "dayofyear": "doy",
        "hours": "hour",
        "minutes": "minute",
        "min": "minute",
        "seconds": "second",
        "sec": "second",
    }
)
_MICROS = MappingProxyType({"hour": 3_600_000_000, "minute": 60_000_000, "second": 1_000_000})
_FIXED = MappingProxyType(
    {
        "week": (1, 53),
        "dow": (0, 6),
        "isodow": (1, 7),
        "hour": (0, 23),
        "minute": (0, 59),
        "second": (0, 59),
        "millisecond": (0, 59_999),
        "microsecond": (0, 59_999_999),
    }
)
_OF_DAY = ("year", "quarter", "month", "day", "dow", "isodow", "doy", "week", "isoyear", "yearweek", "decade",
           "century", "millennium")  # fmt: skip
_FINER = (*_MICROS, "millisecond", "microsecond")
_PARTS = (*_OF_DAY, *_FINER, "epoch")
# Whole pieces of a second since 1970-01-01, in microseconds each.
_SINCE = MappingProxyType({"epoch_ms": 1000, "epoch_us": 1})
_SPELLINGS = MappingProxyType(
    {
        "day": ("day", "dayofmonth"),
        "dow": ("dayofweek", "weekday"),
        "doy": ("dayofyear",),
        "week": ("week", "weekofyear"),
    }
)
_SUMMARIES = MappingProxyType(
    {
        "dow": "the day of the week, 0 for Sunday",
        "isodow": "the day of the week, 1 for Monday",
        "doy": "the day of the year",
        "week": "the ISO week",
        "isoyear": "the year of the ISO week",
        "yearweek": "the ISO year and week as one number, as 202501",
        "millisecond": "the seconds and their fraction, in thousandths",
        "microsecond": "the seconds and their fraction, in millionths",
        "epoch": "seconds since 1970-01-01",
        "epoch_ms": "thousandths of a second since 1970-01-01",
        "epoch_us": "millionths of a second since 1970-01-01",
    }
)
_ENGINE_NAMES = MappingProxyType({"dow": "dayofweek", "doy": "dayofyear"})
_UNITS = ("year", "quarter", "month", "week", "day", *_MICROS)
_FORMATS = frozenset("YymdHMSfjbBaApIuwVG")
_TIMES = frozenset("HMSfpI")
# How many years each is, and the year that the first of them begins with.
_YEARS = MappingProxyType({"decade": (10, 0), "century": (100, 1), "millennium": (1000, 1)})


def rows() -> tuple[Function, ...]:
    """The rows of the table about dates and timestamps, except + and -."""
    diff = ("date_diff", "datediff")
    return (
        *(_part_row(p) for p in (*_PARTS, *_SINCE)),
        Function(
            "extract",
            ("date_part", "datepart"),
            (2, 2),
            _extract_types,
            _part_fact,
            _emit_part,
            "EXTRACT(part FROM x)",
        ),
        Function(
            "date_trunc",
            ("date_trunc", "datetrunc"),
            (2, 2),
            _trunc_types,
            _trunc_fact,
            _emit_trunc,
            "the start of a year, quarter, month, week, day, hour, minute or second",
        ),
        Function(
            "date_diff", diff, (3, 3), _diff_types, _diff_fact, _emit_diff, "boundaries of a unit from x to y"
        ),
        Function(
            "last_day",
            ("last_day",),
            (1, 1),
            _last_types,
            _last_fact,
            _called("last_day"),
            "the month's last day",
        ),
        Function(
            "monthname", ("monthname",), (1, 1), _name_types, _name_fact, _called("monthname"), "January, ..."
        ),
        Function("dayname", ("dayname",), (1, 1), _name_types, _name_fact, _called("dayname"), "Monday, ..."),
        Function(
            "strftime",
            ("strftime",),
            (2, 2),
            _format_types,
            _name_fact,
            _called("strftime"),
            "in a constant format",
        ),
    )


def _part_row(part: str) -> Function:
    spellings = _SPELLINGS.get(part, (part,))
    return Function(
        part, spellings, (1, 1), _types_of(part), _part_fact, _emit_part, _SUMMARIES.get(part, f"the {part}")
    )


def _moment(arg: Expr, finer: bool = False) -> SqlType:
    """The type of a date or timestamp; a date has a time of day only as a timestamp."""
    if arg.type not in TEMPORAL and arg.type is not SqlType.NULL:
        raise needed(SqlType.DATE, arg.type, "a date or timestamp")
    return _TIME if finer or arg.type is _TIME else _DATE


def _types_of(part: str) -> Callable[[tuple[Expr, ...]], Signature]:
    result = _D if part == "epoch" else _I
    return lambda args: Signature((_moment(args[-1], part in (*_FINER, *_SINCE)),), result)


def unit(arg: Expr, allowed: tuple[str, ...]) -> str:
    """The unit that a constant names, in its one spelling. Raises Mistyped with the list of what is known."""
    name = arg.value.lower() if isinstance(arg, Literal) and isinstance(arg.value, str) else None
    found = None if name is None else _ALIASES.get(name, name)
    if found not in allowed:
        raise Mistyped(f"the unit must be a constant, one of {', '.join(allowed)}")
    return found


def _extract_types(args: tuple[Expr, ...]) -> Signature:
    signature = _types_of(unit(args[0], _PARTS))(args)
    return Signature((_S, *signature.args), signature.result)


def _part(call: Call) -> str:
    return unit(call.args[0], _PARTS) if call.op == "extract" else call.op


def _part_fact(call: Call, facts: tuple[Fact, ...]) -> Fact:
    part, moment = _part(call), facts[-1]
    if part == "epoch":
        return Fact(_D, moment.nullable, _epoch_range(moment))
    if part in _SINCE:
        ends = span(moment).lo / _SINCE[part], span(moment).hi / _SINCE[part]
        return integer_fact(moment.nullable, interval(math.floor(ends[0]), math.ceil(ends[1])))
    return integer_fact(moment.nullable, _part_range(part, moment))


def _epoch_range(moment: Fact) -> Interval:
    scale = Fraction(86400) if moment.type is _DATE else Fraction(1, 1_000_000)
    return loosened(Interval(span(moment).lo * scale, span(moment).hi * scale))


def _days(moment: Fact) -> tuple[int, int]:
    whole = span(moment)
    return (int(whole.lo), int(whole.hi)) if moment.type is _DATE else floor_days(whole)


def _part_range(part: str, moment: Fact) -> Interval:
    if part in _FIXED:
        return interval(*_FIXED[part])
    first, last = _days(moment)
    (y, m, d), (y2, m2, d2) = civil(first), civil(last)
    if part == "year":
        return interval(y, y2)
    if part == "yearweek":
        return interval(_yearweek(first), _yearweek(last))
    if part in _YEARS:
        length, start = _YEARS[part]
        return interval((y - start) // length + start, (y2 - start) // length + start)
    if part == "isoyear":
        return interval(y - 1, y2 + 1)
    if part == "day":
        return interval(d, d2) if (y, m) == (y2, m2) else interval(1, 31)
    if part == "doy":
        start = day_number(y, 1, 1) - 1
        return interval(first - start, last - start) if y == y2 else interval(1, 366)
    months = (m, m2) if y == y2 else (1, 12)
    return interval(*months) if part == "month" else interval((months[0] + 2) // 3, (months[1] + 2) // 3)


def _yearweek(day: int) -> int:
    """The year and the week that the Thursday of a day's week lies in."""
    thursday = day - (day + 3) % 7 + 3
    year = civil(thursday)[0]
    return year * 100 + (thursday - day_number(year, 1, 1)) // 7 + 1


def is_of_day(call: Call) -> bool:
    """Whether a call says of a moment what its day alone decides."""
    if call.op in ("extract", *_PARTS):
        return _part(call) in _OF_DAY
    if call.op == "date_trunc":
        return unit(call.args[0], _UNITS) not in _MICROS
    if call.op == "strftime":
        format_ = call.args[1]
        return isinstance(format_, Literal) and not _TIMES & set(_codes(str(format_.value)))
    return call.op in ("last_day", "monthname", "dayname")


def _emit_part(call: Call, args: tuple[str, ...], _facts: tuple[Fact, ...]) -> str:
    # DATE_PART itself has another type where its argument is a constant NULL.
    part = _part(call)
    return f"{_ENGINE_NAMES.get(part, part)}({args[-1]})"


def _trunc_types(args: tuple[Expr, ...]) -> Signature:
    unit(args[0], _UNITS)
    return Signature((_S, _moment(args[1])), _TIME)


def _trunc_fact(call: Call, facts: tuple[Fact, ...]) -> Fact:
    name, moment = unit(call.args[0], _UNITS), facts[1]
    scale = MICROS_PER_DAY if moment.type is _DATE else 1
    lo, hi = int(span(moment).lo) * scale, int(span(moment).hi) * scale
    return Fact(_TIME, moment.nullable, interval(truncated(name, lo), truncated(name, hi)))


def truncated(name: str, micros: int) -> int:
    """The start of the unit that a timestamp lies in; both in microseconds since 1970-01-01."""
    if name in _MICROS:
        return micros - micros % _MICROS[name]
    day = micros // MICROS_PER_DAY
    if name == "week":
        # 1970-01-01 was a Thursday, and weeks begin on Monday.
        day -= (day + 3) % 7
    elif name != "day":
        year, month, _ = civil(day)
        first = {"year": 1, "quarter": (month - 1) // 3 * 3 + 1, "month": month}[name]
        day = day_number(year, first, 1)
    return day * MICROS_PER_DAY


def _emit_trunc(call: Call, args: tuple[str, ...], _facts: tuple[Fact, ...]) -> str:
    return f"date_trunc('{unit(call.args[0], _UNITS)}', {args[1]})"


def _diff_types(args: tuple[Expr, ...]) -> Signature:
    finer = unit(args[0], _UNITS) in _MICROS
    kind = unified(args[1:])
    if kind not in TEMPORAL and any(a.type is not SqlType.NULL for a in args[1:]):
        raise Mistyped(f"dates or timestamps are needed here, not {NAMES[kind]}; write CAST(... AS DATE)")
    moment = _TIME if finer or kind is _TIME else _DATE
    return Signature((_S, moment, moment), _I)


def _diff_fact(call: Call, facts: tuple[Fact, ...]) -> Fact:
    name = unit(call.args[0], _UNITS)
    a, b = (_boundaries(name, f) for f in facts[1:])
    least, most = b[0] - a[1], b[1] - a[0]
    if name == "week":
        # Of weeks the engine counts the whole ones between two days, not the Mondays.
        least, most = math.trunc(Fraction(least, 7)), math.trunc(Fraction(most, 7))
    return integer_fact(any_null(facts), interval(least, most))


def _boundaries(name: str, moment: Fact) -> tuple[int, int]:
    """The least and the greatest number of the unit's boundaries before a moment; of days for weeks."""
    if name in _MICROS:
        return math.floor(span(moment).lo / _MICROS[name]), math.floor(span(moment).hi / _MICROS[name])
    first, last = _days(moment)
    return _boundary(name, first), _boundary(name, last)


def _boundary(name: str, day: int) -> int:
    year, month, _ = civil(day)
    months = year * 12 + month - 1
    return {"year": year, "quarter": months // 3, "month": months, "week": day, "day": day}[name]


def _emit_diff(call: Call, args: tuple[str, ...], _facts: tuple[Fact, ...]) -> str:
    return f"date_diff('{unit(call.args[0], _UNITS)}', {args[1]}, {args[2]})"


def _last_types(args: tuple[Expr, ...]) -> Signature:
    return Signature((_moment(args[0]),), _DATE)


def _last_fact(_call: Call, facts: tuple[Fact, ...]) -> Fact:
    first, last = _days(facts[0])
    return Fact(_DATE, facts[0].nullable, interval(_last_day(first), _last_day(last)))


def _last_day(day: int) -> int:
    year, month, _ = civil(day)
    return day_number(year, month, month_length(year, month))


def _called(name: str) -> EmitRule:
    return lambda _call, args, _facts: f"{name}({', '.join(args)})"


def _name_types(args: tuple[Expr, ...]) -> Signature:
    return Signature((_moment(args[0]),), _S)


def _name_fact(_call: Call, facts: tuple[Fact, ...]) -> Fact:
    return Fact(_S, facts[0].nullable)


def _format_types(args: tuple[Expr, ...]) -> Signature:
    format_ = args[1].value if isinstance(args[1], Literal) else None
    if not isinstance(format_, str) or not _is_known_format(format_):
        known = " ".join(f"%{c}" for c in sorted(_FORMATS))
        raise Mistyped(f"STRFTIME takes a constant format of at most 100 characters with {known}")
    return Signature((_moment(args[0]), _S), _S)


def _is_known_format(format_: str) -> bool:
    codes = _codes(format_)
    return len(format_) <= 100 and all(c in _FORMATS for c in codes if c) and "" not in codes


def _codes(format_: str) -> list[str]:
    return [part[:1] for part in format_.split("%")[1:]]
