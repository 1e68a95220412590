"""How many units a threshold has clipped: about k of n people count with less than they have.

Requires: the noisy histogram from which the threshold was chosen.

Guarantees: nothing more than the histogram does: k and n are sums of released counts, their intervals public.

Because: they are post-processing. k is the sum of the bins that hold units above tau, n that of all bins (units of
size 0 are in none); the interval of a sum of m counts is that of the sum of m independent noises. Where tau is not a
power of two, the bin that it divides is counted as clipped. tau was chosen in sight of the same noise, so that k is a
little too small on average where a bin at the border was nearly left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

import numpy as np

from dpsql.mechanisms.analysis.noise_sum import Law, half_width, of_gaussian, of_laplace, repeated
from dpsql.mechanisms.clipping.clipping_noise import Noise, checked_noise
from dpsql.mechanisms.clipping.unit_bins import Bins, checked_counts
from dpsql.mechanisms.parameters import exact_level, integer
from dpsql.slotted import dataclass


@dataclass(frozen=True, slots=True)
class ClippedUnits:
    """Noisy numbers of units, each with the half width of its interval; either may come out below 0."""

    clipped: int
    clipped_half_width: float
    units: int
    units_half_width: float


def clipped_units(
    noisy_counts: Sequence[int] | np.ndarray,
    *,
    bins: Bins,
    tau: int,
    histogram: Noise,
    beta: Fraction | float = Fraction(1, 20),
) -> ClippedUnits:
    """How many units are above tau, and how many there are, with probability 1 - beta each."""
    counts = checked_counts(noisy_counts, bins)
    checked_noise("histogram", histogram)
    limit, level = integer("tau", tau, at_least=1), float(exact_level("beta", beta))
    above = [c for j, c in zip(bins.powers, counts, strict=True) if 1 << j > limit]
    return ClippedUnits(
        sum(above),
        _half_width(level, len(above), histogram),
        sum(counts),
        _half_width(level, len(counts), histogram),
    )


@lru_cache(maxsize=1024)
def _half_width(beta: float, count: int, histogram: Noise) -> float:
    return half_width(beta, [repeated(_law(histogram), 1, count)]) if count else 0.0


def _law(histogram: Noise) -> Law:
    rate = float(histogram.rate(1))
    return of_gaussian(rate) if histogram.gaussian else of_laplace([1 / rate])
