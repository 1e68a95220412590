"""Functions of dates that other databases have, as DuckDB writes them.

A unit is a bare word there, as in DATEADD(day, 7, x); it is never a column. Weeks begin on another day in some of these
databases, so that boundaries of weeks are refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import partial
from types import MappingProxyType
from typing import Final

from sqlglot import exp

from dpsql.sql.ast.traversal import is_number
from dpsql.sql.dialect import Node
from dpsql.sql.normalize.templates import Kind, filled, grouped, spelled

_UNITS: Final = MappingProxyType(
    {
        word: names.split()[0]
        for names in (
            "YEAR YEARS YY YYYY", "QUARTER QUARTERS QQ", "MONTH MONTHS MM MON", "WEEK WEEKS WK WW", "DAY DAYS DD",
            "HOUR HOURS HH", "MINUTE MINUTES MI", "SECOND SECONDS SS", "ISOWEEK", "DAYOFYEAR",
        )
        for word in names.split()
    }
)  # fmt: skip
_PARTS: Final = MappingProxyType(
    {"DOW": "DOW", "DOY": "DOY", "EPOCH": "EPOCH", "ISODOW": "ISODOW", "DAYOFWEEKISO": "ISODOW"}
)
# The units that DATEADD counts back to where DATEDIFF began; of those above 1, so many are a larger unit.
_COUNTED: Final = MappingProxyType(
    {"YEAR": 1, "QUARTER": 4, "MONTH": 12, "DAY": 1, "HOUR": 24, "MINUTE": 60, "SECOND": 60}
)
_SUNDAYS: Final = frozenset({"WEEKDAY", "DW"})
_MICROS: Final = MappingProxyType(
    {"DAY": "86400000000", "HOUR": "3600000000", "MINUTE": "60000000", "SECOND": "1000000"}
)
_MOST_DIGITS: Final = 11
_MOMENT: Final = re.compile(r"\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?Z?)?")
# Formats of the moment above, in the words of several databases.
_ISO: Final = re.compile(
    r"(YYYY-MM-DD|%Y-%m-%d)([ T]|\"T\")?((HH24|%H):?(MI|%M)(:?(SS|%S)(\.(US|MS|FF\d?|%f))?)?)?", re.IGNORECASE
)
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_DAYS: Final = re.compile(r"YYYY-MM-DD|%Y-%m-%d|yyyy-MM-dd|%F")


def _codes(same: str, others: str) -> Mapping[str, str]:
    """What the words of a format are in strftime's: letters behind % that are the same there, and others in pairs."""
    pairs = others.split()
    codes = {f"%{c}": f"%{c}" for c in same} | dict(zip(pairs[::2], pairs[1::2], strict=True))
    return MappingProxyType(codes)


# sqlglot's own maps change from version to version: Hive's MM is %m in one, and %mstrict in another.
_PERCENT: Final = _codes("YymdHSpbaAjGVIMBf%", "%F %Y-%m-%d %T %H:%M:%S")
_MYSQL: Final = _codes("YymdHSpbajIf%", "%h %I %i %M %s %S %M %B %W %A %T %H:%M:%S")
_JAVA: Final = _codes("", "yyyy %Y yy %y MM %m MMM %b MMMM %B dd %d HH %H mm %M ss %S EEE %a EEEE %A")
_ORACLE: Final = _codes(
    "",
    "YYYY %Y YY %y MM %m DD %d DDD %j HH24 %H HH12 %I HH %I MI %M SS %S IYYY %G IW %V AM %p PM %p Mon %b Dy %a "
    "FMMonth %B FMDay %A T T",
)
# Names that PostgreSQL and Oracle fill up with blanks to the length of the longest.
_PADDED: Final = MappingProxyType({"Day": "%A", "Month": "%B"})
# What a format is made of; Oracle's words may stand together.
_PERCENT_PIECE: Final = re.compile(r"%.|.", re.DOTALL)
_JAVA_PIECE: Final = re.compile(r"([A-Za-z])\1*|.", re.DOTALL)
_ORACLE_PIECE: Final = re.compile(
    r"FMMonth|FMDay|Mon|Dy|AM|PM|(?i:HH24|HH12|IYYY|YYYY|DDD|YY|MM|DD|HH|MI|SS|IW)|.", re.DOTALL
)


