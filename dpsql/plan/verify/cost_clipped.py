"""The cost of sums under a limit that is found for them, checked by another route than the one that planned them.

No limit on the rows of a unit is needed: what a unit adds is at most tau, because it is scaled to that. What has to be
right is that units can be told apart, that what is scaled is added up over units and nothing else, that no step
overflows, and that the noise is the one that is charged.
"""

from __future__ import annotations

from collections.abc import Sequence

from dpsql.algebra.relations import Scan
from dpsql.algebra.shape import Shape, table_of
from dpsql.errors import InternalError
from dpsql.plan.analyzed_question import PlanContext
from dpsql.plan.types import Clipping, Histogram, Part, Release, ScaledSums, Sum, Term
from dpsql.privacy import Mechanism

_REPORT = "this is a bug in dpsql; nothing was charged"
# A cell that counts for 2**shift is below 2**62, and so is every threshold: their product is below 2**124.
_BITS = 62
_ADDED = frozenset({Sum.ROWS, Sum.VALUES, Sum.TOTAL, Sum.SHIFTED, Sum.SQUARES, Sum.PRODUCT})


def check_clipped(
    part: Histogram | ScaledSums, release: Release, shaped: Shape, context: PlanContext
) -> None:
    """Raises InternalError where a part of scaled sums is not what its cost is charged for."""
    owner = shaped.owner
    _require(owner is not None and release.keys.domain is not None and release.question.top is None)
    _require(not (isinstance(owner, Scan) and table_of(owner, context.catalog).row_is_unit))
    _require(part.bounding.rows is None and part.bounding.groups is None and not part.bounding.totals)
    neighbours = context.policy.privacy.neighbours
    _require(part.noise.neighbours is neighbours and part.noise.mechanism is Mechanism.DISCRETE_LAPLACE)
    _require(part.noise.sensitivity(1) == neighbours.factor)
    _check_room(part.clipping)
    if isinstance(part, Histogram):
        _check_cells(part.terms, part.cells)
        _require(_stand_together(part, _part_at(release, release.parts.index(part) + 1)))
        return
    _require(_stand_together(_part_at(release, release.parts.index(part) - 1), part))
    family = part.family
    _check_cells(family.terms, family.cells)
    _require(family.mechanism is part.noise.mechanism and family.epsilon == part.noise.budget)
    _require(not family.widths and family.variance is None and not family.delta)
    for threshold in (1, part.clipping.most):
        _require(part.at(threshold).sensitivity == neighbours.factor * threshold)


def _part_at(release: Release, at: int) -> Part | None:
    return release.parts[at] if 0 <= at < len(release.parts) else None


def _stand_together(histogram: Part | None, sums: Part | None) -> bool:
    """Whether these are sums and, before them, the histogram of the vectors that are added up."""
    if not isinstance(histogram, Histogram) or not isinstance(sums, ScaledSums):
        return False
    of = sums.family.terms, sums.family.cells, sums.clipping, sums.bounding
    return (histogram.terms, histogram.cells, histogram.clipping, histogram.bounding) == of


def _check_room(clipping: Clipping) -> None:
    _require(0 <= clipping.bins.lowest <= clipping.bins.highest <= _BITS)
    _require(0 < clipping.limit << clipping.shift <= 1 << _BITS)
    _require(0 < clipping.weight << clipping.shift <= 1 << _BITS)


def _check_cells(terms: Sequence[Term], cells: Sequence[Sequence[int]]) -> None:
    """Every cell is a sum over rows, or says whether a unit is there at all."""
    for cell in cells:
        used = [t.sum for t, c in zip(terms, cell, strict=True) if c]
        _require(bool(used) and (_ADDED.issuperset(used) or used == [Sum.UNITS]))


def _require(holds: bool) -> None:
    if not holds:
        raise InternalError(f"sums under a limit found for them are not what they are charged as: {_REPORT}")
