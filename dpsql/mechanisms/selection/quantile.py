"""A private quantile: the exponential mechanism over the points of a grid, scored by rank.

Requires: integers, of which a unit owns at most m (`rows_per_unit`) and comes or goes with all of them; a grid
of increasing integers e_0 < e_1 < ... < e_B that does not depend on the data. Values below e_0 count as e_0,
values from e_B on as e_B - 1.

The score: a point x of the cell [e_i, e_(i+1)) has the utility u = -dist(q n, [F(e_i), F(e_(i+1))]), F(e) the
number of values below e and n that of all. With cells of width 1 that is how many ranks x is away from being a
q-quantile of the data, ties included: it is one if #(values < x) <= q n <= #(values <= x). For q = a / b the
scores are the integers b u. Each point counts alike: a cell is drawn by its width, and a point uniformly in it.

Guarantees: epsilon-differential privacy of the released point, exactly: no float takes part.

Because: one more value changes F(e) - q n by 1 - q or by -q at each e, and so the distance, the greatest of 0,
F(e_i) - q n and q n - F(e_(i+1)), by at most max(q, 1 - q). Two changes are at most D_R = 2 max(q, 1 - q)
apart; m values make m such steps, and D_R = 2 m max(q, 1 - q). For q = 0 and q = 1 the distances only grow, by
at most 1 for each value: D_R = m. Then `exponential` applies, with the widths as weights.

**Not permute-and-flip**, unless all cells have the same width: it asks candidates in an order, and the weight of
a candidate cannot be given to its chance of being first without breaking the proof. A test shows the loss.

Several quantiles split epsilon evenly, and are put in order afterwards, which is free.

The grid matters where there are few points near the quantile: a grid of equal steps wastes its weight on the
empty end of skewed values, and logarithmic bins do not (`logarithmic_grid`).

Time: that of sorting the values and of one selection among as many candidates as there are values or cells,
whichever are fewer.

Accuracy: `quantile_rank_error`. Sources: Smith 2011, Privacy-preserving Statistical Estimation with Optimal
Convergence Rates (intervals weighted by their widths); Asi and Duchi 2020, Instance-optimality in Differential
Privacy via Approximate Inverse Sensitivity Mechanisms (ranks as distance to data that have x for a quantile).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from dpsql.mechanisms.coins import Coins, IntegerArray
from dpsql.mechanisms.parameters import Rational, exact_epsilon, integer, integer_array
from dpsql.mechanisms.selection.exponential import exponential_loss_bound, exponential_mechanism

LIMIT = 1 << 62


def quantile(
    values: np.ndarray,
    *,
    q: Rational,
    grid: np.ndarray,
    epsilon: Rational,
    rows_per_unit: int = 1,
    coins: Coins | None = None,
) -> int:
    """One point of the grid's range [grid[0], grid[-1]), near the q-quantile of the values.

    `values`: integers, one-dimensional, any number of them. `q`: from 0 to 1, exact. `grid`: at least two
    increasing integers within 2^62, a matter of policy.
    """
    return quantiles(
        values, levels=(q,), grid=grid, epsilon=epsilon, rows_per_unit=rows_per_unit, coins=coins
    )[0]


def quantiles(
    values: np.ndarray,
    *,
    levels: Sequence[Rational],
    grid: np.ndarray,
    epsilon: Rational,
    rows_per_unit: int = 1,
    coins: Coins | None = None,
) -> tuple[int, ...]:
    """One point for each level, in the order of the levels, with epsilon / len(levels) spent on each.

    A level that is at least another one never gets a smaller point. The rest as for `quantile`.
    """
    if not levels:
        raise ValueError("at least one level is needed")
    exact = [exact_quantile(q) for q in levels]
    share, source, edges = exact_epsilon(epsilon) / len(exact), coins or Coins(), _edges(grid)
    ends, below = _runs(_clamped(values, edges), edges)
    points = sorted(_point(ends, below, q, share, rows_per_unit, source) for q in exact)
    order = sorted(range(len(exact)), key=lambda i: exact[i])
    answers = dict(zip(order, points, strict=True))
    return tuple(answers[i] for i in range(len(exact)))


def quantile_range(q: Rational, rows_per_unit: int = 1) -> Fraction:
    """D_R of the rank utility: 2 m max(q, 1 - q), and m for q = 0 and q = 1."""
    level = exact_quantile(q)
    rows = integer("rows_per_unit", rows_per_unit, at_least=1)
    return rows * (Fraction(1) if level in (0, 1) else 2 * max(level, 1 - level))


def exact_quantile(q: Rational) -> Fraction:
    """q as a Fraction; TypeError unless it is an int or a Fraction, ValueError unless 0 <= q <= 1."""
    if isinstance(q, bool) or not isinstance(q, (int, Fraction)):
        raise TypeError(f"q must be an exact int or Fraction, not {type(q).__name__}: write Fraction('0.1')")
    if not 0 <= q <= 1:
        raise ValueError(f"q must lie between 0 and 1, not {q}")
    return Fraction(q)


def rank_scores(below: np.ndarray, q: Rational) -> IntegerArray:
    """b u for q = a / b: minus the distance of q n from each pair of neighbouring ranks, as integers.

    `below`: the number of values below each edge of the cells, from 0 to n.
    """
    level, ranks = exact_quantile(q), integer_array("below", below)
    if max(int(ranks[-1]), 1) * level.denominator >= LIMIT:  # of no values, too
        ranks = ranks.astype(object)
    target = level.numerator * int(ranks[-1])
    scaled = ranks * level.denominator
    return -np.maximum(0, np.maximum(scaled[:-1] - target, target - scaled[1:]))


def _point(
    ends: IntegerArray, below: IntegerArray, q: Fraction, epsilon: Fraction, rows_per_unit: int, coins: Coins
) -> int:
    cell = exponential_mechanism(
        rank_scores(below, q),
        epsilon=epsilon,
        score_range=int(quantile_range(q, rows_per_unit) * q.denominator),
        weights=ends[1:] - ends[:-1],
        coins=coins,
    )
    return int(ends[cell]) + coins.below(int(ends[cell + 1]) - int(ends[cell]))


def _edges(grid: np.ndarray) -> IntegerArray:
    edges = integer_array("grid", grid)
    if edges.ndim != 1 or edges.size < 2:
        raise ValueError("a grid needs at least two edges, in one dimension")
    if int(edges.min()) <= -LIMIT // 2 or int(edges.max()) >= LIMIT // 2:
        raise ValueError("a grid must stay within 2^61")
    if not (edges[1:] > edges[:-1]).all():
        raise ValueError("a grid must increase")
    return edges.astype(np.int64)


def _clamped(values: np.ndarray, edges: IntegerArray) -> IntegerArray:
    exact = integer_array("values", values)
    if exact.ndim != 1:
        raise ValueError(f"values must be one-dimensional, not of shape {exact.shape}")
    return np.clip(exact, int(edges[0]), int(edges[-1]) - 1).astype(np.int64)


def _runs(values: IntegerArray, edges: IntegerArray) -> tuple[IntegerArray, IntegerArray]:
    """The edges of runs of cells that have the same score whatever q, and the number of values below each.

    A cell without a value has the ranks of its two edges in common with the empty cells beside it, so that an
    inner edge between two empty cells is left out. What is left is a matter of speed, not of the law.
    """
    below = np.searchsorted(np.sort(values), edges, side="left")
    filled = below[1:] > below[:-1]
    needed = np.ones(edges.size, np.bool_)
    needed[1:-1] = filled[1:] | filled[:-1]
    return edges[needed], below[needed]


def uniform_grid(lower: int, upper: int, step: int = 1) -> np.ndarray:
    """The edges lower, lower + step, ... that make cells of one step, the last of which holds `upper`."""
    first, width = integer("lower", lower, at_least=-LIMIT), integer("step", step, at_least=1)
    cells = (integer("upper", upper, at_least=first) - first) // width + 1
    return first + width * np.arange(cells + 1, dtype=np.int64)


def logarithmic_grid(lower: int, upper: int, per_octave: int) -> np.ndarray:
    """Edges from lower >= 0 to upper + 1, so many in each doubling of the distance to lower, integers throughout.

    Each octave [2^j, 2^(j+1)) is cut into `per_octave` equal parts, fewer where they are narrower than 1.
    """
    first, parts = integer("lower", lower, at_least=-LIMIT), integer("per_octave", per_octave, at_least=1)
    reach = integer("upper", upper, at_least=first) - first + 1
    offsets = {0, reach}
    for octave in range(reach.bit_length()):
        offsets |= {(1 << octave) + (i << octave) // parts for i in range(parts)}
    return first + np.array(sorted(o for o in offsets if o <= reach), dtype=np.int64)


def quantile_rank_error(
    beta: Fraction | float, *, q: Rational, grid: np.ndarray, epsilon: Rational, rows_per_unit: int = 1
) -> Fraction:
    """The rank error that one quantile exceeds with probability at most beta, whatever the data.

    -u of the released point, in ranks. Because: some cell has u = 0, and weighs at least the least width: the
    loss bound of the exponential mechanism with total and least width.
    """
    level, edges = exact_quantile(q), _edges(grid)
    bound = exponential_loss_bound(
        beta,
        candidates=int(edges[-1]) - int(edges[0]),
        best=int((edges[1:] - edges[:-1]).min()),
        epsilon=epsilon,
        score_range=int(quantile_range(level, rows_per_unit) * level.denominator),
    )
    return Fraction(bound, level.denominator)
