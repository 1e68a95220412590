"""Functions of dates that other databases have, as DuckDB writes them.

A unit is a bare word there, as in DATEADD(day, 7, x); it is never a column. Weeks begin on another day in some of these
databases, so that boundaries of weeks are refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from itertools import pairwise
from types import MappingProxyType
from typing import Final

from sqlglot import exp

from dpsql.sql.ast.builders import grouped, named, number
from dpsql.sql.dialect import Node

_UNITS: Final = MappingProxyType(
    {
        **dict.fromkeys(("YEAR", "YEARS", "YY", "YYYY"), "YEAR"),
        **dict.fromkeys(("QUARTER", "QUARTERS", "QQ"), "QUARTER"),
        **dict.fromkeys(("MONTH", "MONTHS", "MM", "MON"), "MONTH"),
        **dict.fromkeys(("WEEK", "WEEKS", "WK", "WW"), "WEEK"),
        **dict.fromkeys(("DAY", "DAYS", "DD"), "DAY"),
        **dict.fromkeys(("HOUR", "HOURS", "HH"), "HOUR"),
        **dict.fromkeys(("MINUTE", "MINUTES", "MI"), "MINUTE"),
        **dict.fromkeys(("SECOND", "SECONDS", "SS"), "SECOND"),
        "ISOWEEK": "ISOWEEK",
        "DAYOFYEAR": "DAYOFYEAR",
    }
)
_MICROS: Final = MappingProxyType(
    {"DAY": 86_400_000_000, "HOUR": 3_600_000_000, "MINUTE": 60_000_000, "SECOND": 1_000_000}
)
_MOST_DIGITS: Final = 11
_MOMENT: Final = re.compile(r"\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?Z?)?")
# Formats of the moment above, in the words of several databases.
_ISO: Final = re.compile(
    r"(YYYY-MM-DD|%Y-%m-%d)([ T]|\"T\")?((HH24|%H):?(MI|%M)(:?(SS|%S)(\.(US|MS|FF\d?|%f))?)?)?", re.IGNORECASE
)
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
# What a format of another kind is in strftime's.
_PERCENT: Final = MappingProxyType(
    {f"%{c}": f"%{c}" for c in "YymdHSpbaAjGVIMBf%"} | {"%F": "%Y-%m-%d", "%T": "%H:%M:%S"}
)
_MYSQL: Final = MappingProxyType(
    {f"%{c}": f"%{c}" for c in "YymdHSpbajIf%"}
    | {"%h": "%I", "%i": "%M", "%s": "%S", "%M": "%B", "%W": "%A", "%T": "%H:%M:%S"}
)
_ORACLE: Final = MappingProxyType(
    {
        "YYYY": "%Y", "YY": "%y", "MM": "%m", "DD": "%d", "DDD": "%j", "HH24": "%H", "HH12": "%I", "HH": "%I",
        "MI": "%M", "SS": "%S", "IYYY": "%G", "IW": "%V", "AM": "%p", "PM": "%p", "Mon": "%b", "Dy": "%a",
        "FMMonth": "%B", "FMDay": "%A", "T": "T",
    }
)  # fmt: skip
_JAVA: Final = MappingProxyType(
    {
        "yyyy": "%Y", "yy": "%y", "MM": "%m", "MMM": "%b", "MMMM": "%B", "dd": "%d", "HH": "%H", "mm": "%M",
        "ss": "%S", "EEE": "%a", "EEEE": "%A",
    }
)  # fmt: skip
# Several words of Oracle's may stand together; two that begin alike may be one, as SSSS is.
_ORACLE_WORD: Final = re.compile(
    r"FMMonth|FMDay|Mon|Dy|AM|PM|(?i:HH24|HH12|IYYY|YYYY|DDD|YY|MM|DD|HH|MI|SS|IW)"
)
_ORACLE_PIECES: Final = re.compile(r"(?:HH24|HH12|[A-Za-z])+|[^A-Za-z]", re.DOTALL | re.IGNORECASE)
_JAVA_PIECES: Final = re.compile(r"([A-Za-z])\1*|[^A-Za-z]", re.DOTALL)
_AS_WRITTEN: Final = frozenset({"AM", "PM", "T"})
_PIECES: Final = re.compile(r"%.|.", re.DOTALL)


def unit_word(node: Node) -> str | None:
    """The unit that a bare word names."""
    plain = isinstance(node, exp.Column) and not node.table and not node.this.args.get("quoted")
    return _UNITS.get(node.name.upper()) if plain else None


def _unit(node: Node) -> str | None:
    if isinstance(node, exp.Literal) and node.is_string:
        return _UNITS.get(node.name.upper())
    return unit_word(node)


def _moment(node: Node) -> Node:
    """A date or moment; one that is written as text is one of them first."""
    if not (isinstance(node, exp.Literal) and node.is_string):
        return grouped(node)
    return exp.cast(node, "DATE" if _DAY.fullmatch(node.name) else "TIMESTAMP", dialect="duckdb")


def _moved(moment: Node, count: Node, unit: str, back: bool = False) -> Node:
    if isinstance(count, exp.Neg) and isinstance(count.this, exp.Literal):
        count, back = count.this, not back
    size = exp.Literal.string(count.this) if _is_whole(count) else grouped(count)
    size = exp.Paren(this=size) if isinstance(size, exp.Column) else size
    step = exp.Interval(this=size, unit=exp.Var(this=unit))
    return exp.Paren(this=(exp.Sub if back else exp.Add)(this=_moment(moment), expression=step))


def _is_whole(node: Node) -> bool:
    return isinstance(node, exp.Literal) and not node.is_string and node.name.isdigit()


def _added(args: list[Node]) -> Node | None:
    """DATEADD(day, 7, x)."""
    unit = _unit(args[0]) if len(args) == 3 else None
    return _moved(args[2], args[1], unit) if unit in (*_MICROS, "WEEK", "MONTH", "QUARTER", "YEAR") else None


def _with_interval(back: bool) -> Callable[[list[Node]], Node | None]:
    """DATE_ADD(x, INTERVAL 7 DAY)."""

    def build(args: list[Node]) -> Node | None:
        if len(args) == 3 and not back:
            return _added(args)
        if len(args) != 2 or not isinstance(args[1], exp.Interval):
            return None
        kind = exp.Sub if back else exp.Add
        return exp.Paren(this=kind(this=_moment(args[0]), expression=args[1]))

    return build


def _months(args: list[Node]) -> Node | None:
    return _moved(args[0], args[1], "MONTH") if len(args) == 2 else None


def _boundaries(first: int, last: int, unit: int) -> Callable[[list[Node]], Node | None]:
    """Boundaries of units: DATEDIFF(MONTH, a, b), DATEDIFF(b, a) in days, DATE_DIFF(b, a, MONTH)."""

    def build(args: list[Node]) -> Node | None:
        if len(args) == 2 and unit == 0:
            word, ends = "DAY", args[::-1]
        elif len(args) == 3:
            word, ends = str(unit_word(args[unit])), [args[first], args[last]]
        else:
            return None
        word = "WEEK" if word == "ISOWEEK" else "" if word == "WEEK" else word
        if word in ("", "None", "DAYOFYEAR"):
            return None
        found = exp.DateDiff(this=_moment(ends[1]), expression=_moment(ends[0]), unit=exp.Var(this=word))
        return named(found, "DATE_DIFF")

    return build


def _whole_units(first: int, last: int, unit: int) -> Callable[[list[Node]], Node | None]:
    """Whole units between two moments, towards 0: TIMESTAMPDIFF(HOUR, a, b) and TIMESTAMP_DIFF(b, a, HOUR)."""

    def build(args: list[Node]) -> Node | None:
        micros = _MICROS.get(str(_unit(args[unit]))) if len(args) == 3 else None
        if micros is None:
            return None
        ends = [exp.Anonymous(this="EPOCH_US", expressions=[_moment(args[i])]) for i in (last, first)]
        apart = exp.Paren(this=exp.Sub(this=ends[0], expression=ends[1]))
        return exp.Paren(this=exp.IntDiv(this=apart, expression=number(str(micros))))

    return build


def _truncated(unit: int) -> Callable[[list[Node]], Node | None]:
    """DATE_TRUNC(x, MONTH), DATETRUNC(month, x)."""

    def build(args: list[Node]) -> Node | None:
        word = _unit(args[unit]) if len(args) == 2 else None
        if word in (None, "WEEK", "DAYOFYEAR"):
            return None
        word = "WEEK" if word == "ISOWEEK" else str(word)
        return named(exp.TimestampTrunc(this=_moment(args[1 - unit]), unit=exp.Var(this=word)), "DATE_TRUNC")

    return build


def _truncated_either(args: list[Node]) -> Node | None:
    """BigQuery's DATE_TRUNC(x, MONTH), or Snowflake's DATE_TRUNC(month, x), where weeks begin on Monday."""
    if len(args) != 2 or unit_word(args[1]) is not None or unit_word(args[0]) is None:
        return _truncated(1)(args)
    word = str(unit_word(args[0]))
    return _truncated(0)([exp.Literal.string("ISOWEEK"), args[1]] if word == "WEEK" else args)


def _part(args: list[Node]) -> Node | None:
    """DATEPART(month, x)."""
    unit = unit_word(args[0]) if len(args) == 2 else None
    if unit in (None, "WEEK"):
        return None
    word = "WEEK" if unit == "ISOWEEK" else str(unit)
    return named(exp.Extract(this=exp.Var(this=word), expression=args[1]), "EXTRACT")


def _date(args: list[Node]) -> Node | None:
    """TO_DATE(x), TO_DATE('2025-01-31', 'YYYY-MM-DD')."""
    if len(args) == 2:
        texts = [a.name for a in args if isinstance(a, exp.Literal) and a.is_string]
        iso = [a for a in args if isinstance(a, exp.Literal) and _DAY.fullmatch(a.name)]
        form = {"YYYY-MM-DD", "%Y-%m-%d", "yyyy-MM-dd", "%F"}
        if len(texts) != 2 or len(iso) != 1 or not form & set(texts):
            return None
        args = list(iso)
    return exp.cast(args[0], "DATE", dialect="duckdb") if len(args) == 1 else None


def _stamped(args: list[Node]) -> Node | None:
    """TO_TIMESTAMP('2025-01-31 13:00:00', 'YYYY-MM-DD HH24:MI:SS'), or the seconds since 1970 as a number."""
    first = args[0] if args else None
    if not isinstance(first, exp.Literal):
        return _bucket(args[0]) if len(args) == 1 else None
    if not first.is_string:
        return _since_1970(first) if len(args) == 1 else None
    form = args[1] if len(args) == 2 else None
    iso = form is None or (isinstance(form, exp.Literal) and form.is_string and _ISO.fullmatch(form.name))
    if len(args) > 2 or not iso or not _MOMENT.fullmatch(first.name):
        return None
    return exp.cast(first, "TIMESTAMP", dialect="duckdb")


def _bucket(seconds: Node) -> Node | None:
    """FLOOR(EXTRACT(EPOCH FROM x) / 600) * 600, of pieces that make whole days, is where a piece begins."""
    product = seconds.unnest()
    floor = product.this.unnest() if isinstance(product, exp.Mul) else None
    share = floor.this.unnest() if isinstance(floor, exp.Floor) else None
    if not isinstance(share, exp.Div):
        return None
    since, width = share.this.unnest(), share.expression.unnest()
    known = _is_whole(width) and width == product.expression.unnest() and _is_epoch(since)
    if not known or len(width.name) > _MOST_DIGITS or int(width.name) == 0 or 86_400 % int(width.name):
        return None
    moment = exp.cast(
        since.expression if isinstance(since, exp.Extract) else since.this, "TIMESTAMP", dialect="duckdb"
    )
    piece = exp.Interval(this=exp.Literal.string(width.name), unit=exp.Var(this="SECOND"))
    return named(exp.Anonymous(this="TIME_BUCKET", expressions=[piece, moment]), "TIME_BUCKET")


def _is_epoch(node: Node) -> bool:
    part = node.this.name.upper() if isinstance(node, exp.Extract) else ""
    return isinstance(node, exp.TimeToUnix) or part == "EPOCH"


def _since_1970(seconds: exp.Literal) -> Node | None:
    if not _is_whole(seconds) or len(seconds.name) > _MOST_DIGITS:
        return None
    moment = datetime(1970, 1, 1) + timedelta(seconds=int(seconds.name))
    return exp.cast(exp.Literal.string(str(moment)), "TIMESTAMP", dialect="duckdb")


def _between_zones(here: int, there: int, moment: int) -> Callable[[list[Node]], Node | None]:
    """CONVERT_TIMEZONE('UTC', 'Europe/Berlin', x)."""

    def build(args: list[Node]) -> Node | None:
        if len(args) != 3:
            return None
        first = exp.AtTimeZone(this=_moment(args[moment]), zone=args[here])
        return exp.AtTimeZone(this=first, zone=args[there])

    return build


def _today(args: list[Node]) -> Node | None:
    return exp.CurrentDate() if not args else None


def _now(args: list[Node]) -> Node | None:
    return named(exp.Anonymous(this="NOW"), "NOW") if not args else None


def _formatted(*forms: Mapping[str, str], first: int = 1) -> Callable[[list[Node]], Node | None]:
    """A date as text: the format is the argument `first`, in one of these languages."""

    def build(args: list[Node]) -> Node | None:
        form = args[first] if len(args) == 2 else None
        if not (isinstance(form, exp.Literal) and form.is_string):
            return None
        known = forms[0] if len(forms) == 1 or "%" in form.name else forms[1]
        text = _translated(form.name, known)
        if text is None:
            return None
        moment = _moment(args[1 - first])
        return named(exp.TimeToStr(this=moment, format=exp.Literal.string(text)), "STRFTIME")

    return build


def _translated(form: str, known: Mapping[str, str]) -> str | None:
    """A format in strftime's language, or None."""
    percent = next(iter(known)).startswith("%")
    found = []
    for text in _oracle_words(form) if known is _ORACLE else _words(form, percent):
        word = known.get(text)
        if word is None and known is _ORACLE and text.upper() not in _AS_WRITTEN:
            word = known.get(text.upper())
        spelled = text.startswith("%") if percent else text[:1].isalpha() or text in ('"', "'")
        if word is None and (spelled or text == "%"):
            return None
        found.append(word or text)
    return "".join(found)


