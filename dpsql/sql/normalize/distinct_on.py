"""DISTINCT ON, the first row of each group of equals: a number within the group, and the rows with number 1."""

from __future__ import annotations

from sqlglot import exp

from dpsql.errors import QueryRefused
from dpsql.sql.ast.positions import refuse_node
from dpsql.sql.ast.traversal import all_of
from dpsql.sql.dialect import Node


def without_distinct_on(tree: Node) -> bool:
    """Changes DISTINCT ON (k) ... ORDER BY k, x into QUALIFY ROW_NUMBER() OVER (...) = 1. Says whether there was one.

    Raises QueryRefused where nothing says which row is the first one.
    """
    found = [s for s in all_of(tree, exp.Select) if _keys(s)]
    for select in found:
        _change(select)
    return bool(found)


def _keys(select: exp.Select) -> list[Node]:
    distinct = select.args.get("distinct")
    on = distinct.args.get("on") if distinct is not None else None
    if on is None:
        return []
    return list(on.expressions) if isinstance(on, exp.Tuple) else [on.unnest()]


def _change(select: exp.Select) -> None:
    order = select.args.get("order")
    if order is None or any(isinstance(t.this, exp.Var) for t in order.expressions):
        raise _refused(select, "DISTINCT ON needs an ORDER BY that says which row is the first one")
    if select.args.get("qualify") is not None:
        raise _refused(select, "DISTINCT ON cannot stand beside QUALIFY")
    keys = [_meant(k, select).copy() for k in _keys(select)]
    terms = [t.copy() for t in order.expressions]
    for term in terms:
        term.set("this", _meant(term.this, select).copy())
    number = exp.Window(
        this=exp.RowNumber(), partition_by=keys, order=exp.Order(expressions=terms), over="OVER"
    )
    first = exp.EQ(this=number, expression=exp.Literal.number(1))
    select.set("distinct", None)
    select.set("qualify", exp.Qualify(this=first))


def _meant(term: Node, select: exp.Select) -> Node:
    """The column of the SELECT list that a number or a name stands for, else what is written."""
    if isinstance(term, exp.Literal) and not term.is_string and term.this.isdigit():
        at = int(term.this) - 1
        return select.expressions[at].unalias() if 0 <= at < len(select.expressions) else term
    if isinstance(term, exp.Column) and not term.table:
        for item in select.expressions:
            if isinstance(item, exp.Alias) and item.alias.lower() == term.name.lower():
                return item.this  # type: ignore[no-any-return]
    return term


def _refused(select: exp.Select, reason: str) -> QueryRefused:
    return refuse_node(
        select.args["distinct"],
        reason,
        "Write QUALIFY ROW_NUMBER() OVER (PARTITION BY ... ORDER BY ...) = 1.",
    )
