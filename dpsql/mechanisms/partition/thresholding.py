"""Partition selection by thresholding: noisy numbers of units, or of rows, are released where they reach a threshold.

A group of n >= 1 distinct units is released, with its noisy count n + Z, if and only if n + Z >= tau. Z is
untruncated discrete Laplace or discrete Gaussian noise, so that the noisy count of a released group has the
usual errors (`partition_selection` keeps more groups, and releases no count). tau is the least integer of at
least 2 with 1 - (1 - P(1 + Z >= tau))^g <= delta.

Rows are counted in the same way where a unit has at most m of them, in at most g groups: Z then has the rate epsilon /
m, and tau is the least integer above m for which P(some n_k + Z_k >= tau) <= delta, however m rows are split over g
groups.

Requires: each count is a number of distinct units, a unit changes at most g of them, and those by 1; groups
that no unit touches are unknown, and treated as such if they are given with a count of 0.

Guarantees: with Laplace noise of rate epsilon / g, (epsilon, delta)-differential privacy of the set of released
groups and their noisy counts; with Gaussian noise of variance parameter sigma^2 = g / (2 rho), delta-approximate
rho-zCDP of the same. No float takes part in a decision.

Because: let D have one unit more than D'. The groups that D has and D' has not, at most g of them, hold that unit
alone: count 1. The event E that none of them is released has a probability of at least (1 - P(1 + Z >= tau))^g >= 1 -
delta, and is independent of the noise of the other groups. Given E, the release on D is that of the groups of D' with
counts of which at most g differ, each by 1: a vector that moves by at most g in L1 and sqrt(g) in L2, so its noisy
counts, and what a threshold makes of them, are epsilon-indistinguishable (rho-zCDP) from those of D'. Hence P(D in S)
<= P(D in S | E) + P(not E) <= exp(epsilon) P(D' in S) + delta; and P(D' in S) <= exp(epsilon) P(D in S | E), where P(E)
P(D in S | E) <= P(D in S), so that P(D' in S) <= exp(epsilon) P(D in S) + (1 - P(E)) P(D' in S). With P(E) > 0 and the
event independent, this is the definition of approximate zCDP, too (Bun and Steinke 2016, approximate zCDP).

Of rows: what a unit has in groups that are its own, it has not in others, so that given E the counts differ by at most
m in L1. P(not E) = 1 - prod(1 - p(n_k)), p(n) = a^(tau - n) / (1 + a) with a = e^(-epsilon / m), as n <= m < tau. The
function -ln(1 - p(n)) is convex in n: over j groups of at least one row each its sum is largest where all but one have
a single row; that, as a function of j, is convex again, so that j = 1 or j = min(g, m) is the worst.

Time: depends on the number of groups. What is not released must not be shown: neither its noisy count, nor that
it was a candidate.

Sources: Korolova, Kenthapadi, Mishra, Ntoulas 2009, Releasing Search Queries and Clicks Privately (Laplace
thresholding); Desfontaines, Voss, Gipson, Mandayam 2022, Differentially Private Partition Selection (the exact
threshold for g groups); Bun and Steinke 2016 and Canonne, Kamath, Steinke 2020 (Gaussian noise).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from dpsql.mechanisms.coins import Booleans, Coins, IntegerArray
from dpsql.mechanisms.exact.exact_exp import Bounds, exp_interval, is_positive, least
from dpsql.mechanisms.noise.discrete_gaussian import sample as sample_gaussian
from dpsql.mechanisms.noise.discrete_gaussian import tail_bounds
from dpsql.mechanisms.noise.discrete_laplace import DiscreteLaplace, Laws, add_noise, sample
from dpsql.mechanisms.parameters import (
    Rational,
    exact_delta,
    exact_epsilon,
    exact_positive,
    integer,
    integer_array,
)
from dpsql.slotted import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class NoisyGroups:
    """What may be released: which groups, and their noisy counts in the same order."""

    groups: np.ndarray
    counts: IntegerArray


def laplace_threshold(epsilon: Rational, delta: Rational, groups_per_unit: int) -> int:
    """tau for discrete Laplace noise: the least noisy count that is released; exact and public."""
    groups = integer("groups_per_unit", groups_per_unit, at_least=1)
    return 1 + tail_point(exact_epsilon(epsilon) / groups, exact_delta(delta), draws=groups)


def row_threshold(epsilon: Rational, delta: Rational, groups_per_unit: int, rows_per_unit: int) -> int:
    """tau where rows are counted, of which a unit has at most so many: the least noisy count that is released."""
    rows = integer("rows_per_unit", rows_per_unit, at_least=1)
    spread = min(integer("groups_per_unit", groups_per_unit, at_least=1), rows)
    rate, level = exact_epsilon(epsilon) / rows, exact_delta(delta)
    together = rows + tail_point(rate, level, draws=1)
    return together if spread == 1 else max(together, _spread_point(rate, level, rows, spread))


def _spread_point(rate: Fraction, delta: Fraction, rows: int, groups: int) -> int:
    """The least tau above `rows` that groups of one row, and one of the rows left, reach with at most `delta`."""

    def rare(tau: int) -> bool:
        def slack(bits: int) -> Bounds:
            one, rest = (_not_reached(rate, tau - n, bits) for n in (1, rows - groups + 1))
            low, high = (Fraction(end, 1 << bits) for end in _power(one, groups - 1, bits))
            return low * rest[0] - (1 - delta), high * rest[1] - (1 - delta)

        return tau > rows and is_positive(slack)

    return least(rare, rows + 1)


def _not_reached(rate: Fraction, k: int, bits: int) -> Bounds:
    """Bounds of 1 - P(Z >= k) for k >= 1."""
    (lo, hi), (far_lo, far_hi) = exp_interval(rate, bits), exp_interval(rate * k, bits)
    return 1 - far_hi / (1 + lo), 1 - far_lo / (1 + hi)


def tail_point(rate: Fraction, delta: Fraction, *, draws: int) -> int:
    """The least k >= 1 that one of so many discrete Laplace noises reaches with probability at most delta.

    1 - (1 - P(Z >= k))^draws <= delta, P(Z >= k) = a^k / (1 + a), a = exp(-rate).
    """

    def rare(k: int) -> bool:
        def slack(bits: int) -> Bounds:
            down, up = _power(_not_reached(rate, k, bits), draws, bits)
            return Fraction(down, 1 << bits) - (1 - delta), Fraction(up, 1 << bits) - (1 - delta)

        return k > 0 and is_positive(slack)

    rough = min(float(delta), 1 - 2**-53)  # the nearest double to a delta just below 1 is 1
    each = -math.expm1(math.log1p(-rough) / draws) or rough / draws
    guess = int(Fraction(-math.log(each) - math.log1p(math.exp(-rate))) / rate) if each else 1
    return least(rare, max(guess, 1))


def _power(base: Bounds, draws: int, bits: int) -> tuple[int, int]:
    """Bounds of the power of a probability, in steps of 2^-bits."""
    down, up = 1 << bits, 1 << bits
    base_down, base_up = math.floor(base[0] * down), math.ceil(base[1] * up)
    while draws:
        if draws & 1:
            down, up = down * base_down >> bits, (up * base_up >> bits) + 1
        base_down, base_up = base_down * base_down >> bits, (base_up * base_up >> bits) + 1
        draws >>= 1
    return down, up


def gaussian_threshold(rho: Rational, delta: Rational, groups_per_unit: int) -> int:
    """tau for discrete Gaussian noise of sigma^2 = g / (2 rho): the least noisy count that is released.

    Taken from rigorous bounds of the tail of the law: where they leave two integers open, the larger.
    """
    groups, level = integer("groups_per_unit", groups_per_unit, at_least=1), exact_delta(delta)
    sigma_squared = groups / (2 * exact_positive("rho", rho))
    bits = 128 + level.denominator.bit_length() + groups.bit_length()

    def rare(k: int) -> bool:
        low, high = tail_bounds(k, sigma_squared)
        return k > 0 and Fraction(_power((1 - high, 1 - low), groups, bits)[0], 1 << bits) >= 1 - level

    logarithm = math.log(level.denominator) - math.log(level.numerator) + math.log(groups)
    return 1 + least(rare, max(int(math.sqrt(2 * float(sigma_squared) * logarithm)), 1))


def laplace_thresholding(
    unit_counts: np.ndarray,
    *,
    epsilon: Rational,
    delta: Rational,
    groups_per_unit: int,
    rows_per_unit: int | None = None,
    coins: Coins | None = None,
    laws: Laws = DiscreteLaplace.of,
) -> NoisyGroups:
    """The groups whose number of units plus discrete Laplace noise reaches the threshold, with that number.

    `unit_counts`: integers, one-dimensional, none negative; with `rows_per_unit` numbers of rows, of which a unit has
    at most so many. `laws`: as for `discrete_laplace`.
    """
    least_count = least_released(epsilon, delta, groups_per_unit, rows_per_unit)
    moved = groups_per_unit if rows_per_unit is None else rows_per_unit
    rate, source = exact_epsilon(epsilon) / moved, coins or Coins()
    return _released(unit_counts, least_count, lambda size: sample(size, rate, source, laws))


def least_released(
    epsilon: Rational, delta: Rational, groups_per_unit: int, rows_per_unit: int | None = None
) -> int:
    """tau of numbers of units or, with `rows_per_unit`, of rows; exact and public."""
    if rows_per_unit is None:
        return laplace_threshold(epsilon, delta, groups_per_unit)
    return row_threshold(epsilon, delta, groups_per_unit, rows_per_unit)


def gaussian_thresholding(
    unit_counts: np.ndarray,
    *,
    rho: Rational,
    delta: Rational,
    groups_per_unit: int,
    coins: Coins | None = None,
    laws: Laws = DiscreteLaplace.of,
) -> NoisyGroups:
    """The groups whose number of units plus discrete Gaussian noise reaches the threshold, with that number.

    As `laplace_thresholding`; the guarantee is delta-approximate rho-zCDP.
    """
    least_count = gaussian_threshold(rho, delta, groups_per_unit)
    sigma_squared, source = groups_per_unit / (2 * Fraction(rho)), coins or Coins()
    return _released(
        unit_counts, least_count, lambda size: sample_gaussian(size, sigma_squared, source, laws)
    )


def _released(unit_counts: np.ndarray, tau: int, noise: Callable[[int], IntegerArray]) -> NoisyGroups:
    counts = integer_array("unit_counts", unit_counts)
    if counts.ndim != 1:
        raise ValueError(f"unit_counts must be one-dimensional, not of shape {counts.shape}")
    if counts.size and counts.min() < 0:
        raise ValueError("a number of units cannot be negative")
    present = np.flatnonzero(counts)
    noisy = add_noise(counts[present], noise(present.size))
    kept: Booleans = np.asarray(noisy >= tau, dtype=np.bool_)
    return NoisyGroups(present[kept], noisy[kept])


def release_probability(
    n: int, *, epsilon: Rational, delta: Rational, groups_per_unit: int, rows_per_unit: int | None = None
) -> float:
    """The probability that `laplace_thresholding` releases a group of n distinct units or rows; a float: it is public.

    P(Z >= tau - n): a^k / (1 + a) for k = tau - n >= 1, otherwise 1 - a^(1 - k) / (1 + a).
    """
    size = integer("n", n, at_least=0)
    k = least_released(epsilon, delta, groups_per_unit, rows_per_unit) - size
    rate = float(exact_epsilon(epsilon) / (groups_per_unit if rows_per_unit is None else rows_per_unit))
    share = 1 / (1 + math.exp(-rate))
    if size == 0:
        return 0.0
    return math.exp(-rate * k) * share if k >= 1 else 1 - math.exp(-rate * (1 - k)) * share
