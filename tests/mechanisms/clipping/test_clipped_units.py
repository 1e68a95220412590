"""How many units are told to be clipped: sums of released counts, with the interval of their noise."""

from fractions import Fraction

import numpy as np
import pytest
from chances import is_share_between

from dpsql.mechanisms import ExactSampler
from dpsql.mechanisms.clipping.clipped_units import clipped_units
from dpsql.mechanisms.clipping.clipping_noise import Noise, gaussian, laplace
from dpsql.mechanisms.clipping.scaling import scaled
from dpsql.mechanisms.clipping.unit_bins import Bins, count_units, sizes
from dpsql.privacy import Neighbours

BINS = Bins(0, 5)
NOISES = [laplace(Fraction(1, 5), Neighbours.SUBSTITUTE), gaussian(Fraction(1, 50), Neighbours.ADD_REMOVE)]


@pytest.mark.parametrize("power", range(6))
def test_without_noise_it_is_the_number_of_units_that_scaling_changed(power: int) -> None:
    vectors = np.random.default_rng(power).integers(-9, 10, (500, 3))
    tau = 1 << power
    told = clipped_units(count_units(sizes(vectors), bins=BINS), bins=BINS, tau=tau, histogram=NOISES[0])
    assert told.clipped == (scaled(vectors, tau=tau) != vectors).any(axis=1).sum()
    assert told.units == vectors.any(axis=1).sum()


def test_the_bin_that_tau_divides_counts_as_clipped() -> None:
    told = clipped_units([1, 2, 4, 8, 16, 32], bins=BINS, tau=3, histogram=NOISES[0])
    assert (told.clipped, told.units) == (4 + 8 + 16 + 32, 63)


def test_nothing_is_clipped_at_the_highest_power() -> None:
    told = clipped_units([1] * 6, bins=BINS, tau=32, histogram=NOISES[0])
    assert (told.clipped, told.clipped_half_width) == (0, 0.0)


@pytest.mark.parametrize("noise", NOISES)
def test_the_intervals_hold_as_often_as_they_say(noise: Noise, samples: int) -> None:
    runs = max(samples // 20, 1000)
    noisy = noise.add(np.zeros((runs, 6), np.int64), 1, ExactSampler())
    told = clipped_units([0] * 6, bins=BINS, tau=4, histogram=noise, beta=Fraction(1, 10))
    for width, drawn in ((told.clipped_half_width, noisy[:, 3:]), (told.units_half_width, noisy)):
        # Whole numbers and the sum of a few laws make it 0.094 to 0.101.
        assert is_share_between(0.09, 0.105, int((np.abs(drawn.sum(axis=1)) > width).sum()), runs)


def test_a_number_of_counts_that_is_not_that_of_the_bins_is_refused() -> None:
    with pytest.raises(ValueError, match="6 bins"):
        clipped_units([0], bins=BINS, tau=4, histogram=NOISES[0])
