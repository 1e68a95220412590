"""What a limit that was found for a query may have left out: the units it made smaller, and intervals with room for it.

The interval of a count, or of a sum of values that are never negative, then is [answer - noise, (max(answer, 0) +
noise) (1 + lost)], with `lost` what the limit may have left out, as a multiple of what is counted. It is an estimate:
it supposes that all groups lose the same share. The answer itself is never moved.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate
from math import isqrt

from dpsql.algebra.formula import Formula, weighted
from dpsql.algebra.question import Aggregate
from dpsql.mechanisms.clipping.clipped_units import ClippedUnits, clipped_units
from dpsql.mechanisms.clipping.left_out import left_out
from dpsql.mechanisms.clipping.unit_bins import Bins
from dpsql.plan.types import Clipping, Estimator, Histogram, Presence, Release, ScaledScores, ScaledSums, Sums
from dpsql.privacy import Mechanism
from dpsql.release.draw.noise import FoundLimit, Noisy
from dpsql.release.interval import Interval95, Span
from dpsql.slotted import dataclass

_COUNTS = frozenset({Aggregate.COUNT_ROWS, Aggregate.COUNT, Aggregate.COUNT_UNITS})
# For each measure what is left out of it, as a multiple of what is counted; None where that is not known.
Lost = tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Told:
    """What the noisy histogram tells of the limit of the family at that place among those of its release.

    `family`: None for the limit of scores. `at_most`: the limit is the largest that could be found, and how many of the
    units in the last bin are above it is not known. `at_least`: of the units that are small beside the limit nothing
    is told, so that there are more.
    """

    family: int | None
    units: ClippedUnits
    at_most: bool
    at_least: bool


def told(release: Release, limits: Sequence[FoundLimit]) -> tuple[Told, ...]:
    """What is told of each limit that was found for a release, in the order of its histograms."""
    return tuple(_told(k, h, f) for k, h, f in _found(release, limits))


def _found(
    release: Release, limits: Sequence[FoundLimit]
) -> Iterator[tuple[int | None, Histogram, FoundLimit]]:
    histograms = (p for p in release.parts if isinstance(p, Histogram))
    return zip(_scaled(release), histograms, limits, strict=True)


def _scaled(release: Release) -> list[int | None]:
    """The places of scaled families among all families, and None for scaled scores, in the order of their limits."""
    widths: list[int | None] = []
    at = 0
    for part in release.parts:
        if isinstance(part, ScaledSums):
            widths.append(at)
        if isinstance(part, ScaledScores):
            widths.append(None)
        if isinstance(part, Presence | Sums | ScaledSums):
            at += len(part.shown if isinstance(part, Sums) else part.families)
    return widths


def _told(family: int | None, histogram: Histogram, limit: FoundLimit) -> Told:
    """Where the last bin is open above the limit, all of its units are counted as if they were above."""
    bins, open_above = histogram.clipping.bins, _open_above(histogram, limit)
    read = Bins(bins.highest + 1 - len(limit.counts), bins.highest)
    tau = limit.threshold - open_above
    units = clipped_units(limit.counts, bins=read, tau=tau, histogram=histogram.noise)
    return Told(family, units, open_above, read != bins)


def _left_out(histogram: Histogram, limit: FoundLimit, answered: int) -> float | None:
    """What is left out, as a multiple of what is counted; None where that is not known."""
    if _open_above(histogram, limit):
        return None
    bins = histogram.clipping.bins
    unread = len(bins) - len(limit.counts)
    lost = left_out(
        (*(0,) * unread, *limit.counts),
        bins=bins,
        tau=limit.threshold,
        histogram=histogram.noise,
        answered=Fraction(answered if unread else 0),
    )
    return None if lost is None else float(lost)


def _open_above(histogram: Histogram, limit: FoundLimit) -> bool:
    return limit.threshold == histogram.clipping.most and _is_open(histogram.clipping)


def _is_open(clipping: Clipping) -> bool:
    """Whether a cell alone can be above every threshold."""
    return clipping.limit << clipping.shift > clipping.most


def families_of(release: Release) -> list[list[int]]:
    """For each measure, the places of the families whose cells it is made of; a choice has none."""
    places = [k for k, family in enumerate(release.families) for _ in family.cells]
    return [
        sorted({places[cell] for linear in e.functionals() for cell, _ in linear if cell < len(places)})
        for e in release.estimators
    ]


def lost_of(release: Release, noisy: Noisy) -> Lost:
    """For each measure the most that a limit of its sums may have left out.

    None unless all of its sums are scaled to limits that were found, and it is a count or a sum of values that are
    never negative. None, too, where a table's own cap leaves out rows that no histogram counts.
    """
    if not noisy.limits or any(isinstance(p, ScaledSums) and p.bounding.table_cap for p in release.parts):
        return (None,) * len(release.estimators)
    answered = _answered(release, noisy)
    by_family = {
        k: _left_out(h, limit, answered[k]) for k, h, limit in _found(release, noisy.limits) if k is not None
    }
    return tuple(
        _largest([by_family.get(k) for k in places]) if _never_negative(e) else None
        for e, places in zip(release.estimators, families_of(release), strict=True)
    )


def _answered(release: Release, noisy: Noisy) -> list[int]:
    """For each family what all units count at least, by its noisy cells over all groups.

    In L1 that is what these add up to. In L2 a unit's size is no less than that of its cells divided by the root of how
    many there are.
    """
    ends = list(accumulate(len(family.cells) for family in release.families))
    cells = [noisy.cells[:, a:b] for a, b in zip([0, *ends], ends, strict=False)]
    sums = [int(c.astype(object).sum()) for c in cells]
    gaussian = (f.mechanism is Mechanism.DISCRETE_GAUSSIAN for f in release.families)
    return [s // (isqrt(c.size) + 1) if g else s for s, c, g in zip(sums, cells, gaussian, strict=True)]


def _largest(of_families: Sequence[float | None]) -> float | None:
    losses = [lost for lost in of_families if lost is not None]
    return max(losses) if losses and len(losses) == len(of_families) else None


def _never_negative(e: Estimator) -> bool:
    kind = e.measure.aggregate
    return kind in _COUNTS or (kind is Aggregate.SUM and e.low >= 0)


def with_totals(
    ends: Sequence[Interval95 | None], formula: Formula, by_measure: Lost
) -> tuple[Interval95 | None, ...]:
    """The intervals of a formula, with totals where it is one such measure, or some times it."""
    lost = _lost(formula, by_measure)
    if lost is None:
        return tuple(ends)
    return tuple(replace(i, total=total(i, lost)) if i is not None else None for i in ends)


def _lost(formula: Formula, by_measure: Lost) -> float | None:
    sum_of = weighted(formula)
    if sum_of is None or sum_of.constant or len(sum_of.factors) != 1:
        return None
    ((measure, factor),) = sum_of.factors.items()
    return by_measure[measure] if factor > 0 else None


def total(interval: Interval95, lost: float) -> Span:
    """[answer - noise, (max(answer, 0) + noise) (1 + lost)]: the answer is the middle, and stays where it is."""
    answer, noise = (interval.low + interval.high) / 2, (interval.high - interval.low) / 2
    return Span(interval.low, (max(answer, 0.0) + noise) * (1 + lost))
