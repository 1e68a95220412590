"""The sampler that the rest of dpsql holds."""

import copy
import pickle
from dataclasses import FrozenInstanceError
from fractions import Fraction

import numpy as np
import pytest
from exact_laws import ALARM, laplace_p_value
from tree_coins import SeededCoins

from dpsql.mechanisms import (
    ExactSampler,
    Sampler,
    discrete_laplace,
    exponential_mechanism,
    k_randomized_response,
    laplace_thresholding,
    permute_and_flip,
    random_order,
    randomized_response,
    rappor,
    select_by_weights,
    select_partitions,
)
from dpsql.privacy import Neighbours

VALUES = np.arange(200, dtype=np.int64)


def test_the_sampler_draws_what_the_functions_draw() -> None:
    """Given the same coins; so no parameter is lost on the way."""
    third = Fraction(1, 3)
    noise = {"sensitivity": 7, "epsilon": third}
    keys = {"epsilon": third, "delta": Fraction(1, 50), "groups_per_unit": 2}
    weighted = {
        "rho": third,
        "delta": Fraction(1, 50),
        "groups_per_unit": 2,
        "neighbours": Neighbours.SUBSTITUTE,
    }
    choice = {"epsilon": third, "score_range": 40}
    weights = list(range(1, 201))
    for seed in range(5):
        a: Sampler = ExactSampler(SeededCoins(seed))
        b = SeededCoins(seed)
        pairs = [
            (a.discrete_laplace(VALUES, **noise), discrete_laplace(VALUES, **noise, coins=b)),
            (a.select_partitions(VALUES, **keys), select_partitions(VALUES, **keys, coins=b)),
            (
                a.laplace_thresholding(VALUES, **keys).counts,
                laplace_thresholding(VALUES, **keys, coins=b).counts,
            ),
            (
                a.select_by_weights(VALUES << 18, **weighted),
                select_by_weights(VALUES << 18, **weighted, coins=b),
            ),
            (a.permute_and_flip(VALUES, **choice), permute_and_flip(VALUES, **choice, coins=b)),
            (
                a.exponential_mechanism(VALUES, **choice, weights=weights),
                exponential_mechanism(VALUES, **choice, weights=weights, coins=b),
            ),
            (
                a.randomized_response(VALUES % 2, epsilon=third),
                randomized_response(VALUES % 2, epsilon=third, coins=b),
            ),
            (
                a.k_randomized_response(VALUES, k=300, epsilon=third),
                k_randomized_response(VALUES, k=300, epsilon=third, coins=b),
            ),
            (a.rappor(VALUES % 9, k=9, epsilon=third), rappor(VALUES % 9, k=9, epsilon=third, coins=b)),
            (a.random_order(50), random_order(50, coins=b)),
        ]
        for through_sampler, direct in pairs:
            assert np.array_equal(through_sampler, direct)


def test_the_default_sampler_draws_fresh_noise_each_time(samples: int) -> None:
    sampler = ExactSampler()
    zeros = np.zeros(samples, np.int64)
    first, second = (sampler.discrete_laplace(zeros, sensitivity=9, epsilon=1) for _ in range(2))
    assert not np.array_equal(first, second)
    assert laplace_p_value(first, Fraction(1, 9)) > ALARM
    assert laplace_p_value(second, Fraction(1, 9)) > ALARM


def test_laws_of_different_rates_are_not_mixed_up() -> None:
    sampler = ExactSampler()
    zeros = np.zeros(20_000, np.int64)
    for sensitivity in (1, 1000, 1):
        noise = sampler.discrete_laplace(zeros, sensitivity=sensitivity, epsilon=1)
        assert laplace_p_value(noise, Fraction(1, sensitivity)) > ALARM


def test_the_sampler_shows_nothing_of_itself() -> None:
    assert repr(ExactSampler(SeededCoins(1))) == str(ExactSampler()) == "ExactSampler()"


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, pickle.dumps])
def test_the_sampler_is_neither_copied_nor_pickled(duplicate: object) -> None:
    with pytest.raises(TypeError, match="neither copied nor pickled"):
        duplicate(ExactSampler())


def test_the_sampler_is_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        ExactSampler().coins = SeededCoins(1)
