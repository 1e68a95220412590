"""The private quantile: its law and its privacy by enumeration, its accuracy, and why not permute-and-flip."""

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from exact_laws import ALARM, chi_square
from tree_coins import SeededCoins

from dpsql.mechanisms import quantile, quantiles
from dpsql.mechanisms.selection.exponential import exponential_mechanism
from dpsql.mechanisms.selection.quantile import (
    logarithmic_grid,
    quantile_range,
    quantile_rank_error,
    rank_scores,
    uniform_grid,
)

HALF = Fraction(1, 2)
LEVELS = [Fraction(0), Fraction(1, 10), Fraction(1, 3), HALF, Fraction(3, 4), Fraction(1)]
EDGES = (0, 1, 2, 5)
POINTS = range(5)
Data = tuple[int, ...]


def utility(data: Data, x: int, q: Fraction, edges: Sequence[int] = EDGES) -> Fraction:
    """-dist(q n, [F(e_i), F(e_(i+1))]) for the cell of x, by counting."""
    low = max(e for e in edges if e <= x)
    high = min(e for e in edges if e > x)
    before, until = (sum(v < e for v in data) for e in (low, high))
    return -max(Fraction(0), before - q * len(data), q * len(data) - until)


def databases(most: int) -> list[Data]:
    return [d for size in range(most + 1) for d in itertools.combinations_with_replacement(POINTS, size)]


def pairs(rows_per_unit: int) -> list[tuple[Data, Data]]:
    units = [u for u in databases(rows_per_unit) if u]
    return [(rest, tuple(sorted(rest + unit))) for rest in databases(4) for unit in units]


@pytest.mark.one_in(4)
@pytest.mark.parametrize("rows_per_unit", [1, 2])
@pytest.mark.parametrize("q", LEVELS, ids=str)
def test_the_range_of_the_change_is_what_is_claimed_and_is_reached(q: Fraction, rows_per_unit: int) -> None:
    widest = Fraction(0)
    for fewer, more in pairs(rows_per_unit):
        moved = [utility(more, x, q) - utility(fewer, x, q) for x in POINTS]
        widest = max(widest, max(moved) - min(moved))
    claimed = quantile_range(q, rows_per_unit)
    assert widest <= claimed
    assert widest > claimed * Fraction(6, 10)
    if q in (0, HALF, 1):
        assert widest == claimed


@pytest.mark.parametrize("edges", [EDGES, (0, 1, 2, 3, 4, 5), (0, 5)])
@pytest.mark.parametrize("q", LEVELS, ids=str)
def test_the_scores_are_the_ranks_that_a_point_is_off(q: Fraction, edges: tuple[int, ...]) -> None:
    for data in databases(4):
        below = np.array([sum(v < e for v in data) for e in edges])
        expected = [utility(data, e, q, edges) * q.denominator for e in edges[:-1]]
        assert rank_scores(below, q).tolist() == expected


def test_cells_of_one_point_score_the_quantiles_of_the_data_best() -> None:
    """x is a median if at most half of the values are below it and at most half above."""
    for data in databases(5):
        for x in POINTS:
            below, above = sum(v < x for v in data), sum(v > x for v in data)
            is_median = 2 * below <= len(data) and 2 * above <= len(data)
            assert (utility(data, x, HALF, range(6)) == 0) == is_median


def point_law(data: Data, q: Fraction, epsilon: float, edges: Sequence[int] = EDGES) -> np.ndarray:
    rate = epsilon / float(quantile_range(q))
    masses = np.exp([rate * float(utility(data, x, q, edges)) for x in POINTS])
    return masses / masses.sum()


@pytest.mark.one_in(4)
@pytest.mark.parametrize("q", LEVELS, ids=str)
def test_no_neighbours_are_told_apart_by_more_than_epsilon(q: Fraction) -> None:
    worst = max(float(np.abs(np.log(point_law(a, q, 1.5) / point_law(b, q, 1.5))).max()) for a, b in pairs(1))
    assert 0.5 < worst <= 1.5 + 1e-9


