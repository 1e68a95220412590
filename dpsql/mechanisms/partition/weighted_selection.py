"""Partition selection by weights: a unit with few groups counts for more in each of them than a unit with many.

A unit with d groups adds isqrt(2^40 // d) to the weight of each, whatever d is. A group is shown if and only if its
weight W plus discrete Gaussian noise Z of sigma^2 = S / (2 rho), rounded up to an integer, exceeds T. S is 2^40, or
2^41 if a unit may be replaced. T is the largest isqrt(2^40 // t) + z_t over 1 <= t <= g, with z_t the least z >= 0
that is proven to have P(Z > z) <= delta' / t.

Requires: a group's weight is the sum over its units, each with at most g groups, of what `key_weight` says of the
number of that unit's own groups; groups that no unit touches are unknown, and treated as such if they are given with
a weight of 0.

Guarantees: delta'-approximate rho-zCDP of the set of shown groups, for both kinds of neighbours. So it is (epsilon,
delta + delta')-private wherever rho converts to (epsilon, delta). No float takes part in a decision.

Because (noise): a unit's weights have an L2 norm of at most 2^20: d isqrt(2^40 // d)^2 <= 2^40. If a unit is replaced,
the weights move by x - y with |x|, |y| <= 2^20, and x y >= 0 since no weight is negative: |x - y|^2 <= 2^41. On the
groups of both databases the noisy weights are therefore rho-zCDP (Canonne, Kamath, Steinke 2020), and what a threshold
makes of them is.

Because (threshold): the groups of D that D' has not are those of which one unit is the only one. Let them be t of its
d >= t groups: each has the weight isqrt(2^40 // d) <= isqrt(2^40 // t), and is shown with probability at most P(Z >
z_t) <= delta' / t. So none is shown with probability at least 1 - delta', independently of the noise of all other
groups. If a unit is replaced, this holds of the groups of D alone by the unit before, and of those of D' alone by the
unit after. Given both events the two laws are those of the groups that both databases have: this is the definition of
delta'-approximate rho-zCDP (Bun and Steinke 2016), and no factor 2 is needed in g or in delta'.

Because (conversion): let a, b <= delta' be the probabilities of the two events not happening, and y = e^epsilon times
that of a set S on the groups of both, from D'. Then P(D in S) <= a + (1 - a) min(1, y + delta), and e^epsilon P(D' in
S) >= (1 - b) y. Up to y = 1 - delta what is missing, (1 - b) y + delta + delta' - a - (1 - a)(y + delta) = delta' - a +
a delta + y (a - b), is linear in y and at least 0 at y = 0 and y = 1. Beyond, (1 - b) y + delta + delta' >= 1.

Why weights: with counts, one unit in g groups moves a vector by sqrt(g) in L2 and by g in L1, and noise must be made
for it, though most units have few groups. Weights have a norm of 1 for each unit, so that g stands in a logarithm.

Time: depends on the number of groups. What is not shown must not be told, nor that it was a candidate.

Sources: Korolova, Kenthapadi, Mishra, Ntoulas 2009; Gopi, Gulhane, Kulkarni, Shen, Shokouhi, Yekhanin 2020,
Differentially Private Set Union (Gaussian weights, on floats; here on integers, with exact tails).
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache, lru_cache
from statistics import NormalDist

import numpy as np

from dpsql.mechanisms.coins import Booleans, Coins, IntegerArray
from dpsql.mechanisms.exact.exact_exp import least
from dpsql.mechanisms.noise.discrete_gaussian import sample, tail_bounds
from dpsql.mechanisms.noise.discrete_laplace import DiscreteLaplace, Laws, add_noise
from dpsql.mechanisms.parameters import Rational, exact_delta, exact_positive, integer, integer_array
from dpsql.privacy import Neighbours

UNIT_WEIGHT = 1 << 20
MOST_GROUPS = UNIT_WEIGHT**2
TINY, HALF = 1e-300, 0.5


def key_weight(groups: int) -> int:
    """What a unit with so many groups adds to each of them: isqrt(2^40 // groups).

    >>> [key_weight(d) for d in (1, 2, 4, 100)]
    [1048576, 741455, 524288, 104857]
    """
    return math.isqrt(MOST_GROUPS // integer("groups", groups, at_least=1))


def weight_variance(rho: Rational, neighbours: Neighbours) -> int:
    """sigma^2 of the noise of a group's weight: the square of how far weights move, over 2 rho; rounded up."""
    if not isinstance(neighbours, Neighbours):
        raise TypeError("neighbours must be a Neighbours")
    return math.ceil(MOST_GROUPS * neighbours.factor / (2 * exact_positive("rho", rho)))


def weight_threshold(rho: Rational, delta: Rational, groups_per_unit: int, neighbours: Neighbours) -> int:
    """T: a group is shown if its noisy weight exceeds it; exact and public."""
    variance, level = Fraction(weight_variance(rho, neighbours)), exact_delta(delta)
    return _threshold(variance, level, _most("groups_per_unit", groups_per_unit))


@lru_cache(maxsize=256)
def _threshold(variance: Fraction, level: Fraction, most: int) -> int:
    """The largest weight(t) + tail(t) for t up to `most`.

    Weights fall with t and tails rise, so that weight(low) + tail(high) bounds all between: halves that cannot hold
    more than the best so far are not looked into.
    """

    @cache
    def tail(groups: int) -> int:
        return _tail_point(variance, level / groups)

    best = max(key_weight(t) + tail(t) for t in (1, most))
    unseen = [(1, most)]
    while unseen:
        low, high = unseen.pop()
        if high - low < 2 or key_weight(low) + tail(high) <= best:
            continue
        middle = (low + high) // 2
        best = max(best, key_weight(middle) + tail(middle))
        unseen += [(low, middle), (middle, high)]
    return best


def select_by_weights(
    weights: np.ndarray,
    *,
    rho: Rational,
    delta: Rational,
    groups_per_unit: int,
    neighbours: Neighbours,
    coins: Coins | None = None,
    laws: Laws = DiscreteLaplace.of,
) -> Booleans:
    """Which groups are shown, given the weight of each.

    `weights`: integers of any shape, none negative; the result is boolean and of their shape. `laws`: as for
    `discrete_laplace`.
    """
    exact = integer_array("weights", weights)
    if exact.size and exact.min() < 0:
        raise ValueError("weights cannot be negative")
    threshold = weight_threshold(rho, delta, groups_per_unit, neighbours)
    variance, flat = Fraction(weight_variance(rho, neighbours)), exact.reshape(-1)
    shown = np.zeros(flat.size, dtype=np.bool_)
    present = np.flatnonzero(flat)
    noisy: IntegerArray = add_noise(flat[present], sample(present.size, variance, coins or Coins(), laws))
    shown[present] = noisy > threshold
    return shown.reshape(exact.shape)


def show_probability(
    weight: int, *, rho: Rational, delta: Rational, groups_per_unit: int, neighbours: Neighbours
) -> float:
    """The probability that a group of that weight is shown; a float: it is public information."""
    size = integer("weight", weight, at_least=0)
    threshold = weight_threshold(rho, delta, groups_per_unit, neighbours)
    variance = weight_variance(rho, neighbours)
    return float(tail_bounds(threshold + 1 - size, variance)[1]) if size else 0.0


def even_units(
    groups: int, *, rho: Rational, delta: Rational, groups_per_unit: int, neighbours: Neighbours
) -> int:
    """The least number of units, each with so many groups, at which a group of them is shown half of the time."""
    threshold = weight_threshold(rho, delta, groups_per_unit, neighbours)
    return -(-(threshold + 1) // key_weight(_most("groups", groups)))


def _most(name: str, groups: int) -> int:
    """The number of groups; ValueError where it leaves a unit no weight."""
    number = integer(name, groups, at_least=1)
    if number > MOST_GROUPS:
        raise ValueError(f"{name} must be at most 2^40, where a weight is 1, not {number}")
    return number


def _tail_point(variance: Fraction, level: Fraction) -> int:
    """The least z >= 0 for which the bounds of the law prove that P(Z > z) <= level."""
    rough = max(float(level), TINY)
    guess = int(-NormalDist().inv_cdf(rough) * math.sqrt(variance)) if rough < HALF else 0
    return least(lambda z: tail_bounds(z + 1, variance)[1] <= level, guess)
