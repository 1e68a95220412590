"""Functions of dates that other databases have, as DuckDB writes them.

A unit is a bare word there, as in DATEADD(day, 7, x); it is never a column. Weeks begin on another day in some of these
databases, so that boundaries of weeks are refused.
"""

from __future__ import annotations

import re
from functools import partial
from types import MappingProxyType
from typing import Final

from sqlglot import exp

from dpsql.sql.ast.traversal import is_number
from dpsql.sql.dialect import Node
from dpsql.sql.normalize.foreign import constant_moments as constants
from dpsql.sql.normalize.foreign import format_codes as formats
from dpsql.sql.normalize.foreign.date_parts import part_of
from dpsql.sql.normalize.foreign.date_units import (
    CALENDAR,
    DAY,
    as_moment,
    as_number,
    first_day_of_week,
    is_isoweek,
    is_of_sundays,
    is_whole,
    part_word,
    unit_kind,
    unit_word,
)
from dpsql.sql.normalize.foreign.number_formats import with_commas, with_digits
from dpsql.sql.normalize.foreign.text_dates import begun, of_digits
from dpsql.sql.normalize.foreign.time_pieces import MOST_DIGITS, first_days, seconds_of_pieces, whole_units
from dpsql.sql.normalize.templates import Kind, filled, spelled
from dpsql.sql.normalize.zoned_moments import is_moment, is_utc

_MICROS: Final = MappingProxyType(
    {"DAY": "86400000000", "HOUR": "3600000000", "MINUTE": "60000000", "SECOND": "1000000"}
)


def _moment(node: Node) -> Node | None:
    """A date or moment: a text that begins with a letter is a unit that nobody has."""
    return None if node.is_string and node.name.strip()[:1].isalpha() else as_moment(node)


def _slice(args: list[Node]) -> Node | None:
    """TIME_SLICE(x, 15, 'MINUTE'), of pieces of which a day has a whole number."""
    if len(args) != 3 or not is_whole(args[1]) or len(args[1].name) > MOST_DIGITS:
        return None
    micros = int(_MICROS.get(args[2].name.upper(), "0")) * int(args[1].name)
    if micros == 0 or int(_MICROS["DAY"]) % micros:
        return None
    made = f"TIME_BUCKET(INTERVAL n {args[2].name.upper()}, CAST(x AS TIMESTAMP))"
    return filled(made, {"n": as_number(args[1]), "x": as_moment(args[0])})


def _thousands(node: Node) -> Node | None:
    """What is divided by 1000."""
    share = node.unnest()
    is_share = isinstance(share, exp.Div | exp.IntDiv) and share.expression.name in ("1000", "1000.0")
    return share.this if is_share else None


# A text in double quotes, the quarter, and what else stands in a format of PostgreSQL's.
_PART_OF_FORMAT: Final = re.compile(r'"([^"\\%]*)"|(Q)|([^"Q\\]+)')
_PARTS_OF_FORMAT: Final = re.compile(rf"(?:{_PART_OF_FORMAT.pattern})+")


def _with_quarters(args: list[Node]) -> Node | None:
    """TO_CHAR with texts in double quotes and quarters, which strftime has not, as texts that are joined."""
    if (
        len(args) != 2
        or not formats.has_letters(args[1])
        or not args[1].is_string
        or not _PARTS_OF_FORMAT.fullmatch(args[1].name)
    ):
        return None
    patterns = [""]  # with a quarter between one and the next
    for text, quarter, words in _PART_OF_FORMAT.findall(args[1].name):
        plain = formats.with_codes(exp.Literal.string(words), formats.ORACLE)
        if plain is None:
            return None
        patterns[-1] += plain.name + text
        patterns += [""] if quarter else []
    return _joined(args[0], patterns)


_WITHOUT_ZEROS: Final = MappingProxyType(
    {
        "FMYYYY": "YEAR", "FMQ": "QUARTER", "FMMM": "MONTH", "FMIW": "WEEK", "FMDD": "DAY", "FMDDD": "DAYOFYEAR",
        "FMHH24": "HOUR", "FMMI": "MINUTE", "FMSS": "SECOND", "ID": "ISODOW", "D": "1 + DAYOFWEEK",
    }
)  # fmt: skip


