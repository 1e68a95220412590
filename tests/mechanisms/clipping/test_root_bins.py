"""Bins of powers of the root of 2: by comparison of squares, one for each unit, at every neighbour."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations_with_replacement, product

import numpy as np
import pytest

from dpsql.mechanisms.clipping.clipping_noise import laplace
from dpsql.mechanisms.clipping.limit_curve import Limit, limit_curve
from dpsql.mechanisms.clipping.root_bins import ROOT_BINS, count_by_root, largest_size, smallest_size
from dpsql.privacy import Neighbours


def by_comparison(t: int) -> int:
    """The k of a number above 0, found by comparing its square with every power of 2."""
    below = [k for k in range(ROOT_BINS) if t * t <= 2**k]
    return below[0]


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    "t", [*range(1, 700), *(2**k + d for k in (20, 31, 32, 61) for d in (-1, 0, 1)), 2**62 - 1, 2**62]
)
def test_a_number_is_in_the_bin_whose_powers_its_square_lies_between(t: int) -> None:
    (place,) = np.flatnonzero(count_by_root(np.array([t], dtype=object)))
    assert place == by_comparison(t)
    assert smallest_size(int(place)) <= t <= largest_size(int(place))


def test_ends_of_bins_are_whole_roots() -> None:
    for k in range(ROOT_BINS):
        high = largest_size(k)
        assert high**2 <= 2**k < (high + 1) ** 2
        assert smallest_size(k) == (largest_size(k - 1) + 1 if k else 1)
    assert largest_size(ROOT_BINS - 1) == 2**62


def test_zero_is_in_no_bin_and_what_is_larger_in_the_last() -> None:
    assert not count_by_root(np.array([0, 0])).any()
    assert np.flatnonzero(count_by_root(np.array([2**80], dtype=object))).tolist() == [ROOT_BINS - 1]


def test_a_unit_moves_one_count_by_1_and_a_replaced_one_two() -> None:
    """Every small world and every neighbour of it; both claims are reached."""
    moved: dict[Neighbours, set[int]] = {n: set() for n in Neighbours}
    for world in combinations_with_replacement(range(7), 3):
        counts = count_by_root(np.array(world))
        for i, other in product(range(3), range(7)):
            rest = [t for j, t in enumerate(world) if j != i]
            without, instead = count_by_root(np.array(rest)), count_by_root(np.array([*rest, other]))
            moved[Neighbours.ADD_REMOVE].add(int(np.abs(counts - without).sum()))
            moved[Neighbours.SUBSTITUTE].add(int(np.abs(counts - instead).sum()))
    assert max(moved[Neighbours.ADD_REMOVE]) == laplace(1, Neighbours.ADD_REMOVE).sensitivity(1) == 1
    assert max(moved[Neighbours.SUBSTITUTE]) == laplace(1, Neighbours.SUBSTITUTE).sensitivity(1) == 2


def counts_of(*numbers: tuple[int, int]) -> np.ndarray:
    return count_by_root(np.array([t for t, count in numbers for _ in range(count)]))


def test_the_curve_says_how_many_are_above_and_what_they_lose() -> None:
    curve = limit_curve(counts_of((1, 1000), (2, 500), (5, 200)), histogram=laplace(1, Neighbours.ADD_REMOVE))
    assert curve.limits == (
        Limit(1, 700, Fraction(500 * 1 + 200 * 4)),
        Limit(2, 200, Fraction(200 * 3)),
        Limit(4, 200, Fraction(200)),
        Limit(5, 0, Fraction(0)),
    )
    assert curve.limits[0].bias(10) == 130
    # 1300 + n, 600 + 2n, 200 + 4n and 5n are least at other noises each.
    best = [curve.best(1, Fraction(n)) for n in (100, 300, 600, 2000)]
    assert [at.cap for at in best if at] == [5, 2, 2, 1]
    assert [at.cap for n in (100, 300) if (at := curve.best(100, Fraction(n)))] == [1, 1]


def test_counts_below_0_are_nobody() -> None:
    counts = counts_of((1, 1000), (5, 300))
    counts[2] = -40
    assert limit_curve(counts, histogram=laplace(1, Neighbours.ADD_REMOVE)).limits[0].above == 300


def test_where_noise_hides_everybody_nothing_is_known() -> None:
    noise = laplace(Fraction(1, 100), Neighbours.ADD_REMOVE)
    rng = np.random.default_rng(3)
    for _ in range(200):
        counts = noise.add(np.zeros(ROOT_BINS, np.int64), 1, _Drawn(rng))
        known = limit_curve(counts, histogram=noise)
        assert known.best(10, Fraction(1)) is None or len(known.limits) > 0
    assert limit_curve(np.zeros(ROOT_BINS, np.int64), histogram=noise).limits == ()
    assert limit_curve(counts_of((3, 100)), histogram=noise).best(1, Fraction(1)) is None


class _Drawn:
    """Noise of the same law by numpy, to draw often."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng

    def discrete_laplace(self, values: np.ndarray, *, sensitivity: int, epsilon: Fraction) -> np.ndarray:
        p = 1 - np.exp(-float(epsilon) / sensitivity)
        shape = values.shape
        return values + self.rng.geometric(p, shape) - self.rng.geometric(p, shape)


def test_empty_data_shows_limits_in_few_draws() -> None:
    noise, rng = laplace(Fraction(1, 100), Neighbours.ADD_REMOVE), np.random.default_rng(5)
    shown = sum(
        bool(limit_curve(noise.add(np.zeros(ROOT_BINS, np.int64), 1, _Drawn(rng)), histogram=noise).limits)
        for _ in range(2000)
    )
    assert shown <= 8


def test_a_lonely_group_of_large_numbers_is_found_and_noise_above_is_not() -> None:
    noise, rng = laplace(Fraction(1, 10), Neighbours.ADD_REMOVE), np.random.default_rng(7)
    exact = counts_of((8, 3000), (300, 400))
    for _ in range(50):
        last = limit_curve(noise.add(exact, 1, _Drawn(rng)), histogram=noise).limits[-1]
        assert 300 <= last.cap <= 4 * 362
