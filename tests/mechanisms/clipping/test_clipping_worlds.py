"""What one unit changes, over whole small worlds: exactly what the noise is scaled to, and no more."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from dpsql.mechanisms.clipping.clipping_noise import gaussian, histogram_noise, laplace, shares_of_rho
from dpsql.mechanisms.clipping.clipping_threshold import OF_QUOTIENTS, WHOLE, clipping_threshold
from dpsql.mechanisms.clipping.scaling import scaled, scaled_by_root
from dpsql.mechanisms.clipping.unit_bins import (
    Bins,
    count_units,
    count_units_squared,
    sizes,
    squared_sizes,
)
from dpsql.privacy import Neighbours

BINS = Bins(0, 3)
ADDED, REPLACED = Neighbours.ADD_REMOVE, Neighbours.SUBSTITUTE
UNITS = np.array(list(product(range(-4, 5), repeat=3)))
COUNTS = np.array(list(product(range(9), repeat=3)))
TAUS = (1, 2, 3, 4, 8)


def histogram(world: np.ndarray, *, of_root: bool) -> np.ndarray:
    if of_root:
        return count_units_squared(squared_sizes(world), bins=BINS)
    return count_units(sizes(world), bins=BINS)


def total(world: np.ndarray, tau: int, *, of_root: bool) -> np.ndarray:
    return (scaled_by_root if of_root else scaled)(world, tau=tau).sum(axis=0)


@pytest.mark.parametrize("of_root", [False, True])
def test_a_world_is_the_sum_of_its_units(of_root: bool) -> None:
    rng = np.random.default_rng(2)
    for _ in range(300):
        world = UNITS[rng.integers(0, len(UNITS), rng.integers(1, 6))]
        alone = [histogram(unit[np.newaxis], of_root=of_root) for unit in world]
        assert (histogram(world, of_root=of_root) == np.sum(alone, axis=0)).all()
        for tau in TAUS:
            parts = [total(unit[np.newaxis], tau, of_root=of_root) for unit in world]
            assert (total(world, tau, of_root=of_root) == np.sum(parts, axis=0)).all()


def moves(parts: np.ndarray) -> tuple[int, int, int, int]:
    """The largest L1 and squared L2 of what units add, and of the difference of any two."""
    added = (int(np.abs(parts).sum(axis=1).max()), int(np.square(parts).sum(axis=1).max()))
    most = [0, 0]
    for one in parts:
        change = parts - one
        most = [
            max(most[0], int(np.abs(change).sum(axis=1).max())),
            max(most[1], int(np.square(change).sum(axis=1).max())),
        ]
    return *added, *most


@pytest.mark.parametrize("of_root", [False, True])
def test_the_histogram_moves_by_its_sensitivity(of_root: bool) -> None:
    parts = np.array([histogram(unit[np.newaxis], of_root=of_root) for unit in UNITS])
    assert moves(np.unique(parts, axis=0)) == (1, 1, 2, 2)
    for relation, moved in ((ADDED, 1), (REPLACED, 2)):
        assert (
            laplace(1, relation).sensitivity(1)
            == gaussian(1, relation, nonnegative=True).sensitivity(1)
            == moved
        )


@pytest.mark.parametrize("tau", TAUS)
def test_the_sum_of_what_scaling_left_moves_by_its_sensitivity(tau: int) -> None:
    l1, _, l1_replaced, _ = moves(np.unique(scaled(UNITS, tau=tau), axis=0))
    assert (l1, l1_replaced) == tuple(laplace(1, relation).sensitivity(tau) for relation in (ADDED, REPLACED))


@pytest.mark.parametrize("tau", TAUS)
@pytest.mark.parametrize(("units", "nonnegative"), [(UNITS, False), (COUNTS, True)])
def test_in_l2_too(tau: int, units: np.ndarray, nonnegative: bool) -> None:
    if not nonnegative and tau > 4:
        units = units * 2
    _, l2, _, l2_replaced = moves(np.unique(scaled_by_root(units, tau=tau), axis=0))
    allowed = [gaussian(1, r, nonnegative=nonnegative).sensitivity(tau) for r in (ADDED, REPLACED)]
    assert [l2, l2_replaced] == allowed == [tau**2, (2 if nonnegative else 4) * tau**2]


def test_a_cells_own_limit_would_count_a_unit_in_five_groups_as_one() -> None:
    five = np.full((1, 5), 8)
    assert np.abs(np.minimum(five, 8)).sum() == 5 * 8
    assert sizes(scaled(five, tau=8)).max() <= 8


def test_scaled_in_l2_two_candidates_move_apart_by_more_than_tau() -> None:
    opposite = np.array([[5, -5]])
    in_l1, in_l2 = scaled(opposite, tau=5)[0], scaled_by_root(opposite, tau=5)[0]
    assert in_l1[0] - in_l1[1] <= 5 < in_l2[0] - in_l2[1]


FEW = [(0, 0), (1, 0), (2, -3), (5, 5), (-2, -2)]
WORLDS = [np.array(w, dtype=np.int64).reshape(-1, 2) for n in range(3) for w in product(FEW, repeat=n)]

ROOTS = [(0, 0), (8, 0), (-8, 0), (3, -4), (10, 10)]
WORLDS_OF_ROOTS = [
    np.array(w, dtype=np.int64).reshape(-1, 2) for n in range(3) for w in product(ROOTS, repeat=n)
]


def without(world: np.ndarray) -> list[np.ndarray]:
    return [np.delete(world, place, axis=0) for place in range(len(world))]


@pytest.mark.one_in(8)
@pytest.mark.parametrize("bias", [WHOLE, OF_QUOTIENTS])
@pytest.mark.parametrize("relation", list(Neighbours))
def test_histogram_threshold_and_sum_together_lose_what_they_cost(
    relation: Neighbours, bias: Fraction
) -> None:
    """For every released histogram and every answer, by the exponents of the noise that is drawn."""
    first, second = laplace(Fraction(1, 5), relation), laplace(Fraction(4, 5), relation)
    released = list(product((-30, 0, 25, 200), repeat=len(BINS)))
    taus = {
        h: clipping_threshold(
            h, bins=BINS, groups=2, histogram=first, answer=second, row_weight=3, bias=bias
        ).tau
        for h in released
    }
    assert len(set(taus.values())) >= 4
    facts = [
        (histogram(w, of_root=False), {t: total(w, t, of_root=False) for t in set(taus.values())})
        for w in WORLDS
    ]
    worst = Fraction(0)
    for here, there in neighbours(relation):
        (counts, sums), (others, other_sums) = facts[here], facts[there]
        for h, tau in taus.items():
            loss = Fraction(int(np.abs(h - others).sum() - np.abs(h - counts).sum())) * first.rate(1)
            moved = int(np.abs(sums[tau] - other_sums[tau]).sum())  # the answer that tells the two apart best
            worst = max(worst, abs(loss) + moved * second.rate(tau))
    assert worst == 1


def neighbours(relation: Neighbours, worlds: list[np.ndarray] = WORLDS) -> list[tuple[int, int]]:
    def alike(one: np.ndarray, other: np.ndarray) -> bool:
        if relation is Neighbours.ADD_REMOVE:
            return any(np.array_equal(less, other) for less in without(one))
        return len(one) == len(other) and (one != other).any(axis=1).sum() == 1

    return [(i, j) for i, one in enumerate(worlds) for j, other in enumerate(worlds) if alike(one, other)]


@pytest.mark.parametrize("relation", list(Neighbours))
def test_of_gaussian_noise_all_parts_together_lose_the_rho_that_they_cost(relation: Neighbours) -> None:
    """rho is half of the square of how far a part moves in standard deviations; they add up, at every threshold."""
    rho = Fraction(1, 2)
    first, second = shares_of_rho(rho)
    answer = gaussian(second, relation)
    found = histogram_noise(first, answer)
    taus = (1, 2, 4, 8)
    facts = [
        (histogram(w, of_root=True), {t: total(w, t, of_root=True) for t in taus}) for w in WORLDS_OF_ROOTS
    ]
    worst = Fraction(0)
    for here, there in neighbours(relation, WORLDS_OF_ROOTS):
        (counts, sums), (others, other_sums) = facts[here], facts[there]
        lost = Fraction(int(np.square(counts - others).sum())) / (2 * found.rate(1))
        for tau in taus:
            moved = int(np.square(sums[tau] - other_sums[tau]).sum())
            worst = max(worst, lost + moved / (2 * answer.rate(tau)))
    assert Fraction(9, 10) * rho < worst <= rho
