"""Propose, test, release for the median: the distance by brute force, the privacy of the outcome by its law."""

import math
from fractions import Fraction

import numpy as np
import pytest
from exact_laws import ALARM, chi_square
from scipy import stats
from test_smooth_sensitivity import RANGE, TOP, Data, array, databases, median, moved, neighbours, within

from dpsql.mechanisms import propose_test_release
from dpsql.mechanisms.noise.propose_test_release import (
    distance_to_unstable,
    passing_point,
    passing_probability,
)

EPSILON, DELTA = Fraction(2), Fraction(1, 25)
BUDGET = {"epsilon": EPSILON, "delta": DELTA}
VALUES = np.arange(-80, 81)  # noise of scale 2 leaves them once in 10^17 draws


@pytest.mark.parametrize("proposed", [1, 2, TOP])
def test_the_distance_is_that_to_the_nearest_restless_data(proposed: int) -> None:
    for data in databases(3):
        found = distance_to_unstable(array(data), **RANGE, proposed=proposed)
        if proposed >= TOP:
            assert found == len(data) + 2
            continue
        assert any(moved(other) > proposed for other in within(data, found))
        assert found == 0 or all(moved(other) <= proposed for other in within(data, found - 1))


def test_the_distance_moves_by_at_most_one() -> None:
    for proposed in (1, 3, TOP):
        for data in databases(4):
            here = distance_to_unstable(array(data), **RANGE, proposed=proposed)
            for other in neighbours(data):
                assert abs(distance_to_unstable(array(other), **RANGE, proposed=proposed) - here) <= 1


@pytest.mark.parametrize("delta", [Fraction(1, 3), Fraction(1, 25), Fraction(1, 10**9)])
def test_the_test_is_passed_without_reason_with_probability_delta_at_most(delta: Fraction) -> None:
    given = {"epsilon": EPSILON, "delta": delta}
    point, a = passing_point(**given), math.exp(-1)
    assert a**point / (1 + a) <= delta
    assert point == 1 or a ** (point - 1) / (1 + a) > delta
    assert passing_probability(0, **given) == pytest.approx(a**point / (1 + a))


def outcome_law(data: Data, proposed: int) -> np.ndarray:
    """The probabilities of nothing, and of each noisy median within 80, the rest of them being left out."""
    distance = distance_to_unstable(array(data), **RANGE, proposed=proposed)
    passing, a = passing_probability(distance, **BUDGET), math.exp(-1 / proposed)
    noise = (1 - a) / (1 + a) * a ** np.abs(VALUES - median(data))
    return np.array([1 - passing, *(passing * noise)])


@pytest.mark.parametrize("proposed", [1, 2])
def test_neighbours_are_told_apart_by_epsilon_and_delta_at_most(proposed: int) -> None:
    laws = {data: outcome_law(data, proposed) for data in databases(6)}
    worst = 0.0
    for data in databases(5):
        for other in neighbours(data):
            for p, q in ((laws[data], laws[other]), (laws[other], laws[data])):
                worst = max(worst, float(np.maximum(p - math.exp(EPSILON) * q, 0).sum()))
    assert 0 < worst <= DELTA + 1e-12


def test_without_the_test_neighbours_are_told_apart() -> None:
    """Noise of the proposed sensitivity alone: the medians of neighbours may be 4 apart, where 1 is proposed."""

    def untested(data: Data) -> np.ndarray:
        a = math.exp(-1)
        return (1 - a) / (1 + a) * a ** np.abs(VALUES - median(data))

    p, q = untested((0, 4)), untested((0, 4, 4))
    assert float(np.maximum(p - math.exp(EPSILON) * q, 0).sum()) > 0.5


@pytest.mark.slow
def test_outcomes_are_sampled_by_their_law_and_no_other_scale(samples: int) -> None:
    data = (1, 2, 2)
    answers = [propose_test_release(array(data), **RANGE, proposed=2, **BUDGET) for _ in range(samples // 20)]
    observed = [answers.count(None), *(answers.count(int(v)) for v in VALUES)]
    chances = outcome_law(data, 2)
    assert sum(observed) == len(answers)
    assert 0.1 < chances[0] < 0.9
    assert chi_square(observed, chances / chances.sum()) > ALARM
    for proposed in (1.5, 2.7):
        wrong = np.array([chances[0], *(1 - chances[0]) * laplace(proposed, median(data))])
        assert chi_square(observed, wrong / wrong.sum()) < ALARM


def laplace(scale: float, centre: int) -> np.ndarray:
    weights = np.exp(-np.abs(VALUES - centre) / scale)
    return np.asarray(weights / weights.sum())


def test_dense_data_pass_and_restless_data_do_not() -> None:
    dense = np.random.default_rng(3).normal(500, 20, 2001).astype(np.int64)
    given = {"lower": 0, "upper": 1000, "epsilon": 1, "delta": Fraction(1, 10**6)}
    answers = [propose_test_release(dense, proposed=5, **given) for _ in range(100)]
    assert all(a is not None and abs(a - 500) < 300 for a in answers)
    restless = np.array([0] * 500 + [1000] * 500)
    given["delta"] = Fraction(1, 10**12)  # the chance to pass without reason, here a hundred times
    assert all(propose_test_release(restless, proposed=5, **given) is None for _ in range(100))
    assert propose_test_release(restless[:0], proposed=5, **given) is None


def test_data_that_is_few_steps_from_unstable_does_not_pass() -> None:
    """Noise of scale 2 is 30 or more less than once in a million tries."""
    values, given = np.array([2] * 5), {"epsilon": 1, "delta": Fraction(1, 10**9)}
    distance = distance_to_unstable(values, **RANGE, proposed=1)
    assert 1 <= distance < passing_point(**given) - 30
    assert {propose_test_release(values, **RANGE, proposed=1, **given) for _ in range(10)} == {None}


@pytest.mark.slow
def test_it_passes_at_the_stated_rate(samples: int) -> None:
    values, runs = np.array([2] * 9), samples // 40
    distance = distance_to_unstable(values, **RANGE, proposed=1)
    passed = sum(propose_test_release(values, **RANGE, proposed=1, **BUDGET) is not None for _ in range(runs))
    assert stats.binomtest(passed, runs, passing_probability(distance, **BUDGET)).pvalue > ALARM


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [({"proposed": 0}, ValueError, "proposed"), ({"proposed": 1.0}, TypeError, "proposed"),
     ({"delta": 0}, ValueError, "delta"), ({"delta": 0.1}, TypeError, "delta"),
     ({"epsilon": -1}, ValueError, "epsilon"), ({"epsilon": True}, TypeError, "epsilon"),
     ({"lower": 9}, ValueError, "lower < upper"), ({"upper": "4"}, TypeError, "upper")],
)  # fmt: skip
def test_bad_parameters_are_refused(change: dict[str, object], error: type, words: str) -> None:
    given = {"lower": 0, "upper": 4, "proposed": 1, "epsilon": 1, "delta": Fraction(1, 9), **change}
    with pytest.raises(error, match=words):
        propose_test_release(np.arange(3), **given)  # type: ignore[arg-type]
