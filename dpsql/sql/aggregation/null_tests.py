"""Tests for NULL of what a release gives: a released sum over nothing is 0 with noise, which is never NULL."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from sqlglot import exp

from dpsql.errors import QueryRefused
from dpsql.sql.ast.positions import place_of
from dpsql.sql.dialect import Node
from dpsql.sql.normalize.spellings import is_no_test, is_nothing

_COMPUTED = (exp.Add, exp.Sub, exp.Mul, exp.Neg, exp.Abs, exp.Cast, exp.Round)
"""What is NULL exactly where one of its arguments is."""


def check_null_test(
    node: Node, is_measure: Callable[[Node], bool], named: Callable[[Node], Node | None]
) -> None:
    """Refuses the question whether a released sum, or what is computed of one, is NULL: the answer would be wrong.

    `named` gives what a name of the SELECT list stands for.
    """
    tested = _tested(node)
    if tested is not None and _has_sum(tested, is_measure, named):
        raise _refused(node)


def check_null_test_of_column(node: Node, is_sum: Callable[[exp.Column], bool]) -> None:
    """Refuses that question in a query on released tables, where a sum is a column of one of them."""
    tested = _tested(node)
    if tested is not None and _has_column(tested, is_sum):
        raise _refused(node)


def _refused(node: Node) -> QueryRefused:
    return QueryRefused(
        "a private SUM is never NULL: over no rows it is 0 with noise",
        place=place_of(node),
        hint="Compare a COUNT with a threshold instead.",
    )


def _has_column(node: Node, is_sum: Callable[[exp.Column], bool]) -> bool:
    target = node.unnest()
    if isinstance(target, exp.Column):
        return is_sum(target)
    return isinstance(target, _COMPUTED) and any(_has_column(c, is_sum) for c in target.iter_expressions())


def _tested(node: Node) -> Node | None:
    """What is asked to be NULL, or has another value than 0 in its place where it is."""
    if isinstance(node, exp.Coalesce):
        return None if all(map(is_nothing, node.expressions)) else cast(Node, node.this)
    if isinstance(node, exp.Is) and isinstance(node.expression, exp.Null) and not is_no_test(node):
        return cast(Node, node.this)
    if isinstance(node, exp.NullSafeEQ):
        left, right = cast(Node, node.this), cast(Node, node.expression)
        if isinstance(right.unnest(), exp.Null):
            return left
        return right if isinstance(left.unnest(), exp.Null) else None
    return None


def _has_sum(node: Node, is_measure: Callable[[Node], bool], named: Callable[[Node], Node | None]) -> bool:
    target = node.unnest()
    target = named(target) or target
    call = target.this if isinstance(target, exp.Filter) else target
    if isinstance(call, exp.Sum):
        return is_measure(target)
    return isinstance(target, _COMPUTED) and any(
        _has_sum(child, is_measure, named) for child in target.iter_expressions()
    )
