"""COUNT(*) of rows that LIMIT cuts off: the lesser of the two numbers, whichever rows are left.

    SELECT COUNT(*) FROM (SELECT * FROM t ORDER BY x LIMIT 1000) AS v

is how dashboards ask for the size of a first page. Which rows those are depends on their order, how many they are does
not: it is LEAST(COUNT(*), 1000) of all rows.
"""

from __future__ import annotations

from sqlglot import exp

from dpsql.sql.dialect import Node
from dpsql.sql.nodes import named
from dpsql.sql.walk import all_of

_MORE = ("joins", "where", "group", "having", "qualify", "distinct", "windows")
_OTHER_ROWS = ("group", "having", "qualify", "distinct", "offset", "windows")


def count_before_limit(tree: Node) -> None:
    """Changes every such count in a tree, in place; any other query is left as it is."""
    for node in all_of(tree, exp.Select):
        limit = _limit(node)
        if limit is None:
            continue
        for count in all_of(node, exp.Count):
            if count.find_ancestor(exp.Select) is node:
                least = named(exp.Least(expressions=[limit.copy()]), "LEAST")
                count.replace(least)
                least.set("this", count)


def _limit(node: exp.Select) -> Node | None:
    """The number of a subquery's LIMIT, which is taken from it, where only its rows are counted; else None."""
    clause = node.args.get("from_")
    source = clause.this if clause is not None and not any(node.args.get(c) for c in _MORE) else None
    inner = source.this if isinstance(source, exp.Subquery) else None
    if not isinstance(inner, exp.Select) or any(inner.args.get(c) for c in _OTHER_ROWS):
        return None
    limit = inner.args.get("limit")
    number = limit.expression if isinstance(limit, exp.Limit) else None
    whole = isinstance(number, exp.Literal) and not number.is_string and number.name.isdigit()
    if not whole or any(True for e in inner.expressions for _ in all_of(e, exp.AggFunc, exp.Window)):
        return None
    if not all(_counts_rows(item.unalias()) for item in node.expressions):
        return None
    inner.set("limit", None)
    inner.set("order", None)
    return number


def _counts_rows(item: Node) -> bool:
    return isinstance(item, exp.Count) and isinstance(item.this, exp.Star | exp.Literal)
