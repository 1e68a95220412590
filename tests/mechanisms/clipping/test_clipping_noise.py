"""What noise is drawn at which threshold, and that the events in the ledger bound it at every one of them."""

import math
from fractions import Fraction

import numpy as np
import pytest

from dpsql.mechanisms import ExactSampler
from dpsql.mechanisms.analysis.curves import renyi_of_discrete_laplace
from dpsql.mechanisms.clipping.clipping_noise import (
    HISTOGRAM_SHARE,
    Noise,
    gaussian,
    histogram_noise,
    laplace,
    selection_range,
    shares_of_epsilon,
    shares_of_rho,
)
from dpsql.privacy import Cost, Mechanism, Neighbours

ADDED, REPLACED = Neighbours.ADD_REMOVE, Neighbours.SUBSTITUTE
HALF = Fraction(1, 2)
TAUS = (1, 2, 7, 2**20, 2**62)


class Recorder(ExactSampler):
    """Adds nothing, and keeps what it was asked for."""

    def discrete_laplace(self, values: np.ndarray, **asked: object) -> np.ndarray:  # type: ignore[override]
        object.__setattr__(self, "asked", asked)
        return values

    def discrete_gaussian(self, values: np.ndarray, **asked: object) -> np.ndarray:  # type: ignore[override]
        object.__setattr__(self, "asked", asked)
        return values


def asked(noise: Noise, bound: int) -> object:
    recorder = Recorder()
    noise.add(np.array([1, 2]), bound, recorder)
    return recorder.asked  # type: ignore[attr-defined]


@pytest.mark.parametrize("tau", TAUS)
def test_laplace_noise_has_the_rate_epsilon_over_tau_or_over_twice_tau(tau: int) -> None:
    for relation, factor in ((ADDED, 1), (REPLACED, 2)):
        noise = laplace(Fraction(4, 5), relation)
        assert asked(noise, tau) == {"sensitivity": factor * tau, "epsilon": Fraction(4, 5)}
        assert noise.rate(tau) == Fraction(4, 5) / (factor * tau)


@pytest.mark.parametrize("tau", TAUS)
def test_gaussian_noise_has_the_variance_of_one_of_four_or_of_two_squares(tau: int) -> None:
    for noise, factor in (
        (gaussian(HALF, ADDED), 1),
        (gaussian(HALF, ADDED, nonnegative=True), 1),
        (gaussian(HALF, REPLACED), 4),
        (gaussian(HALF, REPLACED, nonnegative=True), 2),
    ):
        assert asked(noise, tau) == {"squared_sensitivity": factor * tau**2, "rho": HALF}
        assert noise.rate(tau) == factor * tau**2


@pytest.mark.parametrize("relation", list(Neighbours))
def test_the_histogram_has_the_noise_of_one_unit_in_one_bin(relation: Neighbours) -> None:
    moved = relation.factor
    first = histogram_noise(Fraction(1, 5), laplace(1, relation))
    assert asked(first, 1) == {"sensitivity": moved, "epsilon": Fraction(1, 5)}
    second = histogram_noise(Fraction(1, 50), gaussian(1, relation))
    assert asked(second, 1) == {"squared_sensitivity": moved, "rho": Fraction(1, 50)}
    assert second.rate(1) == 25 * moved


def test_a_fifth_of_epsilon_is_for_the_histogram_and_its_like_of_rho() -> None:
    epsilon = Fraction(7, 10)
    first, second = shares_of_epsilon(epsilon)
    assert first == HISTOGRAM_SHARE * epsilon and first + second == epsilon
    part, rest = shares_of_rho(epsilon**2 / 2)
    assert part == first**2 / 2 == epsilon**2 / 2 / 25 and part + rest == epsilon**2 / 2


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), HALF, Fraction(1), Fraction(3)])
@pytest.mark.parametrize("order", [Fraction(11, 10), Fraction(2), Fraction(16), Fraction(200)])
def test_the_laplace_event_bounds_the_noise_at_every_threshold(epsilon: Fraction, order: Fraction) -> None:
    kept = laplace(epsilon, REPLACED).event(Cost(epsilon))
    assert (kept.mechanism, kept.sensitivity, kept.cost) == (Mechanism.DISCRETE_LAPLACE, 1, Cost(epsilon))
    charged = renyi_of_discrete_laplace(epsilon, sensitivity=kept.sensitivity)(order)
    for tau in TAUS:
        drawn = renyi_of_discrete_laplace(epsilon, sensitivity=tau)(order)
        assert drawn <= charged * (1 + Fraction(1, 10**9))


