"""Sums by several grouping sets: some sets are released, each with a share of the budget, and then reconciled.

*Requires*: the groups are all combinations of the values of some axes.

*Guarantees*: the part costs what its families would by one grouping set.

*Because*: the cells of a grouping set are those of the groups, added up. What one unit moves then moves at most as far
as before: in L1, in boxes (a sum of vectors is in the sum of their boxes), and in L2, where the sensitivity is the sum
of what its rows move. Shares of epsilon add up (sequential composition); Gaussian sets stand at right angles, and
shares of 1 / variance add up. What is made of the noisy cells is post-processing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from dpsql.algebra.catalog import Catalog
from dpsql.algebra.question import JOINT_DEGREES, MOMENTS, Aggregate, Question
from dpsql.algebra.shape import shape
from dpsql.mechanisms.noise.cube import variances
from dpsql.mechanisms.noise.discrete_gaussian import variance as gaussian_variance
from dpsql.mechanisms.noise.discrete_laplace import variance as laplace_variance
from dpsql.plan.contribution import contribution
from dpsql.plan.keys.domains import has_domain
from dpsql.plan.keys.numbering import numbered
from dpsql.plan.rollup.marginals import Marginals, noise_of
from dpsql.plan.rollup.shares import best_shares, marginals
from dpsql.plan.types import Family, Key, Sums, blended
from dpsql.policy.model import Policy
from dpsql.privacy import Mechanism
from dpsql.slotted import dataclass

_ADDITIVE = frozenset({*MOMENTS, *JOINT_DEGREES, Aggregate.COUNT_ROWS, Aggregate.COUNT})
MOST_CELLS = 200_000
"""The most groups that are reconciled; of more, the groups alone are released."""
_MOST_AXES = 8
Positions = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Axis:
    """The keys at some places, which grouping sets have together or not at all, and how many values they take."""

    places: tuple[int, ...]
    size: int


@dataclass(frozen=True, slots=True)
class Share:
    """The groups that agree on some axes are released with so much of the budget."""

    axes: tuple[int, ...]
    share: Fraction


@dataclass(frozen=True, slots=True)
class GroupingSetSums(Sums):
    """`families` are those of a release of the groups alone; each of `shares` has them with less budget."""

    axes: tuple[Axis, ...] = ()
    shares: tuple[Share, ...] = ()

    @property
    def gaussian(self) -> bool:
        """Whether shares are of the inverse of the variance, and not of epsilon."""
        return self.families[0].mechanism is Mechanism.DISCRETE_GAUSSIAN

    @property
    def released(self) -> tuple[tuple[Share, tuple[Family, ...]], ...]:
        """Each released set with its families, with the noise that is drawn for them."""
        return tuple((v, tuple(with_share(f, v.share) for f in self.families)) for v in self.shares)

    @property
    def noised(self) -> tuple[Family, ...]:
        """Every family of every released set."""
        return tuple(f for _, families in self.released for f in families)

    @property
    def marginals(self) -> Marginals:
        """The released sets as they are weighed against each other."""
        shares = tuple((v.axes, v.share) for v in self.shares)
        return marginals(tuple(a.size for a in self.axes), shares, self.gaussian)

    @property
    def shown(self) -> tuple[Family, ...]:
        """The cells of the groups after all sets are reconciled."""
        return _reconciled(self, tuple(range(len(self.axes))))

    def rolled_up(self, kept: tuple[int, ...], groups: int) -> tuple[Family, ...]:
        """The cells of a grouping set after all sets are reconciled."""
        del groups
        return _reconciled(self, self.axes_at(kept))

    def axes_at(self, kept: tuple[int, ...]) -> tuple[int, ...]:
        """The axes of the keys at some places."""
        return tuple(i for i, a in enumerate(self.axes) if set(a.places) <= set(kept))


@lru_cache(maxsize=256)
def _reconciled(part: GroupingSetSums, axes: tuple[int, ...]) -> tuple[Family, ...]:
    noises, released = noise_of(part.marginals, axes), part.released
    return tuple(
        blended(f, tuple((c.factor, c.times, released[c.released][1][i]) for c in noises))
        for i, f in enumerate(part.families)
    )


def with_share(family: Family, share: Fraction) -> Family:
    """The family with the noise of a share of its budget: of epsilon, or of the inverse of the variance."""
    if family.variance is not None:
        return replace(family, variance=family.variance / share)
    return replace(family, epsilon=family.epsilon * share)


def by_grouping_set(part: Sums, sets: tuple[tuple[int, ...], ...], groups: tuple[Key, ...]) -> Sums:
    """The part with shares for grouping sets where that has less noise; `sets` are the places of the keys of each.

    Where the groups are no combinations of values, or all noise is best spent on the groups themselves, it stays as
    it is.
    """
    gaussian = {f.mechanism is Mechanism.DISCRETE_GAUSSIAN for f in part.families}
    grid = axes_of(sets, groups) if len(gaussian) == 1 else None
    if grid is None:
        return part
    made = GroupingSetSums(part.bounding, part.families, grid)
    requested = tuple(dict.fromkeys(made.axes_at(kept) for kept in sets))
    sizes = tuple(a.size for a in grid)
    shares = best_shares(sizes, requested, made.gaussian, lambda share: _variance(part.families, share))
    if len(shares) == 1 and shares[0][0] == tuple(range(len(sizes))):
        return part
    return replace(made, shares=tuple(Share(axes, share) for axes, share in shares))


def _variance(families: tuple[Family, ...], share: Fraction) -> float:
    """The variance of a cell with a share of the budget, compared with all of it: of all cells, their mean."""
    pairs = [
        (a, b)
        for f in families
        for a, b in zip(variances_of(with_share(f, share)), variances_of(f), strict=True)
    ]
    return sum(a / b for a, b in pairs) / len(pairs)


def variances_of(family: Family) -> tuple[float, ...]:
    """The variance of the noise of each cell."""
    if family.mechanism is Mechanism.CUBE:
        size, epsilon = family.sensitivity, family.epsilon
        return variances(sensitivity=size, epsilon=epsilon, widths=family.widths)
    return tuple(_of_cell(family, family.width(i)) for i in range(len(family.cells)))


@lru_cache(maxsize=256)
def _of_cell(family: Family, width: int) -> float:
    if family.variance is not None:
        return gaussian_variance(sigma_squared=family.variance * width**2)
    return laplace_variance(sensitivity=family.sensitivity * width, epsilon=family.epsilon)


def axes_of(sets: Sequence[tuple[int, ...]], groups: tuple[Key, ...]) -> tuple[Axis, ...] | None:
    """The axes of a list of groups, of which each grouping set has some; None where it is not all their combinations.

    Where each set has the keys of the next one and more, the values of an axis may depend on those before it, if
    there are as many of them everywhere.
    """
    if not 0 < len(groups) <= MOST_CELLS:
        return None
    blocks: dict[frozenset[int], list[int]] = {}
    for place in range(len(groups[0])):
        blocks.setdefault(frozenset(i for i, s in enumerate(sets) if place in s), []).append(place)
    order = sorted(blocks, key=len, reverse=True)
    if len(order) > _MOST_AXES or frozenset() in blocks:
        return None
    places = tuple(tuple(blocks[b]) for b in order)
    nested = all(a > b for a, b in pairwise(order))
    numbering = positions(places, groups, nested=False) or (
        positions(places, groups, nested=True) if nested else None
    )
    return None if numbering is None else tuple(map(Axis, places, numbering[0]))


def positions(
    places: tuple[tuple[int, ...], ...], groups: tuple[Key, ...], *, nested: bool
) -> tuple[tuple[int, ...], Positions] | None:
    """How many values each axis has, and the place of each group among all their combinations; None where some are
    missing. With `nested` a value is told apart only among those with the same values before it."""
    codes = []
    before: tuple[int, ...] = ()
    parents: Positions = np.zeros(len(groups), dtype=np.int64)
    for axis in places:
        before = (*before, *axis) if nested else axis
        numbers = numbered(groups, before)
        codes.append(_among(numbers, parents) if nested else numbers)
        parents = numbers
    sizes = tuple(int(c.max()) + 1 for c in codes)
    total = 1
    for n in sizes:
        total *= n
    if total != len(groups):
        return None
    at = np.ravel_multi_index(tuple(codes), sizes) if codes else np.zeros(1, dtype=np.int64)
    return (sizes, at) if len(np.unique(at)) == total else None


def places_of(axes: Sequence[Axis], groups: tuple[Key, ...]) -> Positions:
    """The place of each group in the table over axes that `axes_of` has found for the groups."""
    places = tuple(a.places for a in axes)
    numbering = positions(places, groups, nested=False) or positions(places, groups, nested=True)
    assert numbering is not None and numbering[0] == tuple(a.size for a in axes)
    return numbering[1]


def _among(numbers: Positions, parents: Positions) -> Positions:
    """Numbers that begin anew under each parent."""
    _, first = np.unique(numbers, return_index=True)
    above = parents[first]
    order = np.argsort(above, kind="stable")
    starts = np.searchsorted(above[order], above[order], side="left")
    place = np.empty(len(first), dtype=np.int64)
    place[order] = np.arange(len(first)) - starts
    return place[numbers]


def adds_up(question: Question, policy: Policy, catalog: Catalog) -> bool:
    """Whether coarser groups of a question are sums of its groups, which then must all be there.

    Counts, sums and what is made of sums (averages, variances) add up; distinct values do not, and distinct units only
    where a unit has one row, and so one group. Groups of private keys are not all released.
    """
    shaped = shape(question.relation, catalog)
    units = {Aggregate.COUNT_UNITS} if contribution(shaped, policy).rows == 1 else set()
    additive = all(m.aggregate in _ADDITIVE or m.aggregate in units for m in question.measures)
    return additive and has_domain(question, shaped, catalog)
