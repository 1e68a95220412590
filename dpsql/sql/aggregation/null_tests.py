"""Tests for NULL of what a release gives: a released sum over nothing is 0 with noise, which is never NULL."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from dpsql.errors import QueryRefused
from dpsql.sql.ast.positions import place_of
from dpsql.sql.dialect import Node
from dpsql.sql.normalize.spellings import is_no_test


def check_null_test(node: Node, is_measure: Callable[[Node], bool]) -> None:
    """Refuses the question whether a released sum is NULL, which would be answered wrongly."""
    if not isinstance(node, exp.Is) or not isinstance(node.expression, exp.Null) or is_no_test(node):
        return
    target = node.this.unnest()
    call = target.this if isinstance(target, exp.Filter) else target
    if isinstance(call, exp.Sum) and is_measure(target):
        raise QueryRefused(
            "a private SUM is never NULL: over no rows it is 0 with noise",
            place=place_of(node),
            hint="Compare a COUNT with a threshold instead.",
        )
