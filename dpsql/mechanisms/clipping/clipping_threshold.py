"""The clipping threshold tau: how large a unit's contribution may be, chosen from a noisy histogram.

Requires: counts of units by size that were released with noise; everything else is text and policy.

Guarantees: nothing more than the histogram does: tau is a deterministic function of released and public numbers, the
same on every machine (integers and fractions, no float).

Because: it is a post-processing. How good a choice it is, is seen by simulation: `benchmarks/clipping.py`.

The rule. A small tau clips, a large tau needs noise of its size. With b bins and noise Z on each count, let z(p, n) be
the least whole number with n P(Z > z) <= p:

- the start is the highest bin whose count exceeds z(1/10,000, b); if there is none, the fullest bin if it exceeds
  z(1/1,000, b);
- from there, while one of the next two bins exceeds z(1/10, 2), to the highest such bin: the top. Far from the start a
  count must be sure to be no noise, next to it a hint is enough;
- tau is the power 2^i, i up to the top, with the least expected error: what units in the bins above i lose, if a unit
  of bin j has 3/4 2^j, divided among the groups, plus the median of |noise|;
- without a start, tau is the largest weight of one row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from dpsql.mechanisms.clipping.clipping_noise import Noise
from dpsql.mechanisms.clipping.unit_bins import Bins
from dpsql.mechanisms.parameters import integer, integer_array

START, FULLEST, WALK = Fraction(1, 10_000), Fraction(1, 1_000), Fraction(1, 10)
NEXT = 2


@dataclass(frozen=True, slots=True)
class Threshold:
    """tau, in units of scaled cells; `power` is its i where tau = 2^i was chosen from the histogram, otherwise None."""

    tau: int
    power: int | None


def clipping_threshold(
    noisy_counts: Sequence[int] | np.ndarray,
    *,
    bins: Bins,
    groups: int,
    histogram: Noise,
    answer: Noise,
    row_weight: int,
) -> Threshold:
    """tau from the noisy counts of the bins, one after the other.

    `groups`: of the answer. `histogram` and `answer`: the noise of each. `row_weight`: the most that one row adds to a
    unit's size, before the multiplication by 2^shift.
    """
    counts = [int(c) for c in integer_array("noisy_counts", np.asarray(noisy_counts))]
    if len(counts) != len(bins):
        raise ValueError(f"{len(bins)} bins have as many noisy_counts, not {len(counts)}")
    among, weight = integer("groups", groups, at_least=1), integer("row_weight", row_weight, at_least=1)
    top = _top(counts, histogram)
    if top is None:
        return Threshold(min(weight << bins.lowest, 1 << bins.highest), None)
    best = min(range(top + 1), key=lambda i: (_loss(i, top, counts, among, answer.median_error()), i))
    return Threshold(1 << bins.lowest + best, bins.lowest + best)


def _top(counts: Sequence[int], histogram: Noise) -> int | None:
    """The place of the highest bin that is held to have units, None if there is none."""
    top = _start(counts, histogram)
    if top is None:
        return None
    near = count_above(WALK, NEXT, histogram)
    while found := [i for i in range(top + 1, min(top + NEXT, len(counts) - 1) + 1) if counts[i] > near]:
        top = found[-1]
    return top


def _start(counts: Sequence[int], histogram: Noise) -> int | None:
    sure = count_above(START, len(counts), histogram)
    if high := [i for i, count in enumerate(counts) if count > sure]:
        return high[-1]
    fullest = max(range(len(counts)), key=lambda i: counts[i])
    return fullest if counts[fullest] > count_above(FULLEST, len(counts), histogram) else None


@lru_cache(maxsize=1024)
def count_above(p: Fraction, n: int, histogram: Noise) -> int:
    """z(p, n): the noise of none of n empty bins exceeds it, with probability 1 - p at least; exact."""
    return histogram.half_width(2 * p / n)


def _loss(i: int, top: int, counts: Sequence[int], groups: int, noise: Fraction) -> Fraction:
    """The expected error at tau = 2^i in units of the lowest bin's 2^f."""
    clipped = sum(max(counts[j], 0) * (3 * (1 << j) - (4 << i)) for j in range(i + 1, top + 1))
    return Fraction(clipped, 4 * groups) + noise * (1 << i)
