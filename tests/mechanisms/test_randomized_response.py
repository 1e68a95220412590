"""Randomized response: its law, its epsilon from exact output probabilities, and its accuracy."""

import decimal
import importlib
import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from exact_laws import ALARM, CONTEXT, chi_square, exp_minus
from tree_coins import TreeCoins, Truncated, law

from dpsql.mechanisms.exact import inversion
from dpsql.mechanisms.local.randomized_response import (
    epsilon_of,
    error_bound,
    estimate_mean,
    flip_probability,
    randomized_response,
    two_coin_epsilon,
    two_coin_estimate,
    two_coin_response,
    variance,
)

N = 1_000_000
BITS = np.tile(np.array([0, 1, 1, 1]), N // 4)
THREE_TO_ONE = Fraction(1, 4)


def flipped(released: np.ndarray) -> list[int]:
    count = int((released != BITS).sum())
    return [count, N - count]


@pytest.mark.parametrize("p", [Fraction(1, 2), THREE_TO_ONE, Fraction(1, 1000)], ids=str)
def test_over_all_coins_a_bit_is_flipped_with_exactly_its_probability(p: Fraction) -> None:
    for bit in (0, 1):
        given = np.array([bit])
        outcomes = law(lambda coins, b=given: int(randomized_response(b, p=p, coins=coins)[0]))
        assert outcomes == {1 - bit: p, bit: 1 - p}


@pytest.mark.parametrize("p", [THREE_TO_ONE, Fraction(2, 5), Fraction(1, 100)], ids=str)
def test_a_million_bits_are_flipped_at_their_rate_and_no_other(p: Fraction) -> None:
    observed = flipped(randomized_response(BITS, p=p))
    assert chi_square(observed, [float(p), float(1 - p)]) > ALARM
    for factor in (1.3, 1 / 1.3):
        assert chi_square(observed, [float(p) * factor, 1 - float(p) * factor]) < ALARM


@pytest.mark.parametrize("epsilon", [Fraction(1, 8), Fraction(1), Fraction(5)], ids=str)
def test_a_million_bits_are_flipped_by_epsilon_and_no_other(epsilon: Fraction) -> None:
    observed = flipped(randomized_response(BITS, epsilon=epsilon))
    for factor, fits in ((1, True), (Fraction(13, 10), False), (Fraction(10, 13), False)):
        p = 1 / (1 + math.exp(epsilon * factor))
        assert (chi_square(observed, [p, 1 - p]) > ALARM) is fits


def test_bits_are_flipped_independently_of_themselves_and_of_each_other() -> None:
    flips = (randomized_response(BITS, p=THREE_TO_ONE) != BITS).astype(int)
    pairs = np.bincount(4 * BITS[::2] + 2 * flips[::2] + flips[1::2], minlength=8)
    single = np.array([0.75, 0.25])
    halves = np.concatenate([np.outer(single, single).ravel()] * 2) / 2
    assert chi_square(pairs, halves) > ALARM


@pytest.mark.parametrize("epsilon", [Fraction(1), Fraction(2)], ids=str)
def test_epsilon_is_attained_exactly(epsilon: Fraction, monkeypatch: pytest.MonkeyPatch) -> None:
    """The law of the sampler over all words of 6 bits holds the flip probability whose ratio is e^epsilon."""
    short = inversion.coins_of_odds
    monkeypatch.setattr(
        importlib.import_module("dpsql.mechanisms.local.randomized_response"),
        "coins_of_odds",
        lambda *given: short(*given, bits=6),
    )
    with decimal.localcontext(CONTEXT):
        flip = Fraction(exp_minus(epsilon) / (1 + exp_minus(epsilon)))
    for bit in (0, 1):
        outcomes = law(
            lambda coins, b=bit: int(randomized_response(np.array([b]), epsilon=epsilon, coins=coins)[0]),
            TreeCoins,
            depth=2,
        )
        open_end = outcomes[Truncated]
        assert outcomes[1 - bit] <= flip <= outcomes[1 - bit] + open_end
        assert outcomes[bit] <= 1 - flip <= outcomes[bit] + open_end < 1
        assert open_end <= Fraction(1, 2**10)
    assert float((1 - flip) / flip) == pytest.approx(math.exp(epsilon), rel=1e-15)


def test_epsilon_of_p_is_the_logarithm_of_the_ratio_rounded_upwards() -> None:
    for p in (THREE_TO_ONE, Fraction(1, 3), Fraction(499, 1000), Fraction(1, 10**9)):
        ratio = (1 - p) / p
        exact = Fraction(CONTEXT.ln(CONTEXT.divide(Decimal(ratio.numerator), Decimal(ratio.denominator))))
        assert exact < epsilon_of(p) < exact * (1 + Fraction(1, 10**50))
    assert epsilon_of(Fraction(1, 2)) == 0


@pytest.mark.parametrize("epsilon", [Fraction(1, 100), Fraction(1), Fraction(30)], ids=str)
def test_the_flip_probability_of_epsilon_is_the_least_private_one_on_its_grid(epsilon: Fraction) -> None:
    p = flip_probability(epsilon)
    assert epsilon_of(p) <= epsilon < epsilon_of(p - Fraction(1, 2**63))


TWO_COIN_PS = [Fraction(1, 5), Fraction(1, 2), Fraction(3, 4), Fraction(9, 10)]


@pytest.mark.parametrize("p", TWO_COIN_PS, ids=str)
def test_the_two_coin_epsilon_is_the_worst_ratio_of_its_exact_law(p: Fraction) -> None:
    zero, one = (
        law(lambda coins, b=bit: int(two_coin_response(np.array([b]), p=p, coins=coins)[0])) for bit in (0, 1)
    )
    assert one == {1: 2 * p - p**2, 0: (1 - p) ** 2}
    assert zero == {1: p - p**2, 0: 1 - p + p**2}
    worst = max(max(zero[y] / one[y], one[y] / zero[y]) for y in (0, 1))
    assert float(two_coin_epsilon(p)) == pytest.approx(math.log(worst), rel=1e-14)


def test_two_fair_coins_are_ln_three() -> None:
    with decimal.localcontext(CONTEXT):
        ln_three = Fraction(CONTEXT.ln(Decimal(3)))
    assert ln_three < two_coin_epsilon(Fraction(1, 2)) < ln_three + Fraction(1, 10**50)
    assert epsilon_of(THREE_TO_ONE) == two_coin_epsilon(Fraction(1, 2))


@pytest.mark.parametrize("p", TWO_COIN_PS, ids=str)
def test_the_two_coin_estimate_is_unbiased(p: Fraction) -> None:
    expected = {0: p - p**2, 1: 2 * p - p**2}
    for bit, observed in expected.items():
        ones = np.zeros(observed.denominator, np.int64)
        ones[: observed.numerator] = 1
        assert two_coin_estimate(ones, p=p) == pytest.approx(bit, abs=1e-12)


@pytest.mark.parametrize("p", [THREE_TO_ONE, Fraction(1, 3), Fraction(1, 10)], ids=str)
def test_the_estimate_is_unbiased(p: Fraction) -> None:
    """Over the exact law of the mean of two bits."""
    for bits in ((0, 0), (0, 1), (1, 1)):
        outcomes = law(lambda coins, b=bits: tuple(randomized_response(np.array(b), p=p, coins=coins)))
        mean = sum(float(chance) * estimate_mean(np.array(out), p=p) for out, chance in outcomes.items())
        square = sum(
            float(chance) * estimate_mean(np.array(out), p=p) ** 2 for out, chance in outcomes.items()
        )
        assert mean == pytest.approx(sum(bits) / 2, abs=1e-12)
        assert square - mean**2 == pytest.approx(variance(2, p=p), rel=1e-9)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("given", [{"p": THREE_TO_ONE}, {"p": Fraction(2, 5)}, {"epsilon": Fraction(1, 2)}])
@pytest.mark.parametrize("beta", [0.3, 0.05])
def test_the_error_bound_holds_at_its_probability(given: dict[str, Fraction], beta: float) -> None:
    """And is Chebyshev's: with the exact variance in place of 1/(4n) it would be shorter by 2 sqrt(p (1 - p))."""
    n, runs = 400, 4_000
    bits = np.tile(np.array([0, 1]), n // 2)
    released = randomized_response(np.tile(bits, (runs, 1)), **given)
    errors = np.array([abs(estimate_mean(row, **given) - 0.5) for row in released])
    bound = error_bound(beta, n, **given)
    assert np.mean(errors > bound) <= beta
    assert np.mean(errors**2) == pytest.approx(variance(n, **given), rel=0.15)
    chebyshev = math.sqrt(variance(n, **given) / beta)
    p = float(given["p"]) if "p" in given else 1 / (1 + math.exp(0.5))
    assert bound * 2 * math.sqrt(p * (1 - p)) == pytest.approx(chebyshev, rel=1e-12)


def test_epsilon_and_p_give_the_same_estimates() -> None:
    released = np.array([1, 0, 1, 1, 0])
    by_p = estimate_mean(released, p=flip_probability(Fraction(1, 3)))
    assert estimate_mean(released, epsilon=Fraction(1, 3)) == pytest.approx(by_p, rel=1e-12)
    assert estimate_mean(released, epsilon=Fraction(1, 10**20)) == pytest.approx(0.1 * 2 / 1e-20, rel=1e-12)


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3)])
@pytest.mark.parametrize("dtype", [np.int64, np.uint8, object])
def test_shapes_are_kept(shape: tuple[int, ...], dtype: type) -> None:
    bits = np.ones(shape, dtype=dtype)
    for released in (
        randomized_response(bits, p=Fraction(1, 3)),
        randomized_response(bits, epsilon=1),
        two_coin_response(bits, p=Fraction(1, 3)),
    ):
        assert released.shape == shape and released.dtype in (np.int64, object)
        assert all(v in (0, 1) for v in released.flat)


