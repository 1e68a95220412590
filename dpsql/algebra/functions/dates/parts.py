"""Parts, boundaries and names of dates and timestamps."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from types import MappingProxyType

from dpsql.algebra.expressions import Call, Expr, Literal
from dpsql.algebra.facts import MICROS_PER_DAY, Fact
from dpsql.algebra.functions.coerce import NAMES, needed, unified
from dpsql.algebra.functions.dates.calendar import civil, day_number, month_length
from dpsql.algebra.functions.ranges import integer_fact, interval, loosened, micros, span
from dpsql.algebra.functions.table import Function, Mistyped, Signature, Takes, any_null
from dpsql.algebra.types import TEMPORAL, SqlType
from dpsql.privacy import Interval
from dpsql.slotted import dataclass

_DATE, _TIME, _I, _D, _S = SqlType.DATE, SqlType.TIMESTAMP, SqlType.INTEGER, SqlType.DOUBLE, SqlType.TEXT
_MICROS = MappingProxyType({"hour": 3_600_000_000, "minute": 60_000_000, "second": 1_000_000})
_UNITS = ("year", "quarter", "month", "week", "day", *_MICROS)
_FORMATS = frozenset("YymdHMSfjbBaApIuwVG")
_WITHOUT_ZEROS = frozenset("mdyHIMSj")
_TIMES = frozenset("HMSfpI")


def rows() -> tuple[Function, ...]:
    """The entries about dates and timestamps, except + and -."""
    trunc = "the start of a year, quarter, month, week, day, hour, minute or second"
    return (
        *map(_row, _PARTS.values()),
        Function(
            "extract", ("date_part", "datepart"), Takes(2, 2, _extract_types, _I), "EXTRACT(part FROM x)",
            "'quarter', {date}", _part_fact, _emit_part,
        ),
        Function(
            "date_trunc", ("date_trunc", "datetrunc"), Takes(2, 2, _trunc_types, _TIME), trunc,
            "'minute', {ts}", _trunc_fact, _emit_trunc,
        ),
        Function(
            "date_diff", ("date_diff", "datediff"), Takes(3, 3, _diff_types, _I), "boundaries of a unit from x to y",
            "'week', {date}, {date}", _diff_fact, _emit_diff,
        ),
        Function("last_day", ("last_day",), _of_moment(_DATE), "the month's last day", "{date}", _last_fact),
        Function("monthname", ("monthname",), _of_moment(_S), "January, ...", "{date}"),
        Function("dayname", ("dayname",), _of_moment(_S), "Monday, ...", "{date}"),
        Function("strftime", ("strftime",), Takes(2, 2, _format_types, _S), "in a constant format", "{ts}, '%A %d'"),
    )  # fmt: skip


# From what is known of a moment to the range of a part of it.
_PartRange = Callable[[Fact], Interval]


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a date or timestamp; of its spellings the first is the engine's. `finer`: of the time of day."""

    name: str
    summary: str
    range: _PartRange
    others: tuple[str, ...] = ()
    finer: bool = False

    @property
    def spellings(self) -> tuple[str, ...]:
        return self.others or (self.name,)


def _row(part: _Part) -> Function:
    is_epoch = part.name == "epoch"
    takes, example = (
        _of_moment(_D if is_epoch else _I, part.finer),
        "{ts}" if part.finer or is_epoch else "{date}",
    )
    return Function(part.name, part.spellings, takes, part.summary, example, _part_fact, _emit_part)


def _days(moment: Fact) -> tuple[int, int]:
    """The first and the last day number."""
    whole = micros(moment)
    return math.floor(whole.lo / MICROS_PER_DAY), math.floor(whole.hi / MICROS_PER_DAY)


def _always(lo: int, hi: int) -> _PartRange:
    return lambda _moment: interval(lo, hi)


def _of_ends(value: Callable[[int], int]) -> _PartRange:
    """The range of what grows with the day."""
    return lambda moment: interval(*map(value, _days(moment)))


