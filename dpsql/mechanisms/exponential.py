"""The exponential mechanism: one candidate, with probability proportional to weight * exp(epsilon u / D_R).

Requires: integer scores u, a function of the database; `score_range` D_R, the largest |d_i - d_j| over
candidates i, j and neighbouring databases, where d is the change of the score vector; weights and the list of
candidates do not depend on the data.

Guarantees: epsilon-differential privacy of the chosen index, exactly: no float takes part.

Because: let P and P' be the laws for neighbours with u' = u + d. P'(i) / P(i) = exp(epsilon d_i / D_R) S / S'
with S, S' the sums of weight * exp(epsilon u / D_R) over all candidates before and after; S' is at least S
exp(epsilon min_j d_j / D_R), so that the ratio is at most exp(epsilon (d_i - min_j d_j) / D_R) <=
exp(epsilon). D_R <= 2 * (L-infinity sensitivity), which gives the classical form exp(epsilon u / (2 Delta));
for scores that all move in one direction D_R is the L-infinity sensitivity itself.

Sampling: draw a candidate in proportion to its weight, accept it with probability exp(-epsilon (u_max - u) /
D_R), else begin again. Because: an accepted candidate has the law of the weights times the acceptance,
normalised. Tries are independent, so that they may be made in batches of which the first accepted one counts.

Time: the number of tries is geometric with a mean of sum(weight) / sum(weight * acceptance), which depends on
the scores; it never exceeds sum(weight) / (the weight of a best candidate) on average.

Sources: McSherry and Talwar 2007, Mechanism Design via Differential Privacy; for the range of the change
instead of 2 Delta: Dong, Durfee, Rogers 2020, Optimal Differential Privacy Composition for Exponential
Mechanisms.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from dpsql.mechanisms.coins import INT64_LIMIT, Coins, IntegerArray
from dpsql.mechanisms.parameters import (
    candidate_scores,
    candidate_weights,
    exact_epsilon,
    gaps_to_best,
    integer,
)

LARGEST_BATCH = 1 << 16

Indices = npt.NDArray[np.intp]


def exponential_mechanism(
    scores: np.ndarray,
    *,
    epsilon: Fraction | int,
    score_range: int,
    weights: Sequence[int] | None = None,
    coins: Coins | None = None,
) -> int:
    """The index of one candidate, chosen with probability proportional to weight * exp(epsilon u /
    score_range).

    `scores`: integers, one for each candidate; `weights`: integers of at least 0, all 1 by default. A
    candidate of weight 0 is never chosen. Guarantee, proof and sources: see the module. ValueError or
    TypeError for no candidates and for parameters out of range.
    """
    exact = candidate_scores(scores)
    rate = exact_epsilon(epsilon) / integer("score_range", score_range, at_least=1)
    source = coins or Coins()
    if weights is None:
        return _first_accepted(gaps_to_best(exact), None, rate, source)
    positive = candidate_weights(weights, exact.size)
    eligible = np.flatnonzero([w > 0 for w in positive])
    cumulative = _cumulative([w for w in positive if w > 0])
    return int(eligible[_first_accepted(gaps_to_best(exact[eligible]), cumulative, rate, source)])


def _cumulative(weights: list[int]) -> IntegerArray:
    return np.array(list(accumulate(weights)), dtype=np.int64 if sum(weights) < INT64_LIMIT else object)


def _first_accepted(gaps: IntegerArray, cumulative: IntegerArray | None, rate: Fraction, coins: Coins) -> int:
    """The first accepted try, tries being made in batches of 1, 2, 4, ..."""
    size = 1
    while True:
        tries = _propose(gaps.size, cumulative, size, coins)
        accepted = coins.bernoulli_exp_many(gaps[tries], rate.denominator, rate.numerator)
        if accepted.any():
            return int(tries[int(accepted.argmax())])
        size = min(2 * size, LARGEST_BATCH)


def _propose(count: int, cumulative: IntegerArray | None, size: int, coins: Coins) -> Indices:
    """Candidates drawn uniformly, or in proportion to weights given by their running totals."""
    if cumulative is None:
        return coins.integers(count, size).astype(np.intp)
    return np.searchsorted(cumulative, coins.integers(int(cumulative[-1]), size), side="right")
