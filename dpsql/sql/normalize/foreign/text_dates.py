"""Beginnings of months, weeks and hours as clients of MySQL write them, which has no DATE_TRUNC: by way of a text."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from sqlglot import exp

from dpsql.sql.ast.column_names import keep_names
from dpsql.sql.ast.traversal import all_of
from dpsql.sql.dialect import Node
from dpsql.sql.normalize.templates import filled

_UNITS: Final = MappingProxyType(
    {"%Y-%m-%d %H": "HOUR", "%Y-%m-%d %H:%M": "MINUTE", "%Y-%m-%d %H:00:00": "HOUR"}
)
_FORMATS: Final = MappingProxyType(
    {"%Y-%m-%d %H:%i": "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%i:%s": "%Y-%m-%d %H:00:00"}
)
_DIGITS: Final = frozenset({"%Y%m%d", "YYYYMMDD", "yyyyMMdd"})


def begun(args: list[Node]) -> Node | None:
    """STR_TO_DATE of what DATE_FORMAT or YEARWEEK has made of a moment; the inner call is in DuckDB's words."""
    if len(args) != 2 or not args[1].is_string:
        return None
    text, form = args[0], args[1].name
    if isinstance(text, exp.Concat) and len(text.expressions) == 2:
        value, behind = text.expressions
        if (behind.name, form) == ("-01", "%Y-%m-%d") and _format(value) == "%Y-%m":
            return filled("CAST(DATE_TRUNC('MONTH', x) AS DATE)", {"x": value.this})
        if (behind.name, form) == (" Sunday", "%X%V %W") and _is_week(value):
            sunday = "CAST(DATE_TRUNC('WEEK', x + INTERVAL 1 DAY) - INTERVAL 1 DAY AS DATE)"
            return filled(sunday, {"x": value.expressions[0]})
        return None
    written = _format(text)
    if written is None or written != _FORMATS.get(form, form) or written not in _UNITS:
        return None
    return filled(f"DATE_TRUNC('{_UNITS[written]}', x)", {"x": text.this})


def _format(node: Node) -> str | None:
    return node.text("format") if isinstance(node, exp.TimeToStr) else None


def _is_week(node: Node) -> bool:
    return (
        isinstance(node, exp.Anonymous)
        and str(node.this).upper() == "YEARWEEK"
        and len(node.expressions) == 1
    )


def of_digits(args: list[Node]) -> Node | None:
    """PARSE_DATE('%Y%m%d', x), and TO_DATE(x, 'YYYYMMDD')."""
    if len(args) != 2:
        return None
    value = next((v for f, v in (args, args[::-1]) if f.is_string and f.name in _DIGITS), None)
    if value is None:
        return None
    joined = "CAST(LEFT(x, 4) || '-' || SUBSTRING(x, 5, 2) || '-' || SUBSTRING(x, 7, 2) AS DATE)"
    return filled(joined, {"x": value})


def without_quarter_steps(tree: Node) -> bool:
    """Changes MAKEDATE(YEAR(x), 1) + INTERVAL (QUARTER(x)) QUARTER - INTERVAL 1 QUARTER, where a quarter begins.

    Says whether there was one.

    >>> steps = "INTERVAL (QUARTER(a)) QUARTER - INTERVAL 1 QUARTER"
    >>> after(without_quarter_steps, f"SELECT MAKE_DATE(YEAR(a), 1, 1) + {steps} AS b")
    SELECT DATE_TRUNC('QUARTER', a) AS b
    """
    found = [(node, moment) for node in all_of(tree, exp.Sub) if (moment := _of_quarter(node)) is not None]
    keep_names(node for node, _ in found)
    for node, moment in found:
        node.replace(filled("DATE_TRUNC('QUARTER', x)", {"x": moment}))
    return bool(found)


def _of_quarter(node: Node) -> Node | None:
    """The moment of which such steps from the first of its year end where its quarter begins."""
    back, there = node.expression, node.this
    if not _is_quarters(back) or back.this.name != "1" or not isinstance(there, exp.Add):
        return None
    first, steps = there.this, there.expression
    quarter = steps.this.unnest() if _is_quarters(steps) else None
    if not isinstance(quarter, exp.Quarter) or not isinstance(first, exp.DateFromParts):
        return None
    year, month, day = (first.args.get(part) for part in ("year", "month", "day"))
    is_first = month is not None and day is not None and month.name == day.name == "1"
    is_its_year = isinstance(year, exp.Year) and year.this == quarter.this
    return quarter.this if is_first and is_its_year else None


def _is_quarters(node: Node) -> bool:
    return isinstance(node, exp.Interval) and node.text("unit").upper() == "QUARTER"
