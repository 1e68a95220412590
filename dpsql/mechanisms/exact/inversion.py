"""Draws from a finite law by inversion of a uniform number, of which as many bits are drawn as it takes.

Requires: for every number of bits, integer bounds of the cumulative probabilities that tighten as it grows.

Guarantees: exactly that law. One uniform 62-bit word decides a draw unless it falls between the bounds of some
cut, which has a probability of about 2^-61 for each; the time hardly depends on what is drawn.

Because: for U uniform in [0, 1) and cuts 0 <= F_0 <= F_1 <= ... <= 1 the number of cuts F_j <= U has the law
with cumulative probabilities F. The first b bits u of U prove F_j > U if u + 1 <= lo_j and F_j <= U if u >=
hi_j, where lo_j <= F_j 2^b <= hi_j; otherwise more bits of U are drawn.

Source: Devroye 1986, Non-Uniform Random Variate Generation, II.2 and XV.1 (inversion, random bit model).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from dpsql.mechanisms.coins import Booleans, Coins
from dpsql.mechanisms.exact.exact_exp import exp_bounds
from dpsql.mechanisms.noise.geometric import Int64s

WORD_BITS = 62  # so that bounds of a word are int64, too
GUARD = 8

Cuts = Callable[[int], list[tuple[int, int]]]


def draw_indices(size: int, cuts: Cuts, coins: Coins, bits: int = WORD_BITS) -> Int64s:
    """`size` independent indices; cuts(b) holds bounds (lo, hi) of each cumulative probability times 2^b.

    The last cumulative probability, 1, is left out: n cuts make the indices 0 .. n. `bits` is the length of a word.
    """
    bounds = cuts(bits)
    words = coins.integers(1 << bits, size)
    passed, possible = np.zeros(size, np.int64), np.zeros(size, np.int64)
    for low, high in bounds:
        passed += words >= high
        possible += words >= low
    for i in np.flatnonzero(passed != possible):
        passed[i] = _refine(int(words[i]), cuts, coins, bits)
    return passed


def _refine(uniform: int, cuts: Cuts, coins: Coins, bits: int) -> int:
    """The index of a word that its own bits leave open."""
    length = bits
    while True:
        uniform, length = (uniform << bits) | coins.below(1 << bits), length + bits
        bounds = cuts(length)
        passed = sum(hi <= uniform for _, hi in bounds)
        if passed == sum(lo <= uniform for lo, _ in bounds):
            return passed


def logistic(epsilon: Fraction, odds: Fraction, bits: int) -> tuple[int, int]:
    """Bounds of 2^bits * odds / (odds + exp(epsilon)), at most 2 apart; epsilon >= 0, odds > 0."""
    guard = GUARD + (odds.numerator // odds.denominator).bit_length()
    ends = (odds * Fraction(a, 1 << (bits + guard)) for a in exp_bounds(epsilon, bits + guard))
    low, high = (a / (1 + a) * (1 << bits) for a in ends)
    return int(low), -int(-high // 1)


def coins_of_odds(
    size: int, epsilon: Fraction, odds: Fraction, coins: Coins, bits: int = WORD_BITS
) -> Booleans:
    """`size` independent coins of probability odds / (odds + exp(epsilon)), exactly."""
    indices = draw_indices(size, lambda b: [logistic(epsilon, odds, b)], coins, bits)
    return np.asarray(indices == 0, dtype=np.bool_)
