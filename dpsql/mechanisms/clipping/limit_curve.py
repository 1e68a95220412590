"""What a limit of units' numbers would cost: how much is lost above it, and the noise of its size.

Requires: counts of units by size (`root_bins`) that were released with noise; everything else is text and policy.

Guarantees: nothing more than the histogram does.

Because: it is a post-processing. Whole numbers and fractions, no float.

The rule. With z(p, n) the least whole number that the largest of n noises exceeds with probability p at most:

- the start is the highest bin whose count exceeds z(1/10,000, all bins); if there is none, the fullest of the eight
  neighbours that have most together, if they exceed three times z(1/1,000, all bins): the sum of eight noises has less
  than three times the deviation of one;
- from there, while one of the next four bins exceeds z(1/30, 4), to the highest such bin: the top. Nothing is said of
  larger limits: above the top noise cannot be told from units;
- at the limit c, each unit of a bin above loses the middle of that bin less c. Counts below 0 are taken as 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from dpsql.mechanisms.clipping.clipping_noise import Noise, checked_noise
from dpsql.mechanisms.clipping.clipping_threshold import FULLEST, START, WALK, count_above
from dpsql.mechanisms.clipping.root_bins import ROOT_BINS, largest_size, smallest_size
from dpsql.mechanisms.parameters import integer_array
from dpsql.slotted import dataclass

NEXT, TOGETHER, DEVIATIONS = 4, 8, 3


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit: how many units are estimated to be above it, and how much they lose in all."""

    cap: int
    above: int
    lost: Fraction

    def bias(self, groups: int) -> Fraction:
        """What an answer loses in each of so many groups alike."""
        return self.lost / groups


@dataclass(frozen=True, slots=True)
class LimitCurve:
    """Limits in ascending order, the last one the largest of which anything is known; none where nothing is."""

    limits: tuple[Limit, ...]

    def best(self, groups: int, noise: Fraction) -> Limit | None:
        """The limit with the least bias and noise together; `noise` is the noise of an answer at the limit 1."""
        return min(self.limits, key=lambda at: (at.bias(groups) + noise * at.cap, at.cap), default=None)


def limit_curve(noisy_counts: Sequence[int] | np.ndarray, *, histogram: Noise) -> LimitCurve:
    """The curve of the noisy counts of all bins, `histogram` being their noise."""
    given = noisy_counts if isinstance(noisy_counts, np.ndarray) else np.array(noisy_counts, dtype=object)
    if given.shape != (ROOT_BINS,):
        raise ValueError(f"{ROOT_BINS} bins have as many noisy_counts, not an array of shape {given.shape}")
    counts = [int(c) for c in integer_array("noisy_counts", given)]
    top = _top(counts, checked_noise("histogram", histogram))
    return LimitCurve(tuple(reversed(list(_limits(counts, top)))) if top is not None else ())


def _limits(counts: Sequence[int], top: int) -> list[Limit]:
    """From the top down; bins that can have no unit are left out."""
    limits, above, weighed = [], 0, Fraction(0)
    for k in reversed(range(top + 1)):
        low, high = smallest_size(k), largest_size(k)
        if low <= high:
            limits.append(Limit(high, above, weighed - above * high))
            above += max(counts[k], 0)
            weighed += max(counts[k], 0) * Fraction(low + high, 2)
    return limits


def _top(counts: Sequence[int], histogram: Noise) -> int | None:
    """The highest bin that is held to have units, None if there is none."""
    top = _start(counts, histogram)
    if top is None:
        return None
    near = count_above(WALK, NEXT, histogram)
    while found := [k for k in range(top + 1, min(top + NEXT, len(counts) - 1) + 1) if counts[k] > near]:
        top = found[-1]
    return top


def _start(counts: Sequence[int], histogram: Noise) -> int | None:
    sure = count_above(START, len(counts), histogram)
    if high := [k for k, count in enumerate(counts) if count > sure]:
        return high[-1]
    likely = count_above(FULLEST, len(counts), histogram)
    first = max(range(len(counts)), key=lambda k: sum(counts[k : k + TOGETHER]))
    among = range(first, min(first + TOGETHER, len(counts)))
    found = sum(counts[k] for k in among) > DEVIATIONS * likely
    return max(among, key=lambda k: counts[k]) if found else None
