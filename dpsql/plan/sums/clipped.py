"""Sums whose noise is scaled to a clipping threshold that is found privately for them: their two parts.

Each unit's contribution is an integer vector with a cell for each group and each cell of a family. The histogram says
how large the vectors are; the threshold tau is read from it; then every vector above tau is scaled down to it, and the
sums of the vectors get noise for tau. The mechanism and its proof are in `mechanisms.clipping`.

With discrete Laplace noise the size of a vector is the sum of |cells|, with discrete Gaussian noise the root of the sum
of their squares. Every Gaussian part of a release has a share of one rho, and all of them are one event: zCDP composes
adaptively, and the divergence of each is at most its rho at every order, whatever its threshold is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from dpsql.mechanisms.clipping.clipping_noise import Noise, selection_range
from dpsql.mechanisms.clipping.scaling import root_above
from dpsql.mechanisms.clipping.unit_bins import Bins
from dpsql.plan.sums.cells import Bounding, Family, Term
from dpsql.privacy import Cost, Event, Mechanism, Neighbours
from dpsql.slotted import dataclass


@dataclass(frozen=True, slots=True)
class Clipping:
    """The integers in which contributions are counted: from the policy and the query alone.

    A unit's cell is clamped to +-`limit` before it counts for 2**f each, f = `bins.lowest`. One row adds at most
    `weight` to the cells, before that. The answer has `groups` groups; of private keys 0, since nobody knows how many
    are kept. `quotients`: only quotients of the cells are shown, so that most of what is scaled away cancels.
    """

    limit: int
    bins: Bins
    weight: int
    groups: int
    quotients: bool = False

    @property
    def shift(self) -> int:
        """f: cells are counted in units of 2**-f, so that scaling loses nothing to speak of."""
        return self.bins.lowest

    @property
    def most(self) -> int:
        """No threshold is above this."""
        return 1 << self.bins.highest

    def of_one_number(self, cells: Sequence[Sequence[int]]) -> bool:
        """Whether a unit's vector is one number, whose size is the same in L1 and in L2."""
        return self.groups == 1 and len(cells) == 1


@dataclass(frozen=True, slots=True)
class Histogram:
    """How many units have a contribution in each bin between two powers of two; a unit is in one bin at most.

    `asked` is there for Gaussian noise: what all such parts of the release are asked at.
    """

    bounding: Bounding
    terms: tuple[Term, ...]
    cells: tuple[tuple[int, ...], ...]
    clipping: Clipping
    noise: Noise
    asked: Cost | None = None

    @property
    def squared(self) -> bool:
        """Whether sizes are measured in L2."""
        return self.noise.gaussian and not self.clipping.of_one_number(self.cells)

    @property
    def events(self) -> tuple[Event, ...]:
        """One event, of sensitivity 1."""
        return (self.noise.event(self.asked or Cost(self.noise.budget)),)


@dataclass(frozen=True, slots=True)
class ScaledSums:
    """Sums of the contributions of all units, each scaled to the threshold that the histogram before it leads to.

    The sensitivity of `family` is that for a threshold of 1, and of Gaussian noise its variance.
    """

    bounding: Bounding
    family: Family
    clipping: Clipping
    noise: Noise

    @property
    def terms(self) -> tuple[Term, ...]:
        """What the cells are combinations of."""
        return self.family.terms

    @property
    def cells(self) -> tuple[tuple[int, ...], ...]:
        """The cells of a group, as combinations of the terms."""
        return self.family.cells

    @property
    def squared(self) -> bool:
        """Whether sizes are measured in L2."""
        return self.noise.gaussian and not self.clipping.of_one_number(self.cells)

    def at(self, threshold: int) -> Family:
        """The family with the noise for a threshold."""
        moved = self.noise.sensitivity(threshold)
        if not self.noise.gaussian:
            return replace(self.family, sensitivity=moved)
        return replace(self.family, sensitivity=root_above(moved), variance=self.noise.rate(threshold))

    @property
    def families(self) -> tuple[Family, ...]:
        """The family with the most noise that it can get."""
        return (self.at(self.clipping.most),)

    @property
    def events(self) -> tuple[Event, ...]:
        """One event, of sensitivity 1: it holds for every threshold."""
        return (self.noise.event(Cost(self.family.epsilon, self.family.delta)),)


@dataclass(frozen=True, slots=True)
class ScaledScores:
    """Scores to choose `count` groups by, made of contributions that are scaled to the threshold that was found.

    They are scaled in L1 whatever the accountant: two candidates move apart by at most the sum of both moves, which for
    vectors of a bounded sum of squares could be more than the threshold.
    """

    bounding: Bounding
    term: Term
    clipping: Clipping
    neighbours: Neighbours
    descending: bool
    epsilon: Fraction
    count: int
    mechanism: Mechanism

    @property
    def terms(self) -> tuple[Term, ...]:
        """The one term that scores are made of."""
        return (self.term,)

    @property
    def cells(self) -> tuple[tuple[int, ...], ...]:
        """The one cell of a group."""
        return ((1,),)

    @property
    def squared(self) -> bool:
        """Sizes are measured in L1."""
        return False

    def score_range(self, threshold: int) -> int:
        """D_R for a threshold."""
        return selection_range(threshold, self.neighbours)

    @property
    def each(self) -> Fraction:
        """The epsilon of one choice."""
        return self.epsilon / self.count

    @property
    def events(self) -> tuple[Event, ...]:
        """One event a choice, of sensitivity 1: what it costs does not depend on D_R."""
        return (Event(self.mechanism, 1, Cost(self.each)),) * self.count


def as_one(events: Sequence[Event]) -> tuple[Event, ...]:
    """Gaussian events of sensitivity 1 as one at the same cost: their rhos add up."""
    if not events:
        return ()
    rho = sum((1 / (2 * e.variance) for e in events if e.variance is not None), Fraction(0))
    return (Event(Mechanism.DISCRETE_GAUSSIAN, 1, events[0].cost, 1 / (2 * rho)),)
