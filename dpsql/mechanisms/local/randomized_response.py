"""Randomized response: each of many bits flipped with probability p, so that its owner can deny it.

p is the chance to *flip* here, 0 < p <= 1/2; texts where p is the chance to keep mean 1 - p. p is an exact
fraction, or 1 / (1 + e^epsilon) for an exact epsilon.

Requires: every unit owns one bit, and whose bit it is may be known (a unit's presence is not protected).

Guarantees: ln((1 - p) / p)-differential privacy when a unit's bit is replaced, exactly and bit by bit: a local
mechanism, which needs nobody to be trusted with the bits. No float takes part.

Because: each output has probability 1 - p or p, whatever the bit, and the ratio is (1 - p) / p at most and at
the worst.

Accuracy: with m the mean of n bits, the mean of the released ones has expectation p + (1 - 2p) m and variance
p (1 - p) / n <= 1 / (4n), so that (observed - p) / (1 - 2p) is an unbiased estimate of m for p < 1/2, off by
more than sqrt(1/beta) / (2 (1 - 2p) sqrt(n)) with probability at most beta (Chebyshev).

The two-coin form: with probability p the truth is told, otherwise a coin decides that says 1 with probability
p. Then P(1 | 1) = 2p - p^2, P(1 | 0) = p - p^2, P(0 | 1) = (1 - p)^2, P(0 | 0) = 1 - p + p^2, and epsilon is
the logarithm of the worse of the ratios (2 - p) / (1 - p) for the output 1 and (1 - p + p^2) / (1 - p)^2 for
the output 0: the first for p <= 1/2, ln 3 at p = 1/2.

Time: one word for each bit, another with a probability of about 2^-62; what is read does not depend on the bits.

Sources: Warner 1965, Randomized Response: A Survey Technique for Eliminating Evasive Answer Bias; Dwork and
Roth 2014, The Algorithmic Foundations of Differential Privacy, 3.2 (two coins).
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import cast

import numpy as np

from dpsql.mechanisms.coins import Booleans, Coins, IntegerArray
from dpsql.mechanisms.exact.interval_arithmetic import ln_outward
from dpsql.mechanisms.exact.inversion import coins_of_odds, logistic
from dpsql.mechanisms.parameters import (
    Rational,
    exact_epsilon,
    exact_level,
    exact_positive,
    integer,
    integer_array,
    integers_below,
)

GRID_BITS = 64
EITHER = "randomized response takes either epsilon or p, the probability to flip"


def randomized_response(
    bits: np.ndarray,
    *,
    epsilon: Rational | None = None,
    p: Fraction | None = None,
    coins: Coins | None = None,
) -> IntegerArray:
    """Each bit flipped with probability p, or with 1 / (1 + e^epsilon), independently.

    `bits`: integers 0 and 1 of any shape; the result has their shape. Either epsilon or p.
    """
    exact = integers_below("bits", bits, 2)
    flips = _flips(exact.size, epsilon, p, coins or Coins()).reshape(exact.shape)
    return cast(IntegerArray, np.where(flips, 1 - exact, exact))


def two_coin_response(bits: np.ndarray, *, p: Fraction, coins: Coins | None = None) -> IntegerArray:
    """Each bit told truly with probability p, otherwise replaced by 1 with probability p and by 0 else.

    `bits`: integers 0 and 1 of any shape; the result has their shape. 0 < p < 1. Guarantee: see `two_coin_epsilon`.
    """
    exact = integers_below("bits", bits, 2)
    chance, source = _below_one(p), coins or Coins()
    truly, ones = (_biased(chance, exact.size, source).reshape(exact.shape) for _ in range(2))
    return cast(IntegerArray, np.where(truly, exact, ones.astype(exact.dtype)))


def _flips(size: int, epsilon: Rational | None, p: Fraction | None, coins: Coins) -> Booleans:
    if epsilon is not None and p is None:
        return coins_of_odds(size, exact_epsilon(epsilon), Fraction(1), coins)
    if p is not None and epsilon is None:
        return _biased(_flip(p), size, coins)
    raise TypeError(EITHER)


def _biased(p: Fraction, size: int, coins: Coins) -> Booleans:
    """Independent coins of a rational probability."""
    return np.asarray(coins.integers(p.denominator, size) < p.numerator, dtype=np.bool_)


def epsilon_of(p: Fraction) -> Fraction:
    """ln((1 - p) / p), the epsilon of flipping with probability p, rounded upwards; 0 for p = 1/2.

    >>> round(float(epsilon_of(Fraction(1, 4))), 6)  # ln 3
    1.098612
    """
    flip = _flip(p)
    return ln_outward((1 - flip) / flip)[1]


def flip_probability(epsilon: Rational) -> Fraction:
    """1 / (1 + e^epsilon), the least flip probability that is epsilon-private, rounded upwards to a multiple of
    2^-64."""
    return Fraction(logistic(exact_epsilon(epsilon), Fraction(1), GRID_BITS)[1], 1 << GRID_BITS)


def two_coin_epsilon(p: Fraction) -> Fraction:
    """The epsilon of the two-coin form, from the worse ratio of the two outputs, rounded upwards.

    >>> round(float(two_coin_epsilon(Fraction(1, 2))), 6)  # ln 3
    1.098612
    """
    truth = _below_one(p)
    ratio_of_one = (2 - truth) / (1 - truth)
    ratio_of_zero = (1 - truth + truth**2) / (1 - truth) ** 2
    return ln_outward(max(ratio_of_one, ratio_of_zero))[1]


def estimate_mean(
    released: np.ndarray, *, epsilon: Rational | None = None, p: Fraction | None = None
) -> float:
    """An unbiased estimate of the mean of the true bits; it may fall outside [0, 1].

    `released`: at least one bit, as `randomized_response` returned it. ValueError for p = 1/2, which releases nothing.
    """
    flip, kept = _rates(epsilon, p)
    return (_mean(released) - flip) / kept


def two_coin_estimate(released: np.ndarray, *, p: Fraction) -> float:
    """An unbiased estimate of the mean of the true bits, (observed - p (1 - p)) / p."""
    truth = float(_below_one(p))
    return (_mean(released) - truth * (1 - truth)) / truth


def variance(n: int, *, epsilon: Rational | None = None, p: Fraction | None = None) -> float:
    """The variance of the estimated mean of n bits, p (1 - p) / (n (1 - 2p)^2), whatever the bits."""
    flip, kept = _rates(epsilon, p)
    return flip * (1 - flip) / (integer("n", n, at_least=1) * kept**2)


def error_bound(
    beta: Fraction | float, n: int, *, epsilon: Rational | None = None, p: Fraction | None = None
) -> float:
    """How far the estimated mean of n bits is off at most, with probability 1 - beta: sqrt(1/beta) / (2 (1 -
    2p) sqrt(n))."""
    kept = _rates(epsilon, p)[1]
    return 1 / (2 * kept * math.sqrt(exact_level("beta", beta) * integer("n", n, at_least=1)))


def _rates(epsilon: Rational | None, p: Fraction | None) -> tuple[float, float]:
    """p and 1 - 2p as floats: (1 - e^-epsilon) / (1 + e^-epsilon) loses no digits where epsilon is small."""
    if epsilon is not None and p is None:
        rate = exact_epsilon(epsilon)
        return math.exp(-rate) / (1 + math.exp(-rate)), -math.expm1(-rate) / (1 + math.exp(-rate))
    if p is None or epsilon is not None:
        raise TypeError(EITHER)
    if 2 * _flip(p) == 1:
        raise ValueError("p = 1/2 releases nothing about the bits: there is no estimate")
    return float(p), float(1 - 2 * p)


def _mean(released: np.ndarray) -> float:
    bits = integer_array("released", released)
    if bits.size == 0:
        raise ValueError("an estimate needs at least one released bit")
    return float(Fraction(int(bits.sum()), bits.size))


def _flip(p: Fraction) -> Fraction:
    exact = exact_positive("p", p)
    if 2 * exact > 1:
        raise ValueError(f"p is the probability to flip and must be at most 1/2, not {exact}")
    return exact


def _below_one(p: Fraction) -> Fraction:
    exact = exact_positive("p", p)
    if exact >= 1:
        raise ValueError(f"p must be below 1, not {exact}: the truth alone is not private")
    return exact
