"""The median with smooth sensitivity: every bound by brute force, the law of the noise, and the privacy of both."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from exact_laws import ALARM, chi_square
from tree_coins import ByteTreeCoins, Truncated, law

from dpsql.mechanisms import smooth_median
from dpsql.mechanisms.coins import Coins
from dpsql.mechanisms.noise.smooth_sensitivity import (
    cauchy_tail,
    clamped,
    discrete_cauchy,
    local_sensitivity,
    median_of,
    smooth_sensitivity,
)

TOP = 4
RANGE = {"lower": 0, "upper": TOP}
Data = tuple[int, ...]
SIZES = 6


def databases(most: int) -> list[Data]:
    return [
        d for size in range(most + 1) for d in itertools.combinations_with_replacement(range(TOP + 1), size)
    ]


def array(data: Data) -> np.ndarray:
    return np.array(data, dtype=np.int64)


def neighbours(data: Data) -> set[Data]:
    fewer = {data[:i] + data[i + 1 :] for i in range(len(data))}
    return fewer | {tuple(sorted((*data, v))) for v in range(TOP + 1)}


def median(data: Data) -> int:
    return sorted(data)[-(-len(data) // 2) - 1] if data else 0


def moved(data: Data) -> int:
    """The local sensitivity by its definition."""
    return max(abs(median(data) - median(other)) for other in neighbours(data))


def within(data: Data, steps: int) -> set[Data]:
    reached = {data}
    for _ in range(steps):
        reached |= {other for each in reached for other in neighbours(each)}
    return reached


@pytest.mark.parametrize("steps", [0, 1, 2, 3])
def test_the_local_sensitivity_within_some_steps_is_exact(steps: int) -> None:
    """A_k is reached: no larger than it must be."""
    for data in databases(4 if steps < 3 else 3):
        assert median_of(clamped(array(data), 0, TOP)) == median(data)
        expected = max(moved(other) for other in within(data, steps))
        assert local_sensitivity(array(data), **RANGE, steps=steps) == expected


@pytest.mark.parametrize("epsilon", [Fraction(1, 5), Fraction(2), Fraction(12)])
def test_the_smooth_sensitivity_is_smooth_and_above_the_local_one(epsilon: Fraction) -> None:
    growth = 1 + epsilon / 4
    of = {d: smooth_sensitivity(array(d), **RANGE, epsilon=epsilon) for d in databases(SIZES)}
    closest = Fraction(0)
    for data in databases(SIZES - 1):
        assert of[data] >= moved(data)
        for other in neighbours(data):
            assert of[data] <= growth * of[other]
            closest = max(closest, of[data] / of[other] / growth)
    assert closest > Fraction(999, 1000)


@pytest.mark.parametrize("epsilon", [Fraction(1, 5), Fraction(12)])
def test_the_smooth_sensitivity_is_the_greatest_faded_local_one(epsilon: Fraction) -> None:
    fade = 1 / (1 + epsilon / 4)
    for data in databases(4):
        steps = range(len(data) + 3)
        expected = max(fade**k * local_sensitivity(array(data), **RANGE, steps=k) for k in steps)
        found = smooth_sensitivity(array(data), **RANGE, epsilon=epsilon)
        assert expected <= found <= expected * (1 + Fraction(1, 10**15))


def cauchy_law(scale: float, values: np.ndarray) -> np.ndarray:
    """1 / (s^2 + z^2) over its sum, (pi / s) coth(pi s)."""
    return np.asarray(scale * math.tanh(math.pi * scale) / math.pi / (scale**2 + values.astype(float) ** 2))


def released_law(data: Data, epsilon: Fraction) -> np.ndarray:
    """The law of the released integer in 0 .. TOP, clamping included."""
    scale = float(2 * smooth_sensitivity(array(data), **RANGE, epsilon=epsilon) / epsilon)
    return clamped_law(scale, median(data))


def clamped_law(scale: float, centre: int) -> np.ndarray:
    inner = cauchy_law(scale, np.arange(1, TOP) - centre)
    return np.array([half_line(scale, centre), *inner, half_line(scale, TOP - centre)])


def half_line(scale: float, least: int) -> float:
    """P(Z >= least) for least >= 0, by symmetry."""
    below = (
        cauchy_law(scale, np.arange(-least + 1, least)).sum() if least else -cauchy_law(scale, np.zeros(1))[0]
    )
    return float(1 - below) / 2


@pytest.mark.parametrize("epsilon", [Fraction(1, 5), Fraction(1), Fraction(4)])
def test_no_neighbours_are_told_apart_by_more_than_epsilon(epsilon: Fraction) -> None:
    laws = {data: released_law(data, epsilon) for data in databases(SIZES)}
    worst = 0.0
    for data in databases(SIZES - 1):
        for other in neighbours(data):
            worst = max(worst, float(np.abs(np.log(laws[data] / laws[other])).max()))
    assert 0.3 * epsilon < worst <= epsilon + 1e-9


def test_local_sensitivity_by_itself_must_never_set_the_noise() -> None:
    """(0, 0, 0, 4, 4) has local sensitivity 0 and gets no noise; with a 4 more it has 4: an answer other than the
    median is impossible here and likely there."""
    calm, restless = (0, 0, 0, 4, 4), (0, 0, 0, 4, 4, 4)
    assert restless in neighbours(calm)
    assert local_sensitivity(array(calm), **RANGE) == 0
    assert local_sensitivity(array(restless), **RANGE) == TOP
    assert median(calm) == median(restless) == 0

    def chance_of_the_median(local: int, epsilon: float) -> float:
        return math.tanh(epsilon / local / 2) if local else 1.0

    assert 1 - chance_of_the_median(0, 1.0) == 0 < 1 - chance_of_the_median(TOP, 1.0)
    assert chance_of_the_median(0, 1.0) / chance_of_the_median(TOP, 1.0) > math.e**2
    smooth = [smooth_sensitivity(array(d), **RANGE, epsilon=1) for d in (calm, restless)]
    assert smooth[0] * (1 + Fraction(1, 4)) >= smooth[1] == TOP


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    "scale", [Fraction(1, 2), Fraction(1), Fraction(7, 3), Fraction(40), Fraction(10**9)], ids=str
)
def test_the_noise_has_its_law_and_no_other_scale(scale: Fraction, samples: int) -> None:
    coins = Coins()
    noise = np.array([float(discrete_cauchy(scale, coins)) for _ in range(samples // 10)])
    observed = binned(noise, float(scale))

    def chances(s: float) -> np.ndarray:
        cuts = cut_points(float(scale))
        tails = [0.5 + math.atan((c + 0.5) / s) / math.pi if s > 1000 else cdf(s, c) for c in cuts]
        return np.diff([0.0, *tails, 1.0])

    assert chi_square(observed, chances(float(scale))) > ALARM
    for factor in (1.3, 1 / 1.3):
        assert chi_square(observed, chances(float(scale) * factor)) < ALARM


def cut_points(scale: float) -> list[int]:
    sizes = {round(scale * math.tan(math.pi * i / 26)) for i in range(13)} | {1, 2}
    return sorted(sizes | {-s - 1 for s in sizes})


def binned(noise: np.ndarray, scale: float) -> np.ndarray:
    cuts = cut_points(scale)
    return np.bincount(np.searchsorted(cuts, noise), minlength=len(cuts) + 1)


def cdf(scale: float, z: int) -> float:
    return 1 - half_line(scale, z + 1) if z >= 0 else half_line(scale, -z)


class FirstTry(ByteTreeCoins):
    """Cuts off magnitudes of 4 and more at scale 2, and stops where the second try asks for its block."""

    blocks = 0

    def below(self, bound: int) -> int:
        if bound > 4 + 3 * 3:
            raise Truncated
        self.blocks += bound == 2 * 2 + 2 * 4
        if self.blocks > 1:
            raise StopIteration
        return super().below(bound)


def first_try(coins: Coins) -> int | None:
    try:
        return discrete_cauchy(2, coins)
    except StopIteration:
        return None


def test_small_values_have_exactly_their_odds() -> None:
    """By enumeration of the uniform draws: 1/4 to 1/(4 + 1) to 1/(4 + 4) to 1/(4 + 9) at s = 2."""
    odds = law(first_try, FirstTry)
    assert odds[0] == Fraction(1, 12)
    for z in range(-3, 4):
        assert odds[z] == odds[0] * Fraction(4, 4 + z * z)
    assert odds[None] + odds[Truncated] == 1 - sum(odds[z] for z in range(-3, 4))


def test_the_tail_bound_holds_and_is_near() -> None:
    for scale in (Fraction(1, 2), Fraction(3), Fraction(50)):
        for k in (0, 1, 5, 100):
            exact = 2 * half_line(float(scale), k + 1)
            assert exact <= cauchy_tail(k, scale=scale)
            assert exact > cauchy_tail(k, scale=scale) * 0.8 or scale < 10


@pytest.mark.one_in(4)
@pytest.mark.parametrize("data", [(), (1, 1, 2, 2, 2, 3, 4)], ids=str)
def test_the_released_median_has_its_law_and_no_other_scale(data: Data, samples: int) -> None:
    drawn = [smooth_median(array(data), **RANGE, epsilon=4) for _ in range(samples // 10)]
    observed = np.bincount(drawn, minlength=TOP + 1)
    scale = float(smooth_sensitivity(array(data), **RANGE, epsilon=4) / 2)
    assert chi_square(observed, clamped_law(scale, median(data))) > ALARM
    for factor in (1.3, 1 / 1.3):
        assert chi_square(observed, clamped_law(scale * factor, median(data))) < ALARM


def test_dense_data_get_an_answer_near_the_median() -> None:
    """A thousand values around 500,000 in a range of a million: the global sensitivity is the range itself."""
    values = np.random.default_rng(2).normal(500_000, 10_000, 1001).astype(np.int64)
    answers = [smooth_median(values, lower=0, upper=10**6, epsilon=1) for _ in range(300)]
    assert np.median(np.abs(np.array(answers) - np.median(values))) < 1000
    assert all(0 <= a <= 10**6 for a in answers)


def test_values_outside_are_clamped_and_none_are_an_answer() -> None:
    values = np.array([10**30] * 4001, dtype=object)
    assert smooth_median(values, lower=-5, upper=5, epsilon=10**6) == 5
    assert -5 <= smooth_median(values[:0], lower=-5, upper=5, epsilon=1) <= 5


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [({"lower": 4}, ValueError, "lower < upper"), ({"upper": 2**61}, ValueError, "within"),
     ({"lower": 0.0}, TypeError, "integer"), ({"upper": True}, TypeError, "integer"),
     ({"epsilon": 0}, ValueError, "epsilon"), ({"epsilon": float("nan")}, TypeError, "epsilon"),
     ({"values": np.array([1.5])}, TypeError, "integers"), ({"values": np.ones((2, 2), int)}, ValueError, "one-d")],
)  # fmt: skip
def test_bad_parameters_are_refused(change: dict[str, object], error: type, words: str) -> None:
    given = {"values": np.arange(3), "lower": 0, "upper": 4, "epsilon": 1, **change}
    with pytest.raises(error, match=words):
        smooth_median(given.pop("values"), **given)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="scale must be above 0"):
        discrete_cauchy(0)
