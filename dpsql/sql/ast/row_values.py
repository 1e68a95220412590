"""Rows of several values in parentheses: where they may stand, and what comparing and counting them is."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from sqlglot import exp

from dpsql.algebra.expressions import Expr, Literal
from dpsql.algebra.functions import Mistyped, apply, cast
from dpsql.algebra.functions.coerce import NAMES
from dpsql.algebra.types import SqlType
from dpsql.errors import QueryRefused
from dpsql.sql.ast.decimals import check_decimals
from dpsql.sql.ast.positions import place_of
from dpsql.sql.dialect import Node

Bind = Callable[[Node], Expr]


def is_compared(node: Node) -> bool:
    """Whether a row of values is compared with rows of as many: by = or <>, by IN, or by = ANY and <> ALL."""
    parent, length = node.parent, len(node.expressions)
    if isinstance(parent, exp.In):
        others = parent.expressions if node.arg_key == "this" else [parent.this]
        return parent.args.get("query") is not None or _all_rows(others, length)
    if not isinstance(parent, exp.EQ | exp.NEQ):
        return False
    other = parent.expression if node.arg_key == "this" else parent.this
    return isinstance(other, exp.Any | exp.All) or _all_rows([other], length)


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
        raise QueryRefused(str(problem), place=place_of(at), hint="Leave it out of the row.") from None
    written = apply(
        "concat", (cast(apply("length", (text,)), SqlType.TEXT), Literal(":", SqlType.TEXT), text)
    )
    return apply("case", (apply("is_null", (value,)), Literal("n", SqlType.TEXT), written))


def equal_rows(this: Node, other: Node, bind: Bind) -> Expr:
    """Whether two rows of values are equal: as in DuckDB, where their values are, and NULL is equal to NULL."""
    pairs = zip(this.expressions, other.expressions, strict=True)
    return reduce(lambda a, b: apply("and", (a, b)), (_same(a, b, bind) for a, b in pairs))


def among_rows(node: Node, bind: Bind) -> Expr:
    """Whether a row of values is one of a list."""
    found = tuple(equal_rows(node.this, row, bind) for row in node.expressions)
    return found[0] if len(found) == 1 else apply("or", found)


def _same(this: Node, other: Node, bind: Bind) -> Expr:
    values = (bind(this), bind(other))
    kinds = {v.type for v in values} - {SqlType.NULL}
    if SqlType.TEXT in kinds and len(kinds) > 1:
        name = NAMES[next(k for k in kinds if k is not SqlType.TEXT)]
        raise QueryRefused(
            f"inside of rows in parentheses {name} would be compared with text as text",
            place=place_of(other),
            hint="CAST the text, as in DATE '2025-01-31', or compare each value on its own.",
        )
    check_decimals("eq", values)
    return apply("is_not_distinct", values)


def _all_rows(nodes: list[Node], length: int) -> bool:
    return all(isinstance(n, exp.Tuple) and len(n.expressions) == length for n in nodes)
