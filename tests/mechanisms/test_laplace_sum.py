"""The half width of a sum of Laplace noises, against closed forms and against simulation."""

import math

import numpy as np
import pytest

from dpsql.mechanisms.analysis.laplace_sum import half_width


@pytest.mark.parametrize("beta", [0.5, 0.05, 0.001])
def test_one_noise_has_the_laplace_tail(beta):
    """P(|X| > t) = exp(-t / b)."""
    assert half_width(beta, (3.0,)) == pytest.approx(3 * math.log(1 / beta), rel=1e-3)


@pytest.mark.parametrize("beta", [0.5, 0.05, 0.001])
def test_two_equal_noises_have_the_closed_form_of_their_sum(beta):
    """P(|X| > t) = exp(-t / b) * (1 + t / (2 b))."""
    t = half_width(beta, (2.0, 2.0))
    assert math.exp(-t / 2) * (1 + t / 4) == pytest.approx(beta, rel=2e-3)


def test_unequal_noises_agree_with_simulation():
    """The share of simulated sums beyond the half width is beta, within five standard deviations."""
    scales, beta, n = (5.0, 1.5, 0.01), 0.05, 400_000
    draws = sum(np.random.default_rng(1).laplace(scale=b, size=n) for b in scales[:1])
    draws = draws + np.random.default_rng(2).laplace(scale=1.5, size=n)
    beyond = float(np.mean(np.abs(draws) > half_width(beta, scales)))
    assert abs(beyond - beta) < 5 * math.sqrt(beta * (1 - beta) / n)


@pytest.mark.parametrize("count", [10, 40, 200, 1000])
@pytest.mark.parametrize("beta", [0.5, 0.05, 0.001])
def test_many_equal_noises_have_the_tail_of_a_difference_of_gamma_variables(count, beta):
    """The sum of n Laplace noises of scale b is b times the difference of two gamma variables of shape n."""
    draw = np.random.default_rng(count)
    n = 400_000
    beyond = (
        np.abs(draw.gamma(count, size=n) - draw.gamma(count, size=n)) > half_width(beta, (2.0,) * count) / 2
    )
    assert abs(float(np.mean(beyond)) - beta) < 5 * math.sqrt(beta * (1 - beta) / n)


def test_a_noise_of_scale_zero_adds_nothing():
    assert half_width(0.05, (2.0, 0.0)) == pytest.approx(half_width(0.05, (2.0,)), rel=1e-6)


@pytest.mark.parametrize(
    ("beta", "scales"), [(0.0, (1.0,)), (1.0, (1.0,)), (0.05, ()), (0.05, (0.0,)), (0.05, (-1.0, 1.0))]
)
def test_what_has_no_interval_is_refused(beta, scales):
    with pytest.raises(ValueError, match="an interval needs"):
        half_width(beta, scales)
