"""ClickHouse's functions, as DuckDB writes them.

Where a week begins is its second argument, and the first day is Sunday without one. What begins months, quarters, years
and weeks is a date there, and what begins days and less is a moment.
"""

from __future__ import annotations

from functools import partial
from types import MappingProxyType
from typing import Final

from sqlglot import exp

from dpsql.sql.ast.traversal import is_number
from dpsql.sql.dialect import Node
from dpsql.sql.normalize.foreign import format_codes as formats
from dpsql.sql.normalize.foreign.dialect_dates import KINDS as DATE_KINDS
from dpsql.sql.normalize.templates import Kind, Spelling, spelled

_SECONDS: Final = MappingProxyType({"SECOND": 1, "MINUTE": 60, "HOUR": 3600, "DAY": 86_400})
_DATES: Final = frozenset({"WEEK", "MONTH", "QUARTER", "YEAR"})
_CALL: Final = "TOINTERVAL"


def _width(node: Node) -> tuple[int, str] | None:
    """How many of which unit an interval has, as INTERVAL 5 MINUTE or toIntervalMinute(5)."""
    if isinstance(node, exp.Interval):
        number, unit = node.this.unnest(), node.text("unit").upper().removesuffix("S")
    elif isinstance(node, exp.Anonymous) and len(node.expressions) == 1:
        number, unit = node.expressions[0], str(node.this).upper().removeprefix(_CALL)
    else:
        return None
    text = number.name if isinstance(number, exp.Literal) else ""
    return (int(text), unit) if text.isdigit() and len(text) < 10 else None


def _piece(node: Node) -> str | None:
    """The width of pieces of which a day has a whole number: they begin where TIME_BUCKET's do."""
    count, unit = _width(node) or (0, "")
    seconds = count * _SECONDS.get(unit, 0)
    return f"INTERVAL {seconds} SECOND" if seconds and 86_400 % seconds == 0 else None


def _one(node: Node) -> str | None:
    """The unit of which an interval is one, of those that begin with a date."""
    count, unit = _width(node) or (0, "")
    return unit if count == 1 and unit in _DATES else None


def _mode(digits: str) -> Kind:
    return lambda node: node if is_number(node) and node.name in digits else None


def _branches(args: list[Node]) -> Node | None:
    """multiIf(p, x, q, y, otherwise)."""
    if len(args) < 3 or len(args) % 2 == 0:
        return None
    pairs = zip(args[:-1:2], args[1::2], strict=True)
    return exp.Case(ifs=[exp.If(this=p, true=x) for p, x in pairs], default=args[-1])


_KINDS: Final = MappingProxyType[str, Kind](
    {
        **DATE_KINDS,
        "piece": _piece,
        "one": _one,
        "from_sunday": _mode("0"),
        "from_monday": _mode("1"),
        "clickhouse": lambda node: formats.with_codes(node, formats.CLICKHOUSE),
        "zone": lambda node: node if node.is_string else None,
        "scale": lambda node: node.name if is_number(node) and node.name.isdigit() else None,
        "value": lambda node: None if isinstance(node, exp.Literal) else node,
    }
)
_spelled = partial(spelled, kinds=_KINDS)
_ZONED: Final = "moment AT TIME ZONE 'UTC' AT TIME ZONE zone"
_SUNDAY: Final = "CAST(DATE_TRUNC('WEEK', moment + INTERVAL 1 DAY) - INTERVAL 1 DAY AS DATE)"


def _of_dates() -> dict[str, Spelling]:
    """The beginnings of units of days and more."""
    found: dict[str, Spelling] = {}
    for names, unit in (
        ("TOSTARTOFYEAR", "YEAR"), ("TOSTARTOFQUARTER", "QUARTER"), ("TOSTARTOFMONTH", "MONTH"), ("TOMONDAY", "WEEK"),
    ):  # fmt: skip
        instead = f"CAST(DATE_TRUNC('{unit}', x) AS DATE)"
        found |= _spelled(
            names, instead, f"moment -> CAST(DATE_TRUNC('{unit}', moment) AS DATE)",
            f"moment, zone -> CAST(DATE_TRUNC('{unit}', {_ZONED}) AS DATE)",
        )  # fmt: skip
    return found


