"""Arithmetic on integers (exact) and doubles (finite or NULL), and on dates where + and - mean dates."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from dpsql.algebra.expressions import Call, Expr
from dpsql.algebra.facts import DOUBLE_RANGE, Fact
from dpsql.algebra.functions.coerce import needed, unified
from dpsql.algebra.functions.dates import arithmetic as moments
from dpsql.algebra.functions.ranges import (
    ZERO,
    any_null,
    corners,
    double_fact,
    hull,
    integer_fact,
    interval,
    nonzero_parts,
    outward,
    span,
    within,
)
from dpsql.algebra.functions.spell import at_huge, finite, once, settled, widened
from dpsql.algebra.functions.table import EmitRule, Function, Mistyped, Signature
from dpsql.algebra.types import NUMERIC, TEMPORAL, SqlType
from dpsql.privacy import Interval

Exact = Callable[[Interval, Interval], Interval]


def rows() -> tuple[Function, ...]:
    """The rows of the table for + - * / // %, negation, ABS and SIGN."""
    return (
        Function("add", (), (2, 2), _add_types, _add_fact, _emit_add, "x + y; date + days; date + interval"),
        Function("sub", (), (2, 2), _sub_types, _sub_fact, _emit_sub, "x - y; date - days; date - date"),
        Function("mul", (), (2, 2), _pair, _mul_fact, _infix("*", _mul_fact), "x * y"),
        Function("div", (), (2, 2), _doubles, _div_fact, _emit_div, "x / y as a double; NULL for y = 0"),
        Function(
            "intdiv",
            (),
            (2, 2),
            _integers,
            _intdiv_fact,
            _emit_whole("//"),
            "x // y towards 0; NULL for y = 0",
        ),
        Function(
            "mod", ("mod",), (2, 2), _pair, _mod_fact, _emit_mod, "the remainder of x // y; NULL for y = 0"
        ),
        Function("neg", (), (1, 1), _single, _neg_fact, _emit_neg, "-x"),
        Function("abs", ("abs",), (1, 1), _single, _abs_fact, _emit_abs, "the absolute value"),
        Function("sign", ("sign",), (1, 1), _sign_types, _sign_fact, _emit_sign, "-1, 0 or 1"),
    )


def number_type(args: tuple[Expr, ...]) -> SqlType:
    """DOUBLE if any argument is one, else INTEGER. Raises Mistyped for what is no number."""
    kind = unified(args)
    if kind not in NUMERIC:
        raise needed(SqlType.DOUBLE, kind, "a number")
    return kind


def _pair(args: tuple[Expr, ...]) -> Signature:
    kind = number_type(args)
    return Signature((kind, kind), kind)


def _single(args: tuple[Expr, ...]) -> Signature:
    kind = number_type(args)
    return Signature((kind,), kind)


def _sign_types(args: tuple[Expr, ...]) -> Signature:
    return Signature((number_type(args),), SqlType.INTEGER)


def _doubles(args: tuple[Expr, ...]) -> Signature:
    number_type(args)
    return Signature((SqlType.DOUBLE,) * len(args), SqlType.DOUBLE)


def _integers(args: tuple[Expr, ...]) -> Signature:
    if number_type(args) is SqlType.DOUBLE:
        raise Mistyped("// divides integers only; use FLOOR(x / y) for doubles")
    return Signature((SqlType.INTEGER, SqlType.INTEGER), SqlType.INTEGER)


def _add_types(args: tuple[Expr, ...]) -> Signature:
    return moments.shift_types(args, True) if _about_time(args) else _pair(args)


def _sub_types(args: tuple[Expr, ...]) -> Signature:
    return moments.shift_types(args, False) if _about_time(args) else _pair(args)


def _about_time(args: tuple[Expr, ...]) -> bool:
    return any(a.type in TEMPORAL or a.type is SqlType.INTERVAL for a in args)