def test_charged_at_a_large_limit_and_drawn_at_one_it_would_be_understated() -> None:
    large, one = (float(renyi_of_discrete_laplace(1, sensitivity=s)(Fraction(2))) for s in (10**6, 1))
    assert one / large > 1.15


@pytest.mark.parametrize("rho", [Fraction(1, 50), HALF, Fraction(2)])
@pytest.mark.parametrize("order", [1.5, 2.0, 8.0])
def test_the_gaussian_event_bounds_the_noise_at_every_threshold(rho: Fraction, order: float) -> None:
    kept = gaussian(rho, ADDED).event(Cost(Fraction(1)))
    assert kept.sensitivity == 1 and kept.variance == 1 / (2 * rho) and kept.cost == Cost(Fraction(1))
    for tau in (1, 2, 5, 40):
        sigma_squared = float(gaussian(rho, ADDED).rate(tau))
        assert (
            divergence(order, tau, sigma_squared)
            <= order * kept.sensitivity / (2 * float(kept.variance)) + 1e-9
        )


def divergence(order: float, moved: int, sigma_squared: float) -> float:
    """The Renyi divergence of the discrete Gaussian and its shift, summed."""
    y = np.arange(-60 * moved - 200, 60 * moved + 201, dtype=float)
    here, there = (-np.square(y - m) / (2 * sigma_squared) for m in (moved, 0))
    normal = math.log(np.exp(there).sum())
    exponents = order * here + (1 - order) * there - normal
    most = exponents.max()
    return float(most + math.log(np.exp(exponents - most).sum())) / (order - 1)


def test_an_event_costs_what_its_noise_does() -> None:
    with pytest.raises(ValueError, match="costs its epsilon"):
        laplace(HALF, ADDED).event(Cost(Fraction(1)))
    assert gaussian(HALF, ADDED).event(Cost(Fraction(4, 5))).cost == Cost(Fraction(4, 5))


@pytest.mark.parametrize("noise", [laplace(HALF, ADDED), laplace(2, REPLACED), gaussian(HALF, ADDED)])
def test_the_median_error_is_that_of_the_noise(noise: Noise, samples: int) -> None:
    tau = 2**20
    drawn = np.abs(noise.add(np.zeros(samples, np.int64), tau, ExactSampler()))
    assert float(np.mean(drawn > float(noise.median_error()) * tau)) == pytest.approx(
        0.5, abs=3 / math.sqrt(samples)
    )


@pytest.mark.parametrize("make", [laplace, gaussian])
def test_the_half_width_holds_the_noise_as_often_as_it_says(make: type, samples: int) -> None:
    noise = make(HALF, REPLACED)
    drawn = np.abs(noise.add(np.zeros(samples, np.int64), 3, ExactSampler()))
    width = noise.half_width(Fraction(1, 10), 3)
    assert np.mean(drawn > width) <= 0.1 + 4 / math.sqrt(samples) and np.mean(drawn > width - 2) > 0.1


def test_candidates_move_apart_by_tau_or_by_twice_tau() -> None:
    assert [selection_range(5, r) for r in Neighbours] == [5, 10]


def test_large_sums_keep_their_last_digit() -> None:
    values = np.array([2**100 + 1], dtype=object)
    assert Recorder().discrete_laplace(values)[0] == 2**100 + 1
    noisy = laplace(1, ADDED).add(values, 2**62, ExactSampler())
    assert type(noisy[0]) is int and abs(noisy[0] - 2**100) < 2**70


def test_other_noise_is_refused() -> None:
    with pytest.raises(ValueError, match="Laplace or Gaussian"):
        Noise(Mechanism.CUBE, HALF, ADDED)
    with pytest.raises(TypeError, match="neighbours"):
        Noise(Mechanism.DISCRETE_LAPLACE, HALF, "add_remove")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="budget"):
        Noise(Mechanism.DISCRETE_LAPLACE, 0.5, ADDED)  # type: ignore[arg-type]
