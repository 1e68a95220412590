"""Sums of contributions: the histogram that is drawn first, the threshold that follows from it, and the scaled sums."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dpsql.engines.base import Exact
from dpsql.mechanisms.clipping.clipping_noise import Noise, laplace
from dpsql.mechanisms.clipping.clipping_threshold import OF_QUOTIENTS, WHOLE, clipping_threshold
from dpsql.mechanisms.sampler import Sampler
from dpsql.plan.types import Histogram, Part, Release, ScaledScores, ScaledSums, Scores, Sums
from dpsql.release.draw.noise import FoundLimit


def find_limit(
    part: Histogram, wanted: ScaledSums | ScaledScores, exact: Exact, shown: int, sampler: Sampler
) -> FoundLimit:
    """The noisy histogram, and the threshold that follows from it and from how many groups are shown."""
    bins = part.clipping.bins
    counts = counts_of(part, exact)
    noisy = part.noise.add(counts, 1, sampler)
    threshold = clipping_threshold(
        noisy,
        bins=bins,
        groups=part.clipping.groups or max(shown, 1),
        histogram=part.noise,
        answer=_noise_of(wanted),
        row_weight=part.clipping.weight,
        bias=OF_QUOTIENTS if part.clipping.quotients else WHOLE,
    )
    return FoundLimit(threshold.tau, tuple(int(c) for c in noisy))


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
