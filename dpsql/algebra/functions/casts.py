"""Casts, explicit and implied: total, so that CAST and TRY_CAST mean the same here."""

from __future__ import annotations

import math

from dpsql.algebra.expressions import Call, Expr, Literal
from dpsql.algebra.facts import BIGINT_RANGE, MICROS_PER_DAY, NATURAL, Fact
from dpsql.algebra.functions import spell
from dpsql.algebra.functions.coerce import CONVERTED, NAMES, check_held, coerce, is_text_literal, read_text
from dpsql.algebra.functions.ranges import bounded_fact, interval, outward, span, within
from dpsql.algebra.functions.table import Function, Mistyped, Signature, Takes
from dpsql.algebra.types import TEMPORAL, SqlType
from dpsql.privacy import Interval

_B, _I, _D, _S = SqlType.BOOLEAN, SqlType.INTEGER, SqlType.DOUBLE, SqlType.TEXT
_DATE, _TIME = SqlType.DATE, SqlType.TIMESTAMP


def rows() -> tuple[Function, ...]:
    """The entry of casts; the target is the type of the call."""
    summary = "CAST(x AS type); NULL where x does not convert"
    return (Function("cast", (), Takes(1, 1, _types), summary, fact=_fact, emit=_emit, keeps=True),)


def cast(expr: Expr, to: SqlType) -> Expr:
    """The value as another type, NULL where it does not convert. Raises Mistyped for types that never do."""
    if expr.type is to or expr.type is SqlType.NULL:
        return coerce(expr, to)
    if (expr.type, to) not in CONVERTED:
        raise Mistyped(f"{NAMES[expr.type]} does not convert to {NAMES[to]}")
    return _folded(expr, to) or Call("cast", (coerce(expr, expr.type),), to)


def _folded(expr: Expr, to: SqlType) -> Expr | None:
    """A constant date or number, so that ranges can be derived from it; None where the engine converts."""
    if not isinstance(expr, Literal):
        return None
    if (expr.type, to) in ((_I, _D), (_DATE, _TIME)):
        return coerce(expr, to)
    if is_text_literal(expr) and to in (_I, _D, _DATE, _TIME):
        check_held(str(expr.value), to)
        try:
            return read_text(str(expr.value), to)
        except Mistyped:
            return None
    return None


def _types(_args: tuple[Expr, ...]) -> Signature:
    raise Mistyped("a cast names the type it converts to; write CAST(x AS type)")


def _fact(call: Call, facts: tuple[Fact, ...]) -> Fact:
    source, to = facts[0], call.type
    if to in (_B, _S):
        return Fact(to, source.nullable or source.type is _S)
    if source.type is _S:
        return Fact(to, True, NATURAL[to])
    if source.type is _B:
        return Fact(to, source.nullable, interval(0, 1))
    return _from_number(to, source)


def _from_number(to: SqlType, source: Fact) -> Fact:
    x = span(source)
    if to is _D:
        return Fact(to, source.nullable, outward(x))
    if to is _I:
        return bounded_fact(to, source.nullable, interval(round(x.lo), round(x.hi)))
    if to is _TIME:
        return Fact(to, source.nullable, Interval(x.lo * MICROS_PER_DAY, x.hi * MICROS_PER_DAY))
    return Fact(
        to, source.nullable, interval(math.floor(x.lo / MICROS_PER_DAY), math.floor(x.hi / MICROS_PER_DAY))
    )


def _emit(call: Call, args: tuple[str, ...], facts: tuple[Fact, ...]) -> str:
    source, to, sql = facts[0], call.type, args[0]
    if source.type is _S:
        return _from_text(sql, to)
    if source.type is _D and to is _I and not within(span(source), BIGINT_RANGE):
        return f"TRY_CAST({sql} AS BIGINT)"
    return spell.cast_to(sql, to.value)


def _from_text(sql: str, to: SqlType) -> str:
    tried = f"TRY_CAST({sql} AS {to.value})"
    if to is _D:
        return spell.finite(tried)
    return spell.on_calendar(tried, to) if to in TEMPORAL else tried
