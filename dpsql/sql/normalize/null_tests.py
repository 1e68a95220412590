"""Tests for NULL of a sum that mean nothing but what a private sum does by itself: over no rows it is 0."""

from __future__ import annotations

from sqlglot import exp

from dpsql.sql.dialect import Node


def tells_nothing(test: exp.Is) -> bool:
    """Whether x IS NULL only keeps a value that is there: NOT (x IS NULL), or CASE WHEN x IS NULL THEN 0 ELSE x END."""
    node: Node = test
    while isinstance(node.parent, exp.Paren):
        node = node.parent
    around = node.parent
    if isinstance(around, exp.Not):
        return True
    return isinstance(around, exp.If) and around.this is node and _is_nothing(around.args["true"])


def _is_nothing(value: Node) -> bool:
    """Whether a constant stands for the sum of no rows."""
    found = value.unnest()
    return isinstance(found, exp.Null) or (
        isinstance(found, exp.Literal) and found.is_number and float(found.this) == 0
    )
