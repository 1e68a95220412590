"""k-ary randomized response: each of many values out of k is sometimes replaced by a uniform one of all k.

Requires: every unit owns one value out of 0 .. k - 1, and whose value it is may be known.

Guarantees: epsilon-differential privacy when a unit's value is replaced, exactly, value by value: a local
mechanism. No float takes part.

Because: the value is replaced with probability gamma = k / (k - 1 + e^epsilon), by a uniform draw of all k
values (the true one among them). So P(v | v) = 1 - gamma + gamma/k = e^epsilon / (k - 1 + e^epsilon) and P(w |
v) = gamma/k = 1 / (k - 1 + e^epsilon) for w other than v: the ratio of two outputs' probabilities is e^epsilon
or 1. For k = 2 it is randomized response.

Accuracy: a count of c among n values is seen c (1 - gamma) + n gamma/k times on average, so that (seen - n
gamma/k) / (1 - gamma) is an unbiased estimate of it.

Time: one or two words for each value, more with a probability of about 2^-61, or where k is not a power of two;
what is read does not depend on the values.

Sources: Kairouz, Oh, Viswanath 2016, Extremal Mechanisms for Local Differential Privacy (its optimality for large
epsilon); Kairouz, Bonawitz, Ramage 2016, Discrete Distribution Estimation under Local Privacy (the estimator).
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import cast

import numpy as np
import numpy.typing as npt

from dpsql.mechanisms.coins import Coins, IntegerArray
from dpsql.mechanisms.exact.inversion import coins_of_odds
from dpsql.mechanisms.noise.discrete_laplace import SAFE
from dpsql.mechanisms.parameters import Rational, exact_epsilon, exact_level, integer, integers_below

Floats = npt.NDArray[np.float64]


def k_randomized_response(
    values: np.ndarray, *, k: int, epsilon: Rational, coins: Coins | None = None
) -> IntegerArray:
    """Each value kept, or with probability k / (k - 1 + e^epsilon) replaced by a uniform one of 0 .. k - 1.

    `values`: integers from 0 to k - 1 of any shape; the result has their shape. k >= 2.
    """
    exact = integers_below("values", values, _count(k))
    rate, source = exact_epsilon(epsilon), coins or Coins()
    lies = coins_of_odds(exact.size, rate, Fraction(k - 1), source).reshape(exact.shape)
    shifts = 1 + source.integers(k - 1, exact.size).reshape(exact.shape)
    return cast(IntegerArray, np.where(lies, (exact + shifts) % k, exact))


def replace_probability(k: int, epsilon: Rational) -> float:
    """gamma = k / (k - 1 + e^epsilon); a float: it is public information."""
    a = math.exp(-exact_epsilon(epsilon))
    return _count(k) * a / (1 + (k - 1) * a)


def estimate_counts(released: np.ndarray, *, k: int, epsilon: Rational) -> Floats:
    """Unbiased estimates of how often each of the k values occurred, adding up to the number of values; some
    may be negative.

    `released`: at least one value, as `k_randomized_response` returned them.
    """
    seen = np.bincount(integers_below("released", released, _count(k)).astype(np.int64).ravel(), minlength=k)
    if not seen.any():
        raise ValueError("an estimate needs at least one released value")
    false = released.size * replace_probability(k, epsilon) / k
    return np.asarray((seen - false) / kept_probability(k, epsilon), dtype=np.float64)


def variance(count: int, n: int, *, k: int, epsilon: Rational) -> float:
    """The variance of the estimate for a value that occurs `count` times among n."""
    here, total = integer("count", count, at_least=0), integer("n", n, at_least=1)
    if here > total:
        raise ValueError(f"{here} of {total} values is more than all of them")
    false = replace_probability(k, epsilon) / k
    true = false + kept_probability(k, epsilon)
    return (here * true * (1 - true) + (total - here) * false * (1 - false)) / kept_probability(
        k, epsilon
    ) ** 2


def error_bound(beta: Fraction | float, n: int, *, k: int, epsilon: Rational) -> float:
    """How far the estimated count of one value among n is off at most, with probability 1 - beta, whatever the values.

    sqrt(V / beta) by Chebyshev, where V is the larger variance of a value that all n have and one that nobody has.
    """
    worst = max(variance(count, n, k=k, epsilon=epsilon) for count in (0, n))
    return math.sqrt(worst / exact_level("beta", beta))


def kept_probability(k: int, epsilon: Rational) -> float:
    """1 - gamma = (e^epsilon - 1) / (k - 1 + e^epsilon), without loss of digits; a float, as gamma is."""
    rate = exact_epsilon(epsilon)
    return -math.expm1(-rate) / (1 + (_count(k) - 1) * math.exp(-rate))


def _count(k: int) -> int:
    if integer("k", k, at_least=2) > SAFE:
        raise ValueError("k must be at most 2^62, so that values stay machine integers")
    return int(k)