def _words(form: str, percent: bool) -> list[str]:
    return [piece.group() for piece in (_PIECES if percent else _JAVA_PIECES).finditer(form)]


def _oracle_words(form: str) -> list[str]:
    """The words and signs of a format; letters that are not sure to be words of it stay together."""
    found: list[str] = []
    for piece in _ORACLE_PIECES.finditer(form):
        words = _ORACLE_WORD.findall(piece.group())
        alike = any(one[0].upper() == next_[0].upper() for one, next_ in pairwise(words))
        found += words if "".join(words) == piece.group() and not alike else [piece.group()]
    return found


_ADD: Final = "x + INTERVAL 7 DAY"
_DIFF: Final = "DATE_DIFF('day', a, b); DATE_DIFF('week', a, b) has weeks that begin on Monday"
_TRUNC: Final = "DATE_TRUNC('month', x); weeks begin on Monday"
_FORMAT: Final = "STRFTIME(x, '%Y-%m-%d')"
_CAST: Final = "CAST(x AS DATE), or DATE '2025-01-31'"
_STAMP: Final = "TIMESTAMP '2025-01-31 13:00:00', or EPOCH(x) in a comparison with seconds"
_ZONES: Final = "x AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Berlin'"
_PRESENT: Final = "CURRENT_DATE or NOW()"
FOREIGN: Final[Mapping[str, tuple[Callable[[list[Node]], Node | None], str]]] = MappingProxyType(
    {
        **dict.fromkeys(("DATEADD", "TIMESTAMPADD"), (_added, _ADD)),
        **dict.fromkeys(("DATE_ADD", "ADDDATE", "TIMESTAMP_ADD", "DATETIME_ADD"), (_with_interval(False), _ADD)),
        **dict.fromkeys(
            ("DATE_SUB", "SUBDATE", "TIMESTAMP_SUB", "DATETIME_SUB"),
            (_with_interval(True), "x - INTERVAL 7 DAY"),
        ),
        "ADD_MONTHS": (_months, "x + INTERVAL 3 MONTH"),
        "DATEDIFF": (_boundaries(1, 2, 0), _DIFF),
        **dict.fromkeys(("DATE_DIFF", "DATETIME_DIFF"), (_boundaries(1, 0, 2), _DIFF)),
        "TIMESTAMPDIFF": (_whole_units(1, 2, 0), _DIFF),
        "TIMESTAMP_DIFF": (_whole_units(1, 0, 2), _DIFF),
        "DATE_TRUNC": (_truncated_either, _TRUNC),
        **dict.fromkeys(("TIMESTAMP_TRUNC", "DATETIME_TRUNC"), (_truncated(1), _TRUNC)),
        "DATETRUNC": (_truncated(0), _TRUNC),
        **dict.fromkeys(("DATE_PART", "DATEPART"), (_part, "EXTRACT(MONTH FROM x); 'dow' counts from 0 for Sunday")),
        **dict.fromkeys(("TO_DATE", "STR_TO_DATE", "PARSE_DATE"), (_date, _CAST)),
        **dict.fromkeys(
            ("TO_TIMESTAMP", "TO_TIMESTAMP_NTZ", "FROM_ISO8601_TIMESTAMP"), (_stamped, _STAMP)
        ),
        "CONVERT_TIMEZONE": (_between_zones(0, 1, 2), _ZONES),
        "CONVERT_TZ": (_between_zones(1, 2, 0), _ZONES),
        "CURDATE": (_today, _PRESENT),
        **dict.fromkeys(("GETDATE", "SYSDATE", "SYSDATETIME", "SYSTIMESTAMP"), (_now, _PRESENT)),
        **dict.fromkeys(("TO_CHAR", "TO_VARCHAR"), (_formatted(_ORACLE), _FORMAT)),
        "DATE_FORMAT": (_formatted(_MYSQL, _JAVA), _FORMAT),
        **dict.fromkeys(
            ("FORMAT_DATE", "FORMAT_TIMESTAMP", "FORMAT_DATETIME"), (_formatted(_PERCENT, first=0), _FORMAT)
        ),
    }
)  # fmt: skip
"""By the name of a function in capitals, what is written for it and what an analyst may write instead."""
READ_BY_UNIT: Final = frozenset({"DATEDIFF", "DATE_DIFF", "DATE_TRUNC", "DATETRUNC"})
"""Names that DuckDB has, too: it takes the unit first, as a text."""
