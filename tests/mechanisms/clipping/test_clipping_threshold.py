"""The threshold: the rule step by step, the same from whatever the counts are stored in, and seldom led astray."""

import math
from fractions import Fraction

import numpy as np
import pytest

from dpsql.mechanisms import ExactSampler
from dpsql.mechanisms.clipping.clipping_noise import Noise, gaussian, histogram_noise, laplace
from dpsql.mechanisms.clipping.clipping_threshold import (
    FULLEST,
    NEXT,
    OF_QUOTIENTS,
    START,
    WALK,
    WHOLE,
    Threshold,
    clipping_threshold,
    count_above,
)
from dpsql.mechanisms.clipping.unit_bins import Bins
from dpsql.privacy import Neighbours

ADDED, REPLACED = Neighbours.ADD_REMOVE, Neighbours.SUBSTITUTE
ANSWERS = {
    "laplace": laplace(Fraction(4, 5), ADDED),
    "laplace, replaced": laplace(Fraction(4, 5), REPLACED),
    "gaussian": gaussian(Fraction(12, 25), ADDED),
    "gaussian, replaced": gaussian(Fraction(12, 25), REPLACED, nonnegative=True),
}
SHARES = {"laplace": Fraction(1, 5), "gaussian": Fraction(1, 50)}
BINS = Bins(8, 27)


def tau_of(
    counts: object,
    *,
    answer: Noise = ANSWERS["laplace"],
    bins: Bins = BINS,
    groups: int = 1,
    bias: Fraction = WHOLE,
) -> Threshold:
    histogram = histogram_noise(SHARES["gaussian" if answer.gaussian else "laplace"], answer)
    return clipping_threshold(
        counts,
        bins=bins,
        groups=groups,
        histogram=histogram,
        answer=answer,
        row_weight=3,  # type: ignore[arg-type]
        bias=bias,
    )


def filled(**places: int) -> list[int]:
    """Twenty bins, the named ones filled: b0=100."""
    counts = [0] * len(BINS)
    for name, count in places.items():
        counts[int(name[1:])] = count
    return counts


@pytest.mark.parametrize("name", ANSWERS)
@pytest.mark.parametrize(("p", "n"), [(START, 20), (FULLEST, 20), (WALK, NEXT), (START, 55)])
def test_what_no_empty_bin_exceeds_is_the_least_such_number(name: str, p: Fraction, n: int) -> None:
    noise = histogram_noise(SHARES[name.split(",")[0]], ANSWERS[name])
    z, rate = count_above(p, n, noise), float(noise.rate(1))
    assert n * above(z, rate, noise) <= float(p) < n * above(z - 1, rate, noise)


def above(z: int, rate: float, noise: Noise) -> float:
    """P(Z > z), by summing the law."""
    y = np.arange(-3000, 3001)
    law = np.exp(-np.square(y) / (2 * rate) if noise.gaussian else -rate * np.abs(y))
    return float(law[y > z].sum() / law.sum())


def test_the_thresholds_are_the_ones_of_the_text_or_better() -> None:
    noise = laplace(Fraction(1, 5), ADDED)
    for p, n in ((START, 55), (FULLEST, 55), (WALK, NEXT)):
        assert count_above(p, n, noise) <= math.log(n / (2 * p)) * 5 + 1
        assert count_above(p, n, laplace(Fraction(1, 5), REPLACED)) == pytest.approx(
            2 * count_above(p, n, noise), abs=2
        )
        normal = gaussian(Fraction(1, 50), ADDED, nonnegative=True)
        assert count_above(p, n, normal) <= 5 * math.sqrt(2 * math.log(n / p)) + 1


def test_of_quotients_an_eighth_of_the_loss_counts() -> None:
    steep, few = filled(b3=1000, b4=40), filled(b3=300, b4=25)
    assert [tau_of(steep, bias=b).power for b in (WHOLE, OF_QUOTIENTS)] == [12, 12]
    assert [tau_of(few, bias=b).power for b in (WHOLE, OF_QUOTIENTS)] == [13, 12]
    for counts in (steep, few, filled(b2=500, b5=90), [0] * 20):
        assert tau_of(counts, bias=OF_QUOTIENTS) == tau_of(counts, groups=8)
    with pytest.raises(ValueError, match="bias"):
        tau_of(few, bias=Fraction(0))


def test_without_a_start_tau_is_the_largest_weight_of_one_row() -> None:
    assert tau_of([0] * 20) == tau_of([23] * 20) == tau_of([-500] * 20) == Threshold(3 << 8, None)
    assert tau_of([0] * 3, bins=Bins(8, 10)).tau == 3 << 8
    assert tau_of([0] * 2, bins=Bins(8, 9)).tau == 1 << 9  # no unit is larger
    assert tau_of([0], bins=Bins(62, 62)).tau == 1 << 62


def test_the_fullest_bin_is_the_start_if_none_is_sure() -> None:
    z = [count_above(p, 20, laplace(Fraction(1, 5), ADDED)) for p in (FULLEST, START)]
    assert z[0] < z[1]
    assert tau_of(filled(b4=z[0] + 1)) == Threshold(1 << 12, 12)
    assert tau_of(filled(b4=z[1] + 1)) == Threshold(1 << 12, 12, first=2)
    assert tau_of(filled(b4=z[0])).power is None


