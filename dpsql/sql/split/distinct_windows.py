"""DISTINCT rows with window functions in them: the windows are made first, as in SQL, and DISTINCT is taken of them.

    SELECT DISTINCT customer, FIRST_VALUE(region) OVER (PARTITION BY customer ORDER BY day) AS r FROM orders

is SELECT DISTINCT customer, r FROM the same without DISTINCT, so that each of the two is a query that is known.
"""

from __future__ import annotations

from sqlglot import exp

from dpsql.sql.ast.traversal import all_of, in_window, shallow
from dpsql.sql.bind.aggregates import is_aggregate
from dpsql.sql.dialect import Node

_ALIAS = "#windows"
_OTHERS = ("group", "having", "order", "limit", "offset", "with_")


def windows_first(tree: Node) -> None:
    """Changes every such SELECT of a FROM clause or of WITH, in place.

    One that also groups, orders or cuts off, or that has a star or columns without a name, is left as it is.
    """
    for node in all_of(tree, exp.Select):
        if _is_distinct(node) and _is_source(node) and _is_named(node) and _has_windows(node):
            _wrap(node)


def _is_source(node: exp.Select) -> bool:
    around = node.parent
    from_clause = isinstance(around, exp.Subquery) and isinstance(around.parent, exp.From | exp.Join)
    return from_clause or isinstance(around, exp.CTE)


def _is_named(node: exp.Select) -> bool:
    names = [item.alias_or_name.lower() for item in node.expressions]
    return all(names) and "*" not in names and len(set(names)) == len(names)


def _is_distinct(node: exp.Select) -> bool:
    distinct = node.args.get("distinct")
    plain = distinct is not None and distinct.args.get("on") is None
    return plain and not any(node.args.get(key) for key in _OTHERS)


def _has_windows(node: exp.Select) -> bool:
    inside = [n for item in node.expressions for n in shallow(item)]
    alone = any(is_aggregate(n) and not in_window(n) for n in inside)
    return not alone and any(isinstance(n, exp.Window) for n in inside)


def _wrap(node: exp.Select) -> None:
    names = [item.alias_or_name for item in node.expressions]
    inner = exp.Select(**{key: value for key, value in node.args.items() if key != "distinct"})
    distinct = node.args["distinct"]
    for key in list(node.args):
        node.set(key, None)
    alias = exp.TableAlias(this=exp.to_identifier(_ALIAS, quoted=True))
    node.set("distinct", distinct)
    node.set("expressions", [exp.column(name, table=_ALIAS, quoted=True) for name in names])
    node.set("from_", exp.From(this=exp.Subquery(this=inner, alias=alias)))