def _of_moments() -> dict[str, Spelling]:
    """The beginnings of days, hours and so on, and of pieces of some minutes."""
    found: dict[str, Spelling] = {}
    for unit in ("DAY", "HOUR", "MINUTE", "SECOND"):
        found |= _spelled(
            f"TOSTARTOF{unit}", f"DATE_TRUNC('{unit}', x)", f"moment -> DATE_TRUNC('{unit}', moment)",
            f"moment, zone -> DATE_TRUNC('{unit}', {_ZONED})",
        )  # fmt: skip
    for word, minutes in (("FIVE", 5), ("TEN", 10), ("FIFTEEN", 15)):
        bucket = f"TIME_BUCKET(INTERVAL {minutes} MINUTE, CAST(moment AS TIMESTAMP))"
        names = f"TOSTARTOF{word}MINUTES TOSTARTOF{word}MINUTE"
        found |= _spelled(names, f"TIME_BUCKET(INTERVAL '{minutes} minutes', x)", f"moment -> {bucket}")
    return found


def _of_parts() -> dict[str, Spelling]:
    """Parts of dates, and dates so many units away."""
    parts = (
        ("TOYEAR", "YEAR"), ("TOQUARTER", "QUARTER"), ("TOMONTH", "MONTH"), ("TODAYOFMONTH", "DAY"),
        ("TODAYOFYEAR", "DAYOFYEAR"), ("TODAYOFWEEK", "ISODOW"), ("TOHOUR", "HOUR"), ("TOMINUTE", "MINUTE"),
        ("TOSECOND", "SECOND"), ("TOISOWEEK", "WEEK"), ("TOISOYEAR", "ISOYEAR"),
    )  # fmt: skip
    found: dict[str, Spelling] = {}
    for name, part in parts:
        found |= _spelled(name, f"EXTRACT({part} FROM x)", f"moment -> EXTRACT({part} FROM moment)")
    for unit in ("YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND"):
        for word, sign in (("ADD", "+"), ("SUBTRACT", "-")):
            step = f"moment, n -> (moment {sign} INTERVAL n {unit})"
            found |= _spelled(f"{word}{unit}S", f"x {sign} INTERVAL 7 {unit}", step)
    return found