def test_four_neighbours_are_the_start_if_they_have_enough_together() -> None:
    enough = 2 * count_above(FULLEST, 20, laplace(Fraction(1, 5), ADDED)) + 1
    assert tau_of(filled(b4=16, b5=16, b6=16, b7=enough - 48)).power == 8 + 7
    assert tau_of(filled(b4=16, b5=16, b6=16, b7=enough - 49)).power is None
    assert tau_of(filled(b4=40, b5=16, b7=enough - 56)).power is not None
    assert tau_of(filled(b4=40, b5=16, b8=enough - 56)).power is None
    assert tau_of([0] * 17 + [16, 35, enough - 51]).power == 27


def test_the_start_is_the_highest_bin_that_is_sure() -> None:
    assert tau_of(filled(b2=5000, b9=200)).power == 8 + 9
    assert tau_of(filled(b2=5000, b9=40)).power == 8 + 2


def test_from_the_start_a_hint_among_the_next_two_is_enough_to_go_on() -> None:
    hint = count_above(WALK, NEXT, laplace(Fraction(1, 5), ADDED)) + 1
    for step in (1, 2):
        assert tau_of(filled(b2=5000, **{f"b{2 + step}": hint})).power == 10 + step
    assert tau_of(filled(b2=5000, b5=hint)).power == 10
    assert tau_of(filled(b2=5000, b4=hint, b6=hint, b8=hint)).power == 16
    assert tau_of(filled(b2=5000, b4=hint - 1, b6=hint)).power == 10


def test_what_noise_hides_above_the_top_goes_on_as_the_last_bins_fall() -> None:
    assert tau_of(filled(b2=1600, b3=400, b4=100)).power == 8 + 6
    assert tau_of(filled(b2=50, b3=75, b4=100)).power == 8 + 4  # rising: nothing is hidden
    assert tau_of(filled(b2=400, b3=400, b4=100)).power == 8 + 5  # falling ever faster
    assert tau_of([0] * 18 + [400, 100]).power == 27  # there is no bin beyond the last


@pytest.mark.parametrize("name", ANSWERS)
@pytest.mark.parametrize("groups", [1, 20])
def test_the_least_expected_error_decides(name: str, groups: int) -> None:
    """Where the top is the fuller of the last two bins, the loss is the sum of the text, here in floats."""
    rng = np.random.default_rng(5)
    noise = float(ANSWERS[name].median_error())
    for _ in range(100):
        top = int(rng.integers(1, 12))
        counts = [int(c) for c in rng.integers(-20, 3000, top)] + [3000]

        def loss(i: int, counts: list[int] = counts) -> float:
            lost = sum(max(c, 0) * (1.5 * 2 ** (j - 1) - 2**i) for j, c in enumerate(counts) if j > i)
            return lost / groups + noise * 2**i

        found = tau_of(counts + [0] * (20 - len(counts)), answer=ANSWERS[name], groups=groups)
        assert found.power == 8 + min(range(top + 1), key=loss)
        assert found.tau == 2**found.power


def test_more_groups_ask_for_less_noise() -> None:
    counts = filled(b0=4000, b1=2000, b2=1000, b3=500, b4=250, b5=120, b6=64)
    powers = [tau_of(counts, groups=g).power for g in (1, 10, 100, 1000, 10**6)]
    assert powers == sorted(powers, reverse=True) and powers[0] > powers[-1] == 8  # type: ignore[operator]


def test_how_the_counts_are_stored_does_not_matter() -> None:
    counts = filled(b0=900, b1=2000, b2=300, b3=90, b4=30, b5=-7)
    found = {
        tau_of(form) for form in (counts, tuple(counts), np.array(counts), np.array(counts, dtype=object))
    }  # type: ignore[arg-type]
    assert len(found) == 1
    assert type(next(iter(found)).tau) is int
    assert tau_of(filled(b3=2**63, b5=-1)).power == 11


def test_a_number_of_counts_that_is_not_that_of_the_bins_is_refused() -> None:
    for counts in ([0] * 19, [[0] * 20], np.zeros((20, 1), np.int64)):
        with pytest.raises(ValueError, match="20 bins"):
            tau_of(counts)


@pytest.mark.parametrize("name", ANSWERS)
def test_noise_alone_is_seldom_taken_for_units(name: str) -> None:
    answer, runs = ANSWERS[name], 4000
    histogram = histogram_noise(SHARES[name.split(",")[0]], answer)
    noisy = histogram.add(np.zeros((runs, 20), np.int64), 1, ExactSampler())
    led_astray = sum(tau_of(row, answer=answer).power is not None for row in noisy)
    assert led_astray <= 30  # 4 to 8 are expected


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", ANSWERS)
def test_units_of_one_size_get_that_size(name: str) -> None:
    answer, runs = ANSWERS[name], 2000
    histogram = histogram_noise(SHARES[name.split(",")[0]], answer)
    noisy = histogram.add(np.tile(filled(b5=1000), (runs, 1)), 1, ExactSampler())
    powers = [tau_of(row, answer=answer).power for row in noisy]
    assert sum(p != 13 for p in powers) <= runs / 10
    # One is in five of such tests; more than 8 are in fewer than one of 10^11.
    assert sum(p is None or not 13 <= p <= 20 for p in powers) <= 8
