"""Units and parts of dates, which are bare words in other databases, and what stands beside them in a call."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import Final

from sqlglot import exp

from dpsql.sql.ast.traversal import is_number
from dpsql.sql.dialect import Node
from dpsql.sql.normalize.templates import Kind, filled, grouped

DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
"""How a date is written."""
_UNITS: Final = MappingProxyType(
    {
        word: names.split()[0]
        for names in (
            "YEAR YEARS YY YYYY YR", "QUARTER QUARTERS QQ QTR", "MONTH MONTHS MM MON", "WEEK WEEKS WK WW",
            "DAY DAYS DD", "HOUR HOURS HH HR", "MINUTE MINUTES MI MIN", "SECOND SECONDS SS SEC",
            "ISOWEEK ISO_WEEK WEEK_ISO WEEKISO ISOWK ISOWW", "DAYOFYEAR",
        )
        for word in names.split()
    }
)  # fmt: skip
_PARTS: Final = MappingProxyType(
    {"DOW": "DOW", "DOY": "DOY", "EPOCH": "EPOCH", "ISODOW": "ISODOW", "DAYOFWEEKISO": "ISODOW"}
)
_SUNDAYS: Final = frozenset({"WEEKDAY", "DW"})
# The units of Oracle's TRUNC, which gives a date.
CALENDAR: Final = MappingProxyType(
    {
        word: unit
        for unit, words in (
            ("YEAR", "YEAR YYYY YY"), ("QUARTER", "QUARTER Q"), ("MONTH", "MONTH MON MM"), ("WEEK", "WEEK IW"),
        )
        for word in words.split()
    }
)  # fmt: skip


def bare_word(node: Node) -> str:
    plain = isinstance(node, exp.Column) and not node.table and not node.this.args.get("quoted")
    return node.name.upper() if plain else ""


def unit_word(node: Node) -> str | None:
    """The unit that a bare word names."""
    return _UNITS.get(bare_word(node))


def part_word(node: Node) -> str | None:
    """The unit or part of a date that a bare word names, and that means the same in all of these databases."""
    return _PARTS.get(bare_word(node)) or unit_word(node)


def is_isoweek(node: Node) -> bool:
    """Whether a word or a text is BigQuery's week that begins on Monday."""
    return _UNITS.get(node.name.upper() if node.is_string else bare_word(node)) == "ISOWEEK"


def is_of_sundays(node: Node) -> bool:
    """Whether a bare word is the day of a week that is counted from 1 for Sunday, as in SQL Server."""
    return bare_word(node) in _SUNDAYS


def unit_kind(others: str, is_word: bool = False) -> Kind:
    """A unit, as a word or as a text, that is none of `others`; ISOWEEK is DuckDB's WEEK."""

    def kind(node: Node) -> str | None:
        unit = _UNITS.get(node.name.upper()) if node.is_string and not is_word else unit_word(node)
        return None if unit is None or unit in others.split() else unit.removeprefix("ISO")

    return kind


def as_moment(node: Node) -> Node:
    """A date or moment; one that is written as text is one of them first, and 0 is where SQL Server's days begin."""
    if is_number(node) and node.name == "0":
        node = exp.Literal.string("1900-01-01")
    if not node.is_string:
        return grouped(node)
    return filled(f"CAST(x AS {'DATE' if DAY.fullmatch(node.name) else 'TIMESTAMP'})", {"x": node})


def as_number(node: Node) -> Node:
    """How many units an INTERVAL has."""
    if is_whole(node):
        return exp.Literal.string(node.name)
    return exp.Paren(this=node) if isinstance(node, exp.Column) else grouped(node)


def is_whole(node: Node) -> bool:
    return is_number(node) and node.name.isdigit()


def first_day_of_week(node: Node) -> str | None:
    """The day that a week begins with, as in WEEK(MONDAY); nothing for WEEK alone, and None for anything else."""
    if isinstance(node, exp.Week):
        return bare_word(node.this) or None
    return "" if bare_word(node) == "WEEK" else None
