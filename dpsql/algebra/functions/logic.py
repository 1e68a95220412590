"""Truth values: comparisons, IS, IN, AND, OR and NOT, in SQL's three-valued logic."""

from __future__ import annotations

from dpsql.algebra.expressions import Call, Expr, Literal
from dpsql.algebra.facts import Fact
from dpsql.algebra.functions.coerce import unified
from dpsql.algebra.functions.spell import at_huge, widened
from dpsql.algebra.functions.table import (
    EmitRule,
    Function,
    Mistyped,
    Signature,
    Takes,
    any_number,
    never_null,
    takes,
)
from dpsql.algebra.types import SqlType

_B = SqlType.BOOLEAN


def rows() -> tuple[Function, ...]:
    """The entries that give truth values and are not about text."""
    pair, truth, truths = Takes(2, 2, _alike, _B), takes(_B, gives=_B), any_number(_B, gives=_B)
    signs = {"eq": "=", "ne": "<>", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
    distinct = {"is_distinct": "IS DISTINCT FROM", "is_not_distinct": "IS NOT DISTINCT FROM"}
    states = {
        "is_null": ("IS NULL", _anything()),
        "is_true": ("IS TRUE", truth),
        "is_false": ("IS FALSE", truth),
    }
    return (
        *(
            Function(name, (), pair, f"x {sign} y", emit=_infix(sign), tells=True)
            for name, sign in signs.items()
        ),
        *(
            Function(name, (), pair, f"x {sign} y", "", never_null, _infix(sign), strict=False, tells=True)
            for name, sign in distinct.items()
        ),
        *(
            Function(name, (), kind, f"x {is_}", fact=never_null, emit=f"({{0}} {is_})", strict=False)
            for name, (is_, kind) in states.items()
        ),
        Function("and", (), truths, "x AND y", emit=_chain("AND"), strict=False),
        Function("or", (), truths, "x OR y", emit=_chain("OR"), strict=False),
        Function("not", (), truth, "NOT x", emit="(NOT {0})"),
        Function(
            "in", (), Takes(2, None, _alike, _B), "x IN (y, ...)", emit=_emit_in, strict=False, tells=True
        ),
    )


def _alike(args: tuple[Expr, ...]) -> Signature:
    kind = _B if _of_truth_and_digits(args) else unified(args)
    return Signature((kind,) * len(args), _B)


def _of_truth_and_digits(args: tuple[Expr, ...]) -> bool:
    """Whether a truth value is compared with the constants 0 and 1, which ODBC clients write for FALSE and TRUE."""
    digits = [a for a in args if isinstance(a, Literal) and a.type is SqlType.INTEGER and a.value in (0, 1)]
    others = {a.type for a in args if a not in digits and a.type is not SqlType.NULL}
    return bool(digits) and others == {_B}


def _anything() -> Takes:
    def rule(args: tuple[Expr, ...]) -> Signature:
        if args[0].type is SqlType.INTERVAL:
            raise Mistyped("IS NULL of an interval is not supported; test the date that it is added to")
        return Signature((SqlType.INTEGER if args[0].type is SqlType.NULL else args[0].type,), _B)

    return Takes(1, 1, rule, _B)


def _infix(sign: str) -> EmitRule:
    def emit(_call: Call, args: tuple[str, ...], facts: tuple[Fact, ...]) -> str:
        left, right = widened(args, facts, at_huge(facts))
        return f"({left} {sign} {right})"

    return emit


def _chain(word: str) -> EmitRule:
    return lambda _call, args, _facts: "(" + f" {word} ".join(args) + ")"


def _emit_in(_call: Call, args: tuple[str, ...], facts: tuple[Fact, ...]) -> str:
    value, *members = widened(args, facts, at_huge(facts))
    return f"({value} IN ({', '.join(members)}))"
