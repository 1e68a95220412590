"""The bounds and the step of series: constants, and what is computed of constants and of the present moment."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date, datetime, time, timedelta
from typing import Final

from sqlglot import exp

from dpsql.algebra.expressions import Duration
from dpsql.algebra.functions.dates.calendar import add_months
from dpsql.errors import QueryRefused
from dpsql.sql.ast.aggregate_calls import is_aggregate
from dpsql.sql.ast.literals import duration, whole
from dpsql.sql.ast.traversal import all_of, children, is_number, of_kinds
from dpsql.sql.dialect import DType, Node

_LARGEST: Final = 2**62
_MOMENTS: Final = (DType.DATE, DType.TIMESTAMP, DType.TIMESTAMPNTZ)
_ISO: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?)?")
_EPOCH: Final = date(1970, 1, 1).toordinal()
_BOUNDS: Final = ("start", "end", "step")


def constant_number(node: Node | None) -> int | None:
    """A constant whole number below 2^62; None for anything else."""
    if isinstance(node, exp.Neg):
        inner = constant_number(node.this)
        return None if inner is None else -inner
    number = whole(node.name) if node is not None and is_number(node) else None
    return number if number is not None and number < _LARGEST else None


def constant_moment(node: Node | None) -> datetime | None:
    """The moment of a constant date or timestamp."""
    if not isinstance(node, exp.Cast) or node.args["to"].this not in _MOMENTS:
        return None
    text = node.this.name if node.this.is_string else ""
    if not _ISO.fullmatch(text):
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if node.args["to"].this is not DType.DATE else datetime.combine(moment, time())


def constant_duration(node: Node | None) -> Duration | None:
    """An INTERVAL of which all parts go the same way."""
    sign = 1
    while isinstance(node, exp.Neg | exp.Paren):
        sign, node = (-sign if isinstance(node, exp.Neg) else sign), node.this
    if not isinstance(node, exp.Interval):
        return None
    length = duration(node)
    parts = [sign * part for part in (length.months, length.days, length.micros)]
    one_way = all(p >= 0 for p in parts) or all(p <= 0 for p in parts)
    return Duration(*parts) if one_way and any(parts) else None


def later(moment: datetime, every: Duration) -> datetime:
    """The moment after a duration, as DuckDB adds it. Raises OverflowError and ValueError beyond the calendar."""
    days = add_months(moment.toordinal() - _EPOCH, every.months) + every.days
    later = datetime.combine(date.fromordinal(days + _EPOCH), moment.time())
    return later + timedelta(microseconds=every.micros)


def reads_itself(cte: exp.CTE) -> bool:
    """Whether a name of WITH RECURSIVE stands in its own query."""
    return any(t.name.lower() == cte.alias.lower() and not t.db for t in all_of(cte.this, exp.Table))


def computed_bounds(nodes: Iterable[Node]) -> list[Node]:
    """What of the bounds of all series, also of those that count themselves, is to be computed before they are read."""
    return [bound for node in of_kinds(nodes, exp.GenerateSeries, exp.With) for bound in _bounds_of(node)]


def _bounds_of(node: Node) -> Iterator[Node]:
    if isinstance(node, exp.GenerateSeries):
        given = [bound for name in _BOUNDS if (bound := node.args.get(name)) is not None]
        for bound in given:
            yield from () if _reads(bound) else _computed(bound)
    elif node.args.get("recursive"):
        for cte in node.expressions:
            yield from _of_recursion(cte.this) if reads_itself(cte) else ()


def _of_recursion(query: Node) -> Iterator[Node]:
    for select in (query.this, query.expression) if isinstance(query, exp.SetOperation) else ():
        if isinstance(select, exp.Select):
            where = select.args.get("where")
            for root in [*select.expressions, *([where.this] if where is not None else ())]:
                yield from _computed(root)


def _computed(root: Node) -> Iterator[Node]:
    """The outermost parts of an expression that are no constants as they are written, and read no row."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if _is_constant(node):
            continue
        if isinstance(node, exp.Condition | exp.Interval) and not _reads(node):
            yield node
        else:
            waiting += children(node)


def _is_constant(node: Node) -> bool:
    if isinstance(node, exp.Literal | exp.Boolean | exp.Null):
        return True
    return constant_number(node) is not None or constant_moment(node) is not None or _is_duration(node)


def _is_duration(node: Node) -> bool:
    """Whether this is a constant INTERVAL in units that are read here."""
    try:
        return constant_duration(node) is not None
    except QueryRefused:
        return False


def _reads(node: Node) -> bool:
    """Whether an expression has another value for each row, or each time that it is computed."""
    kinds = exp.Column | exp.Star | exp.Query | exp.Window
    return any(isinstance(n, kinds) or is_aggregate(n) for n in node.walk())
