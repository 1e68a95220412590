"""Sums of contributions: the histogram that is drawn first, the threshold that follows from it, and the scaled sums."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import cast

import numpy as np

from dpsql.engines.base import Exact
from dpsql.engines.sqlgen.clipping.contributions import OF_BINS
from dpsql.mechanisms.clipping.clipping_noise import Noise, laplace
from dpsql.mechanisms.clipping.clipping_threshold import (
    OF_QUOTIENTS,
    WHOLE,
    Threshold,
    clipping_threshold,
)
from dpsql.mechanisms.sampler import Sampler
from dpsql.plan.types import Histogram, Part, Release, ScaledScores, ScaledSums, Scores, Sum, Sums
from dpsql.release.draw.noise import FoundLimit, Integers
from dpsql.slotted import dataclass

MANY_ROWS, MANY_UNITS = 2**19, 10_000
"""Of an answer that counts more rows, or more units in the bins that had a say, no others are told: counting all units
would take longer than all else."""


@dataclass(frozen=True, slots=True, eq=False)
class NoisyBins:
    """Noisy counts of the bins from place `read` on, of the others 0, and the threshold that follows from them."""

    counts: np.ndarray
    read: int
    threshold: Threshold


def find_limit(
    part: Histogram,
    wanted: ScaledSums | ScaledScores,
    largest: Exact,
    every: Callable[[], Exact],
    shown: int,
    sampler: Sampler,
) -> tuple[NoisyBins, bool]:
    """The threshold that follows from the noisy histogram and from how many groups are shown; and whether the largest
    units were enough to tell.

    `largest` has how many units there are in each of the last bins, from some bin on; `every` counts all bins.

    Guarantees: the law of the threshold, and of which bins had a say, does not depend on which bins `largest` has.
    *Because* the noise of each bin is drawn once, and where all bins that have a say are counted the others change
    nothing.
    """
    bins = part.clipping.bins
    read = min((cast(int, key[0]) for key in largest.keys), default=bins.highest + 1) - bins.lowest
    last = _noisy(part, counts_of(part, largest)[read:], sampler)
    counts = np.concatenate([np.zeros(read, dtype=last.dtype), last])
    found = NoisyBins(counts, read, _threshold(part, wanted, counts, shown))
    if found.threshold.first >= read:
        return found, True
    counts = _completed(part, found, every, sampler)
    return NoisyBins(counts, 0, _threshold(part, wanted, counts, shown)), False


def told_limit(
    part: Histogram, found: NoisyBins, rows: Fraction | None, every: Callable[[], Exact], sampler: Sampler
) -> FoundLimit:
    """The threshold with the bins that are told: all, or those alone that had a say where the answer counts many.

    `rows`: how many it counts, by its noisy cells; None where it counts none.

    Guarantees: what is told follows from the noisy histogram and the answer's noisy cells alone.
    """
    units = sum(int(c) for c in found.counts[found.threshold.first :])
    few = rows is not None and rows <= MANY_ROWS and units <= MANY_UNITS
    counts = _completed(part, found, every, sampler) if few and found.read else found.counts
    first = 0 if few else found.threshold.first
    return FoundLimit(found.threshold.tau, tuple(int(c) for c in counts[first:]))


def added_by_bins(part: Histogram, largest: Exact, threshold: int) -> int | None:
    """What scaling to a threshold adds to the only sum of a release: nothing above 0.

    None where that takes the units themselves: where the histogram of the largest came without the sums of its bins, or
    the threshold is no power of two, so that a bin may have units on both sides of it.

    *Because* the units of a bin are all above a power of two, or none of them is; and what each of these adds is the
    threshold instead of its size. In the highest bin may be units above the highest threshold: by how much, is told.
    """
    shift, power = part.clipping.shift, threshold.bit_length() - 1
    if largest.values.shape[1] != OF_BINS or threshold != 1 << power:
        return None
    rows = [[int(n) for n in row] for row in largest.values]
    if threshold == part.clipping.most:
        return -sum(over << shift for _, _, over in rows)
    above = [row for (key,), row in zip(largest.keys, rows, strict=True) if cast(int, key) > power]
    return sum(units * threshold - (sizes << shift) for units, sizes, _ in above)


def rows_counted(part: ScaledSums, cells: Integers) -> Fraction:
    """At least how many rows the noisy cells count, more or less: what they say of it, or what they add up to."""
    sums = [int(column.astype(object).sum()) for column in cells.T]
    factor, rows = 1 << part.clipping.shift, [Fraction(sum(sums), part.clipping.weight)]
    for cell, total in zip(part.cells, sums, strict=True):
        match [(t.sum, c) for t, c in zip(part.terms, cell, strict=True) if c]:
            case [(Sum.ROWS, times)]:
                rows.append(Fraction(total, times))
    return max(rows) / factor


def _completed(part: Histogram, found: NoisyBins, every: Callable[[], Exact], sampler: Sampler) -> np.ndarray:
    """The counts of all bins: those that were not read yet get their noise now."""
    others = _noisy(part, counts_of(part, every())[: found.read], sampler)
    return np.concatenate([others, found.counts[found.read :]])


def _noisy(part: Histogram, counts: np.ndarray, sampler: Sampler) -> np.ndarray:
    return part.noise.add(counts, 1, sampler) if counts.size else counts


def _threshold(
    part: Histogram, wanted: ScaledSums | ScaledScores, noisy: np.ndarray, shown: int
) -> Threshold:
    return clipping_threshold(
        noisy,
        bins=part.clipping.bins,
        groups=part.clipping.groups or max(shown, 1),
        histogram=part.noise,
        answer=_noise_of(wanted),
        row_weight=part.clipping.weight,
        bias=OF_QUOTIENTS if part.clipping.quotients else WHOLE,
    )


def _noise_of(wanted: ScaledSums | ScaledScores) -> Noise:
    """What a threshold is weighed against: of a choice Laplace noise at the epsilon of one."""
    return wanted.noise if isinstance(wanted, ScaledSums) else laplace(wanted.each, wanted.neighbours)


def scores_under(part: ScaledScores, threshold: int) -> Scores:
    """The scores as they are chosen by, with D_R for a threshold."""
    return Scores(
        *(part.bounding, part.term, part.descending, part.score_range(threshold)),
        *(part.epsilon, part.count, part.mechanism),
    )


def counts_of(part: Histogram, exact: Exact) -> np.ndarray:
    """How many units each bin has, in the order of the bins."""
    by_power = {key[0]: int(row[0]) for key, row in zip(exact.keys, exact.values, strict=True)}
    return np.array([by_power.get(power, 0) for power in part.clipping.bins.powers], dtype=np.int64)


def settled(release: Release, limits: tuple[FoundLimit, ...]) -> Release:
    """The release with the noise that it has under the limits that were found: its histograms are done with."""
    return _with_thresholds(release, [limit.threshold for limit in limits])


def at_most(release: Release) -> Release:
    """The release with the most noise that it can have."""
    return _with_thresholds(release, [p.clipping.most for p in release.parts if isinstance(p, Histogram)])


def _with_thresholds(release: Release, thresholds: Sequence[int]) -> Release:
    """`thresholds`: one for each histogram, after which stands what is scaled to it."""
    if not any(isinstance(p, ScaledSums) for p in release.parts):
        return release
    left = iter(thresholds)
    parts: list[Part] = []
    threshold = 0
    for p in release.parts:
        if isinstance(p, Histogram):
            threshold = next(left)
        else:
            parts.append(Sums(p.bounding, (p.at(threshold),)) if isinstance(p, ScaledSums) else p)
    return replace(release, parts=tuple(parts))
