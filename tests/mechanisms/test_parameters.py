"""Wrong parameters are a clear error, for every mechanism."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from dpsql.mechanisms import (
    discrete_laplace,
    exponential_mechanism,
    interval_half_width,
    keep_probability,
    permute_and_flip,
    report_noisy_max,
    select_partitions,
    tail,
    threshold,
    top_k,
    variance,
)

VALUES = np.array([1, 2, 3])
HALF, TINY = Fraction(1, 2), Fraction(1, 10**6)

WITH_EPSILON: list[Callable[..., object]] = [
    lambda e: discrete_laplace(VALUES, sensitivity=1, epsilon=e),
    lambda e: select_partitions(VALUES, epsilon=e, delta=TINY, groups_per_unit=1),
    lambda e: keep_probability(1, epsilon=e, delta=TINY, groups_per_unit=1),
    lambda e: threshold(e, TINY, 1),
    lambda e: exponential_mechanism(VALUES, epsilon=e, score_range=1),
    lambda e: permute_and_flip(VALUES, epsilon=e, score_range=1),
    lambda e: report_noisy_max(VALUES, epsilon=e, sensitivity=1, noise="laplace"),
    lambda e: top_k(VALUES, 2, epsilon=e, sensitivity=1),
    lambda e: tail(1, sensitivity=1, epsilon=e),
    lambda e: variance(sensitivity=1, epsilon=e),
    lambda e: interval_half_width(0.05, sensitivity=1, epsilon=e),
]
WITH_INTEGER: list[Callable[..., object]] = [
    lambda n: discrete_laplace(VALUES, sensitivity=n, epsilon=1),
    lambda n: select_partitions(VALUES, epsilon=1, delta=TINY, groups_per_unit=n),
    lambda n: threshold(1, TINY, n),
    lambda n: exponential_mechanism(VALUES, epsilon=1, score_range=n),
    lambda n: permute_and_flip(VALUES, epsilon=1, score_range=n),
    lambda n: report_noisy_max(VALUES, epsilon=1, score_range=n, noise="laplace"),
    lambda n: top_k(VALUES, n, epsilon=1, sensitivity=1),
    lambda n: variance(sensitivity=n, epsilon=1),
]
WITH_ARRAY: list[Callable[..., object]] = [
    lambda v: discrete_laplace(v, sensitivity=1, epsilon=1),
    lambda v: select_partitions(v, epsilon=1, delta=TINY, groups_per_unit=1),
    lambda v: exponential_mechanism(v, epsilon=1, score_range=1),
    lambda v: permute_and_flip(v, epsilon=1, score_range=1),
    lambda v: report_noisy_max(v, epsilon=1, sensitivity=1, noise="laplace"),
    lambda v: top_k(v, 1, epsilon=1, sensitivity=1),
]


@pytest.mark.parametrize("use", WITH_EPSILON)
@pytest.mark.parametrize("epsilon", [0, -1, Fraction(-1, 3)])
def test_epsilon_must_be_above_zero(use: Callable[..., object], epsilon: Fraction) -> None:
    with pytest.raises(ValueError, match="epsilon must be above 0"):
        use(epsilon)


@pytest.mark.parametrize("use", WITH_EPSILON)
@pytest.mark.parametrize("epsilon", [0.5, float("nan"), float("inf"), True, "1", None, np.float64(1)])
def test_epsilon_must_be_exact(use: Callable[..., object], epsilon: object) -> None:
    with pytest.raises(TypeError, match="epsilon must be an exact int or Fraction"):
        use(epsilon)


@pytest.mark.parametrize("use", WITH_INTEGER)
@pytest.mark.parametrize("number", [0, -1])
def test_sensitivities_and_group_numbers_are_at_least_one(use: Callable[..., object], number: int) -> None:
    with pytest.raises(ValueError, match="must be at least 1"):
        use(number)


@pytest.mark.parametrize("use", WITH_INTEGER)
@pytest.mark.parametrize("number", [1.0, float("nan"), True, np.True_, "1", None, HALF])
def test_sensitivities_and_group_numbers_are_integers(use: Callable[..., object], number: object) -> None:
    with pytest.raises(TypeError, match="must be an integer"):
        use(number)


@pytest.mark.parametrize("use", WITH_INTEGER)
def test_numpy_integers_are_integers(use: Callable[..., object]) -> None:
    use(np.int64(1))


@pytest.mark.parametrize("use", WITH_ARRAY)
@pytest.mark.parametrize(
    "values",
    [
        np.array([1.0]),
        np.array([True]),
        np.array(["1"]),
        np.array([1, True], dtype=object),
        np.array([1, 1.5], dtype=object),
        np.array([1, None], dtype=object),
        np.ma.masked_array([1, 2], mask=[False, True]),
        [1, 2],
        3,
    ],
    ids=repr,
)
def test_values_must_be_a_plain_array_of_integers(use: Callable[..., object], values: object) -> None:
    with pytest.raises(TypeError, match="integers"):
        use(values)


@pytest.mark.parametrize("use", WITH_ARRAY)
def test_numpy_integers_in_an_object_array_are_integers(use: Callable[..., object]) -> None:
    use(np.array([np.int64(3), 4], dtype=object))


@pytest.mark.parametrize("use", WITH_ARRAY[2:])
def test_a_selection_needs_candidates_in_one_dimension(use: Callable[..., object]) -> None:
    with pytest.raises(ValueError, match="at least one candidate"):
        use(np.empty(0, np.int64))
    with pytest.raises(ValueError, match="one-dimensional"):
        use(np.zeros((2, 2), np.int64))


@pytest.mark.parametrize(
    ("weights", "error", "words"),
    [
        ([1, 1], ValueError, "3 candidates need 3 weights"),
        ([0, 0, 0], ValueError, "at least one candidate"),
        ([1, -1, 1], ValueError, "at least 0"),
        ([1, 0.5, 1], TypeError, "a weight must be an integer"),
        ([1, True, 1], TypeError, "a weight must be an integer"),
    ],
)
def test_weights_must_be_integers_of_at_least_zero(weights: list[int], error: type, words: str) -> None:
    with pytest.raises(error, match=words):
        exponential_mechanism(VALUES, epsilon=1, score_range=1, weights=weights)


@pytest.mark.parametrize("delta", [0, 1, Fraction(-1, 2), Fraction(3, 2)])
def test_delta_must_lie_between_zero_and_one(delta: Fraction) -> None:
    for use in (
        lambda: threshold(1, delta, 1),
        lambda: select_partitions(VALUES, epsilon=1, delta=delta, groups_per_unit=1),
        lambda: keep_probability(1, epsilon=1, delta=delta, groups_per_unit=1),
    ):
        with pytest.raises(ValueError, match="delta must lie strictly between 0 and 1"):
            use()


@pytest.mark.parametrize("delta", [1e-6, float("nan"), "1e-6", True, None])
def test_delta_must_be_exact(delta: object) -> None:
    with pytest.raises(TypeError, match="delta must be an exact int or Fraction"):
        threshold(1, delta, 1)


@pytest.mark.parametrize("beta", [0, 1, -0.1, 2, float("nan")])
def test_beta_must_lie_between_zero_and_one(beta: float) -> None:
    with pytest.raises(ValueError, match="beta must lie strictly between 0 and 1"):
        interval_half_width(beta, sensitivity=1, epsilon=1)


def test_a_tail_or_a_group_size_below_zero_is_refused() -> None:
    with pytest.raises(ValueError, match="k must be at least 0"):
        tail(-1, sensitivity=1, epsilon=1)
    with pytest.raises(ValueError, match="n must be at least 0"):
        keep_probability(-1, epsilon=1, delta=HALF, groups_per_unit=1)
