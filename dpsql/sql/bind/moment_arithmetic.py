"""INTERVALs beside moments: x + n * INTERVAL '1 day', and the time between two moments.

The time between two moments is counted in microseconds, so that it is computed like any other integer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from sqlglot import exp

from dpsql.algebra.expressions import Call, Duration, Expr, Literal
from dpsql.algebra.facts import MICROS_PER_DAY
from dpsql.algebra.functions import Mistyped, apply, cast
from dpsql.algebra.types import TEMPORAL, SqlType
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


# What makes a whole number of any number, as a double, and of whole numbers.
_WHOLE: Final = frozenset({"floor", "ceil", "trunc"})
_KEEPS_WHOLE: Final = frozenset({"add", "sub", "mul", "neg"})


def _moved(moment: Expr, count: Expr, step: Duration) -> Expr:
    if count.type is SqlType.DOUBLE and _is_whole(count):
        count = cast(count, SqlType.INTEGER)
    if isinstance(count, Literal) and isinstance(count.value, int) and count.type is SqlType.INTEGER:
        return apply("add", (moment, Literal(_times(step, count.value), SqlType.INTERVAL)))
    return apply("step", (moment, count, Literal(step, SqlType.INTERVAL)))


def _is_whole(count: Expr) -> bool:
    """Whether a number is a whole one in every row, of whatever type, as FLOOR(x / 5) * 5 is."""
    if isinstance(count, Literal) and isinstance(count.value, float):
        return count.value.is_integer()
    if count.type is SqlType.INTEGER or not isinstance(count, Call):
        return count.type is SqlType.INTEGER
    return count.op in _WHOLE or (count.op in _KEEPS_WHOLE and all(map(_is_whole, count.args)))


def _parts(node: Node) -> tuple[Node, Duration] | None:
    """The number and the length of the steps: of n * INTERVAL '1 day', INTERVAL '1 day' * n, INTERVAL (n) DAY."""
    inner = node.unnest()
    if isinstance(inner, exp.Mul):
        for count, step in ((inner.this, inner.expression), (inner.expression, inner.this)):
            if isinstance(step.unnest(), exp.Interval):
                return count, duration(step.unnest())
    computed = (
        isinstance(inner, exp.Interval) and isinstance(inner.this, exp.Paren) and not is_whole(inner.this)
    )
    if computed and inner.args.get("unit"):
        one = exp.Interval(this=exp.Literal.number(1), unit=inner.args["unit"].copy())
        return inner.this, duration(one)
    return None


def _times(step: Duration, count: int) -> Duration:
    return replace(step, months=step.months * count, days=step.days * count, micros=step.micros * count)


# DuckDB compares intervals as if every month had so many days.
_DAYS_OF_A_MONTH: Final = 30
_MICROS: Final = 1_000_000
_COMPARED: Final = frozenset(
    {"eq", "ne", "lt", "le", "gt", "ge", "is_distinct", "is_not_distinct", "in", "is_null"}
)
# What gives one of its arguments, or a length of time that is computed of lengths of time.
_KEPT: Final = frozenset({"case", "coalesce", "nullif", "least", "greatest", "add", "sub", "neg", "abs"})
_LENGTHS: Final = "the time between two moments is compared with INTERVAL '1 day', or with another such time"


def time_between(node: Node, bind: Bind) -> Expr | None:
    """x - y for moments, at least one of them a TIMESTAMP; None for anything else."""
    if not isinstance(node, exp.Sub):
        return None
    ends = bind(node.this), bind(node.expression)
    kinds = {e.type for e in ends}
    if SqlType.TIMESTAMP not in kinds or not kinds <= set(TEMPORAL):
        return None
    return apply("elapsed", (apply("sub", tuple(apply("epoch_us", (e,)) for e in ends)),))


def micros_of(time: Expr) -> Expr | None:
    """The microseconds of a length of time that is computed of rows; None for anything else."""
    return time.args[0] if isinstance(time, Call) and time.op == "elapsed" else None


def of_times(op: str, args: tuple[Expr, ...]) -> Expr | None:
    """An operation on lengths of time, as one on their microseconds; None where no argument is computed of rows."""
    if all(micros_of(a) is None for a in args) or op not in _COMPARED | _KEPT:
        return None
    counted = tuple(_counted(a, op) for a in args)
    return apply("elapsed", (apply(op, counted),)) if op in _KEPT else apply(op, counted)


def _counted(arg: Expr, op: str) -> Expr:
    """An argument in microseconds; conditions of CASE, and NULL, stay what they are."""
    micros = micros_of(arg)
    if micros is not None or arg.type is SqlType.NULL or (op == "case" and arg.type is SqlType.BOOLEAN):
        return micros or arg
    length = arg.value if isinstance(arg, Literal) else None
    if not isinstance(length, Duration) or (length.months and op in _KEPT):
        raise Mistyped(_LENGTHS)
    days = length.months * _DAYS_OF_A_MONTH + length.days
    return Literal(days * MICROS_PER_DAY + length.micros, SqlType.INTEGER)


_HOUR: Final = 3_600 * _MICROS
# Of a length of time: how many microseconds a part has, and those of the next larger part, which it is left over from.
_PARTS: Final = MappingProxyType(
    {
        "day": (MICROS_PER_DAY, 0), "hour": (_HOUR, MICROS_PER_DAY), "minute": (60 * _MICROS, _HOUR),
        "second": (_MICROS, 60 * _MICROS), "millisecond": (1_000, 60 * _MICROS), "microsecond": (1, 60 * _MICROS),
    }
)  # fmt: skip


def part_of_elapsed(part: str, micros: Expr) -> Expr | None:
    """EXTRACT(EPOCH FROM x - y) in seconds, EXTRACT(HOUR FROM x - y) beside whole days; None for any other part."""
    if part == "epoch":
        return apply("div", (micros, Literal(float(_MICROS), SqlType.DOUBLE)))
    size, larger = _PARTS.get(part.removesuffix("s"), (0, 0))
    rest = apply("mod", (micros, Literal(larger, SqlType.INTEGER))) if larger else micros
    return apply("intdiv", (rest, Literal(size, SqlType.INTEGER))) if size else None
