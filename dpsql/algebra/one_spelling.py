"""Conditions in one spelling: those that keep the same rows, as one tool and the next write them, are one question.

What a row is kept for is that a condition is true of it: false and NULL leave it out alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date, datetime, time, timedelta
from types import MappingProxyType
from typing import Final

from dpsql.algebra.encoding.written_expressions import in_order
from dpsql.algebra.expressions import TRUE, Call, Column, Expr, Literal
from dpsql.algebra.types import SqlType

_MIRRORED: Final = MappingProxyType(
    {
        "eq": "eq",
        "ne": "ne",
        "lt": "gt",
        "gt": "lt",
        "le": "ge",
        "ge": "le",
        "is_distinct": "is_distinct",
        "is_not_distinct": "is_not_distinct",
    }
)
_OPPOSITE: Final = MappingProxyType(
    {
        "eq": "ne",
        "ne": "eq",
        "lt": "ge",
        "ge": "lt",
        "gt": "le",
        "le": "gt",
        "is_distinct": "is_not_distinct",
        "is_not_distinct": "is_distinct",
    }
)
_NEXT: Final = MappingProxyType({"lt": ("le", -1), "gt": ("ge", 1)})
_LATER: Final = MappingProxyType({"lt": "le", "le": "le", "gt": "gt", "ge": "gt"})
"""How the midnight of a day is compared with the day of a moment after its own midnight."""
_WIDE: Final = 2**62
"""The whole number beside a smaller one is a BIGINT as well."""
_FALSE: Final = Literal(False, SqlType.BOOLEAN)


def conditions(written: Iterable[Expr]) -> tuple[Expr, ...]:
    """Conditions that keep the rows which all of the written ones keep, without what is true of every row."""
    return tuple(part for one in written for part in _parts(one) if part != TRUE)


def _parts(condition: Expr) -> tuple[Expr, ...]:
    found = _kept(condition)
    if isinstance(found, Call) and found.op == "and":
        return tuple(part for arg in found.args for part in _parts(arg))
    return (found,)


def _kept(condition: Expr) -> Expr:
    """A condition that is true of the same rows."""
    while isinstance(condition, Call) and condition.op == "is_true":
        condition = condition.args[0]
    return _alike(condition)


def _alike(expr: Expr) -> Expr:
    """A truth value that is the same, NULL included, in its one spelling."""
    if not isinstance(expr, Call):
        return expr
    if expr.op == "not":
        return _negated(expr.args[0])
    if expr.op == "and":
        every = in_order(tuple(_alike(a) for a in _nested(expr)))
        return Call("and", every, SqlType.BOOLEAN) if len(every) > 1 else every[0]
    if expr.op == "or":
        return _listed(tuple(_alike(a) for a in _nested(expr)))
    if expr.op == "in":
        return _in(expr.args[0], expr.args[1:])
    return _compared(expr) if expr.op in _MIRRORED else expr


def _negated(expr: Expr) -> Expr:
    """What is false where the expression is true, true where it is false, and NULL where it is."""
    inner = _alike(expr)
    if isinstance(inner, Call) and inner.op == "not":
        return inner.args[0]
    if isinstance(inner, Call) and inner.op in _OPPOSITE:
        return _alike(Call(_OPPOSITE[inner.op], inner.args, SqlType.BOOLEAN))
    return Call("not", (inner,), SqlType.BOOLEAN)


def _compared(call: Call) -> Expr:
    """A comparison with its constant on the right."""
    left, right = call.args
    if _is_constant(left) and not _is_constant(right):
        call = Call(_MIRRORED[call.op], (right, left), SqlType.BOOLEAN)
        left, right = right, left
    if left == right and isinstance(left, Literal) and left.value is not None:
        return TRUE if call.op in ("eq", "le", "ge", "is_not_distinct") else call
    if right in (TRUE, _FALSE) and call.op in ("eq", "ne"):
        return _alike(left) if (call.op == "eq") == (right == TRUE) else _negated(left)
    return _inclusive(_of_days(call))


def _of_days(call: Call) -> Call:
    """A day, cast to a moment, is its midnight: compared with a moment it is compared with that moment's day."""
    left, right = call.args
    if not isinstance(left, Call) or not isinstance(right, Literal) or not isinstance(right.value, datetime):
        return call
    if left.op != "cast" or left.args[0].type is not SqlType.DATE:
        return call
    midnight = right.value == datetime.combine(right.value.date(), time.min)
    op = call.op if midnight else _LATER.get(call.op)
    if op is None:
        return call
    return Call(op, (left.args[0], Literal(right.value.date(), SqlType.DATE)), SqlType.BOOLEAN)


def _inclusive(call: Call) -> Call:
    """What is below a whole number or a day is at most the one before it, and so above."""
    left, right = call.args
    if call.op not in _NEXT or not isinstance(right, Literal) or left.type is not right.type:
        return call
    op, steps = _NEXT[call.op]
    if right.type is SqlType.INTEGER and isinstance(right.value, int) and abs(right.value) < _WIDE:
        return Call(op, (left, Literal(right.value + steps, right.type)), SqlType.BOOLEAN)
    if right.type is SqlType.DATE and isinstance(right.value, date) and date.min < right.value < date.max:
        return Call(op, (left, Literal(right.value + timedelta(steps), right.type)), SqlType.BOOLEAN)
    return call


def _is_constant(expr: Expr) -> bool:
    return not isinstance(expr, Call | Column)


def _nested(expr: Call) -> Iterator[Expr]:
    """The parts of an OR or an AND, however nested, in their order."""
    waiting: list[Expr] = [expr]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Call) and part.op == expr.op:
            waiting += reversed(part.args)
        else:
            yield part


def _listed(alternatives: tuple[Expr, ...]) -> Expr:
    """An OR; of equalities of one value with constants the list of these, which are of one type as its type is."""
    values = [a.args for a in alternatives if isinstance(a, Call) and a.op in ("eq", "in")]
    of_one = len(values) == len(alternatives) and len({v[0] for v in values}) == 1
    if of_one and all(isinstance(c, Literal) for v in values for c in v[1:]):
        return _in(values[0][0], tuple(c for v in values for c in v[1:]))
    every = in_order(alternatives)
    return Call("or", every, SqlType.BOOLEAN) if len(every) > 1 else every[0]


def _in(value: Expr, members: tuple[Expr, ...]) -> Expr:
    if not all(isinstance(m, Literal) for m in members):
        return Call("in", (value, *members), SqlType.BOOLEAN)
    every = in_order(members)
    if len(every) == 1:
        return _compared(Call("eq", (value, *every), SqlType.BOOLEAN))
    return Call("in", (value, *every), SqlType.BOOLEAN)
