"""Marginals of a table whose groups are all combinations of the values of some axes, each released with its own noise.

Summing over axes and subtracting means splits the space of tables over the axes into subspaces at right angles, one for
each set T of axes (the residuals R_T of an analysis of variance). The marginal over S says something about R_T where S
holds T, and nothing elsewhere: on R_T the normal equations of weighted least squares have one eigenvalue, the sum over
the marginals S that hold T of weight(S) N / n_S, with N cells in all and n_S cells in the marginal. So that the best
estimate of every marginal, and its variance, have closed forms.

Subspaces that are in the same marginals are taken together: they belong to the closed sets, the intersections of
marginals. All of it is public and approximates nothing but real arithmetic: doubles are good enough.

Source: Xiao, He, Zhang, Kifer 2023, An Optimal and Scalable Matrix Mechanism for Noisy Marginals under Convex Loss
Functions (residual bases); Hay et al. 2010, Boosting the Accuracy of Differentially Private Histograms Through
Consistency; Li et al. 2015, The matrix mechanism.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import combinations

import numpy as np
import numpy.typing as npt

from dpsql.slotted import dataclass

MOST_CLOSED = 128
"""The most closed sets of marginals that are computed with."""
Axes = tuple[int, ...]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Marginals:
    """Released marginals of a table with `sizes`: the axes of each, in order, and its weight, 1 / variance."""

    sizes: tuple[int, ...]
    released: tuple[tuple[Axes, float], ...]

    def size(self, axes: Iterable[int]) -> int:
        """How many cells a marginal has."""
        return math.prod(self.sizes[a] for a in axes)

    @property
    def every(self) -> Axes:
        """All axes: the table itself."""
        return tuple(range(len(self.sizes)))


@dataclass(frozen=True, slots=True)
class Copies:
    """`times` independent noises of the `released`-th marginal, each multiplied by `factor`."""

    released: int
    factor: float
    times: int


def closed(sets: Iterable[Axes]) -> tuple[Axes, ...] | None:
    """The intersections of sets of axes, the smallest first; None where there are too many."""
    intersections: set[frozenset[int]] = set()
    for axes in sets:
        new = frozenset(axes)
        intersections |= {new, *(new & s for s in intersections)}
        if len(intersections) > MOST_CLOSED:
            return None
    return tuple(sorted((tuple(sorted(s)) for s in intersections), key=lambda s: (len(s), s)))


def within(sets: Sequence[Axes]) -> Floats:
    """1 at (i, j) where the i-th set holds the j-th one."""
    return np.array([[float(set(inner) <= set(outer)) for inner in sets] for outer in sets])


def dimensions(sets: Sequence[Axes], sizes: Sequence[int]) -> Floats:
    """The dimension of the subspace of each closed set: of what no smaller closed set says."""
    cells = np.array([float(math.prod(sizes[a] for a in s)) for s in sets])
    return np.rint(np.linalg.solve(within(sets), cells))


@lru_cache(maxsize=64)
def means(m: Marginals) -> tuple[tuple[Axes, float], ...]:
    """The least-squares estimate of the table out of b, the weighted sum of the marginals spread over it.

    It is the sum over closed sets of factor times the mean of b over all axes outside of the set; what no marginal says
    is estimated as 0.
    """
    sets = closed(s for s, _ in m.released)
    assert sets is not None
    eigenvalues = np.array([_eigenvalue(m, s) for s in sets])
    factors = np.linalg.solve(within(sets).T, 1 / eigenvalues)
    return tuple(zip(sets, map(float, factors), strict=True))


def _eigenvalue(m: Marginals, of: Axes) -> float:
    whole = m.size(m.every)
    return math.fsum(w * whole / m.size(s) for s, w in m.released if set(of) <= set(s))


@lru_cache(maxsize=256)
def noise_of(m: Marginals, requested: Axes) -> tuple[Copies, ...]:
    """The noise of one cell of the estimated marginal over `requested`, as a sum of the noises of the released cells.

    A released cell counts by the axes on which its values are those of the requested cell.
    """
    copies: dict[tuple[int, float], int] = {}
    for at, (axes, weight) in enumerate(m.released):
        shared = tuple(a for a in axes if a in requested)
        for agreeing in _subsets(shared):
            factor = weight * _coefficient(m, axes, requested, frozenset(agreeing))
            times = math.prod(m.sizes[a] - 1 for a in shared if a not in agreeing)
            times *= math.prod(m.sizes[a] for a in axes if a not in requested)
            if factor and times:
                place = at, float(f"{factor:.12g}")
                copies[place] = copies.get(place, 0) + times
    return tuple(Copies(at, factor, times) for (at, factor), times in copies.items())


def _coefficient(m: Marginals, axes: Axes, requested: Axes, agreeing: frozenset[int]) -> float:
    """What a released cell adds to a requested one, over the closed sets by which both have a mean in common."""
    total = []
    for mean, factor in means(m):
        common = set(axes) & set(mean)
        if common & set(requested) <= agreeing:
            grown = math.prod(n for a, n in enumerate(m.sizes) if a not in requested and a not in common)
            total.append(factor * grown / m.size(a for a in axes if a not in mean))
    return math.fsum(total)


def _subsets(axes: Axes) -> Iterable[Axes]:
    return (s for n in range(len(axes) + 1) for s in combinations(axes, n))


def estimated(m: Marginals, marginals: Sequence[npt.NDArray[np.float64]]) -> Floats:
    """The table that fits all released marginals best; each has the shape of the table, with 1 for an axis it has not.

    Whatever stands behind the axes is estimated one by one.
    """
    more = marginals[0].shape[len(m.sizes) :]
    spread: Floats = np.zeros((*m.sizes, *more))
    for (_, weight), values in zip(m.released, marginals, strict=True):
        spread += weight * values
    total: Floats = np.zeros_like(spread)
    for axes, factor in means(m):
        others = tuple(a for a in m.every if a not in axes)
        total += factor * (spread.mean(axis=others, keepdims=True) if others else spread)
    return total


def rounded(table: Floats, axes: int) -> Floats:
    """Whole numbers whose marginal over any k of the first `axes` axes is within 2**(k - 1) of the table's.

    *Because*: sums from the beginning are rounded, each by at most 1/2, and a cell of a marginal is a sum of 2**k of
    them with signs (Cox 1987, controlled rounding, asks for as much).
    """
    for a in range(axes):
        table = np.cumsum(table, axis=a)
    table = np.rint(table)
    for a in range(axes):
        table = np.diff(table, axis=a, prepend=0.0)
    return table
