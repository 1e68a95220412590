"""How much a threshold may have left out: as a multiple of what is counted, from the noisy histogram.

Requires: the noisy histogram from which the threshold was chosen; what is counted according to the answer, if the bins
below some place were not read (they are 0 then).

Guarantees: nothing more than the histogram does. It is an estimate, and no bound: a single unit may be of any size, and
no private histogram shows it.

Because: it is a post-processing. Up to the top bin of the threshold's rule the histogram says how many units there are:
those above tau lose at most 2^j - tau each, the others and what is kept count as 3/4 2^j, tau at most. In each of the
next two bins as many units are supposed as noise would hide from the rule that looks for them, and in the third, where
that rule does not look, three quarters of it: among a few hundred people one or two may have that much. Without a top
nothing is known. How often the estimate suffices is measured by `benchmarks/totals.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from dpsql.mechanisms.clipping.clipping_noise import Noise, checked_noise
from dpsql.mechanisms.clipping.clipping_threshold import NEXT, hidden_units, top_bin
from dpsql.mechanisms.clipping.unit_bins import Bins, checked_counts
from dpsql.mechanisms.parameters import integer

NOTHING = Fraction(0)


def left_out(
    noisy_counts: Sequence[int] | np.ndarray,
    *,
    bins: Bins,
    tau: int,
    histogram: Noise,
    answered: Fraction = NOTHING,
) -> Fraction | None:
    """What units above tau lose, divided by what is counted; None where the histogram shows no units.

    `answered`: what the answer's own cells add up to, as scaled cells, for a histogram that was not read whole.

    >>> from dpsql.mechanisms.clipping.clipping_noise import laplace
    >>> from dpsql.privacy import Neighbours
    >>> noise = laplace(1, Neighbours.ADD_REMOVE)
    >>> left_out([0, 0, 1000, 100], bins=Bins(0, 3), tau=4, histogram=noise)
    Fraction(2, 17)
    """
    counts = checked_counts(noisy_counts, bins)
    checked_noise("histogram", histogram)
    limit, top = integer("tau", tau, at_least=1), top_bin(counts, histogram)
    if top is None:
        return None
    sizes = [1 << power for power in bins.powers]
    units = [max(c, 0) for c in counts[: top + 1]]
    counted = [n * min(Fraction(3 * size, 4), Fraction(limit)) for n, size in zip(units, sizes, strict=False)]
    hidden = hidden_units(histogram)
    units += [*([hidden] * NEXT), hidden * 3 // 4]
    lost = sum(n * max(size - limit, 0) for n, size in zip(units, sizes, strict=False))
    return lost / max(sum(counted, Fraction(0)), answered)