def _part_as_text(args: list[Node]) -> Node | None:
    """TO_CHAR(x, 'FMHH24') as the hour, and 'D' as the day of the week, of which there are few."""
    part = _WITHOUT_ZEROS.get(args[1].name.upper()) if len(args) == 2 and args[1].is_string else None
    return filled(f"CAST({part}(x) AS VARCHAR)", {"x": as_moment(args[0])}) if part else None


def _last_day(args: list[Node]) -> Node | None:
    """LAST_DAY(x, quarter): databases disagree about the last day of a week."""
    unit = str(unit_kind("")(args[1])) if len(args) == 2 else ""
    months = {"MONTH": 1, "QUARTER": 3, "YEAR": 12}.get(unit)
    last = f"CAST(DATE_TRUNC('{unit}', x) + INTERVAL '{months} months -1 day' AS DATE)"
    return filled(last, {"x": as_moment(args[0])}) if months else None


def _with_percent_quarters(args: list[Node]) -> Node | None:
    """FORMAT_DATE('%Y-Q%Q', x)."""
    if len(args) != 2 or not args[0].is_string or "%Q" not in args[0].name:
        return None
    parts = [
        formats.with_codes(exp.Literal.string(part), formats.PERCENT) for part in args[0].name.split("%Q")
    ]
    return _joined(args[1], [part.name for part in parts if part is not None]) if None not in parts else None


def _joined(moment: Node, patterns: list[str]) -> Node:
    """What STRFTIME makes in these formats, with the quarter between one and the next."""
    joined: list[Node] = []
    for at, pattern in enumerate(patterns):
        joined += [filled("CAST(QUARTER(x) AS VARCHAR)", {"x": as_moment(moment)})] if at else []
        format_ = {"x": as_moment(moment), "f": exp.Literal.string(pattern)}
        joined += [filled("STRFTIME(x, f)", format_)] if pattern else []
    names = [f"x{i}" for i in range(len(joined))]
    return filled(f"({' || '.join(names)})", dict(zip(names, joined, strict=True)))


