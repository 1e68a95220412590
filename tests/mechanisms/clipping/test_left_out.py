"""What a threshold may have left out: read from the histogram, never less than it shows, nothing where it is empty."""

from fractions import Fraction

import numpy as np
import pytest

from dpsql.mechanisms.clipping.clipping_noise import laplace
from dpsql.mechanisms.clipping.clipping_threshold import hidden_units
from dpsql.mechanisms.clipping.left_out import left_out
from dpsql.mechanisms.clipping.scaling import scaled
from dpsql.mechanisms.clipping.unit_bins import Bins, count_units, sizes
from dpsql.privacy import Neighbours

NOISE = laplace(Fraction(1, 5), Neighbours.ADD_REMOVE)


@pytest.mark.parametrize("power", range(8, 15))
def test_it_is_enough_for_the_units_that_the_histogram_shows(power: int) -> None:
    vectors = np.random.default_rng(power).integers(0, 40, (50_000, 3)) << 8
    bins, tau = Bins(8, 18), 1 << power
    lost = left_out(count_units(sizes(vectors), bins=bins), bins=bins, tau=tau, histogram=NOISE)
    kept = scaled(vectors, tau=tau)
    assert lost is not None
    assert 0.95 < lost * int(kept.sum()) / int((vectors - kept).sum()) < 5


def test_the_three_bins_above_the_top_may_hide_units() -> None:
    hidden = hidden_units(NOISE)
    lost = left_out([0, 0, 1000, 0, 0, 0, 0], bins=Bins(0, 6), tau=4, histogram=NOISE)
    assert lost == Fraction(hidden * (8 - 4) + hidden * (16 - 4) + hidden * 3 // 4 * (32 - 4), 3000)


def test_above_the_last_bin_nothing_is_hidden() -> None:
    assert left_out([0, 0, 1000], bins=Bins(0, 2), tau=4, histogram=NOISE) == 0


def test_counts_below_0_are_none() -> None:
    with_negative = left_out([-50, 0, 1000, 200], bins=Bins(0, 3), tau=4, histogram=NOISE)
    assert (
        with_negative
        == left_out([0, 0, 1000, 200], bins=Bins(0, 3), tau=4, histogram=NOISE)
        == Fraction(4, 19)
    )


@pytest.mark.parametrize("counts", [[0] * 6, [5, -3, 0, 2, 9, -40]])
def test_without_units_in_sight_nothing_is_known(counts: list[int]) -> None:
    assert left_out(counts, bins=Bins(0, 5), tau=1, histogram=NOISE) is None
