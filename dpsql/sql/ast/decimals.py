"""Where decimal arithmetic would differ from doubles: refused on private rows rather than answered differently.

DuckDB computes `quantity * 0.1` in exact decimals, dpsql on private rows in doubles. Sums do not tell the two apart,
but comparing, casting or rounding such a value can: 3 * 0.1 = 0.3 is true in decimals and false in doubles.
"""

from __future__ import annotations

from dpsql.algebra.expressions import Call, Column, Expr, Literal, ScalarParameter
from dpsql.algebra.functions.table import Mistyped
from dpsql.algebra.types import SqlType

_EXACT = frozenset(
    {"add", "sub", "mul", "mod", "neg", "abs", "least", "greatest", "coalesce", "nullif", "case", "cast", "round",
     "trunc"}
)  # fmt: skip
_TELLING = frozenset(
    {"eq", "ne", "lt", "le", "gt", "ge", "is_distinct", "is_not_distinct", "in", "nullif", "floor", "ceil", "round",
     "trunc", "sign"}
)  # fmt: skip

# Of these a decimal and the double that is nearest to it differ.
_ROUNDING = frozenset({"round", "trunc"})


def check_decimals(op: str, args: tuple[Expr, ...]) -> None:
    """Refuses an operation that can tell decimals from doubles. Raises Mistyped."""
    plain = () if op in _ROUNDING else tuple(a for a in args if isinstance(a, Call) and a.op == "decimal")
    if op in _TELLING and any(isinstance(a, Call) and a not in plain and _is_decimal(a) for a in args):
        raise Mistyped(
            "arithmetic with decimal constants is done in doubles here, where DuckDB's decimals can compare or round "
            "otherwise; scale to whole numbers, or divide"
        )


def check_decimal_cast(expr: Expr, to: SqlType) -> None:
    """Refuses the cast of a decimal constant or of arithmetic with one to another kind. Raises Mistyped."""
    if to is not SqlType.DOUBLE and _is_decimal(expr):
        raise Mistyped(
            "a cast of arithmetic with decimal constants rounds otherwise in doubles than in DuckDB's decimals; "
            "scale to whole numbers, or divide"
        )


def _is_decimal(expr: Expr) -> bool:
    """Whether DuckDB would hold the value as a DECIMAL: one, and integers, and no double, combined exactly."""
    constant = False
    stack: list[Expr] = [expr]
    while stack:
        node = stack.pop()
        if isinstance(node, Literal):
            constant |= node.type is SqlType.DOUBLE
        elif isinstance(node, Column | ScalarParameter):
            if node.type is SqlType.DOUBLE:
                return False
        elif node.op == "decimal":
            constant = True
        elif node.op in _EXACT:
            stack.extend(_values(node))
        elif node.type is SqlType.DOUBLE:
            return False
    return constant


def _values(call: Call) -> tuple[Expr, ...]:
    """The arguments that can be the value of the call, conditions left out."""
    return (*call.args[1::2], call.args[-1]) if call.op == "case" else call.args
