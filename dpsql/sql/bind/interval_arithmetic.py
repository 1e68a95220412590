"""Sums of a moment and a computed INTERVAL: x + n * INTERVAL '1 day', x - INTERVAL (n) DAY."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sqlglot import exp

from dpsql.algebra.expressions import Duration, Expr, Literal
from dpsql.algebra.functions import apply
from dpsql.algebra.types import SqlType
from dpsql.sql.ast.literals import duration, is_whole
from dpsql.sql.dialect import Node

Bind = Callable[[Node], Expr]


def stepped(node: Node, bind: Bind) -> Expr | None:
    """A sum or difference of a moment and a computed number of INTERVALs; None for any other expression."""
    if not isinstance(node, exp.Add | exp.Sub):
        return None
    sides = ((node.this, node.expression), (node.expression, node.this))
    for moment, other in sides[: 2 if isinstance(node, exp.Add) else 1]:
        parts = _parts(other)
        if parts is not None:
            count, step = bind(parts[0]), parts[1] if isinstance(node, exp.Add) else _times(parts[1], -1)
            return _moved(bind(moment), count, step)
    return None


def _moved(moment: Expr, count: Expr, step: Duration) -> Expr:
    if isinstance(count, Literal) and isinstance(count.value, int) and count.type is SqlType.INTEGER:
        return apply("add", (moment, Literal(_times(step, count.value), SqlType.INTERVAL)))
    return apply("step", (moment, count, Literal(step, SqlType.INTERVAL)))


def _parts(node: Node) -> tuple[Node, Duration] | None:
    """The number and the length of the steps: of n * INTERVAL '1 day', INTERVAL '1 day' * n, INTERVAL (n) DAY."""
    found = node.unnest()
    if isinstance(found, exp.Mul):
        for count, step in ((found.this, found.expression), (found.expression, found.this)):
            if isinstance(step.unnest(), exp.Interval):
                return count, duration(step.unnest())
    computed = (
        isinstance(found, exp.Interval) and isinstance(found.this, exp.Paren) and not is_whole(found.this)
    )
    if computed and found.args.get("unit") is not None:
        one = exp.Interval(this=exp.Literal.number(1), unit=found.args["unit"].copy())
        return found.this, duration(one)
    return None


def _times(step: Duration, count: int) -> Duration:
    return replace(step, months=step.months * count, days=step.days * count, micros=step.micros * count)
