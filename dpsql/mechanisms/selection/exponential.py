"""The exponential mechanism: one candidate, with probability proportional to weight * exp(epsilon u / D_R).

Requires: integer scores u, a function of the database; D_R, the largest |d_i - d_j| over candidates i, j and
neighbouring databases, where d is the change of the score vector; weights and the list of candidates do not
depend on the data.

Guarantees: epsilon-differential privacy of the chosen index, exactly: no float takes part. Under zero-
concentrated differential privacy it costs only rho = epsilon^2 / 8.

Because: let P and P' be the laws for neighbours with u' = u + d. P'(i) / P(i) = exp(epsilon d_i / D_R) S / S' with S,
S' the sums of weight * exp(epsilon u / D_R) over all candidates before and after; S' is at least S exp(epsilon min_j
d_j / D_R), so that the ratio is at most exp(epsilon (d_i - min_j d_j) / D_R) <= exp(epsilon). For the same reason the
logarithms of the ratios for two candidates are at most epsilon apart (a range bounded by epsilon), and a loss within an
interval of length epsilon has, by Hoeffding's lemma, a Renyi divergence of order alpha of at most alpha epsilon^2 / 8.

What D_R is, with Delta = max |d_i| (L-infinity) and Delta_1 the largest sum of |d_i| (L1):

- at most 2 Delta and at most Delta_1, since |d_i - d_j| <= |d_i| + |d_j|. So the classical form is exp(epsilon
  u / (2 Delta));
- Delta if the scores are monotone, that is if for each pair of neighbours all d_i have one sign: then d_i and
  d_j lie both in [0, Delta] or both in [-Delta, 0]. It does not matter which databases have the larger scores,
  nor does turning the order around (-u in place of u);
- Delta_1 for sums, also signed ones, over disjoint groups: a unit of m rows with values in [lo, hi] has
  Delta_1 = m max(|lo|, |hi|), the same as Delta. No factor 2 there;
- 2 Delta itself for signed scores of groups that overlap, where one row may raise one score and lower another.

Sampling: with x = epsilon (u_max - u) / D_R, candidates lie in layers floor(x) = 0, 1, ..., L - 1 and a last
one of all x >= L, L = the bits of the total weight. Draw layer k in proportion to (its weight) * exp(-k), a
candidate of the layer by weight, and accept it with probability exp(-(x - k)), else begin again. Because: an
accepted candidate has probability proportional to exp(-k) * weight * exp(-(x - k)).

Time: dominated by a pass over all candidates. The number of tries is geometric with a mean of at most 4, whatever
scores and weights are: within a layer 1/e are accepted, and the last weighs less than a best candidate alone.

Accuracy: see `loss_bound`. Sources: McSherry and Talwar 2007, Mechanism Design via Differential Privacy; for the range
of the change instead of 2 Delta: Dong, Durfee, Rogers 2020, Optimal Differential Privacy Composition for Exponential
Mechanisms; for rho: Rogers and Steinke 2021, A Better Privacy Analysis of the Exponential Mechanism.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import cast

import numpy as np
import numpy.typing as npt

from dpsql.mechanisms.coins import INT64_LIMIT, Coins, IntegerArray
from dpsql.mechanisms.exact.exact_exp import Bounds, exp_interval, is_positive, least
from dpsql.mechanisms.parameters import (
    Rational,
    candidate_scores,
    candidate_weights,
    change_range,
    exact_epsilon,
    exact_level,
    gaps_to_best,
    integer,
)


def exponential_mechanism(
    scores: np.ndarray,
    *,
    epsilon: Rational,
    sensitivity: int | None = None,
    monotone: bool = False,
    score_range: int | None = None,
    weights: Sequence[int] | np.ndarray | None = None,
    coins: Coins | None = None,
) -> int:
    """The index of one candidate, chosen with probability proportional to weight * exp(epsilon u / D_R).

    `scores`: integers, one for each candidate. D_R is 2 * `sensitivity` (L-infinity, of the scores), only
    `sensitivity` if they are `monotone`, or given itself as `score_range`. `weights`: integers of at least 0,
    all 1 by default; a candidate of weight 0 is never chosen. ValueError for no candidates.
    """
    exact = candidate_scores(scores)
    rate = exact_epsilon(epsilon) / change_range(sensitivity, monotone, score_range)
    source = coins or Coins()
    if weights is None:
        return _select(gaps_to_best(exact), np.ones(exact.size, np.int64), rate, source)
    mass = candidate_weights(weights, exact.size)
    eligible = np.flatnonzero(mass)
    return int(eligible[_select(gaps_to_best(exact[eligible]), mass[eligible], rate, source)])


def _select(gaps: IntegerArray, weights: IntegerArray, rate: Fraction, coins: Coins) -> int:
    """An index with probability proportional to weight * exp(-rate * gap); every weight is at least 1, some gap 0."""
    exponents, q = _exponents(gaps, rate), rate.denominator
    last = int(weights.sum()).bit_length()
    layers = np.minimum(exponents // q, last).astype(np.min_scalar_type(last))
    order = np.argsort(layers, kind="stable")
    running = cast(IntegerArray, np.cumsum(weights[order]))
    starts = _starts(layers[order], running, last)
    masses = [end - start for start, end in pairwise(starts)]
    while True:
        k = coins.layer(masses)
        place = np.searchsorted(running, starts[k] + coins.below(masses[k]), side="right")
        chosen = int(order[place])
        if coins.bernoulli_exp(int(exponents[chosen]) - k * q, q):
            return chosen


def _exponents(gaps: IntegerArray, rate: Fraction) -> IntegerArray:
    """gap * p for a rate p/q."""
    if max(int(gaps.max()), 1) * rate.numerator >= INT64_LIMIT or rate.denominator >= INT64_LIMIT:
        gaps = gaps.astype(object)
    return gaps * rate.numerator


def _starts(layers: npt.NDArray[np.unsignedinteger], running: IntegerArray, last: int) -> list[int]:
    """For sorted layers the weight before each of the layers 0 .. last, and the whole weight."""
    counts = np.searchsorted(layers, np.arange(last + 2))
    return [int(running[count - 1]) if count else 0 for count in counts]


def exponential_rho(epsilon: Rational) -> Fraction:
    """rho = epsilon^2 / 8: the zero-concentrated cost of one choice of the exponential mechanism.

    Not of permute-and-flip, nor of noisy maxima with Laplace noise. Because: see the module (Dong, Durfee,
    Rogers 2020; Rogers and Steinke 2021).
    """
    return exact_epsilon(epsilon) ** 2 / 8


def exponential_loss_bound(
    beta: Fraction | float,
    *,
    candidates: int,
    epsilon: Rational,
    sensitivity: int | None = None,
    monotone: bool = False,
    score_range: int | None = None,
    best: int = 1,
) -> int:
    """The least k such that u_max - u of the choice exceeds k with probability at most beta, for all scores.

    `candidates`: their number, `best` of them (at least) reach u_max; with weights, the total weight and that
    of the best. Because: with a = exp(-epsilon / D_R), losses of at least k + 1 have together at most the
    probability x / (best + x), x = (candidates - best) a^(k + 1), reached where all others lose just k + 1.
    Never above D_R / epsilon * ln(candidates / (best * beta)), the usual theorem (McSherry and Talwar 2007;
    Dwork and Roth 2014, utility of the exponential mechanism).
    """
    rate = exact_epsilon(epsilon) / change_range(sensitivity, monotone, score_range)
    level = exact_level("beta", beta)
    top = integer("best", best, at_least=1)
    others = integer("candidates", candidates, at_least=top) - top
    if others == 0:
        return 0

    def covers(k: int) -> bool:
        def slack(bits: int) -> Bounds:  # of level * best - (1 - level) * others * a^(k + 1)
            lo, hi = exp_interval(rate * (k + 1), bits)
            return level * top - (1 - level) * others * hi, level * top - (1 - level) * others * lo

        return is_positive(slack)

    logarithm = math.log(others) - math.log(top) + math.log1p(-float(level)) - math.log(level.numerator)
    return least(covers, int(Fraction(logarithm + math.log(level.denominator)) / rate))
