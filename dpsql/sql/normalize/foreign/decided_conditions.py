"""Conditions on constant texts, which templates of dashboards leave: 'All' = 'All' OR region = 'All'.

What they decide is decided here: a condition beside one that is TRUE, or in a branch that is never reached, is compared
with nothing, so that its constants need be no values of a column.
"""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from dpsql.sql.ast.column_names import keep_names
from dpsql.sql.ast.traversal import all_of
from dpsql.sql.dialect import Node

COMPARED: Final[tuple[type[Node], ...]] = (exp.EQ, exp.NEQ, exp.In)


def without_decided(tree: Node) -> bool:
    """Leaves out what constant texts decide. Says whether there was any.

    >>> after(without_decided, "SELECT CASE WHEN 'a' = 'b' THEN 'x' ELSE 'y' END FROM t WHERE 'a' IN ('a') OR b = 'z'")
    SELECT 'y' AS "CASE WHEN 'a' = 'b' THEN 'x' ELSE 'y' END" FROM t WHERE TRUE
    """
    decided = [(node, truth) for node in all_of(tree, *COMPARED) if (truth := _truth(node)) is not None]
    if not decided:
        return False
    keep_names(node for node, _ in decided)
    for node, truth in decided:
        _decide(node, truth)
    for case in reversed(all_of(tree, exp.Case)):
        chosen = _chosen(case)
        if chosen is not None and not _orders(case):
            is_unit = isinstance(case.parent, exp.TimeUnit) and case.arg_key == "unit"
            case.replace(exp.var(chosen.name.upper()) if is_unit else chosen)
    return True


def _orders(case: exp.Case) -> bool:
    """Whether this is what rows are ordered by, where DuckDB takes no constant text."""
    around = case.parent
    while isinstance(around, exp.Paren):
        around = around.parent
    return isinstance(around, exp.Ordered)


def _truth(node: Node) -> bool | None:
    """Whether a comparison of constant texts is true; None for any other."""
    values = node.expressions if isinstance(node, exp.In) else _compared(node)
    text, *others = (_text(value) for value in (node.this, *values))
    if text is None or not others or None in others:
        return None
    return (text in others) is not isinstance(node, exp.NEQ)


def _compared(node: Node) -> list[Node]:
    """What a comparison compares with, each of a list behind ANY."""
    side = node.expression
    listed = side.this.unnest() if isinstance(side, exp.Any) and isinstance(node, exp.EQ) else None
    return listed.expressions if isinstance(listed, exp.Array) else [side]


def _text(node: Node) -> str | None:
    """A constant text, perhaps in parentheses or cast to what it is; None for anything else."""
    while isinstance(node, exp.Paren) or (
        isinstance(node, exp.Cast) and node.to.this in exp.DataType.TEXT_TYPES
    ):
        node = node.this
    return node.name if node.is_string else None


def _decide(node: Node, truth: bool) -> None:
    """Puts TRUE or FALSE in the place of a condition, and of each AND, OR and NOT around it that follows from it."""
    while True:
        around = node.parent
        if isinstance(around, exp.Paren):
            node = around
        elif isinstance(around, exp.Not):
            node, truth = around, not truth
        elif isinstance(around, exp.Or if truth else exp.And):
            node = around
        else:
            break
    other = node.parent
    if isinstance(other, exp.And | exp.Or):
        other.replace(other.expression if node is other.this else other.this)
    else:
        node.replace(exp.Boolean(this=truth))


def _chosen(case: exp.Case) -> Node | None:
    """The one of constant texts that a CASE is, if its conditions say which; None for any other."""
    branches, default = case.args.get("ifs") or [], case.args.get("default")
    if case.this is not None or not all(
        n.is_string for n in (*(b.args["true"] for b in branches), default) if n
    ):
        return None
    for branch in branches:
        if not isinstance(branch.this, exp.Boolean):
            return None
        if branch.this.this:
            chosen: Node = branch.args["true"]
            return chosen
    return default
