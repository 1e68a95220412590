"""Curves against sums over the law itself, floats of another route, and their own limits."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpsql.mechanisms.analysis import gaussian
from dpsql.mechanisms.analysis.composition import renyi_of_pure, zcdp_of_pure
from dpsql.mechanisms.analysis.curves import (
    renyi_of_discrete_laplace,
    renyi_of_exponential_mechanism,
    zcdp_of_randomized_response,
)

ORDERS = (Fraction(3, 2), Fraction(2), Fraction(8), Fraction(64))


def summed(law: list[float], shift: int, alpha: float) -> float:
    """ln(sum over k of P(k)^alpha P(k - shift)^(1 - alpha)) / (alpha - 1) over the middle of a long law."""
    middle = range(shift, len(law) - shift)
    logs = [alpha * law[k] + (1 - alpha) * law[k - shift] for k in middle]
    top = max(logs)
    return (top + math.log(sum(math.exp(x - top) for x in logs))) / (alpha - 1)


def laplace_law(t: float, size: int) -> list[float]:
    """Log probabilities of discrete Laplace noise of parameter e^-t on [-size, size]."""
    return [math.log(math.tanh(t / 2)) - t * abs(k) for k in range(-size, size + 1)]


@pytest.mark.parametrize("epsilon", ["0.1", "1", "3"])
@pytest.mark.parametrize("sensitivity", [1, 2, 7])
@pytest.mark.parametrize("order", ORDERS)
def test_the_curve_of_discrete_laplace_is_the_sum_over_its_law(
    epsilon: str, sensitivity: int, order: Fraction
) -> None:
    law = laplace_law(float(epsilon) / sensitivity, 4000)
    curve = renyi_of_discrete_laplace(Fraction(epsilon), sensitivity=sensitivity)
    assert float(curve(order)) == pytest.approx(summed(law, sensitivity, float(order)), rel=1e-6)


@pytest.mark.parametrize("order", ORDERS)
def test_for_a_shift_of_one_discrete_laplace_is_randomized_response(order: Fraction) -> None:
    found = renyi_of_discrete_laplace(Fraction("0.7"), sensitivity=1)(order)
    assert abs(found - renyi_of_pure(Fraction("0.7"))(order)) < Fraction(1, 10**50)


@pytest.mark.parametrize("order", ORDERS)
def test_a_fine_grid_comes_to_the_curve_of_continuous_laplace(order: Fraction) -> None:
    alpha, epsilon = float(order), 0.5
    terms = alpha * math.exp((alpha - 1) * epsilon) + (alpha - 1) * math.exp(-alpha * epsilon)
    continuous = math.log(terms / (2 * alpha - 1)) / (alpha - 1)
    found = renyi_of_discrete_laplace(Fraction(1, 2), sensitivity=10**9)(order)
    assert float(found) == pytest.approx(continuous, rel=1e-7)


@settings(max_examples=60)
@given(
    st.fractions(Fraction(1, 10**6), 30),
    st.integers(1, 10**15),
    st.integers(1, 10**15),
    st.sampled_from(ORDERS),
)
def test_a_shift_over_several_coordinates_never_costs_more_than_over_one(
    epsilon: Fraction, first: int, second: int, order: Fraction
) -> None:
    whole = first + second
    together = renyi_of_discrete_laplace(epsilon, sensitivity=whole)(order)
    parts = sum(
        renyi_of_discrete_laplace(epsilon * part / whole, sensitivity=part)(order) for part in (first, second)
    )
    assert parts <= together + Fraction(1, 10**25)
    assert together <= renyi_of_pure(epsilon)(order) + Fraction(1, 10**25)


def test_a_parameter_too_near_1_falls_back_on_what_every_pure_release_costs() -> None:
    found = renyi_of_discrete_laplace(Fraction(1), sensitivity=10**80)
    assert found(Fraction(2)) == renyi_of_pure(Fraction(1))(Fraction(2))


@settings(max_examples=60)
@given(st.fractions(Fraction(1, 10**6), 30), st.fractions(Fraction(101, 100), 2000, max_denominator=100))
def test_the_rho_of_randomized_response_covers_its_curve_and_is_attained_at_1(
    epsilon: Fraction, order: Fraction
) -> None:
    rho = zcdp_of_randomized_response(epsilon)
    assert renyi_of_pure(epsilon)(order) <= order * rho + Fraction(1, 10**40)
    assert rho <= zcdp_of_pure(epsilon)
    near = Fraction(1) + Fraction(1, 10**9)
    assert renyi_of_pure(epsilon)(near) >= rho * Fraction(999, 1000)


def test_the_rho_of_randomized_response_is_epsilon_tanh_of_half_of_it() -> None:
    for epsilon in (0.01, 0.5, 1.0, 4.0, 20.0):
        expected = epsilon * math.tanh(epsilon / 2)
        assert float(zcdp_of_randomized_response(Fraction(epsilon))) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1), Fraction(5)])
@pytest.mark.parametrize("order", ORDERS)
def test_the_curve_of_the_exponential_mechanism_covers_every_law_of_bounded_range(
    epsilon: Fraction, order: Fraction
) -> None:
    claimed, loss, alpha = float(renyi_of_exponential_mechanism(epsilon)(order)), float(epsilon), float(order)
    for low in range(1, 20):  # two outcomes with losses -t and epsilon - t
        t = loss * low / 20
        p = (1 - math.exp(-t)) / (math.exp(loss - t) - math.exp(-t))  # of the first under the neighbour
        moment = p * math.exp((loss - t) * alpha) + (1 - p) * math.exp(-t * alpha)
        assert math.log(moment) / (alpha - 1) <= claimed + 1e-12


@pytest.mark.parametrize(("variance", "shift"), [("0.5", 1), ("4", 3), ("100", 7)])
@pytest.mark.parametrize("order", (Fraction(3, 2), Fraction(2), Fraction(8)))
def test_the_rho_of_discrete_gaussian_noise_covers_the_sum_over_its_law(
    variance: str, shift: int, order: Fraction
) -> None:
    size = 400
    logs = [-(k * k) / (2 * float(variance)) for k in range(-size, size + 1)]
    total = math.log(sum(math.exp(x) for x in logs))
    found = summed([x - total for x in logs], shift, float(order))
    rho = gaussian.rho(shift**2, Fraction(variance))
    assert found <= float(order * rho) + 1e-9
    assert found >= float(order * rho) * 0.5


def test_what_cannot_be_a_parameter_is_refused() -> None:
    with pytest.raises(ValueError, match="sensitivity"):
        renyi_of_discrete_laplace(Fraction(1), sensitivity=0)
    with pytest.raises(TypeError, match="exact"):
        zcdp_of_randomized_response(0.5)  # type: ignore[arg-type]
