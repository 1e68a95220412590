"""Truth values: comparisons, IS, IN, AND, OR and NOT, in SQL's three-valued logic."""

from __future__ import annotations

from collections.abc import Callable

from dpsql.algebra.expressions import Call, Expr, Literal
from dpsql.algebra.facts import Fact
from dpsql.algebra.functions.coerce import unified
from dpsql.algebra.functions.ranges import any_null
from dpsql.algebra.functions.spell import at_huge, widened
from dpsql.algebra.functions.table import EmitRule, Function, Mistyped, Signature, TypeRule
from dpsql.algebra.types import SqlType


def rows() -> tuple[Function, ...]:
    """The rows of the table that give truth values and are not about text."""
    return (*_comparisons(), *_states(), *_connectives(), _membership())


def _alike(args: tuple[Expr, ...]) -> Signature:
    kind = SqlType.BOOLEAN if _of_truth_and_digits(args) else unified(args)
    return Signature((kind,) * len(args), SqlType.BOOLEAN)


def _of_truth_and_digits(args: tuple[Expr, ...]) -> bool:
    """Whether a truth value is compared with the constants 0 and 1, which ODBC clients write for FALSE and TRUE."""
    digits = [a for a in args if isinstance(a, Literal) and a.type is SqlType.INTEGER and a.value in (0, 1)]
    others = {a.type for a in args if a not in digits and a.type is not SqlType.NULL}
    return bool(digits) and others == {SqlType.BOOLEAN}


def truths(args: tuple[Expr, ...]) -> Signature:
    """Booleans in, a boolean out."""
    return Signature((SqlType.BOOLEAN,) * len(args), SqlType.BOOLEAN)


def _anything(args: tuple[Expr, ...]) -> Signature:
    if args[0].type is SqlType.INTERVAL:
        raise Mistyped("IS NULL of an interval is not supported; test the date that it is added to")
    kind = SqlType.INTEGER if args[0].type is SqlType.NULL else args[0].type
    return Signature((kind,), SqlType.BOOLEAN)


def three_valued(_call: Call, facts: tuple[Fact, ...]) -> Fact:
    """NULL where an argument is NULL."""
    return Fact(SqlType.BOOLEAN, any_null(facts))


def _two_valued(_call: Call, _facts: tuple[Fact, ...]) -> Fact:
    return Fact(SqlType.BOOLEAN, False)


def _infix(sign: str) -> EmitRule:
    def emit(_call: Call, args: tuple[str, ...], facts: tuple[Fact, ...]) -> str:
        left, right = widened(args, facts, at_huge(facts))
        return f"({left} {sign} {right})"

    return emit


def _postfix(words: str) -> EmitRule:
    return lambda _call, args, _facts: f"({args[0]} {words})"


def _comparisons() -> tuple[Function, ...]:
    signs = (
        ("eq", "=", "x = y"),
        ("ne", "<>", "x <> y"),
        ("lt", "<", "x < y"),
        ("le", "<=", "x <= y"),
        ("gt", ">", "x > y"),
        ("ge", ">=", "x >= y"),
    )
    distinct = (
        ("is_distinct", "IS DISTINCT FROM", "x IS DISTINCT FROM y"),
        ("is_not_distinct", "IS NOT DISTINCT FROM", "x IS NOT DISTINCT FROM y"),
    )
    return tuple(
        Function(name, (), (2, 2), _alike, three_valued, _infix(sign), summary)
        for name, sign, summary in signs
    ) + tuple(
        Function(name, (), (2, 2), _alike, _two_valued, _infix(sign), summary)
        for name, sign, summary in distinct
    )


def _states() -> tuple[Function, ...]:
    def row(name: str, types: TypeRule, words: str) -> Function:
        return Function(name, (), (1, 1), types, _two_valued, _postfix(words), f"x {words}")

    return (
        row("is_null", _anything, "IS NULL"),
        row("is_true", truths, "IS TRUE"),
        row("is_false", truths, "IS FALSE"),
    )


def _chain(word: str) -> Callable[[Call, tuple[str, ...], tuple[Fact, ...]], str]:
    return lambda _call, args, _facts: "(" + f" {word} ".join(args) + ")"


def _connectives() -> tuple[Function, ...]:
    return (
        Function("and", (), (1, None), truths, three_valued, _chain("AND"), "x AND y"),
        Function("or", (), (1, None), truths, three_valued, _chain("OR"), "x OR y"),
        Function("not", (), (1, 1), truths, three_valued, lambda _c, a, _f: f"(NOT {a[0]})", "NOT x"),
    )


def _emit_in(_call: Call, args: tuple[str, ...], facts: tuple[Fact, ...]) -> str:
    value, *members = widened(args, facts, at_huge(facts))
    return f"({value} IN ({', '.join(members)}))"


def _membership() -> Function:
    return Function("in", (), (2, None), _alike, three_valued, _emit_in, "x IN (y, ...)")
