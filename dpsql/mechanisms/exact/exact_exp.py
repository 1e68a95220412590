"""Rigorous integer bounds for exp(-x), x a non-negative fraction, and decisions that rest on them.

No float takes part: a comparison with exp(-x) is either decided by bounds or repeated with finer ones. Since exp(-x) is
transcendental for every rational x other than 0 (Lindemann 1882), no comparison with a rational number, and none of the
sign of a polynomial in exp(-x) with rational coefficients, is left undecided for ever.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

Bounds = tuple[Fraction, Fraction]


def exp_bounds(ratio: Fraction, bits: int) -> tuple[int, int]:
    """Integers lo <= exp(-ratio) * 2^bits <= hi that are at most 2 apart.

    Requires ratio >= 0 and bits >= 0, otherwise ValueError. Exact (lo = hi) for ratio 0. Because: exp(-ratio)
    = exp(-ratio / 2^h)^(2^h) with h such that the inner exponent is at most 1/2; a squaring at most doubles
    an absolute error of numbers up to 1 and adds one rounding, which the h + 16 guard bits absorb.
    """
    if ratio < 0 or bits < 0:
        raise ValueError("bounds of exp(-ratio) need ratio >= 0 and bits >= 0")
    if ratio == 0:
        return 1 << bits, 1 << bits
    if ratio >= bits:  # exp(-bits) < 2^-bits for bits > 0; for bits = 0 the value lies between 0 and 1
        return 0, 1
    halvings = (ratio.numerator // ratio.denominator).bit_length() + 1
    work = bits + halvings + 16 + bits.bit_length()
    lo, hi = _series(ratio / (1 << halvings), work)
    for _ in range(halvings):
        lo, hi = (lo * lo) >> work, ((hi * hi) >> work) + 1
    guard = work - bits
    return lo >> guard, -((-hi) >> guard)


def _series(x: Fraction, bits: int) -> tuple[int, int]:
    """Bounds of exp(-x) * 2^bits for 0 < x <= 1/2, from the alternating Taylor series in fixed point.

    Cutting x costs at most 1. Each term inherits at most half of its predecessor's error and is cut by at most 1, so it
    is off by less than 2; the first term that is cut to 0 is below 2, and so is all that follows it.
    """
    fixed = (x.numerator << bits) // x.denominator
    term = total = 1 << bits
    index = 0
    while term:
        index += 1
        term = (term * fixed) // (index << bits)
        total += -term if index % 2 else term
    error = 2 * index + 3
    return max(total - error, 0), min(total + error, 1 << bits)


def exp_floor(ratio: Fraction, bits: int) -> int:
    """floor(exp(-ratio) * 2^bits), exactly."""
    extra = 32
    while True:
        lo, hi = exp_bounds(ratio, bits + extra)
        if lo >> extra == hi >> extra:
            return lo >> extra
        extra *= 2


def exp_floors(ratio: Fraction, count: int, bits: int) -> tuple[int, ...]:
    """floor(exp(-ratio * j) * 2^bits) for j = 1 .. count, exactly, at the price of two products each.

    Because: the bounds of exp(-ratio) multiply up with an error of at most a few units of 2^-(bits + 64) per
    step; an entry whose bounds disagree about the floor is computed afresh.
    """
    work = bits + 64
    first_lo, first_hi = exp_bounds(ratio, work)
    lo = hi = 1 << work
    floors = []
    for j in range(1, count + 1):
        lo, hi = (lo * first_lo) >> work, ((hi * first_hi) >> work) + 1
        agreed = lo >> 64 == hi >> 64
        floors.append(lo >> 64 if agreed else exp_floor(ratio * j, bits))
    return tuple(floors)


def exp_uppers(count: int, bits: int) -> tuple[int, ...]:
    """Integers at or above exp(-k) * 2^bits for k = 0 .. count - 1, each above it by at most k + 2."""
    first, upper = exp_bounds(Fraction(1), bits)[1], 1 << bits
    uppers = []
    for _ in range(count):
        uppers.append(upper)
        upper = ((upper * first) >> bits) + 1
    return tuple(uppers)


def is_positive(bounds: Callable[[int], Bounds]) -> bool:
    """Whether a number other than 0 is positive, given bounds of it that tighten as their argument, bits, grows."""
    bits = 64
    while True:
        lo, hi = bounds(bits)
        if lo > 0 or hi < 0:
            return lo > 0
        bits *= 2


def exp_interval(ratio: Fraction, bits: int) -> Bounds:
    """Fractions around exp(-ratio), at most 2^(1-bits) apart."""
    lo, hi = exp_bounds(ratio, bits)
    return Fraction(lo, 1 << bits), Fraction(hi, 1 << bits)


def least(holds: Callable[[int], bool], guess: int) -> int:
    """The least k >= 0 at which a predicate that stays true once it is true holds; a good guess makes it quick."""
    lo, hi, step = -1, max(guess, 0), 1  # the answer lies in (lo, hi] once holds(hi)
    while not holds(hi):
        lo, hi, step = hi, hi + step, 2 * step
    step = 1
    while lo < hi - step and holds(hi - step):
        hi, step = hi - step, 2 * step
    lo = max(lo, hi - step)
    while hi - lo > 1:
        middle = (lo + hi) // 2
        lo, hi = (lo, middle) if holds(middle) else (middle, hi)
    return hi