def _years(length: int, start: int) -> _PartRange:
    """Pieces of so many years, the first of which begins with the year `start`."""
    return _of_ends(lambda day: (civil(day)[0] - start) // length + start)


def _months(moment: Fact) -> Interval:
    (y, m, _), (y2, m2, _) = map(civil, _days(moment))
    return interval(m, m2) if y == y2 else interval(1, 12)


def _quarters(moment: Fact) -> Interval:
    months = _months(moment)
    return interval((int(months.lo) + 2) // 3, (int(months.hi) + 2) // 3)


def _days_of_month(moment: Fact) -> Interval:
    (*month, day), (*month2, day2) = map(civil, _days(moment))
    return interval(day, day2) if month == month2 else interval(1, 31)


def _days_of_year(moment: Fact) -> Interval:
    first, last = _days(moment)
    year = civil(first)[0]
    start = day_number(year, 1, 1) - 1
    return interval(first - start, last - start) if year == civil(last)[0] else interval(1, 366)


def _iso_years(moment: Fact) -> Interval:
    first, last = _days(moment)
    return interval(civil(first)[0] - 1, civil(last)[0] + 1)


def _yearweek(day: int) -> int:
    """The year and the week that the Thursday of a day's week lies in."""
    thursday = day - (day + 3) % 7 + 3
    year = civil(thursday)[0]
    return year * 100 + (thursday - day_number(year, 1, 1)) // 7 + 1


def _seconds(moment: Fact) -> Interval:
    scale = Fraction(86400) if moment.type is _DATE else Fraction(1, 1_000_000)
    return loosened(Interval(span(moment).lo * scale, span(moment).hi * scale))


def _pieces(micros: int) -> _PartRange:
    return lambda moment: interval(math.floor(span(moment).lo / micros), math.ceil(span(moment).hi / micros))


_PARTS = MappingProxyType({p.name: p for p in (
    _Part("year", "the year", _years(1, 0)),
    _Part("quarter", "the quarter", _quarters),
    _Part("month", "the month", _months),
    _Part("day", "the day", _days_of_month, ("day", "dayofmonth")),
    _Part("dow", "the day of the week, 0 for Sunday", _always(0, 6), ("dayofweek", "weekday")),
    _Part("isodow", "the day of the week, 1 for Monday", _always(1, 7)),
    _Part("doy", "the day of the year", _days_of_year, ("dayofyear",)),
    _Part("week", "the ISO week", _always(1, 53), ("week", "weekofyear")),
    _Part("isoyear", "the year of the ISO week", _iso_years),
    _Part("yearweek", "the ISO year and week as one number, as 202501", _of_ends(_yearweek)),
    _Part("decade", "the decade", _years(10, 0)),
    _Part("century", "the century", _years(100, 1)),
    _Part("millennium", "the millennium", _years(1000, 1)),
    _Part("hour", "the hour", _always(0, 23), finer=True),
    _Part("minute", "the minute", _always(0, 59), finer=True),
    _Part("second", "the second", _always(0, 59), finer=True),
    _Part("millisecond", "the seconds and their fraction, in thousandths", _always(0, 59_999), finer=True),
    _Part("microsecond", "the seconds and their fraction, in millionths", _always(0, 59_999_999), finer=True),
    _Part("epoch", "seconds since 1970-01-01", _seconds),
    _Part("epoch_ms", "thousandths of a second since 1970-01-01", _pieces(1000), finer=True),
    _Part("epoch_us", "millionths of a second since 1970-01-01", _pieces(1), finer=True),
)})  # fmt: skip
_EXTRACTED = tuple(name for name in _PARTS if name not in ("epoch_ms", "epoch_us"))
_ALIASES = MappingProxyType(
    {f"{unit}s": unit for unit in _UNITS}
    | {"mon": "month", "min": "minute", "sec": "second"}
    | {spelling: name for name in _EXTRACTED for spelling in _PARTS[name].spellings}
)


def _of_moment(gives: SqlType, finer: bool = False) -> Takes:
    return Takes(1, 1, lambda args: Signature((_moment(args[0], finer),), gives), gives)


def _moment(arg: Expr, finer: bool = False) -> SqlType:
    """The type of a date or timestamp; a date has a time of day only as a timestamp."""
    if arg.type not in TEMPORAL and arg.type is not SqlType.NULL:
        raise needed(SqlType.DATE, arg.type, "a date or timestamp")
    return _TIME if finer or arg.type is _TIME else _DATE


def unit(arg: Expr, allowed: tuple[str, ...]) -> str:
    """The unit that a constant names, in its one spelling. Raises Mistyped with the list of what is known."""
    name = arg.value.lower() if isinstance(arg, Literal) and isinstance(arg.value, str) else None
    unit_name = None if name is None else _ALIASES.get(name, name)
    if unit_name not in allowed:
        raise Mistyped(f"the unit must be a constant, one of {', '.join(allowed)}")
    return unit_name


def _extract_types(args: tuple[Expr, ...]) -> Signature:
    name = unit(args[0], _EXTRACTED)
    return Signature((_S, _moment(args[1], _PARTS[name].finer)), _D if name == "epoch" else _I)


def _part(call: Call) -> _Part:
    return _PARTS[unit(call.args[0], _EXTRACTED) if call.op == "extract" else call.op]


def _part_fact(call: Call, facts: tuple[Fact, ...]) -> Fact:
    moment, found = facts[-1], _part(call).range(facts[-1])
    return Fact(_D, moment.nullable, found) if call.type is _D else integer_fact(moment.nullable, found)


def is_of_day(call: Call) -> bool:
    """Whether a call says of a moment what its day alone decides."""
    if call.op == "extract" or call.op in _PARTS:
        return not _part(call).finer and call.type is _I
    if call.op == "date_trunc":
        return unit(call.args[0], _UNITS) not in _MICROS
    if call.op == "strftime":
        format_ = call.args[1]
        return isinstance(format_, Literal) and not _TIMES & set(_codes(str(format_.value)))
    return call.op in ("last_day", "monthname", "dayname")


def _emit_part(call: Call, args: tuple[str, ...], _facts: tuple[Fact, ...]) -> str:
    # DATE_PART itself has another type where its argument is a constant NULL.
    return f"{_part(call).spellings[0]}({args[-1]})"


def _trunc_types(args: tuple[Expr, ...]) -> Signature:
    # An hour of a date is compared by DuckDB as if the date had no time: date_trunc('hour', d) = d is false there.
    finer = unit(args[0], _UNITS) in _MICROS
    return Signature((_S, _moment(args[1], finer)), _TIME)


def _trunc_fact(call: Call, facts: tuple[Fact, ...]) -> Fact:
    name, moment = unit(call.args[0], _UNITS), facts[1]
    lo, hi = (truncated(name, int(end)) for end in (micros(moment).lo, micros(moment).hi))
    return Fact(_TIME, moment.nullable, interval(lo, hi))


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


def _last_fact(_call: Call, facts: tuple[Fact, ...]) -> Fact:
    first, last = _days(facts[0])
    return Fact(_DATE, facts[0].nullable, interval(_last_day(first), _last_day(last)))


def _last_day(day: int) -> int:
    year, month, _ = civil(day)
    return day_number(year, month, month_length(year, month))


def _format_types(args: tuple[Expr, ...]) -> Signature:
    format_ = args[1].value if isinstance(args[1], Literal) else None
    if not isinstance(format_, str) or not _is_known_format(format_):
        supported = " ".join(f"%{c}" for c in sorted(_FORMATS))
        bare = " ".join(f"%-{c}" for c in sorted(_WITHOUT_ZEROS))
        raise Mistyped(f"STRFTIME takes a constant format of at most 100 characters with {supported} {bare}")
    return Signature((_moment(args[0]), _S), _S)


def _is_known_format(format_: str) -> bool:
    return len(format_) <= 100 and {*_codes(format_)} <= _FORMATS


def _codes(format_: str) -> list[str]:
    """The letter of each code, '' for none: that of a number may stand behind a -, which leaves its zeros out."""
    return [
        part[1:2] if part[:1] == "-" and part[1:2] in _WITHOUT_ZEROS else part[:1]
        for part in format_.split("%")[1:]
    ]