def numeric_fact(kind: SqlType, nullable: bool, exact: Interval) -> Fact:
    """The fact of an exact integer result or of a correctly rounded double one."""
    if kind is SqlType.INTEGER:
        return integer_fact(nullable, exact)
    return double_fact(nullable, outward(exact))


def _plus(x: Interval, y: Interval) -> Interval:
    return Interval(x.lo + y.lo, x.hi + y.hi)


def _minus(x: Interval, y: Interval) -> Interval:
    return Interval(x.lo - y.hi, x.hi - y.lo)


def _times(x: Interval, y: Interval) -> Interval:
    return corners(lambda a, b: a * b, x, y)


def _strict(exact: Exact) -> Callable[[Call, tuple[Fact, ...]], Fact]:
    """The fact rule of an operation that is NULL exactly where an argument is NULL, apart from overflow."""

    def fact(call: Call, facts: tuple[Fact, ...]) -> Fact:
        return numeric_fact(call.type, any_null(facts), exact(span(facts[0]), span(facts[1])))

    return fact


_mul_fact = _strict(_times)
_plain_add = _strict(_plus)
_plain_sub = _strict(_minus)


def _add_fact(call: Call, facts: tuple[Fact, ...]) -> Fact:
    return _plain_add(call, facts) if call.type in NUMERIC else moments.shift_fact(call, facts)


def _sub_fact(call: Call, facts: tuple[Fact, ...]) -> Fact:
    plain = call.type in NUMERIC and facts[0].type in NUMERIC
    return _plain_sub(call, facts) if plain else moments.shift_fact(call, facts)


def _infix(sign: str, rule: Callable[[Call, tuple[Fact, ...]], Fact]) -> EmitRule:
    def emit(call: Call, args: tuple[str, ...], facts: tuple[Fact, ...]) -> str:
        result = rule(call, facts)
        huge = at_huge(facts, result.interval if call.type is SqlType.INTEGER else None)
        left, right = widened(args, facts, huge)
        sql = f"({left} {sign} {right})"
        if call.type is SqlType.INTEGER:
            return settled(sql, huge, result)
        return finite(sql) if _overflows(sign, facts) else sql

    return emit


def _overflows(sign: str, facts: tuple[Fact, ...]) -> bool:
    exact = {"+": _plus, "-": _minus, "*": _times}[sign]
    return not within(outward(exact(span(facts[0]), span(facts[1]))), DOUBLE_RANGE)


def _emit_add(call: Call, args: tuple[str, ...], facts: tuple[Fact, ...]) -> str:
    if call.type in NUMERIC:
        return _infix("+", _add_fact)(call, args, facts)
    return moments.emit_shift(call, args, facts)


def _emit_sub(call: Call, args: tuple[str, ...], facts: tuple[Fact, ...]) -> str:
    if call.type in NUMERIC and facts[0].type in NUMERIC:
        return _infix("-", _sub_fact)(call, args, facts)
    return moments.emit_shift(call, args, facts)


def _is_whole(expr: Expr) -> bool:
    """Whether a DOUBLE expression is an integer that was cast, so that it is 0 or at least 1 away from it."""
    return isinstance(expr, Call) and expr.op == "cast" and expr.args[0].type is SqlType.INTEGER


def _quotients(x: Interval, y: Interval, whole: bool) -> Interval:
    parts = nonzero_parts(y, whole)
    return hull(corners(lambda a, b: a / b, x, p) for p in parts) if parts else ZERO


def _div_exact(call: Call, facts: tuple[Fact, ...]) -> Interval:
    return outward(_quotients(span(facts[0]), span(facts[1]), _is_whole(call.args[1])))


def _has_zero(fact: Fact) -> bool:
    y = span(fact)
    return y.lo <= 0 <= y.hi


def _div_fact(call: Call, facts: tuple[Fact, ...]) -> Fact:
    return double_fact(any_null(facts) or _has_zero(facts[1]), _div_exact(call, facts))


def _emit_div(call: Call, args: tuple[str, ...], facts: tuple[Fact, ...]) -> str:
    sql = f"({args[0]} / {args[1]})"
    safe = not _has_zero(facts[1]) and within(_div_exact(call, facts), DOUBLE_RANGE)
    return sql if safe else finite(sql)


