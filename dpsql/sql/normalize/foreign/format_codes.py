"""Formats of dates in the words of other databases, as strftime's."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from sqlglot import exp

from dpsql.sql.dialect import Node


def _codes(same: str, others: str) -> Mapping[str, str]:
    """What the words of a format are in strftime's: letters behind % that are the same there, and others in pairs."""
    pairs = others.split()
    codes = {f"%{c}": f"%{c}" for c in same} | dict(zip(pairs[::2], pairs[1::2], strict=True))
    return MappingProxyType(codes)


# sqlglot's own maps change from version to version: Hive's MM is %m in one, and %mstrict in another.
PERCENT: Final = _codes("YymdHSpbaAjGVIMBf%", "%F %Y-%m-%d %T %H:%M:%S %R %H:%M")
MYSQL: Final = _codes(
    "YymdHSpbajIf%", "%h %I %i %M %s %S %M %B %W %A %T %H:%M:%S %v %V %x %G %c %-m %e %-d %k %-H %l %-I"
)
# Its %M is a minute in older versions, and the name of a month in newer ones.
CLICKHOUSE: Final = _codes("YymdHSpajbGVI%", "%i %M %F %Y-%m-%d %T %H:%M:%S %R %H:%M %D %m/%d/%y")
JAVA: Final = _codes(
    "",
    "yyyy %Y yy %y M %-m MM %m MMM %b MMMM %B d %-d dd %d H %-H HH %H h %-I hh %I a %p mm %M ss %S E %a EE %a EEE %a "
    "EEEE %A",
)
ORACLE: Final = _codes(
    "",
    "YYYY %Y YY %y MM %m DD %d DDD %j HH24 %H HH12 %I HH %I MI %M SS %S IYYY %G IW %V AM %p PM %p Mon %b Dy %a "
    "FMMonth %B FMDay %A FMDD %-d FMMM %-m FMHH24 %-H FMHH12 %-I T T",
)
# Names that PostgreSQL and Oracle fill up with blanks to the length of the longest.
PADDED: Final = MappingProxyType({"Day": "%A", "Month": "%B"})
# What a format is made of; Oracle's words may stand together.
_PERCENT_PIECE: Final = re.compile(r"%.|.", re.DOTALL)
_JAVA_PIECE: Final = re.compile(r"([A-Za-z])\1*|.", re.DOTALL)
_ORACLE_PIECE: Final = re.compile(
    r"FMMonth|FMDay|FM(?:DD(?!D)|MM|HH24|HH12)|Mon|Dy|AM|PM|(?i:HH24|HH12|IYYY|YYYY|DDD|YY|MM|DD|HH|MI|SS|IW)|.",
    re.DOTALL,
)


def with_codes(node: Node, codes: Mapping[str, str]) -> Node | None:
    """A format in strftime's language; None where it has words that are not known."""
    by_percent = codes in (PERCENT, MYSQL, CLICKHOUSE)
    pattern = _PERCENT_PIECE if by_percent else _JAVA_PIECE if codes is JAVA else _ORACLE_PIECE
    pieces = [match.group() for match in pattern.finditer(node.name)]
    if codes is ORACLE:
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


def has_letters(node: Node) -> bool:
    """Whether a format is one of dates: those of numbers may have none."""
    return any(map(str.isalpha, node.name))


def mysql_format(node: Node) -> Node | None:
    """A format of MySQL's or, without %, of Spark's."""
    return with_codes(node, MYSQL if "%" in node.name else JAVA)