def _bare_word(node: Node) -> str:
    plain = isinstance(node, exp.Column) and not node.table and not node.this.args.get("quoted")
    return node.name.upper() if plain else ""


def unit_word(node: Node) -> str | None:
    """The unit that a bare word names."""
    return _UNITS.get(_bare_word(node))


def part_word(node: Node) -> str | None:
    """The unit or part of a date that a bare word names, and that means the same in all of these databases."""
    return _PARTS.get(_bare_word(node)) or unit_word(node)


def is_of_sundays(node: Node) -> bool:
    """Whether a bare word is the day of a week that is counted from 1 for Sunday, as in SQL Server."""
    return _bare_word(node) in _SUNDAYS


def _unit(others: str, is_word: bool = False) -> Kind:
    """A unit, as a word or as a text, that is none of `others`; ISOWEEK is DuckDB's WEEK."""

    def kind(node: Node) -> str | None:
        unit = _UNITS.get(node.name.upper()) if node.is_string and not is_word else unit_word(node)
        return None if unit is None or unit in others.split() else unit.removeprefix("ISO")

    return kind


def _moment(node: Node) -> Node:
    """A date or moment; one that is written as text is one of them first, and 0 is where SQL Server's days begin."""
    if is_number(node) and node.name == "0":
        node = exp.Literal.string("1900-01-01")
    if not node.is_string:
        return grouped(node)
    return filled(f"CAST(x AS {'DATE' if _DAY.fullmatch(node.name) else 'TIMESTAMP'})", {"x": node})


def _number(node: Node) -> Node:
    """How many units an INTERVAL has."""
    if _is_whole(node):
        return exp.Literal.string(node.name)
    return exp.Paren(this=node) if isinstance(node, exp.Column) else grouped(node)


def _is_whole(node: Node) -> bool:
    return is_number(node) and node.name.isdigit()


def _text(pattern: re.Pattern[str]) -> Kind:
    return lambda node: node if node.is_string and pattern.fullmatch(node.name) else None


def _since_1970(seconds: Node) -> Node | None:
    """The moment so many seconds after the beginning of 1970."""
    if not _is_whole(seconds) or len(seconds.name) > _MOST_DIGITS:
        return None
    return exp.Literal.string(str(datetime(1970, 1, 1) + timedelta(seconds=int(seconds.name))))


def _truncated(args: list[Node]) -> Node | None:
    """DATEADD(month, DATEDIFF(month, 0, x), 0), and of shorter units also pieces, as in DATEDIFF(...) / 5 * 5."""
    unit = unit_word(args[0]) if len(args) == 3 else None
    if unit is None or unit not in _COUNTED:
        return None
    diff, width = _pieces(args[1].unnest())
    is_back = isinstance(diff, exp.DateDiff) and diff.text("unit").upper() == unit
    if (
        not is_back
        or diff.expression != (origin := _moment(args[2]))
        or not origin.this.name.endswith("-01-01")
    ):
        return None
    if width is None:
        return filled(f"DATE_TRUNC('{unit}', CAST(x AS TIMESTAMP))", {"x": diff.this})
    if not 0 < int(width.name) <= _COUNTED[unit] or _COUNTED[unit] % int(width.name):
        return None
    return filled(
        f"TIME_BUCKET(INTERVAL n {unit}, CAST(x AS TIMESTAMP))", {"x": diff.this, "n": _number(width)}
    )


def _pieces(product: Node) -> tuple[Node, Node | None]:
    """What is counted, and so many of them are a piece: of n / 5 * 5 and FLOOR(n / 5) * 5; else None."""
    share = product.this.unnest() if isinstance(product, exp.Mul) else product
    share = share.this.unnest() if isinstance(share, exp.Floor) else share
    is_share = share is not product and isinstance(share, exp.Div | exp.IntDiv)
    if not is_share or not _is_whole(width := share.expression.unnest()) or len(width.name) > _MOST_DIGITS:
        return product, None
    return (share.this.unnest(), width) if width == product.expression.unnest() else (product, None)


