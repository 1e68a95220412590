"""Doubles that many rows share: those that go by steps, such as FLOOR(x / 10) * 10."""

from __future__ import annotations

from dpsql.algebra.expressions import Call, Expr, Literal
from dpsql.algebra.types import SqlType

_ROUNDED = frozenset({"floor", "ceil", "trunc", "round", "decimal"})
_KEPT = frozenset({"add", "sub", "mul", "div", "neg", "abs", "coalesce", "nullif", "least", "greatest"})


def is_stepped(expr: Expr) -> bool:
    """Whether a double is made of rounded values, whole numbers and constants alone."""
    if isinstance(expr, Literal) or expr.type in (SqlType.INTEGER, SqlType.NULL):
        return True
    if not isinstance(expr, Call):
        return False
    if expr.op in _ROUNDED:
        return True
    if expr.op == "cast":
        return is_stepped(expr.args[0])
    if expr.op == "case":
        return all(map(is_stepped, (*expr.args[1::2], expr.args[-1])))
    return expr.op in _KEPT and all(map(is_stepped, expr.args))
