"""Propose, test, release: the median with Laplace noise of a proposed sensitivity, if the data allow for it.

Requires: integers clamped to [lower, upper], one of each unit, that comes or goes with it; a bound b of the
median's local sensitivity, proposed without looking at the data.

The mechanism: let D be the least number of steps after which a database with a local sensitivity above b can be
reached (0 if it is above b already). If D + Z >= tau, release the median plus discrete Laplace noise of rate
epsilon_2 / b; otherwise release that nothing is released. Z is discrete Laplace noise of rate epsilon_1, tau the
least integer with P(Z >= tau) <= delta; epsilon_1 = epsilon_2 = epsilon / 2.

Guarantees: (epsilon, delta)-differential privacy of the outcome, exactly: no float takes part. Neither D nor its
noisy value is released.

Because: D moves by at most 1 between neighbours, so that passing or failing is epsilon_1-private. If D > 0, the median
moves by at most b from here to any neighbour, and the two parts compose to epsilon. If D = 0, the test is passed with
probability P(Z >= tau) <= delta, and everything else is a failure, whose probability is epsilon_1-private: P(outcome in
T) <= delta + exp(epsilon_1) P'(outcome in T). That holds for each of two neighbours as the first one.

Why the test, and not local sensitivity at once: see `smooth_sensitivity`, which needs no delta and never fails to
answer.

D is exact: A_k, the greatest local sensitivity within k steps (see there), never falls, and is reached.

Time: sorting and one pass over the ranks; then that of two draws of noise.

Accuracy: a test that is passed leaves noise of `interval_half_width(beta, sensitivity=b, epsilon=epsilon / 2)`.
`passing_probability` says how likely that is at a distance D.

Source: Dwork and Lei 2009, Differential Privacy and Robust Statistics; Dwork and Roth 2014, chapter 7.
"""

from __future__ import annotations

import math

import numpy as np

from dpsql.mechanisms.coins import Coins
from dpsql.mechanisms.noise.discrete_laplace import draw_one
from dpsql.mechanisms.noise.smooth_sensitivity import clamped, median_of, sensitivities
from dpsql.mechanisms.parameters import Rational, exact_delta, exact_epsilon, integer
from dpsql.mechanisms.partition.thresholding import tail_point


def passing_point(epsilon: Rational, delta: Rational) -> int:
    """tau: the least noisy distance that passes the test; exact and public."""
    return tail_point(exact_epsilon(epsilon) / 2, exact_delta(delta), draws=1)


def propose_test_release(
    values: np.ndarray,
    *,
    lower: int,
    upper: int,
    proposed: int,
    epsilon: Rational,
    delta: Rational,
    coins: Coins | None = None,
) -> int | None:
    """The median of the values in [lower, upper] with noise of the proposed sensitivity, or None.

    `values`: integers, one-dimensional, one of each unit, any number of them. `proposed`: at least 1, in the unit of
    the values.
    """
    bound, needed = integer("proposed", proposed, at_least=1), passing_point(epsilon, delta)
    rate, source = exact_epsilon(epsilon) / 2, coins or Coins()
    ordered = clamped(values, lower, upper)
    steps = _distance(sensitivities(ordered, ordered.size), bound)
    if steps + draw_one(rate, source) < needed:
        return None
    return median_of(ordered) + draw_one(rate / bound, source)


def distance_to_unstable(values: np.ndarray, *, lower: int, upper: int, proposed: int) -> int:
    """D: the steps to the nearest data with a local sensitivity above `proposed`; it is private.

    n + 2 for n values if there are none, because the whole range is no wider: it moves by 1 with n, too.
    """
    ordered = clamped(values, lower, upper)
    return _distance(sensitivities(ordered, ordered.size), integer("proposed", proposed, at_least=1))


def _distance(apart: np.ndarray, bound: int) -> int:
    return int(np.searchsorted(apart, bound, side="right"))


def passing_probability(distance: int, *, epsilon: Rational, delta: Rational) -> float:
    """P(D + Z >= tau) at a distance D; a float: it is public information about the mechanism."""
    missing = passing_point(epsilon, delta) - integer("distance", distance, at_least=0)
    rate = float(exact_epsilon(epsilon) / 2)
    share = 1 / (1 + math.exp(-rate))
    return math.exp(-rate * missing) * share if missing >= 1 else 1 - math.exp(-rate * (1 - missing)) * share