def _bucket(seconds: Node) -> Node | None:
    """FLOOR(EXTRACT(EPOCH FROM x) / 600) * 600, of pieces that make whole days, is where a piece begins."""
    product = seconds.unnest()
    floor = product.this.unnest() if isinstance(product, exp.Mul) else None
    share = floor.this.unnest() if isinstance(floor, exp.Floor) else None
    if not isinstance(share, exp.Div):
        return None
    since, width = share.this.unnest(), share.expression.unnest()
    is_bucket = _is_whole(width) and width == product.expression.unnest() and _is_epoch(since)
    if not is_bucket or len(width.name) > _MOST_DIGITS or int(width.name) == 0 or 86_400 % int(width.name):
        return None
    moment = since.expression if isinstance(since, exp.Extract) else since.this
    values = {"n": _number(width), "x": moment}
    return filled("TIME_BUCKET(INTERVAL n SECOND, CAST(x AS TIMESTAMP))", values)


def _is_epoch(node: Node) -> bool:
    part = node.this.name.upper() if isinstance(node, exp.Extract) else ""
    return isinstance(node, exp.TimeToUnix) or part == "EPOCH"


def _format(node: Node, codes: Mapping[str, str]) -> Node | None:
    """A format in strftime's language; None where it has words that are not known."""
    by_percent = codes is _PERCENT or codes is _MYSQL
    pattern = _PERCENT_PIECE if by_percent else _JAVA_PIECE if codes is _JAVA else _ORACLE_PIECE
    pieces = [match.group() for match in pattern.finditer(node.name)]
    if codes is _ORACLE:
        pieces = [p if p in codes or len(p) == 1 else p.upper() for p in pieces]
        if any(map(_may_be_one, pieces, pieces[1:])):
            return None
    for piece in pieces:
        is_word = piece[0] == "%" or (not by_percent and (piece[0].isalpha() or piece in "'\""))
        if is_word and piece not in codes:
            return None
    return exp.Literal.string("".join(codes.get(p, p) for p in pieces)) if node.is_string else None


def _may_be_one(piece: str, behind: str) -> bool:
    """Whether two pieces of Oracle's may be one word: with a letter by itself, or beginning alike, as SSSS does."""
    alike = piece[0].upper() == behind[0].upper() or len(piece) == 1 or len(behind) == 1
    return alike and piece[0].isalpha() and behind[0].isalpha()


def _has_letters(node: Node) -> bool:
    """Whether a format is one of dates: those of numbers may have none."""
    return any(map(str.isalpha, node.name))


def _mysql(node: Node) -> Node | None:
    """A format of MySQL's or, without %, of Spark's."""
    return _format(node, _MYSQL if "%" in node.name else _JAVA)


# A text in double quotes, the quarter, and what else stands in a format of PostgreSQL's.
_PART_OF_FORMAT: Final = re.compile(r'"([^"\\%]*)"|(Q)|([^"Q\\]+)')
_PARTS_OF_FORMAT: Final = re.compile(rf"(?:{_PART_OF_FORMAT.pattern})+")


def _with_quarters(args: list[Node]) -> Node | None:
    """TO_CHAR with texts in double quotes and quarters, which strftime has not, as texts that are joined."""
    if (
        len(args) != 2
        or not _has_letters(args[1])
        or not args[1].is_string
        or not _PARTS_OF_FORMAT.fullmatch(args[1].name)
    ):
        return None
    formats = [""]  # with a quarter between one and the next
    for text, quarter, words in _PART_OF_FORMAT.findall(args[1].name):
        plain = _format(exp.Literal.string(words), _ORACLE)
        if plain is None:
            return None
        formats[-1] += plain.name + text
        formats += [""] if quarter else []
    joined: list[Node] = []
    for at, pattern in enumerate(formats):
        joined += [filled("CAST(QUARTER(x) AS VARCHAR)", {"x": _moment(args[0])})] if at else []
        format_ = {"x": _moment(args[0]), "f": exp.Literal.string(pattern)}
        joined += [filled("STRFTIME(x, f)", format_)] if pattern else []
    names = [f"x{i}" for i in range(len(joined))]
    return filled(f"({' || '.join(names)})", dict(zip(names, joined, strict=True)))


