"""Comparing, casting and counting values where DuckDB does more than doubles do: decimals, and rows of several values.

DuckDB computes `quantity * 0.1` in exact decimals, dpsql on private rows in doubles. Sums do not tell the two apart,
but comparing, casting or rounding such a value can: 3 * 0.1 = 0.3 is true in decimals and false in doubles. It is
refused on private rows rather than answered differently.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Final

from sqlglot import exp

from dpsql.algebra.expressions import Call, Column, Expr, Literal, ScalarParameter
from dpsql.algebra.functions import FUNCTIONS, Mistyped, apply, cast
from dpsql.algebra.functions.coerce import NAMES
from dpsql.algebra.types import SqlType
from dpsql.sql.ast.positions import refuse_node
from dpsql.sql.dialect import Node

Bind = Callable[[Node], Expr]
MOST_ROWS: Final = 500
"""The most rows that a row in parentheses is compared with: each is a condition of its own."""


def check_decimals(op: str, args: tuple[Expr, ...]) -> None:
    """Refuses an operation that can tell decimals from doubles. Raises Mistyped."""
    if FUNCTIONS[op].tells and any(
        isinstance(a, Call) and a.op != "decimal" and _is_decimal(a) for a in args
    ):
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
        elif node.op == "cast" and node.type is SqlType.INTEGER:
            continue
        elif FUNCTIONS[node.op].keeps:
            stack.extend(_values(node))
        elif node.type is SqlType.DOUBLE:
            return False
    return constant


def _values(call: Call) -> tuple[Expr, ...]:
    """The arguments that can be the value of the call, conditions left out."""
    return (*call.args[1::2], call.args[-1]) if call.op == "case" else call.args


def is_compared(node: Node) -> bool:
    """Whether a row of values is compared with rows of as many: by = or <>, by IN, or by = ANY and <> ALL."""
    parent, length = node.parent, len(node.expressions)
    if isinstance(parent, exp.In):
        others = parent.expressions if node.arg_key == "this" else [parent.this]
        is_query = parent.args.get("query") is not None or listed_rows(parent) is not None
        return is_query or _all_rows(others, length)
    if not isinstance(parent, exp.EQ | exp.NEQ):
        return False
    other = parent.expression if node.arg_key == "this" else parent.this
    return isinstance(other, exp.Any | exp.All) or _all_rows([other], length)


def listed_rows(node: exp.In) -> exp.Values | None:
    """The VALUES that are all that stands behind IN."""
    listed = node.expressions[0] if len(node.expressions) == 1 else None
    return listed if isinstance(listed, exp.Values) else None


def is_counted(node: Node) -> bool:
    """Whether a row of values is what COUNT(DISTINCT (...)) counts."""
    around = node.parent
    return isinstance(around, exp.Distinct) and isinstance(around.parent, exp.Count)


def value_or_row(counted: Node, bind: Bind) -> Expr:
    """What COUNT(DISTINCT ...) counts: a value, or a row of values as a text.

    The text is never NULL, and two rows have the same one where no value tells them apart: each value stands behind its
    length, so that it is read back in one way only, and NULL is a sign of its own.
    """
    if not isinstance(counted, exp.Tuple):
        return bind(counted)
    return apply("concat", tuple(_part(bind(value), value) for value in counted.expressions))


def _part(value: Expr, at: Node) -> Expr:
    if value.type is SqlType.NULL:
        return Literal("n", SqlType.TEXT)
    check_decimals("concat", (value,))
    # -0.0 is 0.0, and has another text.
    value = apply("add", (value, Literal(0.0, SqlType.DOUBLE))) if value.type is SqlType.DOUBLE else value
    try:
        text = cast(value, SqlType.TEXT)
    except Mistyped as problem:
        raise refuse_node(at, str(problem), "Leave it out of the row.") from None
    length = cast(apply("length", (text,)), SqlType.TEXT)
    written = apply("concat", (length, Literal(":", SqlType.TEXT), text))
    return apply("case", (apply("is_null", (value,)), Literal("n", SqlType.TEXT), written))


def equal_rows(this: Node, other: Node, bind: Bind) -> Expr:
    """Whether two rows of values are equal: as in DuckDB, where their values are, and NULL is equal to NULL."""
    pairs = zip(this.expressions, other.expressions, strict=True)
    return reduce(lambda a, b: apply("and", (a, b)), (_same(a, b, bind) for a, b in pairs))


def among_rows(node: Node, bind: Bind) -> Expr:
    """Whether a row of values is one of a list."""
    check_rows(len(node.expressions), node)
    same = tuple(equal_rows(node.this, row, bind) for row in node.expressions)
    return same[0] if len(same) == 1 else apply("or", same)


def check_rows(count: int, node: Node) -> None:
    """Refuses more rows than the engine plans in a moment: its time grows with the square of their number."""
    if count > MOST_ROWS:
        raise refuse_node(
            node,
            f"a row in parentheses is compared with {count} others, more than {MOST_ROWS}",
            "Join a public table of them instead.",
        )


def _same(this: Node, other: Node, bind: Bind) -> Expr:
    values = (bind(this), bind(other))
    kinds = {v.type for v in values} - {SqlType.NULL}
    if SqlType.TEXT in kinds and len(kinds) > 1:
        name = NAMES[next(k for k in kinds if k is not SqlType.TEXT)]
        reason = f"inside of rows in parentheses {name} would be compared with text as text"
        hint = "CAST the text, as in DATE '2025-01-31', or compare each value on its own."
        raise refuse_node(other, reason, hint)
    check_decimals("eq", values)
    return apply("is_not_distinct", values)


def _all_rows(nodes: list[Node], length: int) -> bool:
    return all(isinstance(n, exp.Tuple) and len(n.expressions) == length for n in nodes)
