"""What constants decide before any row is read, as templates of dashboards leave it: TRUE OR x, CASE WHEN 1 = 1 THEN x.

What is decided reads no column: a constant beside TRUE, or in a branch that is never reached, need be on no list.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from dpsql.algebra.expressions import TRUE, Call, Expr, Literal, columns_of
from dpsql.algebra.types import SqlType

_FALSE: Final = Literal(False, SqlType.BOOLEAN)
_EXACT: Final = frozenset({SqlType.TEXT, SqlType.INTEGER, SqlType.BOOLEAN, SqlType.DATE, SqlType.TIMESTAMP})
"""Types of which two constants are equal here where they are in the engine."""


def decided(expr: Expr) -> Expr:
    """An operation, or what it has the value of in every row. What stands in it is decided already."""
    rule = _RULES.get(expr.op) if isinstance(expr, Call) else None
    found = rule(expr) if rule is not None and isinstance(expr, Call) else None
    is_other = found is None or found.type is not expr.type
    return expr if found is None or is_other or _is_lost(expr, found) else found


def _is_lost(expr: Expr, found: Expr) -> bool:
    """Whether a value with a range would become NULL, which has none."""
    return found == Literal(None, expr.type) and bool(columns_of(expr))


def _chain(call: Call) -> Expr | None:
    """AND and OR: one constant decides all of it, and the other can be left out."""
    deciding, idle = (TRUE, _FALSE) if call.op == "or" else (_FALSE, TRUE)
    if deciding in call.args:
        return deciding
    left = tuple(a for a in call.args if a != idle)
    if len(left) < 2:
        return left[0] if left else idle
    return replace(call, args=left)


def _not(call: Call) -> Expr | None:
    (arg,) = call.args
    return _truth(not arg.value) if isinstance(arg, Literal) and arg.value is not None else None


def _same(call: Call) -> Expr | None:
    same = _equal(*call.args)
    return _truth(same == (call.op == "eq")) if same is not None else None


def _in(call: Call) -> Expr | None:
    value, *members = call.args
    same = [_equal(value, member) for member in members]
    if True in same:
        return TRUE
    return _FALSE if None not in same else None


def _is_null(call: Call) -> Expr | None:
    (arg,) = call.args
    return _truth(arg.value is None) if isinstance(arg, Literal) else None


def _case(call: Call) -> Expr | None:
    """The branches that can be reached, the last of them instead of ELSE where its condition is TRUE."""
    *pairs, default = call.args
    reached: list[Expr] = []
    for condition, value in zip(pairs[::2], pairs[1::2], strict=True):
        truth = decided(condition)
        if truth == TRUE:
            default = value
            break
        if not isinstance(truth, Literal):
            reached += (truth, value)
    return replace(call, args=(*reached, default)) if reached else default


def _coalesce(call: Call) -> Expr | None:
    """The arguments up to the first that is never NULL, without those that always are."""
    left: list[Expr] = []
    for arg in call.args:
        if not isinstance(arg, Literal):
            left.append(arg)
        elif arg.value is not None:
            left.append(arg)
            break
    return replace(call, args=tuple(left)) if len(left) > 1 else left[0] if left else call.args[0]


def _nullif(call: Call) -> Expr | None:
    same = _equal(*call.args)
    if same is None:
        return None
    return Literal(None, call.type) if same else call.args[0]


def _equal(left: Expr, right: Expr) -> bool | None:
    """Whether two constants are equal; None where that is not known, or NULL."""
    if not isinstance(left, Literal) or not isinstance(right, Literal):
        return None
    if left.type is not right.type or left.type not in _EXACT or None in (left.value, right.value):
        return None
    return left.value == right.value


def _truth(value: bool) -> Literal:
    return TRUE if value else _FALSE


_RULES: Final = MappingProxyType[str, Callable[[Call], Expr | None]](
    {
        "and": _chain,
        "or": _chain,
        "not": _not,
        "eq": _same,
        "ne": _same,
        "in": _in,
        "is_null": _is_null,
        "case": _case,
        "coalesce": _coalesce,
        "nullif": _nullif,
    }
)
