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
        if chosen is not None:
            is_unit = isinstance(case.parent, exp.TimeUnit) and case.arg_key == "unit"
            case.replace(exp.var(chosen.name.upper()) if is_unit else chosen)
    return True


def _truth(node: Node) -> bool | None:
    """Whether a comparison of constant texts is true; None for any other."""
    values = node.expressions if isinstance(node, exp.In) else _compared(node)
    if not values or not all(_is_text(value) for value in (node.this, *values)):
        return None
    is_among = node.this.name in [value.name for value in values]
    return is_among is not isinstance(node, exp.NEQ)


def _compared(node: Node) -> list[Node]:
    """What a comparison compares with, each of a list behind ANY."""
    side = node.expression
    listed = side.this.unnest() if isinstance(side, exp.Any) and isinstance(node, exp.EQ) else None
    return listed.expressions if isinstance(listed, exp.Array) else [side]


def _is_text(node: Node) -> bool:
    return isinstance(node, exp.Literal) and bool(node.is_string)


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
        _is_text(n) for n in (*(b.args["true"] for b in branches), default) if n
    ):
        return None
    for branch in branches:
        if not isinstance(branch.this, exp.Boolean):
            return None
        if branch.this.this:
            chosen: Node = branch.args["true"]
            return chosen
    return default
