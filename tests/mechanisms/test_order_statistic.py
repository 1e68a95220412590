"""The scores of order statistics: their range by enumeration, the joint law over groups, and what is chosen."""

from __future__ import annotations

import itertools
from fractions import Fraction
from math import exp

import numpy as np
import pytest
from chances import is_share_between

from dpsql.mechanisms.coins import Coins
from dpsql.mechanisms.selection.exponential import exponential_mechanism
from dpsql.mechanisms.selection.order_statistic import (
    candidate_masses,
    candidate_range,
    candidate_scores,
    inside_rank,
    rank_error,
    score_unit,
)

CELLS = 3
LEVELS = (Fraction(1, 2), Fraction(9, 10), Fraction(1, 3), Fraction(0), Fraction(1))


def scores(counts: tuple[int, ...], q: Fraction, inside: int) -> np.ndarray:
    return candidate_scores(np.cumsum((0, *counts)), q=q, inside=inside)


def every_count(most: int) -> list[tuple[int, ...]]:
    return [c for c in itertools.product(range(most + 1), repeat=CELLS) if sum(c) <= most]


def changes(q: Fraction, inside: int, rows: int) -> list[int]:
    """For every small database and every unit of so many rows, how far apart two candidates' changes are."""
    found = []
    for counts in every_count(5):
        for unit in (u for u in every_count(rows) if sum(u) == rows):
            found.append(apart(counts, unit, q, inside))
    return found


def apart(counts: tuple[int, ...], unit: tuple[int, ...], q: Fraction, inside: int) -> int:
    more = tuple(a + b for a, b in zip(counts, unit, strict=True))
    d = scores(more, q, inside) - scores(counts, q, inside)
    return int(d.max() - d.min())


@pytest.mark.parametrize("q", LEVELS)
@pytest.mark.parametrize("inside", (1, 2))
def test_no_unit_moves_two_candidates_apart_by_more_than_the_range_and_some_unit_does_by_as_much(
    q: Fraction, inside: int
) -> None:
    for rows in (1, 2):
        assert max(changes(q, inside, rows)) <= candidate_range(q, rows)
    large = [tuple(20 if i == at else 0 for i in range(CELLS)) for at in range(CELLS)]
    if 0 < q < 1:
        assert max(apart(c, u, q, inside) for c in (*large, (10, 0, 30), (2, 0, 38), (38, 0, 2), (38, 1, 1), (30, 7, 3))
                   for u in every_count(1)) == candidate_range(q)  # fmt: skip


def law(counts: tuple[int, ...], q: Fraction, epsilon: float, score_range: int) -> list[float]:
    u, weights = scores(counts, q, 1), candidate_masses(CELLS)
    mass = [w * exp(epsilon * int(x) / score_range) for w, x in zip(weights, u, strict=True)]
    return [m / sum(mass) for m in mass]


@pytest.mark.parametrize("q", LEVELS)
def test_the_choices_of_all_groups_together_lose_epsilon_where_a_unit_divides_its_rows_among_them(
    q: Fraction,
) -> None:
    """Every division of m = 3 rows over two groups: the sum of the worst log ratios is at most epsilon."""
    epsilon, rows = 1.0, 3
    worst = 0.0
    for split in range(rows + 1):
        total = sum(most_lost(q, k, epsilon, candidate_range(q, rows)) for k in (split, rows - split))
        assert total <= epsilon + 1e-12
        worst = max(worst, total)
    assert worst > 0.35 * epsilon


def most_lost(q: Fraction, rows: int, epsilon: float, score_range: int) -> float:
    found = 0.0
    for counts in every_count(4):
        before = law(counts, q, epsilon, score_range)
        for unit in (u for u in every_count(rows) if sum(u) == rows):
            more = tuple(a + b for a, b in zip(counts, unit, strict=True))
            after = law(more, q, epsilon, score_range)
            found = max(found, max(abs(np.log(a / b)) for a, b in zip(after, before, strict=True)))
    return found


def test_a_range_for_the_rows_of_one_group_alone_would_lose_more_than_epsilon() -> None:
    """The check above has teeth: with D_R of a single row, a unit of three rows loses too much."""
    q = Fraction(1, 2)
    assert most_lost(q, 3, 1.0, candidate_range(q, 1)) > 1.0


def test_the_median_cell_is_the_best_and_null_the_best_over_nothing() -> None:
    half = Fraction(1, 2)
    assert int(np.argmax(scores((2, 3, 2), half, 1))) == 2
    assert scores((2, 3, 2), half, 1).tolist() == [-7, -3, 0, -3]
    assert int(np.argmax(scores((0, 0, 0), half, 1))) == 0


def test_the_least_value_is_aimed_at_inside_the_data_and_at_the_median_of_few() -> None:
    assert int(np.argmax(scores((2, 3, 2), Fraction(0), 3))) == 2
    assert int(np.argmax(scores((2, 3, 2), Fraction(0), 2))) == 1
    assert int(np.argmax(scores((2, 3, 2), Fraction(1), 2))) == 3
    assert int(np.argmax(scores((1, 1, 1), Fraction(0), 50))) == 2


def test_over_no_values_null_is_chosen_nineteen_times_in_twenty() -> None:
    half = Fraction(1, 2)
    given, coins, draws = scores((0, 0, 0), half, 1), Coins(), 5_000
    nulls = sum(
        exponential_mechanism(
            given, epsilon=1, score_range=candidate_range(half), weights=candidate_masses(CELLS), coins=coins
        )
        == 0
        for _ in range(draws)
    )
    assert is_share_between(0.95, 0.95, nulls, draws)


def test_a_large_database_keeps_exact_scores() -> None:
    level = Fraction(123456789, 10**9)
    below = np.array([0, 2**40, 2**41], dtype=np.int64)
    assert candidate_scores(below, q=level).tolist() == [
        -((10**9 - 123456789) * 2**41), 0, -(2**40 * 10**9 - 123456789 * 2**41)
    ]  # fmt: skip


@pytest.mark.parametrize("level", [Fraction(1, 10**300), Fraction(1, 2**62 + 1), 1 - Fraction(1, 10**40)])
@pytest.mark.parametrize("counts", [(0, 0, 0), (0, 1, 0)])
def test_whatever_the_level_there_are_scores_with_or_without_values(
    level: Fraction, counts: tuple[int, ...]
) -> None:
    """A choice that failed over no values would tell whether there is one."""
    n, unit = sum(counts), level.denominator
    cells = [0, 0, 0] if n == 0 else [-level.numerator, 0, level.numerator - unit]
    found = scores(counts, level, 1)
    assert found.tolist() == [-int(max(level, 1 - level) * n * unit), *cells]
    reach = {"epsilon": Fraction(1, 2), "score_range": candidate_range(level, 8)}
    assert exponential_mechanism(found, weights=candidate_masses(CELLS), **reach) in range(CELLS + 1)


def test_the_error_in_ranks_falls_with_epsilon_and_its_unit_is_a_rank() -> None:
    half = Fraction(1, 2)
    small, large = (
        rank_error(0.05, q=half, cells=1000, epsilon=e, score_range=candidate_range(half))
        for e in (Fraction(1, 10), Fraction(1))
    )
    assert score_unit(half) == 2
    assert 9 * large < small < 11 * large
    assert 10 < large < 14
    assert inside_rank(1000, epsilon=1, score_range=candidate_range(Fraction(0))) == 14
