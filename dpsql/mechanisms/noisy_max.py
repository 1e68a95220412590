"""Permute-and-flip: the best of many candidates, the same law as report-noisy-max with exponential noise.

Requires: integer scores u, a function of the database; `score_range` D_R, the largest |d_i - d_j| over
candidates i, j and neighbouring databases, where d is the change of the score vector. All candidates count
alike: with unequal weights this mechanism is not private.

Guarantees: epsilon-differential privacy of the chosen index, exactly: no float takes part. The expected loss
u_max - u of the choice is never above that of the exponential mechanism, and down to half of it.

Permutation form (McKenna and Sheldon): take the candidates in a uniformly random order, flip a coin of
probability exp(-epsilon (u_max - u) / D_R) for each, and stop at the first success. A best candidate succeeds
for sure.

One-pass form (here): flip every candidate's coin, then choose uniformly among the successes. It is the same
law because the coins are independent of the order: flip all of them beforehand, which changes nothing about
those that the permutation form looks at; what it returns is then the member of the set W of successes that
comes first in a uniformly random order, and by symmetry each member of W comes first with probability 1 /
|W|.

Report-noisy-max form (Ding et al.): add independent exponential noise X_i of rate epsilon / D_R to every
score and return the best. It is the same law: X_i lifts candidate i above u_max with probability exp(-epsilon
(u_max - u_i) / D_R), independently, and a best candidate for sure; what X_i has left above u_max is again
exponential (no memory), so that among those lifted the winner is uniform.

Because (privacy): given the noise of the others, i wins if and only if X_i exceeds s = max_j (u_j - u_i +
X_j), and a change d of the scores raises s by at most max_j (d_j - d_i) <= D_R. For every s, also below 0,
P(X_i > s + D_R) is at least exp(-epsilon) P(X_i > s).

Time: depends on how many coins are still undecided after each toss, and so on the scores.

Sources: McKenna and Sheldon 2020, Permute-and-Flip: A New Mechanism for Differentially Private Selection;
Ding, Kifer, Sayed, Steinke, Wang, Xiao, Zhang 2021, The Permute-and-Flip Mechanism is Identical to
Report-Noisy-Max with Exponential Noise.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from dpsql.mechanisms.coins import Coins
from dpsql.mechanisms.parameters import candidate_scores, exact_epsilon, gaps_to_best, integer


def permute_and_flip(
    scores: np.ndarray, *, epsilon: Fraction | int, score_range: int, coins: Coins | None = None
) -> int:
    """The index of one candidate, chosen by permute-and-flip in one pass.

    `scores`: integers, one for each candidate. Guarantee, proof and sources: see the module. ValueError or
    TypeError for no candidates and for parameters out of range.
    """
    rate = exact_epsilon(epsilon) / integer("score_range", score_range, at_least=1)
    gaps = gaps_to_best(candidate_scores(scores))
    source = coins or Coins()
    successes = np.flatnonzero(source.bernoulli_exp_many(gaps, rate.denominator, rate.numerator))
    return int(successes[source.below(successes.size)])