KINDS: Final = MappingProxyType[str, Kind](
    {
        **dict.fromkeys(("moment", "start", "end"), _moment),
        "other": lambda node: as_moment(node) if unit_word(node) is None else None,
        "interval": lambda node: node if isinstance(node, exp.Interval) else None,
        "n": as_number,
        "-n": lambda n: as_number(n.this) if isinstance(n, exp.Neg) and isinstance(n.this, exp.Literal) else None,
        "whole": lambda node: as_number(node) if is_whole(node) else None,
        "step": unit_kind("ISOWEEK DAYOFYEAR"),
        "named": lambda node: unit_kind("DAYOFYEAR")(node) if node.is_string else None,
        "unit": unit_kind("WEEK DAYOFYEAR"),
        "word": unit_kind("WEEK ISOWEEK DAYOFYEAR", is_word=True),
        "span": lambda node: unit_kind("WEEK ISOWEEK DAYOFYEAR")(node) if node.is_string else None,
        "monday": unit_kind("DAYOFYEAR", is_word=True),
        "part": lambda node: unit_kind("WEEK", is_word=True)(node) if unit_word(node) else part_word(node),
        "micros": lambda node: _MICROS.get(str(unit_kind("")(node))),
        "day": constants.text_of(DAY),
        "days": constants.text_of(constants.DAYS),
        "written": lambda node: node if not node.is_string or DAY.fullmatch(node.name) else None,
        "iso": constants.moment,
        "isos": constants.text_of(constants.ISO),
        "seconds": constants.since_1970,
        "bucket": seconds_of_pieces,
        "since": lambda node: None if node.is_string else node,
        "percent": lambda node: formats.with_codes(node, formats.PERCENT),
        "java": lambda node: formats.with_codes(node, formats.JAVA) if formats.has_letters(node) else None,
        "mysql": formats.mysql_format,
        "oracle": lambda node: formats.with_codes(node, formats.ORACLE) if formats.has_letters(node) else None,
        "sunday": lambda node: node if first_day_of_week(node) in ("", "SUNDAY") else None,
        "monday_week": lambda node: node if first_day_of_week(node) == "MONDAY" else None,
        "calendar": lambda node: CALENDAR.get(node.name.upper()) if node.is_string else None,
        "utc": lambda node: node if node.is_string and is_utc(node.name) else None,
        "present": lambda node: node if is_moment(node) else None,
        "zone": lambda node: node if node.is_string else None,
        "digits": lambda node: node if is_number(node) and node.name in "0123456" else None,
        "iso_mode": lambda node: node if is_number(node) and node.name in ("1", "3") else None,
        "three": lambda node: node if is_number(node) and node.name == "3" else None,
        "one": lambda node: node if is_number(node) and node.name == "1" else None,
        "thousands": _thousands,
        "count": lambda node: None if isinstance(node, exp.Literal) else node,
        "years": lambda node: node if unit_word(node) == "YEAR" else None,
        "isoweek": lambda node: node if is_isoweek(node) else None,
        "sundays": lambda node: node if unit_word(node) == "WEEK" else None,
        "nothing": lambda node: as_moment(node) if is_number(node) and node.name == "0" else None,
        "month": lambda node: node if unit_word(node) == "MONTH" else None,
        "weekday": lambda node: node if is_of_sundays(node) else None,
        "padded": lambda node: formats.PADDED.get(node.name) if node.is_string else None,
    }
)  # fmt: skip
_spelled = partial(spelled, kinds=KINDS)
_UNITS: Final = "The unit is a constant: year, quarter, month, week ({}), day, hour, minute or second"
_DIFF: Final = f"DATE_DIFF('day', a, b). {_UNITS.format('seven days')}"
_TRUNC: Final = f"DATE_TRUNC('month', x). {_UNITS.format('from Monday')}"
_MONDAYS: Final = "(DATE_DIFF('DAY', DATE_TRUNC('WEEK', start), DATE_TRUNC('WEEK', end)) // 7)"
_WEEKS: Final = (
    "moment, monday_week -> DATE_TRUNC('WEEK', moment)",
    "moment, sunday -> (DATE_TRUNC('WEEK', moment + INTERVAL 1 DAY) - INTERVAL 1 DAY)",
)
_LOCAL: Final = "moment AT TIME ZONE 'UTC' AT TIME ZONE zone"
_BACK: Final = "AT TIME ZONE zone AT TIME ZONE 'UTC'"
_SINCE: Final = "(CAST('1970-01-01' AS TIMESTAMP) + INTERVAL ({}) {})"
_EPOCHS: Final = (
    f"thousands -> {_SINCE.format('thousands', 'MILLISECOND')}", f"count -> {_SINCE.format('count', 'SECOND')}",
)  # fmt: skip
_EPOCH: Final = "TIMESTAMP '1970-01-01' + INTERVAL (x) SECOND"
# Of released results alone: there it is the moment in UTC.
_SECONDS: Final = "since -> MAKE_TIMESTAMP(CAST(CAST(since AS DOUBLE) * 1000000 AS BIGINT))"
_ZONES: Final = "x AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Berlin'"
_PRESENT: Final = "CURRENT_DATE or NOW()"
_FORMAT: Final = "STRFTIME(x, '%Y-%m-%d')"
_WRITTEN: Final = f"{_FORMAT}, or CAST(x AS VARCHAR) of a number"
_STEPS: Final = (
    "step, -n, moment -> (moment - INTERVAL n {step})", "step, n, moment -> (moment + INTERVAL n {step})",
)  # fmt: skip
FOREIGN: Final = MappingProxyType(
    {
        **_spelled("DATEADD TIMESTAMPADD TIMEADD", "x + INTERVAL 7 DAY", whole_units, *_STEPS),
        # Of a number of days, as in Spark, they give a day.
        **_spelled(
            "DATE_ADD", "x + INTERVAL 7 DAY", first_days, "moment, interval -> (moment + interval)", *_STEPS,
            "moment, -n -> CAST(moment - INTERVAL n DAY AS DATE)",
            "moment, whole -> CAST(moment + INTERVAL whole DAY AS DATE)",
        ),
        **_spelled(
            "DATE_SUB", "x - INTERVAL 7 DAY", "moment, interval -> (moment - interval)",
            "moment, whole -> CAST(moment - INTERVAL whole DAY AS DATE)",
        ),
        **_spelled(
            "ADDDATE TIMESTAMP_ADD DATETIME_ADD", "x + INTERVAL 7 DAY",
            "moment, interval -> (moment + interval)", *_STEPS,
        ),
        **_spelled(
            "SUBDATE TIMESTAMP_SUB DATETIME_SUB", "x - INTERVAL 7 DAY",
            "moment, interval -> (moment - interval)",
        ),
        **_spelled(
            "ADD_MONTHS", "x + INTERVAL 3 MONTH", "moment, -n -> (moment - INTERVAL n MONTH)",
            "moment, n -> (moment + INTERVAL n MONTH)",
        ),
        **_spelled(
            "DATEDIFF", _DIFF, "end, start -> DATE_DIFF('DAY', start, end)",
            f"isoweek, start, end -> {_MONDAYS}",
            "span, start, end -> DATE_DIFF('{span}', start, end)",
            "word, start, end -> DATE_DIFF('{word}', start, end)",
            # SQL Server counts the Sundays since a Monday.
            "sundays, nothing, end -> DATE_DIFF('WEEK', nothing, end + INTERVAL 1 DAY)",
        ),
        **_spelled(
            "DATE_DIFF DATETIME_DIFF", _DIFF, f"isoweek, start, end -> {_MONDAYS}",
            f"end, start, isoweek -> {_MONDAYS}",
            "span, start, end -> DATE_DIFF('{span}', start, end)",
            "end, start, word -> DATE_DIFF('{word}', start, end)",
        ),
        **_spelled("TIMESTAMPDIFF", _DIFF, "micros, start, end -> ((EPOCH_US(end) - EPOCH_US(start)) // {micros})",
            "years, start, end -> EXTRACT(YEAR FROM AGE(end, start))",
            "month, start, end -> (EXTRACT(YEAR FROM AGE(end, start)) * 12 + EXTRACT(MONTH FROM AGE(end, start)))",
        ),
        **_spelled("TIMESTAMP_DIFF", _DIFF, "end, start, micros -> ((EPOCH_US(end) - EPOCH_US(start)) // {micros})"),
        # BigQuery's unit stands last; Snowflake's stands first, and its weeks begin on Monday.
        **_spelled(
            "DATE_TRUNC", _TRUNC, "named, moment -> DATE_TRUNC('{named}', moment)",
            "moment, unit -> DATE_TRUNC('{unit}', moment)",
            *_WEEKS, "monday, other -> DATE_TRUNC('{monday}', other)",
        ),
        **_spelled(
            "TIMESTAMP_TRUNC DATETIME_TRUNC", _TRUNC, "moment, unit -> DATE_TRUNC('{unit}', moment)", *_WEEKS,
            f"moment, unit, zone -> DATE_TRUNC('{{unit}}', {_LOCAL}) {_BACK}",
            f"moment, monday_week, zone -> DATE_TRUNC('WEEK', {_LOCAL}) {_BACK}",
            f"moment, sunday, zone -> (DATE_TRUNC('WEEK', {_LOCAL} + INTERVAL 1 DAY) - INTERVAL 1 DAY) {_BACK}",
        ),
        **_spelled(
            "DATENAME", "MONTHNAME(x), DAYNAME(x) or EXTRACT(YEAR FROM x)", "month, x -> MONTHNAME(x)",
            "weekday, x -> DAYNAME(x)", "part, x -> CAST(EXTRACT({part} FROM x) AS VARCHAR)",
        ),
        **_spelled(
            "DATETRUNC", _TRUNC, "named, moment -> DATE_TRUNC('{named}', moment)",
            "unit, moment -> DATE_TRUNC('{unit}', moment)",
        ),
        **_spelled(
            "DATE_PART", "EXTRACT(MONTH FROM x); 'dow' counts from 0 for Sunday", part_of,
            "part, x -> EXTRACT({part} FROM x)",
        ),
        # SQL Server counts days of a week from 1 for Sunday.
        **_spelled(
            "DATEPART", "EXTRACT(MONTH FROM x); 'dow' counts from 0 for Sunday", "part, x -> EXTRACT({part} FROM x)",
            "weekday, x -> (EXTRACT(DOW FROM x) + 1)",
        ),
        **_spelled(
            "TO_DATE STR_TO_DATE PARSE_DATE DATE_PARSE", "CAST(x AS DATE), or DATE '2025-01-31'",
            "x -> CAST(x AS DATE)", begun, of_digits, "written, days -> CAST(written AS DATE)",
            "days, written -> CAST(written AS DATE)", "iso, isos -> CAST(iso AS TIMESTAMP)",
        ),
        **_spelled(
            "TO_TIMESTAMP TO_TIMESTAMP_NTZ TO_TIMESTAMP_LTZ TO_TIMESTAMP_TZ FROM_ISO8601_TIMESTAMP",
            "TIMESTAMP '2025-01-31 13:00:00', or EPOCH(x) in a comparison with seconds",
            "iso -> CAST(iso AS TIMESTAMP)", "iso, isos -> CAST(iso AS TIMESTAMP)",
            "seconds -> CAST(seconds AS TIMESTAMP)", "bucket -> bucket", *_EPOCHS, _SECONDS,
        ),
        **_spelled("FROM_ISO8601_DATE", "CAST(x AS DATE)", "x -> CAST(x AS DATE)"),
        **_spelled(
            "TRY_TO_DATE", "TRY_CAST(x AS DATE)", "x -> TRY_CAST(x AS DATE)", "x, days -> TRY_CAST(x AS DATE)"
        ),
        **_spelled(
            "TRY_TO_TIMESTAMP TRY_TO_TIMESTAMP_NTZ TRY_TO_TIMESTAMP_LTZ TRY_TO_TIMESTAMP_TZ",
            "TRY_CAST(x AS TIMESTAMP)", "x -> TRY_CAST(x AS TIMESTAMP)", "x, isos -> TRY_CAST(x AS TIMESTAMP)",
        ),
        **_spelled(
            "PARSE_TIMESTAMP PARSE_DATETIME", "CAST(x AS TIMESTAMP)", "isos, iso -> CAST(iso AS TIMESTAMP)"
        ),
        **_spelled("TIMESTAMP_SECONDS", _EPOCH, "seconds -> CAST(seconds AS TIMESTAMP)", *_EPOCHS),
        **_spelled("TIMESTAMP_MILLIS", _EPOCH, f"count -> {_SINCE.format('count', 'MILLISECOND')}"),
        **_spelled("UNIX_MILLIS", "EPOCH_MS(x)", "moment -> EPOCH_MS(moment)"),
        **_spelled(
            "CONVERT_TIMEZONE", _ZONES, "utc, there, present -> present AT TIME ZONE there",
            "here, there, moment -> moment AT TIME ZONE here AT TIME ZONE there",
            "zone, present -> present AT TIME ZONE zone", f"zone, moment -> {_LOCAL}",
        ),
        **_spelled(
            "AT_TIMEZONE", _ZONES, "present, zone -> present AT TIME ZONE zone", f"moment, zone -> {_LOCAL}"
        ),
        **_spelled("CONVERT_TZ", _ZONES, "moment, here, there -> moment AT TIME ZONE here AT TIME ZONE there"),
        **_spelled("CURDATE UTC_DATE", _PRESENT, "-> CURRENT_DATE"),
        **_spelled("CURRENT_DATE", _PRESENT, "zone -> CAST(NOW() AT TIME ZONE zone AS DATE)"),
        **_spelled(
            "GETDATE SYSDATE SYSDATETIME SYSTIMESTAMP CURRENT_TIMESTAMP CURRENT_DATETIME UTC_TIMESTAMP NOW "
            "CLOCK_TIMESTAMP STATEMENT_TIMESTAMP", _PRESENT, "-> NOW()", "digits -> NOW()",
        ),
        **_spelled(
            "DATE", "CAST(x AS DATE), or MAKE_DATE(y, m, d)", "y, m, d -> MAKE_DATE(y, m, d)",
            f"moment, zone -> CAST({_LOCAL} AS DATE)",
        ),
        **_spelled("MAKEDATE", "MAKE_DATE(y, m, d)", "y, one -> MAKE_DATE(y, 1, 1)"),
        **_spelled("TIME_SLICE", "TIME_BUCKET(INTERVAL '15 minutes', x)", _slice),
        **_spelled("TRUNC", _TRUNC, "moment, calendar -> CAST(DATE_TRUNC('{calendar}', moment) AS DATE)"),
        **_spelled("WEEK", "WEEK(x), the ISO week", "moment, three -> WEEK(moment)"),
        **_spelled("YEARWEEK", "YEARWEEK(x), of ISO weeks", "moment, iso_mode -> YEARWEEK(moment)"),
        **_spelled(
            "TO_CHAR TO_VARCHAR", _WRITTEN, _part_as_text, "moment, oracle -> STRFTIME(moment, oracle)",
            "moment, padded -> RPAD(STRFTIME(moment, '{padded}'), 9, ' ')", _with_quarters,
            with_digits, "x -> CAST(x AS VARCHAR)",
        ),
        **_spelled(
            "FORMAT", _WRITTEN, with_commas,
            "moment, java -> STRFTIME(moment, java)",
        ),
        **_spelled("DATE_FORMAT", _FORMAT, "moment, mysql -> STRFTIME(moment, mysql)"),
        **_spelled(
            "FORMAT_DATE FORMAT_TIMESTAMP FORMAT_DATETIME", _FORMAT, "percent, moment -> STRFTIME(moment, percent)",
            _with_percent_quarters,
            f"percent, moment, zone -> STRFTIME({_LOCAL}, percent)",
            "moment, java -> STRFTIME(moment, java)",
        ),
        **_spelled("DAY_OF_WEEK DOW DAYOFWEEKISO DAYOFWEEK_ISO", "ISODOW(x), from 1 for Monday", "x -> ISODOW(x)"),
        **_spelled("DAY_OF_MONTH", "DAY(x)", "x -> DAY(x)"),
        **_spelled("DAY_OF_YEAR DOY", "DAYOFYEAR(x)", "x -> DAYOFYEAR(x)"),
        **_spelled("WEEK_OF_YEAR WEEKISO", "WEEK(x)", "x -> WEEK(x)"),
        **_spelled("YEAR_OF_WEEK YOW YEAROFWEEKISO", "EXTRACT(ISOYEAR FROM x)", "x -> EXTRACT(ISOYEAR FROM x)"),
        **_spelled("LAST_DAY", "LAST_DAY(x, 'month'), or 'quarter' or 'year'", _last_day),
        **_spelled("LAST_DAY_OF_MONTH EOMONTH", "LAST_DAY(x)", "moment -> LAST_DAY(moment)"),
        **_spelled(
            "UNIX_TIMESTAMP UNIX_SECONDS", "EPOCH(x)", "moment -> CAST(FLOOR(EPOCH(moment)) AS BIGINT)",
            "-> CAST(FLOOR(EPOCH(NOW())) AS BIGINT)",
        ),
        **_spelled("TIMESTAMP DATETIME", "CAST(x AS TIMESTAMP)", "x -> CAST(x AS TIMESTAMP)"),
        **_spelled("TO_UNIXTIME", "EPOCH(x)", "moment -> EPOCH(moment)"),
        **_spelled(
            "FROM_UNIXTIME", "TIMESTAMP '2025-01-31 13:00:00', or EPOCH(x) in a comparison with seconds",
            "seconds -> CAST(seconds AS TIMESTAMP)", "bucket -> bucket", *_EPOCHS, _SECONDS,
            f"count, mysql -> STRFTIME({_SINCE.format('count', 'SECOND')}, mysql)",
        ),
        **_spelled(
            "DATE_BIN", "TIME_BUCKET(INTERVAL '15 minutes', x)",
            "width, moment, origin -> TIME_BUCKET(width, CAST(moment AS TIMESTAMP), CAST(origin AS TIMESTAMP))",
        ),
        **_spelled("DATEFROMPARTS DATE_FROM_PARTS", "MAKE_DATE(y, m, d)", "y, m, d -> MAKE_DATE(y, m, d)"),
    }
)  # fmt: skip
"""By the name of a function in capitals, how it is read."""
READ_BY_ARGUMENTS: Final = frozenset(
    {
        "DATEDIFF",
        "DATE_DIFF",
        "DATE_TRUNC",
        "DATETRUNC",
        "CURRENT_DATE",
        "DATE",
        "WEEK",
        "CONTAINS",
        "LAST_DAY",
    }
)
"""Names that DuckDB has, too: it takes the unit first, as a text, or fewer arguments, or texts and no lists."""
FEWER_ARGUMENTS: Final = MappingProxyType({"NOW": 0, "YEARWEEK": 1, "LAST_DAY": 1})
"""Names that DuckDB has, too, with so many arguments at most."""
TYPE_CALLS: Final = frozenset(
    {"TIMESTAMP", "DATETIME", "DATE", "INT", "INTEGER", "BIGINT", "SMALLINT", "FLOAT", "BOOLEAN"}
)
"""Those that DuckDB's parser takes for types alone."""
