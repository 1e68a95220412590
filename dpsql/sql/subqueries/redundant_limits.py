"""LIMITs inside a query that change nothing: of a query with one row, and of one that is only tested for rows."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from dpsql.sql.ast.aggregate_calls import is_aggregate
from dpsql.sql.ast.literals import whole
from dpsql.sql.ast.traversal import of_kinds, shallow
from dpsql.sql.bind.scope import outer_columns
from dpsql.sql.dialect import Node


def without_idle_limits(nodes: Iterable[Node]) -> None:
    """Takes LIMIT of one or more away where there is one row at most, or where rows are only asked for by EXISTS."""
    for select in of_kinds(nodes, exp.Select):
        is_tested = isinstance(select.parent_select, exp.Select) and _is_tested(select)
        if (is_tested or _is_one_row(select)) and select.args.get("offset") is None and _is_many(select):
            select.set("limit", None)
            if is_tested:
                select.set("order", None)


def without_limit(query: Node) -> Node:
    """A query of one value for the row around it without its LIMIT: it is refused where there can be several rows."""
    if not isinstance(query, exp.Select) or query.args.get("offset") is not None or not _is_many(query):
        return query
    if not outer_columns(query):
        return query
    plain = query.copy()
    plain.set("limit", None)
    plain.set("order", None)
    return plain


def _is_many(select: exp.Select) -> bool:
    limit = select.args.get("limit")
    count = limit.expression if isinstance(limit, exp.Limit) else None
    return isinstance(count, exp.Literal) and not count.is_string and (whole(count.this) or 0) >= 1


def _is_tested(select: exp.Select) -> bool:
    around = select.parent
    while isinstance(around, exp.Subquery):
        around = around.parent
    return isinstance(around, exp.Exists)


def _is_one_row(select: exp.Select) -> bool:
    items = [n for item in select.expressions for n in shallow(item)]
    plain = select.args.get("group") is None and not any(isinstance(n, exp.Window) for n in items)
    return plain and any(is_aggregate(n) for n in items)
