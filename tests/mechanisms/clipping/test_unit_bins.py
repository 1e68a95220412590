"""A unit is counted in one bin, that of its size, and no size or product leaves the integers it is computed on."""

import numpy as np
import pytest

from dpsql.mechanisms.clipping.scaling import scaled
from dpsql.mechanisms.clipping.unit_bins import (
    Bins,
    bins_up_to,
    cell_limit,
    count_units,
    count_units_squared,
    shift,
    sizes,
    squared_sizes,
)


def bin_of(size: int, bins: Bins) -> int | None:
    """By the definition: 2^(j-1) < t <= 2^j, the highest open above, the lowest without a lower end but 0."""
    if size == 0:
        return None
    return next((j for j in bins.powers if size <= 2**j), bins.highest)


@pytest.mark.parametrize("bins", [Bins(0, 0), Bins(0, 4), Bins(3, 9), Bins(8, 62)])
def test_every_size_is_in_its_bin_alone(bins: Bins) -> None:
    for size in [*range(1100), 2**61, 2**61 + 1, 2**62, 2**62 + 1, 2**70]:
        place = bin_of(size, bins)
        expected = [int(j == place) for j in bins.powers]
        assert count_units(np.array([size], dtype=object), bins=bins).tolist() == expected
        assert count_units_squared(np.array([size**2], dtype=object), bins=bins).tolist() == expected


def test_squares_are_compared_and_no_root_is_taken() -> None:
    near = np.array([4**40 - 1, 4**40, 4**40 + 1, 4**62 - 1, 4**62], dtype=object)
    counts = count_units_squared(near, bins=Bins(39, 62))
    assert {j: int(c) for j, c in zip(Bins(39, 62).powers, counts, strict=True) if c} == {40: 2, 41: 1, 62: 2}


def test_storage_does_not_matter() -> None:
    rng = np.random.default_rng(1)
    small, bins = rng.integers(0, 5000, 2000), Bins(4, 11)
    assert count_units(small, bins=bins).tolist() == count_units(small.astype(object), bins=bins).tolist()


def test_bins_below_the_shift_would_be_empty() -> None:
    for groups in (1, 5, 20, 1000):
        f = shift(groups)
        vectors = np.random.default_rng(groups).integers(-3, 4, (500, 3)) << f
        assert count_units(sizes(vectors), bins=Bins(f - 1, f + 6))[0] == 0
        assert count_units_squared(squared_sizes(vectors), bins=Bins(f - 1, f + 6))[0] == 0


@pytest.mark.parametrize("groups", [1, 2, 3, 20, 255, 256])
def test_a_count_of_one_outlives_any_scaling_down_to_the_size_of_one_group(groups: int) -> None:
    f = shift(groups)
    ones = np.full((1, groups), 1 << f)
    assert scaled(ones, tau=1 << f).min() >= 256
    assert scaled(ones, tau=(2 << f) // 3).min() >= 170


def test_without_the_shift_a_count_of_one_is_scaled_to_nothing() -> None:
    assert scaled(np.array([[1, 1, 1]]), tau=2).tolist() == [[0, 0, 0]]
    f = shift(3)
    assert (scaled(np.array([[1, 1, 1]]) << f, tau=2 << f) / 2**f).round(3).tolist() == [
        [0.666, 0.666, 0.666]
    ]


@pytest.mark.parametrize("groups", [1, 20, 300])
@pytest.mark.parametrize("limit", [None, 1, 1000, 2**62, 2**100])
def test_a_clamped_cell_is_multiplied_without_leaving_62_bits(groups: int, limit: int | None) -> None:
    f = shift(groups)
    kept = cell_limit(limit, shift=f)
    assert kept << f <= 2**62
    assert kept == (limit if limit is not None and limit << f <= 2**62 else 2 ** (62 - f))


@pytest.mark.parametrize("cells", [1, 2, 3, 4, 5, 1000, 2**20, 2**20 + 1])
def test_squares_of_clamped_cells_add_up_to_126_bits_at_most(cells: int) -> None:
    f = shift(cells)
    kept = cell_limit(None, shift=f, squared_cells=cells)
    assert cells * (kept << f) ** 2 <= 2**126
    assert kept >= 2**26
    assert kept << f == 2**62 or cells * (2 * kept << f) ** 2 > 2**126 // 2


def test_a_unit_in_five_groups_has_bins_for_all_of_them() -> None:
    f = shift(5)
    assert bins_up_to(5 * 7, shift=f) == Bins(f, f + 6)
    assert bins_up_to(7, shift=f) == Bins(f, f + 3)
    assert bins_up_to(1, shift=f) == Bins(f, f)
    assert bins_up_to(None, shift=f) == bins_up_to(2**90, shift=f) == Bins(f, 62)


def test_sizes_are_exact_where_int64_is_left() -> None:
    least, most = -(2**63), 2**63 - 1
    vectors = np.array([[least, most], [2**62, 2**62], [0, 0], [1, -1]])
    assert sizes(vectors).tolist() == [2**64 - 1, 2**63, 0, 2]
    assert squared_sizes(vectors).tolist() == [least**2 + most**2, 2**125, 0, 2]
    assert sizes(np.empty((3, 0), np.int64)).tolist() == [0, 0, 0]
    assert squared_sizes(np.array([[2**31, 0]])).tolist() == [2**62]


@pytest.mark.parametrize(("low", "high"), [(-1, 3), (4, 3), (0, 63)])
def test_bins_outside_of_what_is_computed_are_refused(low: int, high: int) -> None:
    with pytest.raises(ValueError, match="lowest"):
        Bins(low, high)


def test_what_is_no_size_is_refused() -> None:
    with pytest.raises(ValueError, match="negative"):
        count_units(np.array([-1]), bins=Bins(0, 3))
    with pytest.raises(ValueError, match="matrix"):
        sizes(np.array([1, 2]))
