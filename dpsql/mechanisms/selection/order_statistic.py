"""An order statistic over the cells of a fixed grid, or NULL where too few values tell: scores for `exponential`.

Requires: values counted by cell, the cells in order and fixed without a look at the data; a unit owns at most m of the
values and comes or goes with all of them. F(e) is the number of values below an edge e, n that of all.

The candidates: first NULL, then the cells [e_0, e_1), ..., [e_(B-1), e_B). A cell has the utility
u = -dist(r, [F(e_i), F(e_(i+1))]), r being the rank that is aimed at:

- the q-quantile, 0 < q < 1: r = q n, as in `quantile`;
- the least value, q = 0: r = min(t - 1/2, n/2), the t-th least value, or the median of fewer than 2t values; the
  greatest, q = 1: n minus that. The rank lies inside the data, since all cells beyond the data are as good as the one
  of the very least value, and would be chosen for their number.

NULL has the utility -max(q, 1 - q) n: less than any cell that says something, unless n is small. It weighs as much as
`ABSENT` times all cells together, so that over no values at all, where all utilities are 0, it has probability 0.95.

Guarantees: with D_R = 2 m max(q, 1 - q), `exponential` chooses with epsilon-differential privacy. Where values stand
in disjoint groups and each group's statistic is chosen so, with the m of all groups together, then *all choices
together* are epsilon-differentially private: no split over the groups is needed. One utility is enough for a group: it
changes by the rows that a unit has in that group.

Because: one more value moves F(e) - r by 1 - r' or -r' at each e, r' being the growth of r: q, or between 0 and 1/2 for
the least value, or between 1/2 and 1 for the greatest. Each is at most c = max(q, 1 - q) in size (1 for q = 0 and
q = 1), so that the distance moves by at most c, up or down, as NULL's utility does: all changes d_i lie in [-c, c],
and two differ by at most 2c. A unit with k values in a group makes k such steps: the ratio of its probabilities, with
scores divided by D_R = 2 m c, is at most exp(epsilon k 2c / (2 m c)) = exp(epsilon k / m). The groups' choices are
drawn independently, so the ratios multiply, and the sum of k over the groups is at most m. All of them
together then have, like one choice, a log ratio within an interval of length epsilon: whatever is proven of the
exponential mechanism for that reason (rho = epsilon^2 / 8) holds of them together. Where a unit is replaced,
its k values of before and those of after make up to 2m steps: D_R is twice that.

Accuracy: `rank_error`. Sources: see `quantile` and `exponential`; the sum over the groups is the argument of McSherry
2009, Privacy Integrated Queries (parallel composition), with the loss of each part in proportion to its share of rows.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from dpsql.mechanisms.coins import IntegerArray
from dpsql.mechanisms.parameters import Rational, exact_epsilon, integer, integer_array
from dpsql.mechanisms.selection.exponential import exponential_loss_bound
from dpsql.mechanisms.selection.quantile import exact_quantile, rank_scores

# Over nothing, NULL is chosen 19 times in 20.
ABSENT = 19
_LIMIT = 1 << 60


def candidate_scores(below: np.ndarray, *, q: Rational, inside: int = 1) -> IntegerArray:
    """The utilities of NULL and of each cell as integers: `score_unit(q)` of them are one rank.

    `below`: the number of values below each edge of the cells, from 0 to n. `inside`: t of the least or greatest value.
    """
    level, ranks = exact_quantile(q), integer_array("below", below)
    unit, n = score_unit(level), int(ranks[-1])
    if max(n, 1) * unit >= _LIMIT:  # of no values, too: the unit itself has to fit
        ranks = ranks.astype(object)
    absent = -max(level, 1 - level) * n * unit
    if 0 < level < 1:
        cells = rank_scores(ranks, level)
    else:
        first = min(2 * integer("inside", inside, at_least=1) - 1, n)
        target, scaled = first if level == 0 else 2 * n - first, ranks * 2
        cells = -np.maximum(0, np.maximum(scaled[:-1] - target, target - scaled[1:]))
    return np.concatenate((np.array([int(absent)], dtype=cells.dtype), cells))


def score_unit(q: Rational) -> int:
    """How many steps of the score are one rank: b for q = a / b, 2 for the least and the greatest value."""
    level = exact_quantile(q)
    return level.denominator if 0 < level < 1 else 2


def candidate_range(q: Rational, rows_per_unit: int = 1) -> int:
    """D_R of `candidate_scores`: 2 m max(q, 1 - q) ranks."""
    level, rows = exact_quantile(q), integer("rows_per_unit", rows_per_unit, at_least=1)
    return int(2 * rows * max(level, 1 - level) * score_unit(level))


def candidate_masses(cells: int) -> list[int]:
    """The weights of NULL and of the cells, which count alike."""
    count = integer("cells", cells, at_least=1)
    return [ABSENT * count, *[1] * count]


def inside_rank(cells: int, *, epsilon: Rational, score_range: int) -> int:
    """The t at which all cells beyond the data together weigh no more than the one cell that holds the t-th value."""
    reach = Fraction(score_range, 2) / exact_epsilon(epsilon) * Fraction(math.log(cells))
    return max(1, reach.__ceil__())


def rank_error(
    beta: Fraction | float, *, q: Rational, cells: int, epsilon: Rational, score_range: int
) -> Fraction:
    """The distance in ranks, from the rank aimed at, that a choice exceeds with probability at most beta.

    Whatever the data: some cell has utility 0, and weighs 1 of 20 B (the loss bound of `exponential`). Far below it
    where values are dense. A choice of NULL counts as the distance max(q, 1 - q) n.
    """
    bound = exponential_loss_bound(
        beta, candidates=(ABSENT + 1) * cells, epsilon=epsilon, score_range=score_range
    )
    return Fraction(bound, score_unit(q))
