"""Rounding, roots, logarithms, exponentials and powers; what is no finite number is NULL."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from dpsql.algebra.expressions import Call, Expr, Literal
from dpsql.algebra.facts import BIGINT_RANGE, DOUBLE_MAX, DOUBLE_RANGE, Fact
from dpsql.algebra.functions.numbers.arithmetic import (
    doubles,
    exact_fact,
    number_type,
    numbers,
    of_ends,
)
from dpsql.algebra.functions.ranges import (
    ZERO,
    clip,
    double_fact,
    integer_fact,
    loosened,
    outward,
    span,
    within,
)
from dpsql.algebra.functions.spell import cast_to, finite, settled
from dpsql.algebra.functions.table import Function, Mistyped, Signature, Takes, any_null, called
from dpsql.algebra.types import SqlType
from dpsql.privacy import Interval

_MOST_DIGITS = 15
_MOST_EXPONENT = 64
_BEYOND = 2 * DOUBLE_MAX
_LEAST_DOUBLE = Fraction(5e-324)
_AT_LEAST_ZERO = Interval(Fraction(0), _BEYOND)
_POSITIVE = Interval(_LEAST_DOUBLE, _BEYOND)


# The range of a real function over ranges of doubles, and whether all values of those ranges have a result.
_Range = Callable[..., tuple[Interval, bool]]


def rows() -> tuple[Function, ...]:
    """The entries of rounding and of functions of real numbers."""
    log = "ABS({float}) + CAST(1 AS DOUBLE)"
    return (
        Function(
            "round", ("round",), Takes(1, 2, _round_types), "half away from zero", "{float}", _round_fact, _emit_round,
            keeps=True, tells=True,
        ),
        Function(
            "floor", ("floor",), doubles(1), "the greatest whole number not above x, as a double", "{float}",
            exact_fact(of_ends(math.floor)), tells=True,
        ),
        Function(
            "ceil", ("ceil", "ceiling"), doubles(1), "the least whole number not below x, as a double", "{float}",
            exact_fact(of_ends(math.ceil)), tells=True,
        ),
        Function(
            "trunc", ("trunc",), numbers(1), "x without its fraction", "{float}", exact_fact(of_ends(math.trunc)),
            _emit_trunc, keeps=True, tells=True,
        ),
        _real("sqrt", ("sqrt",), _sqrt_range, "the square root; NULL below 0", "ABS({float})"),
        _real("ln", ("ln",), _log_range(math.log), "the natural logarithm; NULL up to 0", log),
        _real("log10", ("log", "log10"), _log_range(math.log10), "the decimal logarithm; NULL up to 0", log),
        _real("log2", ("log2",), _log_range(math.log2), "the binary logarithm; NULL up to 0", log),
        _real("exp", ("exp",), _exp_range, "e to the power x; NULL where it is too large", "LEAST({float}, 3)"),
        _real("power", ("power", "pow"), _power_range, "x to the power y", "{float}, 2", count=2),
    )  # fmt: skip


def _real(
    name: str, spellings: tuple[str, ...], range_: _Range, summary: str, example: str, count: int = 1
) -> Function:
    """A function of doubles that is NULL where its value is no finite number."""

    def fact(_call: Call, facts: tuple[Fact, ...]) -> Fact:
        result, everywhere = range_(*map(span, facts))
        return double_fact(any_null(facts) or not everywhere, result)

    def emit(call: Call, args: tuple[str, ...], facts: tuple[Fact, ...]) -> str:
        result, everywhere = range_(*map(span, facts))
        sql = called(call, args, facts)
        return sql if everywhere and within(result, DOUBLE_RANGE) else finite(sql)

    return Function(name, spellings, doubles(count), summary, example, fact, emit)


def _sqrt_range(x: Interval) -> tuple[Interval, bool]:
    if x.hi < 0:
        return ZERO, False
    # The square root is correctly rounded (IEEE 754), so that the ends are exact.
    ends = outward(clip(x, _AT_LEAST_ZERO))
    return Interval(Fraction(math.sqrt(ends.lo)), Fraction(math.sqrt(ends.hi))), x.lo >= 0


def _log_range(log: Callable[[float], float]) -> _Range:
    def range_(x: Interval) -> tuple[Interval, bool]:
        if x.hi <= 0:
            return ZERO, False
        inside = outward(clip(x, _POSITIVE))
        ends = Interval(Fraction(log(float(inside.lo))), Fraction(log(float(inside.hi))))
        return loosened(ends), x.lo > 0

    return range_


def _exp_range(x: Interval) -> tuple[Interval, bool]:
    return clip(loosened(Interval(_exp(x.lo), _exp(x.hi))), _AT_LEAST_ZERO), True


def _exp(x: Fraction) -> Fraction:
    try:
        return Fraction(math.exp(x))
    except OverflowError:
        return _BEYOND


def _power_range(x: Interval, y: Interval) -> tuple[Interval, bool]:
    """The range of powers, and whether each is a number; where little is known, any double."""
    if y.lo == y.hi and y.lo.denominator == 1 and 0 <= y.lo <= _MOST_EXPONENT:
        return loosened(_integer_power(x, int(y.lo))), True
    if x.lo < 0 or (x.lo == 0 and y.lo < 0):
        return DOUBLE_RANGE, False
    ends = [_power(a, b) for a in (x.lo, x.hi) for b in (y.lo, y.hi)]
    return clip(loosened(Interval(min(ends), max(ends))), _AT_LEAST_ZERO), True


def _integer_power(x: Interval, n: int) -> Interval:
    ends = [x.lo**n, x.hi**n] + ([Fraction(0)] if n and x.lo <= 0 <= x.hi else [])
    return Interval(min(ends), max(ends))


def _power(x: Fraction, y: Fraction) -> Fraction:
    try:
        return Fraction(math.pow(x, y))
    except OverflowError:
        return _BEYOND


def _round_types(args: tuple[Expr, ...]) -> Signature:
    kind = number_type(args[:1])
    if len(args) == 1:
        return Signature((kind,), kind)
    digits = args[1].value if isinstance(args[1], Literal) else None
    if not isinstance(digits, int) or isinstance(digits, bool) or abs(digits) > _MOST_DIGITS:
        raise Mistyped(f"ROUND takes a constant number of digits from -{_MOST_DIGITS} to {_MOST_DIGITS}")
    return Signature((kind, SqlType.INTEGER), kind)


def _digits(call: Call) -> int:
    if len(call.args) == 1:
        return 0
    digits = call.args[1]
    assert isinstance(digits, Literal) and isinstance(digits.value, int)
    return digits.value


def rounded_to(x: Fraction, digits: int) -> Fraction:
    """A number rounded to so many digits behind the point, half away from zero."""
    scaled = abs(x) * Fraction(10) ** digits
    whole = Fraction(math.floor(scaled + Fraction(1, 2))) / Fraction(10) ** digits
    return whole if x >= 0 else -whole


def _rounded(x: Interval, digits: int) -> Interval:
    return Interval(rounded_to(x.lo, digits), rounded_to(x.hi, digits))


def _round_fact(call: Call, facts: tuple[Fact, ...]) -> Fact:
    x, digits = span(facts[0]), _digits(call)
    if call.type is SqlType.INTEGER:
        return integer_fact(facts[0].nullable, _rounded(x, digits) if digits < 0 else x)
    if digits == 0:
        return double_fact(facts[0].nullable, outward(_rounded(x, 0)))
    return double_fact(facts[0].nullable, _scaled_range(x, digits))


def _scaled_range(x: Interval, digits: int) -> Interval:
    """The engine multiplies, rounds and divides doubles, each step monotone and with an error of its own.

    Where scaling up overflows it gives the value itself; scaling down and up again does not overflow, not even
    for the largest double, at any number of digits that is allowed.
    """
    return loosened(_rounded(loosened(x), digits))


def _emit_round(call: Call, args: tuple[str, ...], facts: tuple[Fact, ...]) -> str:
    digits = _digits(call)
    if call.type is SqlType.DOUBLE:
        sql = f"round({args[0]}, {digits})" if digits else f"round({args[0]})"
        return (
            finite(sql) if digits and not within(_scaled_range(span(facts[0]), digits), DOUBLE_RANGE) else sql
        )
    if digits >= 0:
        return args[0]
    x, step = span(facts[0]), 10**-digits
    huge = not within(Interval(x.lo - step, x.hi + step), BIGINT_RANGE)
    sql = f"round({cast_to(args[0], 'HUGEINT') if huge else args[0]}, {digits})"
    return settled(sql, huge, _round_fact(call, facts))


def _emit_trunc(call: Call, args: tuple[str, ...], _facts: tuple[Fact, ...]) -> str:
    return args[0] if call.type is SqlType.INTEGER else f"trunc({args[0]})"