@pytest.mark.parametrize("bits", [np.array([2]), np.array([-1, 0]), np.array([0, 10**30], dtype=object)])
def test_what_is_no_bit_is_refused(bits: np.ndarray) -> None:
    for use in (
        lambda: randomized_response(bits, epsilon=1),
        lambda: two_coin_response(bits, p=Fraction(1, 2)),
    ):
        with pytest.raises(ValueError, match="bits must be integers from 0 to 1"):
            use()


WITH_P: list[Callable[[object], object]] = [
    lambda p: randomized_response(BITS[:3], p=p),
    lambda p: two_coin_response(BITS[:3], p=p),
    lambda p: epsilon_of(p),
    lambda p: two_coin_epsilon(p),
    lambda p: estimate_mean(BITS[:3], p=p),
    lambda p: variance(5, p=p),
    lambda p: error_bound(0.1, 5, p=p),
]


@pytest.mark.parametrize("use", WITH_P)
@pytest.mark.parametrize("p", [0, -1, 1, 2, Fraction(5, 4)])
def test_a_probability_out_of_range_is_refused(use: Callable[[object], object], p: object) -> None:
    with pytest.raises(ValueError, match=r"p (must be|is the)"):
        use(p)


@pytest.mark.parametrize("use", WITH_P)
@pytest.mark.parametrize("p", [0.25, float("nan"), float("inf"), True, "1/4"])
def test_a_probability_must_be_exact(use: Callable[[object], object], p: object) -> None:
    with pytest.raises(TypeError, match="p must be an exact int or Fraction"):
        use(p)


def test_a_flip_probability_above_a_half_is_refused_with_its_meaning() -> None:
    with pytest.raises(ValueError, match="the probability to flip and must be at most 1/2"):
        randomized_response(BITS[:3], p=Fraction(3, 4))


def test_epsilon_or_p_but_not_both() -> None:
    for given in ({}, {"epsilon": 1, "p": Fraction(1, 4)}):
        for use in (lambda g=given: randomized_response(BITS[:3], **g), lambda g=given: variance(3, **g)):
            with pytest.raises(TypeError, match="either epsilon or p"):
                use()


def test_there_is_no_estimate_from_fair_coins_or_from_nothing() -> None:
    with pytest.raises(ValueError, match="releases nothing"):
        estimate_mean(BITS[:3], p=Fraction(1, 2))
    with pytest.raises(ValueError, match="at least one released bit"):
        estimate_mean(BITS[:0], epsilon=1)
