"""Functions on private rows, each an entry of one table: what is not in it is refused.

`apply` and `cast` build typed expressions, `fact_rule` derives what is known of their values, `emit` writes
them for DuckDB so that no row can make them raise or leave their range, and `narrow` learns from a filter.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from dpsql.algebra.expressions import Call, Column, Expr, Literal, ScalarParameter, nodes
from dpsql.algebra.facts import Facts
from dpsql.algebra.functions import spell
from dpsql.algebra.functions.call_facts import fact_rule
from dpsql.algebra.functions.casts import cast
from dpsql.algebra.functions.coerce import coerce
from dpsql.algebra.functions.entries import FUNCTIONS, by_spelling
from dpsql.algebra.functions.narrow import narrow
from dpsql.algebra.functions.table import Function, Mistyped

__all__ = [
    "FUNCTIONS",
    "Mistyped",
    "apply",
    "by_spelling",
    "cast",
    "coerce",
    "emit",
    "fact_rule",
    "narrow",
]


def apply(op: str, args: tuple[Expr, ...]) -> Expr:
    """The operation on the arguments, cast to the types it asks for.

    `op` is a name in FUNCTIONS. A negated number is a constant. Raises Mistyped, with a sentence for the
    analyst.
    """
    function = FUNCTIONS[op]
    _check_arity(function, len(args))
    signature = function.takes.rule(args)
    typed = tuple(coerce(a, to) for a, to in zip(args, signature.args, strict=True))
    return _negated(op, typed) or Call(op, typed, signature.result)


def _check_arity(function: Function, count: int) -> None:
    least, most = function.takes.least, function.takes.most
    if count < least or (most is not None and count > most):
        wanted = f"{least}" if least == most else f"{least} or more" if most is None else f"{least} to {most}"
        name = function.spellings[0].upper() if function.spellings else function.name
        raise Mistyped(f"{name} takes {wanted} argument{'' if wanted == '1' else 's'}, not {count}")


def _negated(op: str, args: tuple[Expr, ...]) -> Literal | None:
    if op != "neg" or not isinstance(args[0], Literal):
        return None
    value = args[0].value
    if isinstance(value, int | float):
        return Literal(-value, args[0].type)
    return args[0] if value is None else None


def emit(expr: Expr, base: Facts, column: Callable[[Column], str]) -> str:
    """The expression as DuckDB SQL, parenthesised, in text linear in its size.

    `base` are the facts at the scan, before any filter; `column` spells a column. An INTEGER comes out as
    BIGINT where its base range fits, else as HUGEINT. Raises Mistyped where `fact_rule` does.
    """
    order = tuple(reversed(tuple(nodes(expr))))
    done: list[str] = []
    for node in order:
        if isinstance(node, Column):
            done.append(column(node))
        elif isinstance(node, Literal):
            done.append(spell.literal(node))
        elif isinstance(node, ScalarParameter):
            done.append(f"CAST(${node.name} AS {node.type.value})")
        elif isinstance(node, Call):
            done.append(_emitted(node, _popped(done, len(node.args)), base))
        else:
            assert_never(node)
    return done[0]


def _popped(done: list[str], count: int) -> tuple[str, ...]:
    """The renderings of a node's arguments; they were written last to first."""
    args = tuple(reversed(done[len(done) - count :]))
    del done[len(done) - count :]
    return args


def _emitted(call: Call, args: tuple[str, ...], base: Facts) -> str:
    return FUNCTIONS[call.op].written(call, args, tuple(base.of(a) for a in call.args))
