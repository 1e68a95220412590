"""RAPPOR, basic and one-time: a value out of k as k bits of which one is set, each flipped on its own.

Requires: every unit owns one value out of 0 .. k - 1, is asked once, and whose value it is may be known.

Guarantees: epsilon-differential privacy when a unit's value is replaced, exactly, value by value: a local
mechanism. No float takes part.

Because: with f = 2 / (1 + e^(epsilon/2)) each bit is replaced by a fair one with probability f, that is
flipped with probability f/2 = 1 / (1 + e^(epsilon/2)). Two values differ in two bits; each contributes a ratio
of at most (1 - f/2) / (f/2) = e^(epsilon/2), and there are outputs at which both do.

Accuracy: a value that occurs c times among n sets its bit c (1 - f) + n f/2 times on average, so that (seen -
n f/2) / (1 - f) is an unbiased estimate of c; each bit has the variance f/2 (1 - f/2), so that the estimate's is
n f/2 (1 - f/2) / (1 - f)^2, whatever the values.

Time: k words for each value, more with a probability of about 2^-62; what is read does not depend on the values.

Source: Erlingsson, Pihur, Korolova 2014, RAPPOR: Randomized Aggregatable Privacy-Preserving Ordinal Response,
3.1 (basic one-time RAPPOR; Bloom filters and the instantaneous response are left out).
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from dpsql.mechanisms.coins import Coins
from dpsql.mechanisms.exact.inversion import coins_of_odds
from dpsql.mechanisms.parameters import (
    Rational,
    exact_epsilon,
    exact_level,
    integer,
    integer_array,
    integers_below,
)

Bits = npt.NDArray[np.int8]
Floats = npt.NDArray[np.float64]


def rappor(values: np.ndarray, *, k: int, epsilon: Rational, coins: Coins | None = None) -> Bits:
    """k noisy bits for each value: bit j says, with probability 1 - f/2 truly, whether the value is j.

    `values`: integers from 0 to k - 1 of any shape; the result has one more axis, of length k, and the type int8. k >=
    2.
    """
    exact = integers_below("values", values, integer("k", k, at_least=2))
    half = exact_epsilon(epsilon) / 2
    shape = (*exact.shape, k)
    flips = coins_of_odds(exact.size * k, half, Fraction(1), coins or Coins()).reshape(shape)
    bits: Bits = (np.equal(exact[..., None], np.arange(k)) ^ flips).astype(np.int8)
    return bits


def estimate_counts(released: np.ndarray, *, epsilon: Rational) -> Floats:
    """Unbiased estimates of how often each of the k values occurred; some may be negative.

    `released`: bits as `rappor` returned them, of at least one value: the last axis is that of the k bits.
    """
    bits = integer_array("released", released)
    if bits.ndim < 2 or bits.size == 0:
        raise ValueError(
            "an estimate needs the k bits of at least one value, in an array of two axes or more"
        )
    seen = bits.reshape(-1, bits.shape[-1]).sum(axis=0)
    flip, kept = _rates(epsilon)
    return np.asarray((seen - bits.size // bits.shape[-1] * flip) / kept, dtype=np.float64)


def variance(n: int, *, epsilon: Rational) -> float:
    """The variance of each estimated count among n values, n f/2 (1 - f/2) / (1 - f)^2."""
    flip, kept = _rates(epsilon)
    return integer("n", n, at_least=1) * flip * (1 - flip) / kept**2


def error_bound(beta: Fraction | float, n: int, *, epsilon: Rational) -> float:
    """How far the estimated count of one value among n is off at most, with probability 1 - beta (Chebyshev)."""
    return math.sqrt(variance(n, epsilon=epsilon) / exact_level("beta", beta))


def joint_error_bound(beta: Fraction | float, n: int, *, k: int, epsilon: Rational) -> float:
    """How far any of the k estimated counts is off at most, with probability 1 - beta: sqrt(n ln(2k / beta) /
    2) / (1 - f) (Hoeffding, and a union over the k bits)."""
    logarithm = math.log(2 * integer("k", k, at_least=2) / exact_level("beta", beta))
    return math.sqrt(integer("n", n, at_least=1) * logarithm / 2) / _rates(epsilon)[1]


def _rates(epsilon: Rational) -> tuple[float, float]:
    """f/2 and 1 - f."""
    half = exact_epsilon(epsilon) / 2
    a = math.exp(-half)
    return a / (1 + a), -math.expm1(-half) / (1 + a)
