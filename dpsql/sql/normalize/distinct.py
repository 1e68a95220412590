"""DISTINCT ON as the first row of each group, DISTINCT of rows with windows in two steps, and one of rows alike."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sqlglot import exp

from dpsql.errors import QueryRefused
from dpsql.sql.ast.aggregate_calls import is_aggregate
from dpsql.sql.ast.positions import refuse_node
from dpsql.sql.ast.traversal import all_of, at_place, in_window, shallow
from dpsql.sql.dialect import Node
from dpsql.sql.normalize.whole_partitions import partitioned

_ALIAS: Final = "#windows"
_OTHERS: Final = ("group", "having", "order", "limit", "offset", "with_")
_BESIDE_ONE: Final = ("group", "having", "qualify", "order", "offset", "distinct")


def without_distinct_on(tree: Node) -> None:
    """Changes DISTINCT ON, the first row of each group of equals, into the rows with number 1 in their group.

    Raises QueryRefused where nothing says which row is the first one.

    >>> after(without_distinct_on, "SELECT DISTINCT ON (a) a, b FROM t ORDER BY 1, c")
    SELECT a, b FROM t QUALIFY ROW_NUMBER() OVER (PARTITION BY a ORDER BY a, c) = 1 ORDER BY 1, c
    """
    for select in all_of(tree, exp.Select):
        distinct = select.args.get("distinct")
        on = distinct.args.get("on") if distinct is not None else None
        if on is not None:
            _number(select, list(on.expressions) if isinstance(on, exp.Tuple) else [on.unnest()])


def _number(select: exp.Select, keys: list[Node]) -> None:
    order = select.args.get("order")
    if order is None or any(isinstance(t.this, exp.Var) for t in order.expressions):
        raise _refused(select, "DISTINCT ON needs an ORDER BY that says which row is the first one")
    if select.args.get("qualify") is not None:
        raise _refused(select, "DISTINCT ON cannot stand beside QUALIFY")
    terms = [t.copy() for t in order.expressions]
    for term in terms:
        term.set("this", _meant(term.this, select).copy())
    number = exp.Window(
        this=exp.RowNumber(),
        partition_by=[_meant(k, select).copy() for k in keys],
        order=exp.Order(expressions=terms),
        over="OVER",
    )
    select.set("distinct", None)
    select.set("qualify", exp.Qualify(this=exp.EQ(this=number, expression=exp.Literal.number(1))))


def _meant(term: Node, select: exp.Select) -> Node:
    """The column of the SELECT list that a number or a name stands for, else what is written."""
    named = (
        i.this
        for i in select.expressions
        if isinstance(i, exp.Alias) and i.alias.lower() == term.name.lower()
    )
    if isinstance(term, exp.Column) and not term.table:
        return next(named, term)
    return at_place(select, term)


def _refused(select: exp.Select, reason: str) -> QueryRefused:
    hint = "Write QUALIFY ROW_NUMBER() OVER (PARTITION BY ... ORDER BY ...) = 1."
    return refuse_node(select.args["distinct"], reason, hint)


def one_of_alike(tree: Node) -> None:
    """Changes LIMIT 1 of rows that WHERE makes NULL into DISTINCT, as Tableau asks whether there is a NULL.

    Which row is taken makes no difference, so that nothing depends on their order.

    >>> after(one_of_alike, "SELECT t.a FROM t WHERE t.b > 1 AND (t.a IS NULL) LIMIT 1")
    SELECT DISTINCT t.a FROM t WHERE t.b > 1 AND (t.a IS NULL) LIMIT 1
    """
    for select in all_of(tree, exp.Select):
        where, limit = select.args.get("where"), select.args.get("limit")
        one = isinstance(limit, exp.Limit) and limit.expression == exp.Literal.number(1)
        if where is None or not one or any(select.args.get(c) for c in _BESIDE_ONE):
            continue
        null = {
            c.this
            for c in _conjuncts(where.this)
            if isinstance(c, exp.Is) and isinstance(c.expression, exp.Null)
        }
        if all(item.unalias() in null for item in select.expressions):
            select.set("distinct", exp.Distinct())


def _conjuncts(condition: Node) -> Iterator[Node]:
    waiting = [condition]
    while waiting:
        node = waiting.pop().unnest()
        if isinstance(node, exp.And):
            waiting += [node.this, node.expression]
        else:
            yield node


def windows_first(tree: Node) -> None:
    """Changes DISTINCT of a SELECT with window functions, in FROM or WITH, into DISTINCT of a query without it.

    One that also groups, orders or cuts off, or that has a star or columns without a name, is left as it is, and so is
    one whose windows are the aggregates of its groups.

    >>> after(windows_first, "WITH v AS (SELECT DISTINCT a, MAX(b) OVER (PARTITION BY c) AS m FROM t) SELECT m FROM v")
    WITH v AS (SELECT DISTINCT "#windows"."a", "#windows"."m" FROM (SELECT a, MAX(b) OVER (PARTITION BY c) AS m
    FROM t) AS "#windows") SELECT m FROM v
    """
    for node in all_of(tree, exp.Select):
        if _is_distinct(node) and _is_source(node) and _is_named(node) and _has_windows(node):
            found = partitioned(node)
            if found is None or not found.is_grouping:
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
    columns = [exp.column(item.alias_or_name, table=_ALIAS, quoted=True) for item in node.expressions]
    around = exp.Select(expressions=columns, distinct=node.args["distinct"])
    node.replace(around)
    node.set("distinct", None)
    alias = exp.TableAlias(this=exp.to_identifier(_ALIAS, quoted=True))
    around.set("from_", exp.From(this=exp.Subquery(this=node, alias=alias)))
