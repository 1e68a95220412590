"""The sparse vector technique (AboveThreshold): which of many queries exceed a threshold, paying for hits alone.

Requires: a sequence of integer queries, each of which changes by at most Delta (`sensitivity`) between
neighbouring databases; D_R, the largest |d_i - d_j| over two of them, d being their changes (2 Delta in
general, Delta if they are monotone, that is if all of them change in the same direction). A threshold T that
does not depend on the data. A later query may depend on earlier answers.

The mechanism: let rho be one discrete Laplace noise of rate epsilon_1 / Delta. Query i answers "above" if and
only if q_i + nu_i >= T + rho, where nu_i is fresh discrete Laplace noise of rate epsilon_2 / (c D_R). It halts
at the c-th "above". epsilon_1 = share * epsilon, epsilon_2 = (1 - share) * epsilon.

Guarantees: epsilon-differential privacy of all the answers together, however many are "below", exactly: no
float takes part. Neither rho, nor a noisy query, nor its gap to the threshold is released.

Because: fix a sequence of answers, and let s be the greatest change d_i among the queries that were answered "below",
in [-Delta, Delta] (0 if there are none). Compare rho = z on one database with rho = z + s on the other, which costs at
most exp(epsilon_1). A "below" has q_i + nu < T + z, hence q_i + d_i + nu < T + z + s: its probability does not fall. An
"above" needs nu >= T + z - q_i on one side and nu >= T + z + s - q_i - d_i on the other, higher by at most s - d_i <=
D_R (|d_i| <= Delta <= D_R without a "below"), which costs at most exp(epsilon_2 / c); there are at most c of them. The
sums over z give exp(epsilon_1 + epsilon_2). The lattice adds nothing: P(nu >= t + m) >= exp(-rate m) P(nu >= t) holds
for discrete Laplace noise, and ">=" is the same on both sides.

What is broken elsewhere, and fails the tests here (Lyu, Su, Li 2017, their variants): no noise on the queries; noise
on the queries that does not grow with c; noise of D_R = Delta for queries that are not monotone.

Time: that of the noise of the queries asked, and so of the number of answers, which is public.

Accuracy: see `above_threshold_error`. Sources: Dwork, Naor, Reingold, Rothblum, Vadhan 2009, On the Complexity
of Differentially Private Data Release; Lyu, Su, Li 2017, Understanding the Sparse Vector Technique for
Differential Privacy, algorithms 1 and 7 (the corrected form, monotone queries, and the best share).
"""

from __future__ import annotations

from fractions import Fraction
from typing import cast

import numpy as np

from dpsql.mechanisms.coins import Booleans, Coins, IntegerArray
from dpsql.mechanisms.noise.discrete_laplace import draw_one, interval_half_width, sample
from dpsql.mechanisms.parameters import (
    Rational,
    change_range,
    exact_epsilon,
    exact_level,
    integer,
    integer_array,
)

BATCH = 1 << 12
SAFE = 1 << 61


def above_threshold(
    queries: np.ndarray,
    *,
    threshold: int,
    sensitivity: int,
    epsilon: Rational,
    monotone: bool = False,
    share: Fraction | None = None,
    coins: Coins | None = None,
) -> int | None:
    """The index of the first query found above the threshold, or None.

    As `sparse_vector` with one hit. `queries`: the integer answers of the data, in the order they are asked.
    """
    found = sparse_vector(
        queries,
        threshold=threshold,
        hits=1,
        sensitivity=sensitivity,
        epsilon=epsilon,
        monotone=monotone,
        share=share,
        coins=coins,
    )
    return found.size - 1 if found.any() else None


