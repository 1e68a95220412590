"""Wrong parameters of noise and of local mechanisms are a clear error."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from dpsql.mechanisms import (
    cube,
    discrete_gaussian,
    geometric_mechanism,
    k_randomized_response,
    randomized_response,
    rappor,
)
from dpsql.mechanisms.analysis import composition, gaussian, laplace
from dpsql.mechanisms.local.k_randomized_response import estimate_counts as estimate_k_counts
from dpsql.mechanisms.local.k_randomized_response import replace_probability
from dpsql.mechanisms.local.randomized_response import error_bound, estimate_mean, flip_probability
from dpsql.mechanisms.local.rappor import error_bound as rappor_error_bound
from dpsql.mechanisms.local.rappor import estimate_counts, joint_error_bound

BITS = np.array([[0, 1], [1, 1]])
TINY = Fraction(1, 10**6)
Use = Callable[[object], object]

WITH_EPSILON: list[Use] = [
    lambda e: randomized_response(BITS, epsilon=e),
    lambda e: flip_probability(e),
    lambda e: estimate_mean(BITS, epsilon=e),
    lambda e: k_randomized_response(BITS, k=3, epsilon=e),
    lambda e: replace_probability(3, e),
    lambda e: estimate_k_counts(BITS, k=3, epsilon=e),
    lambda e: rappor(BITS, k=3, epsilon=e),
    lambda e: estimate_counts(BITS, epsilon=e),
    lambda e: geometric_mechanism(BITS, epsilon=e),
    lambda e: discrete_gaussian(BITS, sensitivity=1, epsilon=e, delta=TINY),
    lambda e: cube(BITS, sensitivity=1, epsilon=e),
    lambda e: laplace.scale(sensitivity=1, epsilon=e),
    lambda e: gaussian.delta(e, squared_sensitivity=1, sigma_squared=1),
    lambda e: gaussian.analytic_sigma_squared(e, TINY, squared_sensitivity=1),
    lambda e: composition.zcdp_of_pure(e),
]
REFUSING_NONE = [use for i, use in enumerate(WITH_EPSILON) if i not in (0, 2, 9)]  # None means: not given
WITH_K: list[Use] = [
    lambda k: k_randomized_response(BITS, k=k, epsilon=1),
    lambda k: replace_probability(k, 1),
    lambda k: rappor(BITS, k=k, epsilon=1),
    lambda k: joint_error_bound(0.1, 10, k=k, epsilon=1),
]
WITH_ARRAY: list[Use] = [
    lambda v: randomized_response(v, epsilon=1),
    lambda v: k_randomized_response(v, k=3, epsilon=1),
    lambda v: rappor(v, k=3, epsilon=1),
    lambda v: discrete_gaussian(v, sensitivity=1, rho=1),
    lambda v: geometric_mechanism(v, epsilon=1),
    lambda v: cube(v, sensitivity=1, epsilon=1),
    lambda v: estimate_mean(v, epsilon=1),
    lambda v: estimate_counts(v, epsilon=1),
]
WITH_BETA: list[Use] = [
    lambda b: error_bound(b, 5, epsilon=1),
    lambda b: rappor_error_bound(b, 5, epsilon=1),
    lambda b: laplace.error_bound(b, sensitivity=1, epsilon=1),
    lambda b: gaussian.error_bound(b, sigma_squared=1),
]
WITH_DELTA: list[Use] = [
    lambda d: discrete_gaussian(BITS, sensitivity=1, epsilon=1, delta=d),
    lambda d: gaussian.analytic_sigma_squared(1, d, squared_sensitivity=1),
    lambda d: composition.zcdp_epsilon(1, d),
    lambda d: composition.zcdp_rho(1, d),
]


@pytest.mark.parametrize("use", WITH_EPSILON)
@pytest.mark.parametrize("epsilon", [0, -1, Fraction(-1, 3)])
def test_epsilon_must_be_above_zero(use: Use, epsilon: Fraction) -> None:
    with pytest.raises(ValueError, match="epsilon must be above 0"):
        use(epsilon)


@pytest.mark.parametrize("use", WITH_EPSILON)
@pytest.mark.parametrize("epsilon", [0.5, float("nan"), float("inf"), True, "1", np.float64(1)])
def test_epsilon_must_be_exact(use: Use, epsilon: object) -> None:
    with pytest.raises(TypeError, match="epsilon must be an exact int or Fraction"):
        use(epsilon)


@pytest.mark.parametrize("use", REFUSING_NONE)
def test_epsilon_must_be_given(use: Use) -> None:
    with pytest.raises(TypeError, match="epsilon must be an exact int or Fraction"):
        use(None)


@pytest.mark.parametrize("use", WITH_K)
def test_k_is_an_integer_of_at_least_two(use: Use) -> None:
    for few in (1, 0, -3):
        with pytest.raises(ValueError, match="k must be at least 2"):
            use(few)
    for bad in (2.0, float("nan"), True, "3", None, Fraction(5, 2)):
        with pytest.raises(TypeError, match="k must be an integer"):
            use(bad)


@pytest.mark.parametrize("use", WITH_ARRAY)
@pytest.mark.parametrize(
    "values",
    [np.array([[1.0]]), np.array([[True]]), np.array([["1"]]), np.array([[1, None]]), [[0, 1]], 1],
    ids=repr,
)
def test_values_must_be_a_plain_array_of_integers(use: Use, values: object) -> None:
    with pytest.raises(TypeError, match="integers"):
        use(values)


@pytest.mark.parametrize("use", WITH_BETA)
def test_beta_lies_strictly_between_zero_and_one(use: Use) -> None:
    for bad in (0, 1, -0.5, 2, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="beta must lie strictly between 0 and 1"):
            use(bad)
    for worse in (True, "0.5", None):
        with pytest.raises(TypeError, match="beta must be a number"):
            use(worse)


@pytest.mark.parametrize("use", WITH_DELTA)
def test_delta_is_exact_and_lies_strictly_between_zero_and_one(use: Use) -> None:
    for bad in (0, 1, Fraction(-1, 2), 3):
        with pytest.raises(ValueError, match="delta must lie strictly between 0 and 1"):
            use(bad)
    for worse in (1e-6, float("nan"), True, "1e-6"):
        with pytest.raises(TypeError, match="delta must be an exact int or Fraction"):
            use(worse)
