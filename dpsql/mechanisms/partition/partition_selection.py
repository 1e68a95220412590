"""Partition selection by truncated geometric noise: which groups of private keys may be shown at all.

A group of n distinct units is kept if and only if n + Z >= k + 1, where Z is discrete Laplace noise of
parameter epsilon' conditioned on [-k, k], and k is the least integer with P(Z = k) <= delta'. A unit touches
up to g groups: epsilon' = epsilon / g and delta' = delta / g.

Requires: each count is a number of distinct units, a unit changes at most g of them, and those by 1; groups
that no unit touches have count 0.

Guarantees: (epsilon, delta)-differential privacy of the set of kept groups; a group of count 0 is never kept,
one of more than 2k always. No float takes part.

Because: for one group let p be the law of Z and K(n) = P(Z >= k + 1 - n) the probability of being kept. K(0)
= 0 and K(1) = p(k) <= delta'. For 1 <= n <= 2k, K(n + 1) = p(k) + the sum of p(z) over k - n <= z < k, and
each of these is at most exp(epsilon') p(z + 1), where the p(z + 1) add up to K(n): so K(n) <= K(n + 1) <=
exp(epsilon') K(n) + delta'. For being dropped the same holds from the other end, with p(-k) = p(k). Beyond 2k
every group is kept. Groups are decided independently; the g that a unit touches compose to (g epsilon', g
delta'). With a = exp(-epsilon'), p(k) = a^k (1 - a) / (1 + a - 2 a^(k + 1)). Where p(k) equals delta', no
other mechanism with this guarantee keeps a group of any size with a higher probability.

Time: depends on the number of groups and on rejections, not on the counts.

Source: Desfontaines, Voss, Gipson, Mandayam 2022 (arXiv 2020), Differentially Private Partition Selection.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import cast

import numpy as np

from dpsql.mechanisms.coins import Booleans, Coins, IntegerArray
from dpsql.mechanisms.exact.exact_exp import Bounds, exp_interval, is_positive, least
from dpsql.mechanisms.noise.discrete_laplace import SAFE, DiscreteLaplace, Laws, sample
from dpsql.mechanisms.parameters import Rational, exact_delta, exact_epsilon, integer, integer_array


def threshold(epsilon: Rational, delta: Rational, groups_per_unit: int) -> int:
    """The least noisy number of units at which a group is kept: k + 1, in units; exact and public.

    ValueError or TypeError unless epsilon > 0, 0 < delta < 1, groups_per_unit >= 1.
    """
    return _support(*_per_group(epsilon, delta, groups_per_unit)) + 1


def select_partitions(
    unit_counts: np.ndarray,
    *,
    epsilon: Rational,
    delta: Rational,
    groups_per_unit: int,
    coins: Coins | None = None,
    laws: Laws = DiscreteLaplace.of,
) -> Booleans:
    """Which groups are kept, given the number of distinct units of each.

    `unit_counts`: integers of any shape, none negative; the result is boolean and of their shape. `laws`: as for
    `discrete_laplace`.
    """
    rate, level = _per_group(epsilon, delta, groups_per_unit)
    counts = integer_array("unit_counts", unit_counts)
    if counts.size and counts.min() < 0:
        raise ValueError("a number of units cannot be negative")
    k = _support(rate, level)
    noise = _truncated(counts.size, rate, k, coins or Coins(), laws).reshape(counts.shape)
    needed = k + 1 - (counts if k < SAFE else counts.astype(object))
    return np.asarray(noise >= needed, dtype=np.bool_)


def keep_probability(n: int, *, epsilon: Rational, delta: Rational, groups_per_unit: int) -> float:
    """The probability that a group of n distinct units is kept; a float: it is public information."""
    rate, level = _per_group(epsilon, delta, groups_per_unit)
    k = _support(rate, level)
    size = integer("n", n, at_least=0)
    if size <= k + 1:
        return _upper_tail(size, k, float(rate))
    return 1 - _upper_tail(2 * k + 1 - size, k, float(rate)) if size <= 2 * k else 1.0


def _upper_tail(points: int, k: int, rate: float) -> float:
    """P(Z > k - points) for 0 <= points <= k + 1: a^(k + 1 - points) (1 - a^points) / (1 + a - 2 a^(k + 1))."""
    norm = -math.expm1(-rate * (k + 1)) - math.exp(-rate) * math.expm1(-rate * k)
    return math.exp(-rate * (k + 1 - points)) * -math.expm1(-rate * points) / norm


def _per_group(epsilon: Rational, delta: Rational, groups_per_unit: int) -> tuple[Fraction, Fraction]:
    groups = integer("groups_per_unit", groups_per_unit, at_least=1)
    return exact_epsilon(epsilon) / groups, exact_delta(delta) / groups


def _support(rate: Fraction, level: Fraction) -> int:
    """The least k with P(Z = k) <= level: with a^k (1 - a + 2 level a) <= level (1 + a); it is at least 1."""

    def fits(k: int) -> bool:
        def slack(bits: int) -> Bounds:
            (lo, hi), (far_lo, far_hi) = exp_interval(rate, bits), exp_interval(rate * k, bits)
            left = sorted((1 + (2 * level - 1) * lo, 1 + (2 * level - 1) * hi))
            return level * (1 + lo) - far_hi * left[1], level * (1 + hi) - far_lo * left[0]

        return is_positive(slack)

    a = math.exp(-rate)
    logarithm = math.log(max(1 - a + 2 * float(level) * a, 1e-300) / (1 + a))
    logarithm += math.log(level.denominator) - math.log(level.numerator)
    return least(fits, max(math.ceil(Fraction(logarithm) / rate), 1))


def _truncated(size: int, rate: Fraction, k: int, coins: Coins, laws: Laws) -> IntegerArray:
    """Discrete Laplace noise conditioned on [-k, k], by rejection; at least 1 - 1/e of the draws are kept."""
    parts: list[IntegerArray] = [np.empty(0, np.int64)]
    missing = size
    while missing:
        parts.append(_accepted(missing, rate, k, coins, laws))
        missing -= parts[-1].size
    return cast(IntegerArray, np.concatenate(parts))


def _accepted(tries: int, rate: Fraction, k: int, coins: Coins, laws: Laws) -> IntegerArray:
    """What is left of that many draws from the law, or from the uniform law where [-k, k] is narrow beside
    the scale."""
    if rate * k <= 1:
        noise = coins.integers(2 * k + 1, tries) - k
        return noise[coins.bernoulli_exp_many(np.abs(noise), rate.denominator, rate.numerator)]
    noise = sample(tries, rate, coins, laws)
    return noise[np.abs(noise) <= k]