def sparse_vector(
    queries: np.ndarray,
    *,
    threshold: int,
    hits: int,
    sensitivity: int,
    epsilon: Rational,
    monotone: bool = False,
    share: Fraction | None = None,
    coins: Coins | None = None,
) -> Booleans:
    """Whether each query is above the threshold, up to and including the `hits`-th that is.

    `queries`: integers, one-dimensional, each of the given sensitivity; `monotone` if all of them change in
    the same direction. `share`: the part of epsilon that the threshold's noise gets, `best_share` by default.
    """
    exact = integer_array("queries", queries)
    if exact.ndim != 1:
        raise ValueError(f"queries must be one-dimensional, not of shape {exact.shape}")
    if isinstance(threshold, bool) or not isinstance(threshold, (int, np.integer)):
        raise TypeError(f"threshold must be an integer, not {type(threshold).__name__}")
    first, second = _rates(hits, sensitivity, epsilon, monotone, share)
    source = coins or Coins()
    return _answers(exact, int(threshold) + draw_one(first, source), hits, second, source)


def _answers(queries: IntegerArray, bar: int, hits: int, rate: Fraction, coins: Coins) -> Booleans:
    """The answers against a threshold that has its noise, in batches: what is drawn beyond the end is dropped."""
    answers: list[Booleans] = [np.empty(0, np.bool_)]
    for start in range(0, queries.size, BATCH):
        batch = queries[start : start + BATCH]
        above = _reaches(batch, sample(batch.size, rate, coins), bar)
        places = np.flatnonzero(above)
        if places.size >= hits:
            answers.append(above[: places[hits - 1] + 1])
            break
        hits -= places.size
        answers.append(above)
    return cast(Booleans, np.concatenate(answers))


def _reaches(queries: IntegerArray, noise: IntegerArray, bar: int) -> Booleans:
    small = abs(bar) < SAFE and all(
        part.dtype == np.int64 and int(part.min()) > -SAFE and int(part.max()) < SAFE
        for part in (queries, noise)
    )
    noisy = queries + noise if small else queries.astype(object) + noise.astype(object)
    return np.asarray(noisy >= bar, dtype=np.bool_)


def _rates(
    hits: int, sensitivity: int, epsilon: Rational, monotone: bool, share: Fraction | None
) -> tuple[Fraction, Fraction]:
    """The rates of the noise of the threshold and of each query."""
    whole, count = exact_epsilon(epsilon), integer("hits", hits, at_least=1)
    reach = change_range(sensitivity, monotone, None)
    part = best_share(count, monotone=monotone) if share is None else share
    if not isinstance(part, Fraction):
        raise TypeError(f"share must be a Fraction, not {type(part).__name__}")
    if not 0 < part < 1:
        raise ValueError(f"share must lie strictly between 0 and 1, not {part}")
    return part * whole / sensitivity, (1 - part) * whole / (count * reach)


def best_share(hits: int, *, monotone: bool = False) -> Fraction:
    """The share of epsilon for the threshold that makes the variance of noisy query minus noisy threshold least.

    1 / (1 + (c D_R / Delta)^(2/3)), to three decimals: scales Delta / epsilon_1 and c D_R / epsilon_2 with
    epsilon_1 + epsilon_2 fixed (Lyu, Su, Li 2017, allocation of the budget). A choice of parameter, not of privacy.
    """
    growth = integer("hits", hits, at_least=1) * change_range(1, monotone, None)
    return max(Fraction(round(1000 / (1 + growth ** (2 / 3))), 1000), Fraction(1, 1000))


def above_threshold_error(
    beta: Fraction | float,
    *,
    queries: int,
    hits: int,
    sensitivity: int,
    epsilon: Rational,
    monotone: bool = False,
    share: Fraction | None = None,
) -> int:
    """An error alpha such that with probability at least 1 - beta every "above" has q_i >= T - alpha and every
    "below" q_i < T + alpha.

    Because: alpha is the width that |rho| exceeds with probability at most beta / 2, plus the one that a single
    |nu_i| exceeds with at most beta / (2 queries) (Dwork and Roth 2014, accuracy of AboveThreshold, with
    exact discrete tails).
    """
    first, second = _rates(hits, sensitivity, epsilon, monotone, share)
    level = exact_level("beta", beta) / 2
    each = level / integer("queries", queries, at_least=1)
    of_threshold = interval_half_width(level, sensitivity=1, epsilon=first)
    return of_threshold + interval_half_width(each, sensitivity=1, epsilon=second)
