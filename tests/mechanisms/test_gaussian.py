"""The Gaussian law: its exact delta by integration, its calibrations, and the difference between them."""

import doctest
import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from scipy import integrate, stats

from dpsql.mechanisms.analysis import gaussian
from dpsql.mechanisms.analysis.gaussian import (
    analytic_sigma_squared,
    cdf,
    classical_sigma_squared,
    delta,
    error_bound,
    quantile,
    rho,
    zcdp_sigma_squared,
)

MILLIONTH = Fraction(1, 10**6)


def divergence(epsilon: float, sigma: float) -> float:
    """The integral of the positive part of p(y) - e^epsilon p(y - 1), p the density of N(0, sigma^2)."""

    def excess(y: float) -> float:
        gain = stats.norm.pdf(y, scale=sigma) - math.exp(epsilon) * stats.norm.pdf(y, loc=1, scale=sigma)
        return max(float(gain), 0.0)

    edge = 0.5 - epsilon * sigma**2  # the densities' ratio is e^epsilon there
    return float(integrate.quad(excess, edge - 12 * sigma, edge, epsabs=1e-13)[0])


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1), Fraction(3)], ids=str)
@pytest.mark.parametrize("sigma_squared", [Fraction(1, 2), Fraction(1), Fraction(9)], ids=str)
def test_delta_is_the_integral_over_the_worst_set(epsilon: Fraction, sigma_squared: Fraction) -> None:
    exact = delta(epsilon, squared_sensitivity=1, sigma_squared=sigma_squared)
    assert float(exact) == pytest.approx(divergence(float(epsilon), math.sqrt(sigma_squared)), rel=1e-6)
    scaled = delta(epsilon, squared_sensitivity=7, sigma_squared=7 * sigma_squared)
    assert scaled == exact


CASES = [
    (Fraction(1, 100), Fraction(1, 10**9)), (Fraction(1, 2), MILLIONTH), (Fraction(1), MILLIONTH),
    (Fraction(8), Fraction(1, 100)), (Fraction(40), Fraction(1, 10**12)),
]  # fmt: skip


@pytest.mark.parametrize(("epsilon", "level"), CASES)
def test_the_analytic_sigma_is_private_and_a_billionth_less_is_not(
    epsilon: Fraction, level: Fraction
) -> None:
    enough = analytic_sigma_squared(epsilon, level, squared_sensitivity=1)
    assert delta(epsilon, squared_sensitivity=1, sigma_squared=enough) <= level
    less = enough * (1 - Fraction(1, 2**28))
    assert delta(epsilon, squared_sensitivity=1, sigma_squared=less) > level


def test_known_values_of_the_analytic_calibration() -> None:
    """sqrt(2) * 1.25 ... are not involved: 3.73 is the standard deviation at (1, 1e-5)."""
    found = analytic_sigma_squared(1, Fraction(1, 10**5), squared_sensitivity=1)
    assert math.sqrt(found) == pytest.approx(3.730632, abs=1e-5)
    assert analytic_sigma_squared(1, Fraction(1, 10**5), squared_sensitivity=2) == 2 * found


@pytest.mark.parametrize("epsilon", [Fraction(1, 100), Fraction(1, 2), Fraction(99, 100)], ids=str)
def test_the_classical_sigma_is_private_below_epsilon_one_and_more_than_needed(epsilon: Fraction) -> None:
    classical = classical_sigma_squared(epsilon, MILLIONTH, squared_sensitivity=1)
    expected = math.sqrt(2 * math.log(1.25e6)) / float(epsilon)
    assert math.sqrt(classical) == pytest.approx(expected, rel=1e-12)
    assert delta(epsilon, squared_sensitivity=1, sigma_squared=classical) < MILLIONTH
    assert classical > analytic_sigma_squared(epsilon, MILLIONTH, squared_sensitivity=1)


def test_the_classical_sigma_is_refused_from_one_on_since_its_formula_fails_there() -> None:
    for epsilon in (1, 20):
        with pytest.raises(ValueError, match="below 1 only"):
            classical_sigma_squared(epsilon, MILLIONTH, squared_sensitivity=1)
    formula = Fraction(2 * math.log(1.25e6)) / 20**2
    assert delta(20, squared_sensitivity=1, sigma_squared=formula) > 10 * MILLIONTH


def test_zcdp_is_exact_and_needs_more_noise_than_the_analytic_calibration() -> None:
    assert zcdp_sigma_squared(Fraction(1, 8), squared_sensitivity=2) == 8
    assert rho(2, 8) == Fraction(1, 8)


@pytest.mark.parametrize("alpha", [1.5, 2, 10])
def test_rho_is_the_renyi_divergence_of_every_order(alpha: float) -> None:
    """ln E[(p/p')^(alpha - 1)] / (alpha - 1) = alpha rho, by integration."""
    cost = float(rho(1, 4))

    def integrand(y: float) -> float:
        logarithm = alpha * stats.norm.logpdf(y, scale=2) + (1 - alpha) * stats.norm.logpdf(y, loc=1, scale=2)
        return math.exp(logarithm)

    moment = integrate.quad(integrand, -80, 80)[0]
    assert math.log(moment) / (alpha - 1) == pytest.approx(alpha * cost, rel=1e-6)


@pytest.mark.parametrize("q", [1e-15, 0.025, 0.5, Fraction(7, 8), 1 - 1e-9])
def test_quantiles_invert_the_distribution_function(q: float) -> None:
    assert quantile(q, sigma_squared=9) == pytest.approx(3 * stats.norm.ppf(float(q)), rel=1e-7, abs=1e-12)
    assert cdf(quantile(q, sigma_squared=9), sigma_squared=9) == pytest.approx(float(q), rel=1e-9)


@pytest.mark.parametrize("cells", [1, 20])
def test_errors_exceed_their_bound_with_probability_beta(cells: int) -> None:
    bound = error_bound(0.05, sigma_squared=4, cells=cells)
    assert 1 - (1 - 2 * cdf(-bound, sigma_squared=4)) ** cells == pytest.approx(0.05, rel=1e-9)
    draws = np.random.default_rng(3).normal(scale=2, size=(40_000, cells))
    missed = float(np.mean(abs(draws).max(axis=1) > bound))
    assert abs(missed - 0.05) < 6 * math.sqrt(0.05 / 40_000)


def test_the_worked_examples_are_executed_and_nothing_here_draws() -> None:
    assert doctest.testmod(gaussian).attempted > 0 == doctest.testmod(gaussian).failed
    assert not [name for name in vars(gaussian) if "coin" in name.lower() or "random" in name.lower()]


WITH_SIGMA: list[Callable[[object], object]] = [
    lambda s: delta(1, squared_sensitivity=1, sigma_squared=s),
    lambda s: delta(1, squared_sensitivity=s, sigma_squared=1),
    lambda s: analytic_sigma_squared(1, MILLIONTH, squared_sensitivity=s),
    lambda s: zcdp_sigma_squared(s, squared_sensitivity=1),
    lambda s: cdf(0, sigma_squared=s),
    lambda s: error_bound(0.5, sigma_squared=s),
]


@pytest.mark.parametrize("use", WITH_SIGMA)
def test_bad_parameters_are_refused(use: Callable[[object], object]) -> None:
    for bad in (0, -1):
        with pytest.raises(ValueError, match="must be above 0"):
            use(bad)
    for worse in (1.0, float("inf"), float("nan"), True, "1", None):
        with pytest.raises(TypeError, match="must be an exact int or Fraction"):
            use(worse)
