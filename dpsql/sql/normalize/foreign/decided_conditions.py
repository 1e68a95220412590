"""Conditions on constant texts, which templates of dashboards leave: 'All' = 'All' OR region = 'All'.

What they decide is decided here as far as it must be known before the query is cut: what stands beside a condition that
is TRUE need not be there at all, and a unit is known by its name. `algebra.functions.decided` decides the rest.
"""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from dpsql.sql.ast.column_names import keep_names
from dpsql.sql.ast.traversal import all_of
from dpsql.sql.dialect import Node

COMPARED: Final[tuple[type[Node], ...]] = (exp.EQ, exp.NEQ, exp.In)
_CONDITIONS: Final = (exp.Predicate, exp.Connector, exp.Not, exp.Boolean)


def without_decided(tree: Node) -> None:
    """Leaves out what constant texts decide.

    >>> after(without_decided, "SELECT 'b' = 'a' OR c > 1 FROM t WHERE 'a' IN ('a') OR b = 'z'")
    SELECT c > 1 FROM t WHERE TRUE
    """
    for node in all_of(tree, *COMPARED):
        truth = _compared(node)
        if truth is not None:
            _decide(node, truth)


def is_decided(node: Node) -> bool:
    """Whether a comparison is one of constant texts."""
    return _compared(node) is not None


def choose_units(tree: Node) -> bool:
    """Writes the constant text that a CASE is where it stands in a call, in which it may be a unit.

    >>> after(choose_units, "SELECT F(CASE 'a' WHEN 'b' THEN 'day' ELSE 'week' END, d) AS d FROM t")
    SELECT F('week', d) AS d FROM t
    >>> after(choose_units, "SELECT F(CASE WHEN 'a' = 'a' THEN 'w' END, F(CASE WHEN 'a' = 'a' THEN 'w' END, d)) AS d")
    SELECT F('w', F('w', d)) AS d
    """
    chosen = [(case, text) for case in all_of(tree, exp.Case) if (text := _chosen(case)) is not None]
    keep_names(case for case, _ in chosen)
    for case, text in chosen:
        case.replace(text)
    return bool(chosen)


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
    around = node.parent
    if isinstance(around, exp.And | exp.Or) and _is_condition(side := _beside(node, around)):
        around.replace(side)
    else:
        node.replace(exp.Boolean(this=truth))


def _beside(node: Node, around: Node) -> Node:
    side: Node = around.expression if node is around.this else around.this
    return side


def _is_condition(node: Node) -> bool:
    """Whether a side of AND or OR is the same without the other; a number is TRUE or FALSE there alone."""
    return isinstance(node.unnest(), _CONDITIONS)


def _chosen(case: exp.Case) -> Node | None:
    """The one of constant texts that a CASE in a call is, if its conditions say which; None for any other."""
    if not isinstance(case.parent, exp.Anonymous):
        return None
    reached: Node | None = case.args.get("default")
    for branch in reversed(case.args.get("ifs") or []):
        truth = _truth(branch.this) if case.this is None else _same([case.this, branch.this])
        if truth is None:
            return None
        reached = branch.args["true"] if truth else reached
    return reached if reached is not None and reached.is_string else None


def _truth(node: Node) -> bool | None:
    """Whether a condition on constant texts is true; None for any other."""
    node = node.unnest()
    if isinstance(node, exp.Boolean):
        return bool(node.this)
    if isinstance(node, exp.Not):
        inner = _truth(node.this)
        return None if inner is None else not inner
    if isinstance(node, exp.And | exp.Or):
        sides = [_truth(node.this), _truth(node.expression)]
        return None if None in sides else (all(sides) if isinstance(node, exp.And) else any(sides))
    return _compared(node) if isinstance(node, COMPARED) else None


def _compared(node: Node) -> bool | None:
    """Whether a comparison of constant texts is true; None for any other."""
    values = node.expressions if isinstance(node, exp.In) else _others(node)
    same = _same([node.this, *values])
    return None if same is None else same is not isinstance(node, exp.NEQ)


def _others(node: Node) -> list[Node]:
    """What a comparison compares with, each of a list behind ANY."""
    side = node.expression
    listed = side.this.unnest() if isinstance(side, exp.Any) and isinstance(node, exp.EQ) else None
    return listed.expressions if isinstance(listed, exp.Array) else [side]


def _same(values: list[Node]) -> bool | None:
    """Whether the first of constant texts is among the others; None where one of them is none."""
    text, *others = map(_text, values)
    return None if text is None or not others or None in others else text in others


def _text(node: Node) -> str | None:
    """A constant text, perhaps in parentheses or cast to what it is; None for anything else."""
    while isinstance(node, exp.Paren) or (
        isinstance(node, exp.Cast) and node.to.this in exp.DataType.TEXT_TYPES
    ):
        node = node.this
    return node.name if node.is_string else None
