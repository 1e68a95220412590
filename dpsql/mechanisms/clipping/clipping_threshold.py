"""The clipping threshold tau: how large a unit's contribution may be, chosen from a noisy histogram.

Requires: counts of units by size that were released with noise; everything else is text and policy.

Guarantees: nothing more than the histogram does: tau is a deterministic function of released and public numbers, the
same on every machine (integers and fractions, no float).

Because: it is a post-processing. How good a choice it is, is seen by simulation: `benchmarks/clipping.py`.

The rule. A small tau clips, a large tau needs noise of its size. With b bins and noise Z on each count, let z(p, n) be
the least whole number with n P(Z > z) <= p:

- the start is the highest bin whose count exceeds z(1/10,000, b); if there is none, the fullest bin if it exceeds
  z(1/1,000, b); if it does not, the fullest of the four neighbours that have most together, if they exceed twice as
  much, since the sum of four noises has twice the deviation of one;
- from there, while one of the next two bins exceeds z(1/30, 2), to the highest such bin: the top. Far from the start a
  count must be sure to be no noise, next to it less will do;
- what noise hides: the two bins above the top are expected to go on as the last three fall. With r the quotient of the
  top and the bin below it, r < 1, and q the ratio of r to the quotient before it, at most 1, the next quotients are r q
  and r q^2; none is expected to have more than z(1/30, 2). Where the top is the fuller of the two they have nothing;
- tau is the power 2^i, i up to the last of these bins, with the least expected error: what units in the bins above i
  lose, if a unit of bin j has 3/4 2^j, divided among the groups, plus the median of |noise|. Where quotients of the
  cells alone are shown, an eighth of the loss counts: most of it cancels (`benchmarks/quotients.py`);
- without a start, tau is the largest weight of one row.

What it is read from. Where the start exceeds z(1/10,000, b), the bins below it, below tau and below the two under the
top have no say. *Because* the start, the top and what is expected of the bins from there on are the same whatever is in
those bins, and units in them can only add to what a smaller tau would lose: if they are taken for empty and tau is
above them, it is so with any counts. Then they need not be counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

import numpy as np

from dpsql.mechanisms.clipping.clipping_noise import Noise, checked_noise
from dpsql.mechanisms.clipping.unit_bins import Bins, checked_counts
from dpsql.mechanisms.parameters import exact_positive, integer
from dpsql.slotted import dataclass

START, FULLEST, WALK = Fraction(1, 10_000), Fraction(1, 1_000), Fraction(1, 30)
NEXT, TOGETHER, FALLING = 2, 4, 2
# How much of what is lost counts as error: of sums that are shown, and of sums of which only quotients are.
WHOLE, OF_QUOTIENTS = Fraction(1), Fraction(1, 8)


@dataclass(frozen=True, slots=True)
class Threshold:
    """tau, in units of scaled cells; `power` is its i where tau = 2^i was chosen from the histogram, otherwise None.

    `first`: the place of the first bin that had a say. Counts of the bins below may be any.
    """

    tau: int
    power: int | None
    first: int = 0


def clipping_threshold(
    noisy_counts: Sequence[int] | np.ndarray,
    *,
    bins: Bins,
    groups: int,
    histogram: Noise,
    answer: Noise,
    row_weight: int,
    bias: Fraction = WHOLE,
) -> Threshold:
    """tau from the noisy counts of the bins, one after the other.

    `groups`: of the answer. `histogram` and `answer`: the noise of each. `row_weight`: the most that one row adds to a
    unit's size, before the multiplication by 2^shift. `bias`: how much of what is lost counts as error.
    """
    counts = checked_counts(noisy_counts, bins)
    for name, noise in (("histogram", histogram), ("answer", answer)):
        checked_noise(name, noise)
    among, weight = integer("groups", groups, at_least=1), integer("row_weight", row_weight, at_least=1)
    counted = exact_positive("bias", bias) / among
    top = top_bin(counts, histogram)
    if top is None:
        return Threshold(min(weight << bins.lowest, 1 << bins.highest), None)
    best = _least_loss(_expected(counts, top, histogram), counted, answer.median_error())
    sure = _sure(counts, histogram)
    first = max(min(best, top - FALLING, sure), 0) if sure is not None else 0
    return Threshold(1 << bins.lowest + best, bins.lowest + best, first)


def top_bin(counts: Sequence[int], histogram: Noise) -> int | None:
    """The place of the highest bin that is held to have units, None if there is none."""
    top = _start(counts, histogram)
    if top is None:
        return None
    near = hidden_units(histogram)
    while found := [i for i in range(top + 1, min(top + NEXT, len(counts) - 1) + 1) if counts[i] > near]:
        top = found[-1]
    return top


def hidden_units(histogram: Noise) -> int:
    """z(1/30, 2): as many units may be in a bin next to the top without being seen."""
    return count_above(WALK, NEXT, histogram)


def _sure(counts: Sequence[int], histogram: Noise) -> int | None:
    """The place of the highest bin that is sure to have units."""
    sure = count_above(START, len(counts), histogram)
    return max((i for i, count in enumerate(counts) if count > sure), default=None)


def _start(counts: Sequence[int], histogram: Noise) -> int | None:
    if (surely := _sure(counts, histogram)) is not None:
        return surely
    likely = count_above(FULLEST, len(counts), histogram)
    fullest = max(range(len(counts)), key=lambda i: counts[i])
    if counts[fullest] > likely:
        return fullest
    first = max(range(len(counts)), key=lambda i: sum(counts[i : i + TOGETHER]))
    among = range(first, min(first + TOGETHER, len(counts)))
    return max(among, key=lambda i: counts[i]) if sum(counts[i] for i in among) > 2 * likely else None


@lru_cache(maxsize=1024)
def count_above(p: Fraction, n: int, histogram: Noise) -> int:
    """z(p, n): the noise of none of n empty bins exceeds it, with probability 1 - p at least; exact."""
    return histogram.half_width(2 * p / n)


def _expected(counts: Sequence[int], top: int, histogram: Noise) -> list[Fraction]:
    """How many units each bin is held to have, up to the top and a little above it."""
    seen = [Fraction(max(count, 0)) for count in counts[: top + 1]]
    if top == 0 or seen[top] >= seen[top - 1]:
        return seen
    quotient = seen[top] / seen[top - 1]
    fall = (
        min(quotient * seen[top - 2] / seen[top - 1], Fraction(1))
        if top > 1 and seen[top - 2]
        else Fraction(1)
    )
    most = hidden_units(histogram)
    for _ in range(min(NEXT, len(counts) - 1 - top)):
        quotient *= fall
        seen.append(min(seen[-1] * quotient, Fraction(most)))
    return seen


def _least_loss(expected: Sequence[Fraction], counted: Fraction, noise: Fraction) -> int:
    """The i with the least expected error at 2^i: the part that is `counted` of what is lost above it, 3/4 2^j - 2^i
    for each unit, and noise 2^i."""
    losses, above, weighed = {}, Fraction(0), Fraction(0)
    for i in reversed(range(len(expected))):
        losses[i] = (weighed * 3 / 4 - above * (1 << i)) * counted + noise * (1 << i)
        above += expected[i]
        weighed += expected[i] * (1 << i)
    return min(sorted(losses), key=lambda i: losses[i])
