"""Basic one-time RAPPOR: its bits, its epsilon over all outputs, and decoding to counts."""

import importlib
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from exact_laws import ALARM, chi_square
from tree_coins import TreeCoins, Truncated, law

from dpsql.mechanisms.exact import inversion
from dpsql.mechanisms.local.rappor import error_bound, estimate_counts, joint_error_bound, rappor, variance


def half_f(epsilon: float) -> float:
    return 1 / (1 + math.exp(epsilon / 2))


@pytest.mark.parametrize(("k", "epsilon"), [(2, Fraction(1, 2)), (5, Fraction(2)), (3, Fraction(6))])
def test_a_million_bits_are_flipped_at_their_rate_and_no_other(k: int, epsilon: Fraction) -> None:
    """By all 2^k patterns of flips, so that bits of one value are seen to be independent."""
    values = np.arange(1_000_000 // k) % k
    flips = rappor(values, k=k, epsilon=epsilon) ^ np.eye(k, dtype=np.int8)[values]
    patterns = np.bincount(flips.astype(int) @ (1 << np.arange(k)), minlength=1 << k)
    for factor, fits in ((1, True), (1.3, False), (1 / 1.3, False)):
        assert (chi_square(patterns, pattern_chances(k, float(epsilon) * factor)) > ALARM) is fits


def pattern_chances(k: int, epsilon: float) -> list[float]:
    p = half_f(epsilon)
    sizes = [bin(pattern).count("1") for pattern in range(1 << k)]
    return [p**s * (1 - p) ** (k - s) for s in sizes]


@pytest.mark.parametrize("k", [2, 3])
def test_epsilon_is_attained_and_never_exceeded_over_all_outputs(k: int) -> None:
    """From the exact probabilities (1 - f/2)^a (f/2)^b of all outputs, on every pair of values."""
    epsilon = Fraction(3, 2)
    flip = half_f(float(epsilon))

    def chance(value: int, output: tuple[int, ...]) -> float:
        return math.prod(1 - flip if (j == value) == bool(bit) else flip for j, bit in enumerate(output))

    outputs = list(itertools.product((0, 1), repeat=k))
    ratios = [chance(v, y) / chance(w, y) for v, w in itertools.permutations(range(k), 2) for y in outputs]
    assert max(ratios) == pytest.approx(math.exp(epsilon), rel=1e-12)


def test_over_all_coins_each_bit_is_flipped_with_its_probability(monkeypatch: pytest.MonkeyPatch) -> None:
    short = inversion.coins_of_odds
    monkeypatch.setattr(
        importlib.import_module("dpsql.mechanisms.local.rappor"),
        "coins_of_odds",
        lambda *given: short(*given, bits=5),
    )
    epsilon = Fraction(2)
    outcomes = law(
        lambda coins: tuple(rappor(np.array([1]), k=2, epsilon=epsilon, coins=coins)[0].tolist()),
        TreeCoins,
        depth=3,
    )
    open_end, p = outcomes.pop(Truncated), half_f(2)
    for bits, chance in {
        (0, 1): (1 - p) ** 2,
        (1, 1): p * (1 - p),
        (0, 0): p * (1 - p),
        (1, 0): p * p,
    }.items():
        assert float(outcomes[bits]) - 1e-15 <= chance <= float(outcomes[bits] + open_end)
    assert open_end < Fraction(1, 2**6)


def test_counts_are_decoded_without_bias_and_stray_as_far_as_they_say() -> None:
    k, epsilon, n, runs = 4, Fraction(2), 400, 3000
    values = np.repeat([0, 1, 2], [250, 100, 50])
    released = rappor(np.tile(values, (runs, 1)), k=k, epsilon=epsilon)
    found = np.array([estimate_counts(one, epsilon=epsilon) for one in released])
    errors = found - [250, 100, 50, 0]
    spread = variance(n, epsilon=epsilon)
    assert abs(errors.mean(axis=0)).max() < 7 * math.sqrt(spread / runs)
    assert errors.var(axis=0) == pytest.approx(spread, rel=0.2)
    for beta in (0.3, 0.05):
        assert np.mean(abs(errors[:, 0]) > error_bound(beta, n, epsilon=epsilon)) <= beta
        assert np.mean(abs(errors).max(axis=1) > joint_error_bound(beta, n, k=k, epsilon=epsilon)) <= beta
    assert error_bound(0.05, n, epsilon=epsilon) == pytest.approx(math.sqrt(spread / 0.05))


def test_the_variance_is_the_formula_of_f() -> None:
    f = 2 / (1 + math.exp(1))
    expected = 100 * (f / 2) * (1 - f / 2) / (1 - f) ** 2
    assert variance(100, epsilon=2) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3)])
@pytest.mark.parametrize("dtype", [np.int64, np.uint8, object])
def test_the_bits_are_one_more_axis(shape: tuple[int, ...], dtype: type) -> None:
    released = rappor(np.ones(shape, dtype=dtype), k=3, epsilon=1000)
    assert released.shape == (*shape, 3) and released.dtype == np.int8
    assert (released == [0, 1, 0]).all()


def test_bad_values_are_refused() -> None:
    for values in (np.array([3]), np.array([-1])):
        with pytest.raises(ValueError, match="values must be integers from 0 to 2"):
            rappor(values, k=3, epsilon=1)
    for released in (np.empty((0, 3), np.int8), np.array([1, 0]), np.empty((2, 0), np.int8)):
        with pytest.raises(ValueError, match="at least one value"):
            estimate_counts(released, epsilon=1)
