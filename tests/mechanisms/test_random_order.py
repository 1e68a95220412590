"""A random order: every permutation equally likely, and nothing but a permutation."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import pytest
from exact_laws import ALARM
from scipy import stats
from tree_coins import ScriptedCoins, SeededCoins, words

from dpsql.mechanisms import random_order


@pytest.mark.parametrize("size", [0, 1, 2, 5, 1000])
def test_every_place_occurs_once(size: int) -> None:
    assert sorted(random_order(size).tolist()) == list(range(size))


def test_every_order_of_four_places_is_equally_likely(samples: int) -> None:
    coins, draws = SeededCoins(11), min(samples, 24_000)
    seen = Counter(tuple(random_order(4, coins=coins).tolist()) for _ in range(draws))
    assert stats.chisquare([seen[p] for p in permutations(range(4))]).pvalue > ALARM


def test_equal_words_are_drawn_again() -> None:
    assert random_order(3, coins=ScriptedCoins(words(7, 7, 1, 9, 5, 2))).tolist() == [2, 1, 0]


@pytest.mark.parametrize("size", [-1, True, 2.0, "3"])
def test_a_size_that_is_no_count_is_an_error(size: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        random_order(size)  # type: ignore[arg-type]
