"""Refinement of discrete Laplace noise: the identity behind it, exactly, and the law that is drawn."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from exact_laws import ALARM, CONTEXT, chi_square, exp_minus, laplace_p_value, laplace_pmf

from dpsql.mechanisms import Coins, discrete_laplace, refine
from dpsql.mechanisms.noise.refinement import _refined_noise, atom_weight, weights_of_sum
from dpsql.mechanisms.selection.weighted import _decided

RATES = [(Fraction(1, 2), Fraction(2, 3)), (Fraction(1, 3), Fraction(1)), (Fraction(1, 10), Fraction(1, 2))]
PAIRS = [
    (Fraction(1, 2), Fraction(1, 4)),
    (Fraction(9, 10), Fraction(1, 3)),
    (Fraction(7, 8), Fraction(6, 7)),
]


def point(number: Fraction) -> tuple[Fraction, Fraction]:
    return number, number


def laplace(c: Fraction, z: int) -> Fraction:
    """P(Z = z) of the discrete Laplace law with e^-rate = c."""
    return (1 - c) / (1 + c) * c ** abs(z)


def w_law(a: Fraction, b: Fraction, w: int) -> Fraction:
    """P(W = w), as the module has it."""
    p0 = (b / a) * (1 - a) ** 2 / (1 - b) ** 2
    return (p0 if w == 0 else 0) + (1 - p0) * laplace(a, w)


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_the_coarse_noise_is_the_fine_noise_plus_something_independent(a: Fraction, b: Fraction) -> None:
    """The joint law of (X, Y = X + W), in fractions: its margins are both discrete Laplace laws.

    The sum over all x of P(X = x) P(W = y - x) is cut at 200; what is left out is below 1e-6 and is stated.
    """
    assert 0 < w_law(a, b, 0) < 1
    for y in range(-4, 5):
        total = sum(laplace(b, x) * w_law(a, b, y - x) for x in range(-200, 201))
        assert 0 <= laplace(a, y) - total < Fraction(1, 10**6)


@pytest.mark.parametrize(("a", "b"), PAIRS)
@pytest.mark.parametrize("y", [0, 1, 2, 7])
def test_the_four_pieces_are_the_conditional_law_exactly(a: Fraction, b: Fraction, y: int) -> None:
    known = point(a), point(b), point((b / a) ** y)
    pieces = [lo for lo, _ in (*weights_of_sum(*known), atom_weight(*known))]
    total = sum(pieces)
    left, between, right, atom = (piece / total for piece in pieces)
    inside = sum((b / a) ** x for x in range(y + 1))
    for x in range(-12, y + 13):
        share = Fraction(0)
        if x < 0:
            share = left * (1 - a * b) * (a * b) ** (-x - 1)
        elif x > y:
            share = right * (1 - a * b) * (a * b) ** (x - y - 1)
        else:
            share = between * (b / a) ** x / inside + (atom if x == y else 0)
        assert share == laplace(b, x) * w_law(a, b, y - x) / laplace(a, y)


def losses(a: Fraction, b: Fraction, moved: int) -> Fraction:
    """The largest ratio of the probabilities of one (coarse, fine) pair on values that lie `moved` apart."""
    largest = Fraction(0)
    for coarse in range(-8, 9):
        for fine in range(-8, 9):
            here = laplace(b, fine) * w_law(a, b, coarse - fine)
            there = laplace(b, fine - moved) * w_law(a, b, coarse - fine)
            largest = max(largest, here / there, there / here)
    return largest


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_the_pair_loses_what_the_finer_release_alone_would(a: Fraction, b: Fraction) -> None:
    assert losses(a, b, 1) == 1 / b and losses(a, b, 2) == 1 / b**2


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_the_second_release_given_the_first_loses_more_than_the_difference(a: Fraction, b: Fraction) -> None:
    """Why accountants of rho charge a refinement as a fresh draw."""

    def given(x: int, y: int) -> Fraction:
        return laplace(b, x) * w_law(a, b, y - x) / laplace(a, y)

    ratios = [given(x, y) / given(x - 1, y - 1) for x in range(-6, 7) for y in range(-6, 7)]
    assert max(max(r, 1 / r) for r in ratios) > a / b


def conditional(rough: Fraction, fine: Fraction, y: int, x: int) -> float:
    """P(X = x | Y = y) from the law of the pair, in decimals."""
    a, b = exp_minus(rough), exp_minus(fine)
    p0 = b / a * (1 - a) ** 2 / (1 - b) ** 2
    w = (p0 if x == y else 0) + (1 - p0) * laplace_pmf(rough, y - x)
    return float(CONTEXT.divide(laplace_pmf(fine, x) * w, laplace_pmf(rough, y)))


def p_value(rough: Fraction, fine: Fraction, drawn: list[int], y: int, of: Fraction) -> float:
    """Chi-square of draws given y against the law of a refinement to the rate `of`."""
    lo, hi = min(min(drawn), -40), max(max(drawn), y + 40)
    counts = [0] * (hi - lo + 3)
    for x in drawn:
        counts[x - lo + 1] += 1
    chances = [conditional(rough, of, y, x) for x in range(lo, hi + 1)]
    rest = max(0.0, 1 - sum(chances)) / 2
    return chi_square(counts, [rest, *chances, rest])


@pytest.mark.one_in(8)
@pytest.mark.parametrize(("rough", "fine"), RATES)
@pytest.mark.parametrize("y", [0, 1, 9])
def test_the_fine_noise_has_its_law_given_the_coarse_and_the_test_has_power(
    rough: Fraction, fine: Fraction, y: int, samples: int
) -> None:
    coins = Coins()
    # Of fewer, y = 0 at times fits the other scale.
    drawn = [_refined_noise(y, rough, fine, coins) for _ in range(samples // 25)]
    assert p_value(rough, fine, drawn, y, fine) > ALARM
    assert p_value(rough, fine, drawn, y, fine * Fraction(14, 10)) < ALARM


@pytest.mark.one_in(9)
@pytest.mark.parametrize(("rough", "fine"), RATES)
def test_refined_noise_has_the_law_of_a_fresh_draw_and_no_other_scale(
    rough: Fraction, fine: Fraction, samples: int
) -> None:
    values = np.full(samples // 40, 1000)
    coarse = discrete_laplace(values, sensitivity=3, epsilon=3 * rough)
    found = refine(values, coarse, sensitivity=3, epsilon=3 * rough, finer=3 * fine)
    assert laplace_p_value(found - values, fine) > ALARM
    assert laplace_p_value(found - values, fine * Fraction(13, 10)) < ALARM


@pytest.mark.slow
def test_the_coarse_answer_lies_nearer_to_the_fine_one_than_to_the_truth(samples: int) -> None:
    """What the pair owes to its being one: the coarse noise less the fine one is 0 with probability p0."""
    rough, fine = Fraction(1, 2), Fraction(2, 3)
    values = np.zeros(samples // 20, dtype=np.int64)  # fewer would at times fit the other chance
    coarse = discrete_laplace(values, sensitivity=1, epsilon=rough)
    found = refine(values, coarse, sensitivity=1, epsilon=rough, finer=fine)
    a, b = exp_minus(rough), exp_minus(fine)
    p0 = float(b / a * (1 - a) ** 2 / (1 - b) ** 2)
    chance = p0 + (1 - p0) * float(laplace_pmf(rough, 0))
    same = int((coarse == found).sum())
    assert chi_square([same, len(found) - same], [chance, 1 - chance]) > ALARM
    assert chi_square([same, len(found) - same], [chance * 0.9, 1 - chance * 0.9]) < ALARM


def test_negative_noise_is_refined_as_positive_noise_is_mirrored() -> None:
    rough, fine = Fraction(1, 100), Fraction(10)
    assert all(_refined_noise(-50, rough, fine, Coins()) <= 5 for _ in range(50))
    drawn = [_refined_noise(-3, Fraction(1), Fraction(9, 8), Coins()) for _ in range(400)]
    assert drawn.count(-3) > 200 > drawn.count(3)


def test_a_share_that_could_fall_into_two_pieces_is_not_decided() -> None:
    half = (Fraction(49, 100), Fraction(51, 100))
    assert _decided(Fraction(1, 2), Fraction(3, 5), (half, half)) is None
    assert _decided(Fraction(0), Fraction(1, 3), (half, half)) == 0
    assert _decided(Fraction(2, 3), Fraction(1), (point(Fraction(1, 2)), point(Fraction(1, 2)))) == 1


@pytest.mark.parametrize("finer", [Fraction(1), Fraction(1, 2), 0, -1])
def test_only_a_larger_epsilon_is_a_refinement(finer: Fraction) -> None:
    with pytest.raises(ValueError):
        refine(np.array([1]), np.array([2]), sensitivity=1, epsilon=1, finer=finer)


def test_wide_values_and_shapes_are_kept_and_must_agree() -> None:
    values = np.array([[2**80, -(2**80)]], dtype=object)
    found = refine(values, values + 3, sensitivity=2**70, epsilon=Fraction(1, 10**6), finer=2)
    assert found.shape == (1, 2) and found.dtype == object
    with pytest.raises(ValueError, match="different shapes"):
        refine(np.array([1]), np.array([1, 2]), sensitivity=1, epsilon=1, finer=2)
    with pytest.raises(TypeError):
        refine(np.array([1]), np.array([1]), sensitivity=1, epsilon=0.5, finer=2)  # type: ignore[arg-type]
