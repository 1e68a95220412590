"""Report noisy max: the best of many candidates by noisy score, with exponential, Gumbel or Laplace noise.

Requires: integer scores u, a function of the database; D_R, the largest |d_i - d_j| over candidates i, j and
neighbouring databases, where d is the change of the score vector (2 Delta in general, Delta for monotone
scores: see `exponential`). All candidates count alike: with unequal weights, or with another chance of being
looked at first, permute-and-flip is not private.

Guarantees: epsilon-differential privacy of the chosen index, exactly: no float takes part. Only the index:
neither the winner's noisy score nor its gap to the next is released, which needs a proof and a budget of its
own. The expected loss u_max - u of permute-and-flip is never above that of the exponential mechanism, and down
to half of it; but its zero-concentrated cost is that of any pure mechanism, not epsilon^2 / 8.

**Exponential noise is permute-and-flip.** Three forms of the same law:

- Permutation form (McKenna and Sheldon): take the candidates in a uniformly random order, flip a coin of
  probability exp(-epsilon (u_max - u) / D_R) for each, and stop at the first success. A best candidate succeeds
  for sure.
- One-pass form (here): flip every candidate's coin, then choose uniformly among the successes. It is the same
  law because the coins are independent of the order: flip all of them beforehand, which changes nothing about
  those that the permutation form looks at; what it returns is then the member of the set W of successes that
  comes first in a uniformly random order, and by symmetry each member of W comes first with probability 1 /
  |W|.
- Report-noisy-max form (Ding et al.): add independent exponential noise X_i of rate epsilon / D_R to every
  score and return the best. It is the same law: X_i lifts candidate i above u_max with probability exp(-epsilon
  (u_max - u_i) / D_R), independently, and a best candidate for sure; what X_i has left above u_max is again
  exponential (no memory), so that among those lifted the winner is uniform.

**Gumbel noise is the exponential mechanism**: -ln(-ln U) added to epsilon u / D_R has its greatest value at i
with probability exp(epsilon u_i / D_R) / sum. It is drawn as that (`exponential`), without a real number.

**Laplace noise** is discrete, Z_i of rate epsilon / D_R, and ties, which a lattice has, are broken uniformly.

Because (privacy): fix the noise of the others. Let f(z) be the probability that i is chosen given that its own
noise is z: 0 where some other noisy score is above u_i + z, otherwise 1 / (1 + the number of those equal to
it). Let f' be the same for the neighbour's scores u + d, with the others' noise as it was. The score of every
other candidate, measured from that of i, rises by d_j - d_i <= D_R. So i with noise z + D_R meets no stronger
rival than i with noise z did: whoever was below stays below, whoever was level is level or below. Hence f'(z +
D_R) >= f(z), ties included, and P'(i) >= sum P(Z = z + D_R) f'(z + D_R) >= exp(-epsilon) sum P(Z = z) f(z) =
exp(-epsilon) P(i), for the law of Z satisfies P(Z = z + D_R) >= exp(-epsilon) P(Z = z). For exponential noise,
which has a density and no ties, the same with P(X > s + D_R) >= exp(-epsilon) P(X > s).

**Top k** is k selections without replacement, each with epsilon / k: they add up to epsilon (under zero-
concentrated privacy, with Gumbel noise, to k (epsilon / k)^2 / 8). The choice before is public, and the scores
of what is left have at most the same D_R.

Time: of permute-and-flip it depends on how many coins are still undecided after each toss, and so on the
scores; of Gumbel and Laplace noise hardly at all.

Accuracy: `permute_and_flip_loss_bound`, `laplace_loss_bound`; for Gumbel noise `exponential_loss_bound`.

Sources: McKenna and Sheldon 2020, Permute-and-Flip: A New Mechanism for Differentially Private Selection;
Ding, Kifer, Sayed, Steinke, Wang, Xiao, Zhang 2021, The Permute-and-Flip Mechanism is Identical to
Report-Noisy-Max with Exponential Noise; Dwork and Roth 2014, The Algorithmic Foundations of Differential
Privacy, claim 3.9 (Laplace noise); Durfee and Rogers 2019, Practical Differentially Private Top-k Selection
with Pay-what-you-get Composition (Gumbel noise and top k).
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from dpsql.mechanisms.coins import Coins, IntegerArray
from dpsql.mechanisms.exact.exact_exp import least
from dpsql.mechanisms.noise.discrete_laplace import sample
from dpsql.mechanisms.parameters import (
    Rational,
    candidate_scores,
    change_range,
    exact_epsilon,
    exact_level,
    gaps_to_best,
    integer,
)
from dpsql.mechanisms.selection.exponential import exponential_mechanism

Noise = Literal["exponential", "gumbel", "laplace"]


def permute_and_flip(
    scores: np.ndarray,
    *,
    epsilon: Rational,
    sensitivity: int | None = None,
    monotone: bool = False,
    score_range: int | None = None,
    coins: Coins | None = None,
) -> int:
    """The index of one candidate, chosen by permute-and-flip in one pass.

    `scores`: integers, one for each candidate. D_R is 2 * `sensitivity` (L-infinity, of the scores), only
    `sensitivity` if they are `monotone`, or given itself as `score_range`. ValueError for no candidates.
    """
    rate = exact_epsilon(epsilon) / change_range(sensitivity, monotone, score_range)
    gaps = gaps_to_best(candidate_scores(scores))
    source = coins or Coins()
    successes = np.flatnonzero(source.bernoulli_exp_many(gaps, rate.denominator, rate.numerator))
    return int(successes[source.below(successes.size)])


def report_noisy_max(
    scores: np.ndarray,
    *,
    epsilon: Rational,
    sensitivity: int | None = None,
    monotone: bool = False,
    score_range: int | None = None,
    noise: Noise = "exponential",
    coins: Coins | None = None,
) -> int:
    """The index of the candidate whose score plus noise is the greatest.

    `noise`: `exponential` (the law of permute-and-flip), `gumbel` (the law of the exponential mechanism) or `laplace`
    (discrete, ties broken uniformly). The rest as for `permute_and_flip`; guarantee, proof and sources: see the module.
    """
    if noise not in get_args(Noise):
        raise ValueError(f"the noise must be one of {', '.join(get_args(Noise))}, not {noise!r}")
    reach = change_range(sensitivity, monotone, score_range)
    if noise == "exponential":
        return permute_and_flip(scores, epsilon=epsilon, score_range=reach, coins=coins)
    if noise == "gumbel":
        return exponential_mechanism(scores, epsilon=epsilon, score_range=reach, coins=coins)
    return _laplace_max(candidate_scores(scores), exact_epsilon(epsilon) / reach, coins or Coins())


def _laplace_max(scores: IntegerArray, rate: Fraction, coins: Coins) -> int:
    noise, behind = sample(scores.size, rate, coins), gaps_to_best(scores)
    wide = int(behind.max()) >= 1 << 62 or noise.dtype == object  # a law's own values stay within 2^62
    noisy = noise.astype(object) - behind if wide else noise - behind
    tied = np.flatnonzero(noisy == noisy.max())
    return int(tied[coins.below(tied.size)])


def top_k(
    scores: np.ndarray,
    k: int,
    *,
    epsilon: Rational,
    sensitivity: int | None = None,
    monotone: bool = False,
    score_range: int | None = None,
    noise: Noise = "exponential",
    coins: Coins | None = None,
) -> npt.NDArray[np.intp]:
    """The indices of k different candidates, in the order of choice, with epsilon / k spent on each.

    `k`: from 1 to the number of candidates, chosen without looking at the data. The rest as for `report_noisy_max`.
    """
    exact = candidate_scores(scores)
    if integer("k", k, at_least=1) > exact.size:
        raise ValueError(f"{k} of {exact.size} candidates cannot be chosen")
    reach, share = change_range(sensitivity, monotone, score_range), exact_epsilon(epsilon) / k
    left = np.arange(exact.size)
    chosen = []
    for _ in range(k):
        place = report_noisy_max(exact[left], epsilon=share, score_range=reach, noise=noise, coins=coins)
        chosen.append(left[place])
        left = np.delete(left, place)
    return np.array(chosen, dtype=np.intp)


def permute_and_flip_loss_bound(
    beta: Fraction | float,
    *,
    candidates: int,
    epsilon: Rational,
    sensitivity: int | None = None,
    monotone: bool = False,
    score_range: int | None = None,
) -> int:
    """The least k such that u_max - u of permute-and-flip exceeds k with probability at most beta, for all scores.

    Because: the choice is uniform among the successes, so that the others win most often where all of them lose exactly
    k + 1 to a single best one. Their coins are then of probability x = a^(k + 1), a = exp(-epsilon / D_R), and the best
    one wins with probability (1 - (1 - x)^n) / (n x), n = `candidates`. Computed in floats: it is public information.
    Never above the bound of the exponential mechanism (McKenna and Sheldon 2020, comparison with it).
    """
    rate = float(exact_epsilon(epsilon) / change_range(sensitivity, monotone, score_range))
    n, level = integer("candidates", candidates, at_least=1), float(exact_level("beta", beta))
    return least(lambda k: _flip_loss(n, math.exp(-rate * (k + 1))) <= level, int(math.log(n) / rate))


def _flip_loss(n: int, x: float) -> float:
    """1 - (1 - (1 - x)^n) / (n x) for x < 1; about (n - 1) x / 2 where n x is small."""
    if n * x < 1e-5:
        return (n - 1) * x / 2
    return 1 + math.expm1(n * math.log1p(-x)) / (n * x) if x < 1 else 1 - 1 / n


def laplace_loss_bound(
    beta: Fraction | float,
    *,
    candidates: int,
    epsilon: Rational,
    sensitivity: int | None = None,
    monotone: bool = False,
    score_range: int | None = None,
) -> int:
    """A k such that u_max - u of the noisy maximum with Laplace noise exceeds k with probability at most beta.

    Because: a candidate that loses k + 1 or more wins only if its noise exceeds that of a best one by as much;
    the tail of such a difference is known, and there are at most candidates - 1 of them (union bound). Computed
    in floats: it is public information.
    """
    rate = float(exact_epsilon(epsilon) / change_range(sensitivity, monotone, score_range))
    others = integer("candidates", candidates, at_least=1) - 1
    level = float(exact_level("beta", beta))
    return least(lambda k: others * _difference_tail(k + 1, rate) <= level, int(math.log(others + 1) / rate))


def _difference_tail(m: int, rate: float) -> float:
    """P(Z - Z' >= m) for m >= 1 and independent discrete Laplace Z, Z' of a rate.

    P(Z - Z' = d) = c^2 a^d (d + 1 + 2 a^2 / (1 - a^2)) with c = (1 - a) / (1 + a), d >= 0; the sum over d >= m
    of a^d is a^m / (1 - a), that of d a^d is a^m (m + a / (1 - a)) / (1 - a).
    """
    a, rest = math.exp(-rate), -math.expm1(-rate)
    constant = 1 + 2 * a * a / (rest * (1 + a))
    return math.exp(-rate * m) * rest / (1 + a) ** 2 * (m + a / rest + constant)
