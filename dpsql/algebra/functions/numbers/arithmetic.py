"""Arithmetic on integers (exact) and doubles (finite or NULL), and on dates where + and - mean dates."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from dpsql.algebra.expressions import Call, Expr
from dpsql.algebra.facts import DOUBLE_RANGE, Fact
from dpsql.algebra.functions.coerce import needed, unified
from dpsql.algebra.functions.dates import date_arithmetic as moments
from dpsql.algebra.functions.ranges import (
    ZERO,
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
from dpsql.algebra.functions.table import (
    EmitRule,
    FactRule,
    Function,
    Mistyped,
    Signature,
    Takes,
    any_null,
)
from dpsql.algebra.types import NUMERIC, TEMPORAL, SqlType
from dpsql.privacy import Interval

# From the ranges of the arguments to that of the exact result.
Exact = Callable[..., Interval]


def rows() -> tuple[Function, ...]:
    """The entries of + - * / // %, negation, ABS and SIGN."""
    return (
        _sum("add", "+", _plus, "x + y; date + days; date + interval"),
        _sum("sub", "-", _minus, "x - y; date - days; date - date"),
        exactly("mul", (), numbers(2), "({0} * {1})", _times, "x * y"),
        Function("div", (), doubles(2), "x / y as a double; NULL for y = 0", "", _div_fact, _emit_div),
        Function(
            "intdiv", (), Takes(2, 2, _integers), "x // y towards 0; NULL for y = 0", "",
            _intdiv_fact, _emit_whole("//", _intdiv_fact),
        ),
        Function(
            "mod", ("mod",), numbers(2), "the remainder of x // y; NULL for y = 0", "{int}, {int}", _mod_fact,
            _emit_mod, keeps=True,
        ),
        exactly("neg", (), numbers(1), "(-{0})", _negative, "-x"),
        exactly("abs", ("abs",), numbers(1), "abs({0})", _absolute, "the absolute value", "{int}"),
        Function(
            "sign", ("sign",), numbers(1, SqlType.INTEGER), "-1, 0 or 1", "{float}",
            exact_fact(of_ends(lambda x: (x > 0) - (x < 0))), "CAST(sign({0}) AS BIGINT)", tells=True,
        ),
    )  # fmt: skip


def number_type(args: tuple[Expr, ...]) -> SqlType:
    """DOUBLE if any argument is one, else INTEGER. Raises Mistyped for what is no number."""
    kind = unified(args)
    if kind is SqlType.TEXT and len(args) == 2:
        raise Mistyped(
            "numbers are needed here, not text; write CAST(... AS DOUBLE), and || between texts to join"
        )
    if kind not in NUMERIC:
        raise needed(SqlType.DOUBLE, kind, "a number")
    return kind


def numbers(count: int, gives: SqlType | None = None) -> Takes:
    """So many numbers of one type, which is the type that comes out unless another is given."""

    def rule(args: tuple[Expr, ...]) -> Signature:
        kind = number_type(args)
        return Signature((kind,) * len(args), gives or kind)

    return Takes(count, count, rule, gives)


def doubles(count: int) -> Takes:
    """So many numbers as doubles, and a double out of them."""

    def rule(args: tuple[Expr, ...]) -> Signature:
        number_type(args)
        return Signature((SqlType.DOUBLE,) * len(args), SqlType.DOUBLE)

    return Takes(count, count, rule, SqlType.DOUBLE)


def _integers(args: tuple[Expr, ...]) -> Signature:
    if number_type(args) is SqlType.DOUBLE:
        raise Mistyped("// divides integers only; use FLOOR(x / y) for doubles")
    return Signature((SqlType.INTEGER, SqlType.INTEGER), SqlType.INTEGER)


def _plus(x: Interval, y: Interval) -> Interval:
    return Interval(x.lo + y.lo, x.hi + y.hi)


def _minus(x: Interval, y: Interval) -> Interval:
    return Interval(x.lo - y.hi, x.hi - y.lo)


def _times(x: Interval, y: Interval) -> Interval:
    return corners(lambda a, b: a * b, x, y)