_KINDS: Final = MappingProxyType[str, Kind](
    {
        **dict.fromkeys(("moment", "start", "end"), _moment),
        "other": lambda node: _moment(node) if unit_word(node) is None else None,
        "interval": lambda node: node if isinstance(node, exp.Interval) else None,
        "n": _number,
        "-n": lambda n: _number(n.this) if isinstance(n, exp.Neg) and isinstance(n.this, exp.Literal) else None,
        "whole": lambda node: _number(node) if _is_whole(node) else None,
        "step": _unit("ISOWEEK DAYOFYEAR"),
        "unit": _unit("WEEK DAYOFYEAR"),
        "word": _unit("WEEK DAYOFYEAR", is_word=True),
        "monday": _unit("DAYOFYEAR", is_word=True),
        "part": lambda node: _unit("WEEK", is_word=True)(node) if unit_word(node) else part_word(node),
        "micros": lambda node: _MICROS.get(str(_unit("")(node))),
        "day": _text(_DAY),
        "days": _text(_DAYS),
        "iso": _text(_MOMENT),
        "isos": _text(_ISO),
        "seconds": _since_1970,
        "bucket": _bucket,
        "since": lambda node: None if node.is_string else node,
        "percent": lambda node: _format(node, _PERCENT),
        "java": lambda node: _format(node, _JAVA) if _has_letters(node) else None,
        "mysql": _mysql,
        "oracle": lambda node: _format(node, _ORACLE) if _has_letters(node) else None,
        "month": lambda node: node if unit_word(node) == "MONTH" else None,
        "weekday": lambda node: node if is_of_sundays(node) else None,
        "padded": lambda node: _PADDED.get(node.name) if node.is_string else None,
    }
)  # fmt: skip
_spelled = partial(spelled, kinds=_KINDS)
_DIFF: Final = "DATE_DIFF('day', a, b); DATE_DIFF('week', a, b) has weeks that begin on Monday"
_TRUNC: Final = "DATE_TRUNC('month', x); weeks begin on Monday"
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
        **_spelled("DATEADD TIMESTAMPADD", "x + INTERVAL 7 DAY", _truncated, *_STEPS),
        # Of a number of days, as in Spark, they give a day.
        **_spelled(
            "DATE_ADD", "x + INTERVAL 7 DAY", "moment, interval -> (moment + interval)", *_STEPS,
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
            "word, start, end -> DATE_DIFF('{word}', start, end)",
        ),
        **_spelled("DATE_DIFF DATETIME_DIFF", _DIFF, "end, start, word -> DATE_DIFF('{word}', start, end)"),
        **_spelled("TIMESTAMPDIFF", _DIFF, "micros, start, end -> ((EPOCH_US(end) - EPOCH_US(start)) // {micros})"),
        **_spelled("TIMESTAMP_DIFF", _DIFF, "end, start, micros -> ((EPOCH_US(end) - EPOCH_US(start)) // {micros})"),
        # BigQuery's unit stands last; Snowflake's stands first, and its weeks begin on Monday.
        **_spelled(
            "DATE_TRUNC", _TRUNC, "moment, unit -> DATE_TRUNC('{unit}', moment)",
            "monday, other -> DATE_TRUNC('{monday}', other)",
        ),
        **_spelled("TIMESTAMP_TRUNC DATETIME_TRUNC", _TRUNC, "moment, unit -> DATE_TRUNC('{unit}', moment)"),
        **_spelled(
            "DATENAME", "MONTHNAME(x), DAYNAME(x) or EXTRACT(YEAR FROM x)", "month, x -> MONTHNAME(x)",
            "weekday, x -> DAYNAME(x)", "part, x -> CAST(EXTRACT({part} FROM x) AS VARCHAR)",
        ),
        **_spelled("DATETRUNC", _TRUNC, "unit, moment -> DATE_TRUNC('{unit}', moment)"),
        **_spelled(
            "DATE_PART DATEPART", "EXTRACT(MONTH FROM x); 'dow' counts from 0 for Sunday",
            "part, x -> EXTRACT({part} FROM x)",
        ),
        **_spelled(
            "TO_DATE STR_TO_DATE PARSE_DATE", "CAST(x AS DATE), or DATE '2025-01-31'", "x -> CAST(x AS DATE)",
            "day, days -> CAST(day AS DATE)", "days, day -> CAST(day AS DATE)",
        ),
        **_spelled(
            "TO_TIMESTAMP TO_TIMESTAMP_NTZ FROM_ISO8601_TIMESTAMP",
            "TIMESTAMP '2025-01-31 13:00:00', or EPOCH(x) in a comparison with seconds",
            "iso -> CAST(iso AS TIMESTAMP)", "iso, isos -> CAST(iso AS TIMESTAMP)",
            "seconds -> CAST(seconds AS TIMESTAMP)", "bucket -> bucket", _SECONDS,
        ),
        **_spelled("CONVERT_TIMEZONE", _ZONES, "here, there, moment -> moment AT TIME ZONE here AT TIME ZONE there"),
        **_spelled("CONVERT_TZ", _ZONES, "moment, here, there -> moment AT TIME ZONE here AT TIME ZONE there"),
        **_spelled("CURDATE", _PRESENT, "-> CURRENT_DATE"),
        **_spelled("GETDATE SYSDATE SYSDATETIME SYSTIMESTAMP", _PRESENT, "-> NOW()"),
        **_spelled(
            "TO_CHAR TO_VARCHAR", _WRITTEN, "moment, oracle -> STRFTIME(moment, oracle)",
            "moment, padded -> RPAD(STRFTIME(moment, '{padded}'), 9, ' ')", _with_quarters,
            "x -> CAST(x AS VARCHAR)",
        ),
        **_spelled("FORMAT", _WRITTEN, "moment, java -> STRFTIME(moment, java)"),
        **_spelled("DATE_FORMAT", _FORMAT, "moment, mysql -> STRFTIME(moment, mysql)"),
        **_spelled(
            "FORMAT_DATE FORMAT_TIMESTAMP FORMAT_DATETIME", _FORMAT, "percent, moment -> STRFTIME(moment, percent)",
            "moment, java -> STRFTIME(moment, java)",
        ),
        **_spelled("DAY_OF_WEEK DAYOFWEEKISO DAYOFWEEK_ISO", "ISODOW(x), from 1 for Monday", "x -> ISODOW(x)"),
        **_spelled("DAY_OF_MONTH", "DAY(x)", "x -> DAY(x)"),
        **_spelled("DAY_OF_YEAR", "DAYOFYEAR(x)", "x -> DAYOFYEAR(x)"),
        **_spelled("WEEK_OF_YEAR WEEKISO", "WEEK(x)", "x -> WEEK(x)"),
        **_spelled("YEAR_OF_WEEK YOW YEAROFWEEKISO", "EXTRACT(ISOYEAR FROM x)", "x -> EXTRACT(ISOYEAR FROM x)"),
        **_spelled("LAST_DAY_OF_MONTH EOMONTH", "LAST_DAY(x)", "moment -> LAST_DAY(moment)"),
        **_spelled(
            "UNIX_TIMESTAMP UNIX_SECONDS", "EPOCH(x)", "moment -> CAST(FLOOR(EPOCH(moment)) AS BIGINT)",
        ),
        **_spelled("TIMESTAMP DATETIME", "CAST(x AS TIMESTAMP)", "x -> CAST(x AS TIMESTAMP)"),
        **_spelled("TO_UNIXTIME", "EPOCH(x)", "moment -> EPOCH(moment)"),
        **_spelled(
            "FROM_UNIXTIME", "TIMESTAMP '2025-01-31 13:00:00', or EPOCH(x) in a comparison with seconds",
            "seconds -> CAST(seconds AS TIMESTAMP)", "bucket -> bucket", _SECONDS,
        ),
        **_spelled(
            "DATE_BIN", "TIME_BUCKET(INTERVAL '15 minutes', x)",
            "width, moment, origin -> TIME_BUCKET(width, CAST(moment AS TIMESTAMP), CAST(origin AS TIMESTAMP))",
        ),
        **_spelled("DATEFROMPARTS DATE_FROM_PARTS", "MAKE_DATE(y, m, d)", "y, m, d -> MAKE_DATE(y, m, d)"),
    }
)  # fmt: skip
"""By the name of a function in capitals, how it is read."""
READ_BY_UNIT: Final = frozenset({"DATEDIFF", "DATE_DIFF", "DATE_TRUNC", "DATETRUNC"})
"""Names that DuckDB has, too: it takes the unit first, as a text."""
TYPE_CALLS: Final = frozenset({"TIMESTAMP", "DATETIME"})
"""Those that DuckDB's parser takes for types alone."""
