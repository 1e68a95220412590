"""Beginnings of pieces of time that are counted from some moment, as DATEADD(month, DATEDIFF(month, 0, x), 0)."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from sqlglot import exp

from dpsql.sql.dialect import Node
from dpsql.sql.normalize.foreign.date_units import as_moment, as_number, is_whole, unit_word
from dpsql.sql.normalize.templates import filled

# The units that DATEADD counts back to where DATEDIFF began; of those above 1, so many are a larger unit.
_COUNTED: Final = MappingProxyType(
    {"YEAR": 1, "QUARTER": 4, "MONTH": 12, "WEEK": 1, "DAY": 1, "HOUR": 24, "MINUTE": 60, "SECOND": 60}
)
MOST_DIGITS: Final = 11
"""The most digits of a number that is read."""


def whole_units(args: list[Node]) -> Node | None:
    """DATEADD(month, DATEDIFF(month, 0, x), 0), and of shorter units also pieces, as in DATEDIFF(...) / 5 * 5."""
    unit = unit_word(args[0]) if len(args) == 3 else None
    if unit is None or unit not in _COUNTED:
        return None
    diff, width = _pieces(args[1].unnest())
    is_back = isinstance(diff, exp.DateDiff) and diff.text("unit").upper() == unit
    if (
        not is_back
        or diff.expression != (origin := as_moment(args[2]))
        or not origin.this.name.endswith("-01-01")
    ):
        return None
    if width is None:
        return filled(f"DATE_TRUNC('{unit}', CAST(x AS TIMESTAMP))", {"x": diff.this})
    if not 0 < int(width.name) <= _COUNTED[unit] or _COUNTED[unit] % int(width.name):
        return None
    return filled(
        f"TIME_BUCKET(INTERVAL n {unit}, CAST(x AS TIMESTAMP))", {"x": diff.this, "n": as_number(width)}
    )


def _pieces(product: Node) -> tuple[Node, Node | None]:
    """What is counted, and so many of them are a piece: of n / 5 * 5 and FLOOR(n / 5) * 5; else None."""
    share = product.this.unnest() if isinstance(product, exp.Mul) else product
    share = share.this.unnest() if isinstance(share, exp.Floor) else share
    is_share = share is not product and isinstance(share, exp.Div | exp.IntDiv)
    if not is_share or not is_whole(width := share.expression.unnest()) or len(width.name) > MOST_DIGITS:
        return product, None
    return (share.this.unnest(), width) if width == product.expression.unnest() else (product, None)


def seconds_of_pieces(seconds: Node) -> Node | None:
    """FLOOR(EXTRACT(EPOCH FROM x) / 600) * 600, of pieces that make whole days, is where a piece begins."""
    product = seconds.unnest()
    floor = product.this.unnest() if isinstance(product, exp.Mul) else None
    share = floor.this.unnest() if isinstance(floor, exp.Floor) else None
    if not isinstance(share, exp.Div):
        return None
    since, width = share.this.unnest(), share.expression.unnest()
    is_bucket = is_whole(width) and width == product.expression.unnest() and _is_epoch(since)
    if not is_bucket or len(width.name) > MOST_DIGITS or int(width.name) == 0 or 86_400 % int(width.name):
        return None
    moment = since.expression if isinstance(since, exp.Extract) else since.this
    values = {"n": as_number(width), "x": moment}
    return filled("TIME_BUCKET(INTERVAL n SECOND, CAST(x AS TIMESTAMP))", values)


def _is_epoch(node: Node) -> bool:
    part = node.this.name.upper() if isinstance(node, exp.Extract) else ""
    return isinstance(node, exp.TimeToUnix) or part == "EPOCH"


_FIRST: Final = MappingProxyType[type[Node], str](
    {exp.Day: "MONTH", exp.DayOfMonth: "MONTH", exp.DayOfYear: "YEAR"}
)


def first_days(args: list[Node]) -> Node | None:
    """DATE_ADD(DATE(x), INTERVAL (-DAYOFMONTH(DATE(x)) + 1) DAY), as MySQL's clients write the beginning of a month."""
    day, step = args if len(args) == 2 else (None, None)
    if (
        day is None
        or not isinstance(step, exp.Interval)
        or step.text("unit").upper() != "DAY"
        or not _is_date(day)
    ):
        return None
    number = step.this.unnest()
    if (
        not isinstance(number, exp.Add)
        or number.expression.name != "1"
        or not isinstance(number.this, exp.Neg)
    ):
        return None
    counted = number.this.this
    unit = _FIRST.get(type(counted))
    if unit is None or counted.this != day:
        return None
    return filled(f"CAST(DATE_TRUNC('{unit}', x) AS DATE)", {"x": day})


def _is_date(node: Node) -> bool:
    return isinstance(node, exp.Date) or (isinstance(node, exp.Cast) and node.to.is_type("DATE"))
