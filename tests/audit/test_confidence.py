"""The exact tests of two frequencies: their level by enumeration, and their intervals against scipy."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from dpsql.audit.statistical.confidence import (
    Approximate,
    Claim,
    Counts,
    at_most,
    clopper_pearson,
    epsilon_lower_bound,
    lower_bound,
    p_value,
    rejected,
    sharpest_threshold,
)
from dpsql.mechanisms.noise.discrete_gaussian import discrete_gaussian

RUNS = 24


@dataclass(frozen=True)
class Gaussian:
    """mu-Gaussian differential privacy (Dong, Roth, Su 2022): no event tells more than a normal law's shift by mu."""

    mu: float
    slope: float = 1.0

    def ceiling(self, p: np.ndarray) -> np.ndarray:
        """Phi(Phi^-1(p) + mu)."""
        return stats.norm.cdf(stats.norm.ppf(np.clip(p, 1e-300, 1 - 1e-16)) + self.mu)


LEVEL = 0.05
CLAIMS: tuple[Claim, ...] = (
    Approximate(1.0, 0.0, math.e),
    Approximate(0.3, 0.0, math.e),
    Approximate(1.0, 0.05, math.e),
    Approximate(0.0, 0.2, 1.0),
    Gaussian(1.0),
    Gaussian(0.0),
)


def refused(claim: Claim, runs: int, level: float) -> np.ndarray:
    """Which pairs of hits (first, second) refute a claim."""
    return np.array(
        [
            [rejected(Counts(a, runs), Counts(b, runs), claim, level) for b in range(runs + 1)]
            for a in range(runs + 1)
        ]
    )


def probability(region: np.ndarray, first: float, second: float) -> float:
    """The probability of a set of pairs of hits under two binomial laws."""
    hits = np.arange(len(region))
    law = [stats.binom.pmf(hits, len(region) - 1, p) for p in (first, second)]
    return float(law[0] @ region @ law[1])


@pytest.mark.parametrize("runs", [1, 2, 50, 10_000])
@pytest.mark.parametrize("level", [0.05, 1e-6])
def test_the_interval_is_that_of_clopper_and_pearson(runs: int, level: float) -> None:
    for hits in sorted({0, 1, runs // 3, runs - 1, runs}):
        low, high = clopper_pearson(Counts(hits, runs), level)
        expected_low = stats.beta.ppf(level / 2, hits, runs - hits + 1) if hits else 0.0
        expected_high = stats.beta.isf(level / 2, hits + 1, runs - hits) if hits < runs else 1.0
        assert (low, high) == pytest.approx((expected_low, expected_high), rel=1e-6, abs=1e-12)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("p", [0.0, 0.003, 0.2, 0.5, 0.97])
def test_the_interval_misses_the_truth_with_at_most_its_level(p: float) -> None:
    hits = np.arange(61)
    missed = [not low <= p <= high for low, high in (clopper_pearson(Counts(int(k), 60), 0.1) for k in hits)]
    assert float(stats.binom.pmf(hits, 60, p) @ np.array(missed)) <= 0.1


@pytest.mark.one_in(6)
@pytest.mark.parametrize("claim", CLAIMS, ids=str)
def test_a_claim_that_holds_is_refuted_with_at_most_the_level(claim: Claim) -> None:
    region = refused(claim, RUNS, LEVEL)
    seconds = np.linspace(0.0, 1.0, 201)
    alarms = [
        probability(region, float(top), float(p))
        for p, top in zip(seconds, claim.ceiling(seconds), strict=True)
    ]
    assert (
        LEVEL / 5 < max(alarms) <= LEVEL
    )  # near its level somewhere: a test that never refutes proves nothing


def test_sides_with_different_numbers_of_runs_keep_the_level_too() -> None:
    claim = CLAIMS[0]
    region = np.array(
        [[rejected(Counts(a, 30), Counts(b, 15), claim, LEVEL) for b in range(16)] for a in range(31)]
    )
    for p in np.linspace(0.0, 0.5, 51):
        first = stats.binom.pmf(np.arange(31), 30, float(claim.ceiling(np.array([p]))[0]))
        assert first @ region @ stats.binom.pmf(np.arange(16), 15, p) <= LEVEL


def test_the_p_value_grows_with_the_claim() -> None:
    first, second = Counts(70, 100), Counts(20, 100)
    values = [p_value(first, second, Approximate(e, 0.0, math.e), 1e-4) for e in (0.0, 0.5, 1.0, 1.5, 2.0)]
    assert values == sorted(values)
    assert values[0] < 1e-3
    assert values[-1] > 0.5


def test_a_lower_bound_comes_near_the_truth_with_many_runs_and_stays_below() -> None:
    p, runs = 0.1, 100_000
    for delta in (0.0, 0.05):
        first = Counts(round(runs * (math.e * p + delta)), runs)
        bound = epsilon_lower_bound(first, Counts(round(runs * p), runs), delta=delta, level=1e-6, sharpest=1)
        assert 0.9 < bound < 1
    bound = lower_bound(Counts(69_146, runs), Counts(30_854, runs), Gaussian, 15.0, level=1e-6)
    assert 0.95 < bound < 1


@pytest.mark.parametrize("turn", ["as known", "complement", "other side", "both"])
def test_every_one_of_the_four_inequalities_is_tested(turn: str) -> None:
    first, second = Counts(1600, 2000), Counts(200, 2000)
    if turn in ("complement", "both"):
        first, second = first.complement, second.complement
    if turn in ("other side", "both"):
        first, second = second, first
    assert epsilon_lower_bound(first, second, delta=0.0, level=1e-6, sharpest=1) > 1


def test_counts_that_cannot_be_counts_are_refused() -> None:
    for hits, runs in ((-1, 5), (6, 5), (0, 0)):
        with pytest.raises(ValueError, match="counts need"):
            Counts(hits, runs)


def gaussian_outputs(value: int, rho: Fraction) -> np.ndarray:
    """The discrete Gaussian mechanism on 4,000 copies of a value; at this scale its law is the Gaussian's rounded."""
    noisy = discrete_gaussian(np.full(4000, value), sensitivity=20, rho=rho)
    return noisy.astype(np.float64)


def test_a_discrete_gaussian_is_held_to_its_own_trade_off_curve() -> None:
    """rho = 1/2 is mu = 1. The bound of a correct one exceeds 1 with probability 1e-11 at most. At 2/3 of the noise
    mu is 1.5; the difference of probits has a deviation of 0.031: 0.5 is 16 of them, of which the level takes 6.7."""
    for rho, holds in ((Fraction(1, 2), True), (Fraction(9, 8), False)):
        counts = (
            at_most(gaussian_outputs(v, rho), 10) for v in (0, 20)
        )  # half the distance is the sharpest event
        assert (lower_bound(*counts, Gaussian, 15.0, level=1e-11) <= 1) is holds


def test_the_threshold_that_is_chosen_is_the_one_that_strains_the_claim() -> None:
    first = np.array([0.0] * 80 + [5.0] * 20)
    second = np.array([0.0] * 5 + [3.0] * 90 + [math.inf] * 5)
    assert sharpest_threshold(first, second, 1.0) == 0
    assert sharpest_threshold(second, first, 1.0) == 3
