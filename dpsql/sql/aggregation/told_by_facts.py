"""Aggregates that the policy tells: MAX(CASE WHEN x IS NULL THEN 1 ELSE 0 END) of a column that is never NULL.

Power BI writes it beside each COUNT(DISTINCT x). It is the same constant in every group, and released it would take its
part of the epsilon to be a worse answer.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from dpsql.sql.ast.traversal import in_window, is_number
from dpsql.sql.dialect import Node


def told_number(node: Node, never_null: Callable[[exp.Column], bool]) -> Node | None:
    """The number that MAX or MIN gives of a CASE that asks only whether such a column is NULL; None for others."""
    if not isinstance(node, exp.Max | exp.Min) or in_window(node) or isinstance(node.parent, exp.Filter):
        return None
    case = node.this.unnest()
    branches = case.args.get("ifs") or [] if isinstance(case, exp.Case) and case.this is None else []
    if len(branches) != 1 or (otherwise := case.args.get("default")) is None:
        return None
    condition = branches[0].this.unnest()
    is_not = isinstance(condition, exp.Not)
    test = condition.this.unnest() if is_not else condition
    is_test = isinstance(test, exp.Is) and isinstance(test.expression, exp.Null)
    if not is_test or not isinstance(test.this, exp.Column):
        return None
    value = branches[0].args["true"] if is_not else otherwise
    return value.copy() if is_number(value) and never_null(test.this) else None