def _negative(x: Interval) -> Interval:
    return Interval(-x.hi, -x.lo)


def _absolute(x: Interval) -> Interval:
    lo = Fraction(0) if x.lo <= 0 <= x.hi else min(abs(x.lo), abs(x.hi))
    return Interval(lo, x.magnitude)


def of_ends(value: Callable[[Fraction], int]) -> Exact:
    """The range of what never falls where its argument grows."""
    return lambda x: interval(value(x.lo), value(x.hi))


def exact_fact(exact: Exact) -> FactRule:
    """The fact of an exact integer or of a correctly rounded double, NULL where an argument is or it is too large."""

    def fact(call: Call, facts: tuple[Fact, ...]) -> Fact:
        result = exact(*map(span, facts))
        if call.type is SqlType.INTEGER:
            return integer_fact(any_null(facts), result)
        return double_fact(any_null(facts), outward(result))

    return fact


def _emit_exact(form: str, exact: Exact) -> EmitRule:
    def emit(call: Call, args: tuple[str, ...], facts: tuple[Fact, ...]) -> str:
        if call.type is SqlType.INTEGER:
            result = exact_fact(exact)(call, facts)
            huge = at_huge(facts, result.interval)
            return settled(form.format(*widened(args, facts, huge)), huge, result)
        safe = within(outward(exact(*map(span, facts))), DOUBLE_RANGE)
        return form.format(*args) if safe else finite(form.format(*args))

    return emit


def exactly(
    name: str,
    spellings: tuple[str, ...],
    takes: Takes,
    form: str,
    exact: Exact,
    summary: str,
    example: str = "",
) -> Function:
    """An operation that is exact on integers and correctly rounded on doubles."""
    return Function(
        name, spellings, takes, summary, example, exact_fact(exact), _emit_exact(form, exact), keeps=True
    )


def _sum(name: str, sign: str, exact: Exact, summary: str) -> Function:
    """A sum or difference, of numbers or of moments and the time between them."""

    def types(args: tuple[Expr, ...]) -> Signature:
        of_time = any(a.type in TEMPORAL or a.type is SqlType.INTERVAL for a in args)
        return moments.shift_types(args, sign == "+") if of_time else numbers(2).rule(args)

    def fact(call: Call, facts: tuple[Fact, ...]) -> Fact:
        return (exact_fact(exact) if _is_of_numbers(call, facts) else moments.shift_fact)(call, facts)

    def emit(call: Call, args: tuple[str, ...], facts: tuple[Fact, ...]) -> str:
        plain = _emit_exact(f"({{0}} {sign} {{1}})", exact)
        return (plain if _is_of_numbers(call, facts) else moments.emit_shift)(call, args, facts)

    return Function(name, (), Takes(2, 2, types), summary, "", fact, emit, keeps=True)


def _is_of_numbers(call: Call, facts: tuple[Fact, ...]) -> bool:
    return call.type in NUMERIC and facts[0].type in NUMERIC


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
    whole = call.type is SqlType.INTEGER
    fact = exact_fact(lambda x, y: _mod_exact(x, y, whole))(call, facts)
    return fact.or_null(_has_zero(facts[1]))


def _emit_whole(sign: str, fact: FactRule) -> EmitRule:
    """Integer division: no divisor is 0, and the least BIGINT is divided by -1 in HUGEINT."""

    def emit(call: Call, args: tuple[str, ...], facts: tuple[Fact, ...]) -> str:
        quotient = _quotients(span(facts[0]), span(facts[1]), whole=True)
        huge = at_huge(facts, quotient)
        left, right = widened(args, facts, huge)
        if _has_zero(facts[1]):
            right = once(right, lambda v: f"(CASE WHEN {v} <> 0 THEN {v} END)")
        return settled(f"({left} {sign} {right})", huge, fact(call, facts))

    return emit


def _emit_mod(call: Call, args: tuple[str, ...], facts: tuple[Fact, ...]) -> str:
    if call.type is SqlType.INTEGER:
        return _emit_whole("%", _mod_fact)(call, args, facts)
    sql = f"({args[0]} % {args[1]})"
    return finite(sql) if _has_zero(facts[1]) else sql