CLICKHOUSE: Final = MappingProxyType(
    {
        **_of_dates(),
        **_of_moments(),
        **_of_parts(),
        **_spelled(
            "TOSTARTOFWEEK", "CAST(DATE_TRUNC('WEEK', x) AS DATE), of weeks that begin on Monday",
            "moment, from_monday -> CAST(DATE_TRUNC('WEEK', moment) AS DATE)", f"moment -> {_SUNDAY}",
            f"moment, from_sunday -> {_SUNDAY}",
        ),
        **_spelled(
            "TOSTARTOFINTERVAL", "TIME_BUCKET(INTERVAL '15 minutes', x) or DATE_TRUNC('month', x)",
            "moment, one -> CAST(DATE_TRUNC('{one}', moment) AS DATE)",
            "moment, piece -> TIME_BUCKET({piece}, CAST(moment AS TIMESTAMP))",
        ),
        **_spelled("TOLASTDAYOFMONTH", "LAST_DAY(x)", "moment -> LAST_DAY(moment)"),
        **_spelled("TOYYYYMM", "YEAR(x) * 100 + MONTH(x)", "moment -> (YEAR(moment) * 100 + MONTH(moment))"),
        **_spelled(
            "TOYYYYMMDD", "YEAR(x) * 10000 + MONTH(x) * 100 + DAY(x)",
            "moment -> (YEAR(moment) * 10000 + MONTH(moment) * 100 + DAY(moment))",
        ),
        **_spelled(
            "TODATE TODATE32", "CAST(x AS DATE), or DATE '2025-01-31'", "day -> CAST(day AS DATE)",
            "value -> CAST(value AS DATE)", f"moment, zone -> CAST({_ZONED} AS DATE)",
        ),
        **_spelled(
            "TODATETIME TODATETIME64", "CAST(x AS TIMESTAMP), or TIMESTAMP '2025-01-31 13:00:00'",
            "seconds -> CAST(seconds AS TIMESTAMP)", "iso -> CAST(iso AS TIMESTAMP)",
            "value -> CAST(value AS TIMESTAMP)",
            "iso, scale -> CAST(iso AS TIMESTAMP)", "value, scale -> CAST(value AS TIMESTAMP)",
        ),
        **_spelled("TOTIMEZONE", "x AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Berlin'", f"moment, zone -> {_ZONED}"),
        **_spelled("YESTERDAY", "CURRENT_DATE - 1", "-> (CURRENT_DATE - 1)"),
        **_spelled("TOUNIXTIMESTAMP", "EPOCH(x)", "moment -> CAST(FLOOR(EPOCH(moment)) AS BIGINT)"),
        **_spelled("FORMATDATETIME", "STRFTIME(x, '%Y-%m-%d')", "moment, clickhouse -> STRFTIME(moment, clickhouse)"),
        **_spelled("TOSTRING", "CAST(x AS VARCHAR)", "x -> CAST(x AS VARCHAR)"),
        **_spelled(
            "TOINT8 TOINT16 TOINT32 TOINT64 TOUINT8 TOUINT16 TOUINT32 TOUINT64", "CAST(TRUNC(x) AS BIGINT)",
            "x -> CAST(TRUNC(x) AS BIGINT)",
        ),
        **_spelled("TOFLOAT32 TOFLOAT64", "CAST(x AS DOUBLE)", "x -> CAST(x AS DOUBLE)"),
        **_spelled("MULTIIF", "CASE WHEN p THEN x ELSE y END", _branches),
        **_spelled("EMPTY", "x = ''", "x -> (x = '')"),
        **_spelled("NOTEMPTY", "x <> ''", "x -> (x <> '')"),
        **_spelled("ISNOTNULL", "x IS NOT NULL", "x -> (x IS NOT NULL)"),
        **_spelled("LOWERUTF8", "LOWER(x)", "x -> LOWER(x)"),
        **_spelled("UPPERUTF8", "UPPER(x)", "x -> UPPER(x)"),
        **_spelled("LENGTHUTF8", "LENGTH(x)", "x -> LENGTH(x)"),
        **_spelled("INTDIV", "CAST(TRUNC(x / y) AS BIGINT)", "x, y -> CAST(TRUNC(x / y) AS BIGINT)"),
        **_spelled(
            "UNIQ UNIQEXACT UNIQCOMBINED UNIQCOMBINED64 UNIQHLL12", "COUNT(DISTINCT x)", "x -> COUNT(DISTINCT x)"
        ),
        **_spelled(
            "UNIQIF UNIQEXACTIF", "COUNT(DISTINCT x) FILTER (WHERE p)", "x, p -> COUNT(DISTINCT x) FILTER (WHERE p)"
        ),
        **_spelled("SUMIF", "SUM(x) FILTER (WHERE p)", "x, p -> COALESCE(SUM(x) FILTER (WHERE p), 0)"),
        **_spelled("AVGIF", "AVG(x) FILTER (WHERE p)", "x, p -> AVG(x) FILTER (WHERE p)"),
        **_spelled("MINIF", "MIN(x) FILTER (WHERE p)", "x, p -> MIN(x) FILTER (WHERE p)"),
        **_spelled("MAXIF", "MAX(x) FILTER (WHERE p)", "x, p -> MAX(x) FILTER (WHERE p)"),
        **_spelled(
            "QUANTILEEXACT QUANTILETDIGEST QUANTILETIMING QUANTILEDETERMINISTIC", "QUANTILE(x, 0.9)",
            "x -> QUANTILE(x, 0.5)", "x, q -> QUANTILE(x, q)",
        ),
        **_spelled(
            "QUANTILEIF QUANTILEEXACTIF QUANTILETDIGESTIF QUANTILETIMINGIF", "QUANTILE(x, 0.9) FILTER (WHERE p)",
            "x, p -> QUANTILE(x, 0.5) FILTER (WHERE p)", "x, p, q -> QUANTILE(x, q) FILTER (WHERE p)",
        ),
    }
)  # fmt: skip
"""By the name of a function in capitals, how it is read."""