def _toward_zero(exact: Interval) -> Interval:
    return interval(math.trunc(exact.lo), math.trunc(exact.hi))


def _intdiv_fact(_call: Call, facts: tuple[Fact, ...]) -> Fact:
    exact = _toward_zero(_quotients(span(facts[0]), span(facts[1]), whole=True))
    return integer_fact(any_null(facts) or _has_zero(facts[1]), exact)


def _mod_exact(x: Interval, y: Interval, whole: bool) -> Interval:
    """The remainder has the sign of the dividend, is no larger than it, and is smaller than the divisor."""
    most = max(y.magnitude - 1, Fraction(0)) if whole else y.magnitude
    return Interval(max(min(x.lo, Fraction(0)), -most), min(max(x.hi, Fraction(0)), most))


def _mod_fact(call: Call, facts: tuple[Fact, ...]) -> Fact:
    exact = _mod_exact(span(facts[0]), span(facts[1]), call.type is SqlType.INTEGER)
    return numeric_fact(call.type, any_null(facts) or _has_zero(facts[1]), exact)


def _emit_whole(sign: str) -> EmitRule:
    """Integer division: no divisor is 0, and the least BIGINT is divided by -1 in HUGEINT."""

    def emit(call: Call, args: tuple[str, ...], facts: tuple[Fact, ...]) -> str:
        quotient = _quotients(span(facts[0]), span(facts[1]), whole=True)
        huge = at_huge(facts, quotient)
        left, right = widened(args, facts, huge)
        if _has_zero(facts[1]):
            right = once(right, lambda v: f"(CASE WHEN {v} <> 0 THEN {v} END)")
        result = _intdiv_fact(call, facts) if sign == "//" else _mod_fact(call, facts)
        return settled(f"({left} {sign} {right})", huge, result)

    return emit


def _emit_mod(call: Call, args: tuple[str, ...], facts: tuple[Fact, ...]) -> str:
    if call.type is SqlType.INTEGER:
        return _emit_whole("%")(call, args, facts)
    sql = f"({args[0]} % {args[1]})"
    return finite(sql) if _has_zero(facts[1]) else sql


def _neg_fact(call: Call, facts: tuple[Fact, ...]) -> Fact:
    x = span(facts[0])
    return numeric_fact(call.type, facts[0].nullable, Interval(-x.hi, -x.lo))


def _abs_fact(call: Call, facts: tuple[Fact, ...]) -> Fact:
    x = span(facts[0])
    lo = Fraction(0) if _has_zero(facts[0]) else min(abs(x.lo), abs(x.hi))
    return numeric_fact(call.type, facts[0].nullable, Interval(lo, x.magnitude))


def _emit_neg(call: Call, args: tuple[str, ...], facts: tuple[Fact, ...]) -> str:
    return _unary(lambda x: f"(-{x})", _neg_fact(call, facts), args, facts)


def _emit_abs(call: Call, args: tuple[str, ...], facts: tuple[Fact, ...]) -> str:
    return _unary(lambda x: f"abs({x})", _abs_fact(call, facts), args, facts)


def _unary(form: Callable[[str], str], result: Fact, args: tuple[str, ...], facts: tuple[Fact, ...]) -> str:
    if result.type is SqlType.DOUBLE:
        return form(args[0])
    huge = at_huge(facts, result.interval)
    return settled(form(widened(args, facts, huge)[0]), huge, result)


def _sign_fact(_call: Call, facts: tuple[Fact, ...]) -> Fact:
    x = span(facts[0])
    return integer_fact(facts[0].nullable, interval(_sign(x.lo), _sign(x.hi)))


def _sign(x: Fraction) -> int:
    return (x > 0) - (x < 0)


def _emit_sign(_call: Call, args: tuple[str, ...], _facts: tuple[Fact, ...]) -> str:
    return f"CAST(sign({args[0]}) AS BIGINT)"