@pytest.mark.one_in(4)
@pytest.mark.parametrize("data", [(), (3,), (0, 0, 2, 4, 4), (1, 1, 1, 1), (-7, 2, 90)], ids=str)
@pytest.mark.parametrize("edges", [EDGES, pytest.param((0, 1, 2, 3, 4, 5), marks=pytest.mark.slow)], ids=str)
def test_points_are_sampled_by_their_law(data: Data, edges: tuple[int, ...], samples: int) -> None:
    inside = tuple(min(max(v, 0), 4) for v in data)
    drawn = [
        quantile(np.array(data, dtype=np.int64), q=Fraction(1, 3), grid=np.array(edges), epsilon=3)
        for _ in range(samples // 80)
    ]
    observed = np.bincount(drawn, minlength=5)
    assert chi_square(observed, point_law(inside, Fraction(1, 3), 3, edges)) > ALARM


@pytest.mark.slow
def test_the_test_of_the_law_sees_a_scale_off_by_a_third(samples: int) -> None:
    data, edges = (0, 0, 0, 1, 2, 2, 2, 2, 3, 4, 4), range(6)
    drawn = [
        quantile(np.array(data), q=HALF, grid=np.array(edges), epsilon=Fraction(4, 5))
        for _ in range(samples // 20)
    ]
    observed = np.bincount(drawn, minlength=5)
    assert chi_square(observed, point_law(data, HALF, 0.8, edges)) > ALARM
    for factor in (1.3, 1 / 1.3):
        assert chi_square(observed, point_law(data, HALF, 0.8 * factor, edges)) < ALARM


def flip_with_weights(gaps: Sequence[int], weights: Sequence[int]) -> list[Fraction]:
    """Permute-and-flip in an order drawn by weight, one after the other, with coins 2^-gap."""
    chances = [Fraction(0)] * len(gaps)
    for order in itertools.permutations(range(len(gaps))):
        reached, left = Fraction(1), Fraction(sum(weights))
        for i in order:
            reached, left = reached * weights[i] / left, left - weights[i]
            chances[i] += reached * Fraction(1, 2 ** gaps[i])
            reached *= 1 - Fraction(1, 2 ** gaps[i])
            if not left or not reached:
                break
    return chances


def test_permute_and_flip_with_unequal_weights_is_not_private() -> None:
    """epsilon = D_R = ln 2: one candidate in nine loses 1, and the other one's chance grows fivefold."""

    def worst(weights: Sequence[int]) -> Fraction:
        before, after = (flip_with_weights(gaps, weights) for gaps in ((0, 0), (0, 1)))
        return max(max(p / q, q / p) for p, q in zip(before, after, strict=True))

    assert worst((1, 1)) <= 2
    assert worst((1, 9)) > 5
    exponential = [[w * 2**-g for w, g in zip((1, 9), gaps, strict=True)] for gaps in ((0, 0), (0, 1))]
    shares = [[m / sum(masses) for m in masses] for masses in exponential]
    assert max(q / p for p, q in zip(*shares, strict=True)) <= 2


def test_several_quantiles_are_in_order_and_spend_a_share_each() -> None:
    values, grid = np.arange(1000) * 7, uniform_grid(0, 7000)
    levels = (Fraction(9, 10), Fraction(1, 10), HALF, HALF)
    found = quantiles(values, levels=levels, grid=grid, epsilon=4)
    assert found[1] <= found[2] <= found[3] <= found[0]
    assert all(abs(x - 7000 * q) < 700 for x, q in zip(found, levels, strict=True))
    for seed in range(5):
        one = quantile(values, q=HALF, grid=grid, epsilon=Fraction(1, 3), coins=SeededCoins(seed))
        coins = SeededCoins(seed)
        two = quantiles(values, levels=(HALF, Fraction(1)), grid=grid, epsilon=Fraction(2, 3), coins=coins)
        assert one in two


def rank_error(ordered: np.ndarray, x: int, q: float) -> float:
    below, until = np.searchsorted(ordered, x, "left"), np.searchsorted(ordered, x, "right")
    return float(max(0, below - q * ordered.size, q * ordered.size - until))


def skewed(size: int) -> np.ndarray:
    """A log-normal column on [0, 10000], in cents."""
    euros = np.random.default_rng(1).lognormal(4, 1.5, size)
    return np.sort(np.clip(np.round(euros * 100), 0, 1_000_000).astype(np.int64))


def test_the_median_of_five_thousand_skewed_values_is_off_by_few_ranks() -> None:
    """At epsilon 0.1, on two grids that only know the bounds; equal steps of 10 euros are far worse."""
    values = skewed(5000)
    given = {"q": HALF, "epsilon": Fraction(1, 10)}

    def mean_error(grid: np.ndarray, runs: int) -> float:
        return float(
            np.mean([rank_error(values, quantile(values, grid=grid, **given), 0.5) for _ in range(runs)])
        )

    assert mean_error(logarithmic_grid(0, 1_000_000, 256), 500) < 12
    assert mean_error(uniform_grid(0, 1_000_000, 10), 500) < 12
    assert mean_error(uniform_grid(0, 1_000_000, 1000), 100) > 40


def test_the_rank_error_stays_within_its_bound_at_the_stated_rate(samples: int) -> None:
    """Reached by data of two far values, all other points being equally wrong."""
    grid, epsilon = uniform_grid(0, 40), HALF
    given = {"q": HALF, "grid": grid, "epsilon": epsilon}
    bound = quantile_rank_error(Fraction(1, 4), **given)
    data = np.full(2 * int(bound) + 2, 17)
    runs = samples // 100
    wrong = sum(rank_error(data, quantile(data, **given), 0.5) > bound for _ in range(runs))
    assert 0.12 < wrong / runs < 0.25 + 4 * math.sqrt(0.2 / runs)


def test_the_grid_may_be_fine_and_wide_without_taking_time() -> None:
    """A narrow best cell beside some 10^15 points: the weights do not slow the choice down."""
    grid = np.array([-(2**59), 0, 1, 2, 2**59])
    values = np.full(2001, 1)
    for _ in range(50):
        assert quantile(values, q=HALF, grid=grid, epsilon=1) == 1
    assert -(2**59) <= quantile(values[:0], q=HALF, grid=grid, epsilon=1) < 2**59


def test_no_values_have_a_quantile_of_any_level() -> None:
    grid = np.array([0, 1, 2])
    for values in ([], [1]):
        found = quantile(np.array(values, dtype=np.int64), q=Fraction(1, 10**300), grid=grid, epsilon=1)
        assert found in (0, 1)


def test_runs_of_equal_cells_do_not_change_the_law() -> None:
    """The same coins and the same masses: a point of one grid is a point of the other."""
    values = skewed(300)
    fine = uniform_grid(0, 2**20 - 1)
    below = np.searchsorted(values, fine)
    scores = rank_scores(below, HALF)
    best = {int(x) for x in fine[:-1][scores == scores.max()]}
    for _ in range(20):
        assert quantile(values, q=HALF, grid=fine, epsilon=10**6) in best
    assert exponential_mechanism(scores, epsilon=10**6, score_range=1) in best


def test_grids_hold_their_bounds_and_increase() -> None:
    assert uniform_grid(-3, 4, 2).tolist() == [-3, -1, 1, 3, 5]
    assert logarithmic_grid(10, 20, 2).tolist() == [10, 11, 12, 13, 14, 16, 18, 21]
    for lower, upper, parts in ((0, 0, 1), (-5, 10**6, 7), (3, 4, 100)):
        grid = logarithmic_grid(lower, upper, parts)
        assert (grid[0], grid[-1]) == (lower, upper + 1) and (np.diff(grid) > 0).all()


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [({"q": Fraction(3, 2)}, ValueError, "between 0 and 1"), ({"q": -1}, ValueError, "between 0 and 1"),
     ({"q": 0.5}, TypeError, "q must be an exact"), ({"q": True}, TypeError, "q must be an exact"),
     ({"q": float("nan")}, TypeError, "q must be an exact"), ({"q": "1"}, TypeError, "q must be an exact"),
     ({"grid": np.array([1])}, ValueError, "two edges"), ({"grid": np.array([1, 1])}, ValueError, "increase"),
     ({"grid": np.array([1, 2**61])}, ValueError, "within"), ({"grid": np.array([0.5, 1])}, TypeError, "integers"),
     ({"values": np.array([0.5])}, TypeError, "integers"), ({"values": np.ones((2, 2), int)}, ValueError, "one-d"),
     ({"epsilon": 0}, ValueError, "epsilon"), ({"epsilon": float("inf")}, TypeError, "epsilon"),
     ({"rows_per_unit": 0}, ValueError, "rows_per_unit"), ({"rows_per_unit": 1.0}, TypeError, "rows_per_unit")],
)  # fmt: skip
def test_bad_parameters_are_refused(change: dict[str, object], error: type, words: str) -> None:
    given = {"values": np.arange(3), "q": HALF, "grid": np.array([0, 5]), "epsilon": 1, **change}
    with pytest.raises(error, match=words):
        quantile(given.pop("values"), **given)  # type: ignore[arg-type]


def test_no_level_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one level"):
        quantiles(np.arange(3), levels=(), grid=np.array([0, 5]), epsilon=1)
