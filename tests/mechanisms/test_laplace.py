"""The continuous Laplace law: its functions against each other, its privacy, and its error bounds."""

import itertools
import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from scipy import integrate

from dpsql.mechanisms import discrete_laplace
from dpsql.mechanisms.analysis import laplace
from dpsql.mechanisms.analysis.laplace import cdf, density, error_bound, quantile, scale, variance

UNIT = {"sensitivity": 3, "epsilon": Fraction(3, 2)}  # b = 2


def test_the_density_adds_up_to_the_distribution_function_and_the_variance() -> None:
    for x in (-7.0, -0.5, 0.0, 1.0, 9.0):
        area = integrate.quad(lambda t: density(t, **UNIT), -math.inf, min(x, 0))[0]
        area += integrate.quad(lambda t: density(t, **UNIT), 0, x)[0] if x > 0 else 0
        assert cdf(x, **UNIT) == pytest.approx(area, rel=1e-8)
    second = 2 * integrate.quad(lambda t: t * t * density(t, **UNIT), 0, math.inf)[0]
    assert variance(**UNIT) == pytest.approx(second, rel=1e-8) == 8


@pytest.mark.parametrize("q", [1e-12, 0.1, 0.5, Fraction(2, 3), 1 - 1e-12])
def test_quantiles_invert_the_distribution_function(q: float) -> None:
    assert cdf(quantile(q, **UNIT), **UNIT) == pytest.approx(float(q), rel=1e-9)


def test_a_vector_of_sensitivity_delta_is_epsilon_private_and_no_more() -> None:
    """Densities of a pair of cells, on neighbours at L1 distance 3, at a grid of outputs."""
    points = np.linspace(-6, 6, 25)
    for near in ((3.0, 0.0), (1.0, -2.0), (0.5, 2.5)):
        ratios = [
            density(x, **UNIT)
            * density(y, **UNIT)
            / density(x - near[0], **UNIT)
            / density(y - near[1], **UNIT)
            for x, y in itertools.product(points, points)
        ]
        assert max(ratios) == pytest.approx(math.exp(1.5), rel=1e-9)


@pytest.mark.parametrize("beta", [0.3, 0.05, 1e-6])
def test_one_error_exceeds_its_bound_with_probability_beta_exactly(beta: float) -> None:
    assert 2 * cdf(-error_bound(beta, **UNIT), **UNIT) == pytest.approx(beta, rel=1e-12)
    assert error_bound(beta, **UNIT) == pytest.approx(2 * math.log(1 / beta), rel=1e-12)


@pytest.mark.parametrize("cells", [2, 100])
def test_the_largest_of_many_errors_exceeds_its_bound_as_often_as_the_union_bound_says(cells: int) -> None:
    beta = 0.05
    bound = error_bound(beta, cells=cells, **UNIT)
    assert bound == pytest.approx(2 * math.log(cells / beta), rel=1e-12)
    exact = 1 - (1 - 2 * cdf(-bound, **UNIT)) ** cells
    assert exact == pytest.approx(1 - (1 - beta / cells) ** cells)
    draws = np.random.default_rng(7).laplace(scale=2, size=(40_000, cells))
    missed = float(np.mean(abs(draws).max(axis=1) > bound))
    assert abs(missed - exact) < 6 * math.sqrt(exact / 40_000)
    assert beta - beta**2 / 2 <= exact <= beta


def test_the_discrete_law_approaches_this_one_at_large_scales() -> None:
    noise = discrete_laplace(np.zeros(200_000, np.int64), sensitivity=10**6, epsilon=1)
    for x in (-2 * 10**6, -(10**5), 10**5, 3 * 10**6):
        assert np.mean(noise <= x) == pytest.approx(cdf(x, sensitivity=10**6, epsilon=1), abs=0.008)


def test_the_scale_is_exact_and_nothing_here_draws() -> None:
    assert scale(**UNIT) == 2
    assert not [name for name in vars(laplace) if "coin" in name.lower() or "random" in name.lower()]


WITH_SENSITIVITY: list[Callable[[object], object]] = [
    lambda s: density(0, sensitivity=s, epsilon=1),
    lambda s: cdf(0, sensitivity=s, epsilon=1),
    lambda s: quantile(0.5, sensitivity=s, epsilon=1),
    lambda s: error_bound(0.5, sensitivity=s, epsilon=1),
]


@pytest.mark.parametrize("use", WITH_SENSITIVITY)
def test_bad_sensitivities_are_refused(use: Callable[[object], object]) -> None:
    for bad in (0, -1, Fraction(-1, 2)):
        with pytest.raises(ValueError, match="sensitivity must be above 0"):
            use(bad)
    for bad in (1.0, True, "1", float("nan"), None):
        with pytest.raises(TypeError, match="sensitivity must be an exact int or Fraction"):
            use(bad)


def test_bad_levels_are_refused() -> None:
    for bad in (0, 1, -0.1, float("nan"), math.inf):
        with pytest.raises(ValueError, match="strictly between 0 and 1"):
            error_bound(bad, **UNIT)
        with pytest.raises(ValueError, match="strictly between 0 and 1"):
            quantile(bad, **UNIT)
