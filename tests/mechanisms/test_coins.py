"""Uniform integers and coins of probability exp(-p/q)."""

import os
from fractions import Fraction

import numpy as np
import pytest
from exact_laws import ALARM, chi_square, exp_minus
from scipy import stats
from tree_coins import ByteTreeCoins, ScriptedCoins, SeededCoins, Truncated, law

from dpsql.mechanisms import Coins

COINS = Coins()


@pytest.mark.parametrize("bound", [1, 2, 3, 5, 100, 256, 257, 2**63, 2**63 + 1, 2**64, 3 * 2**98])
def test_integers_are_uniform_below_the_bound(bound: int, samples: int) -> None:
    draws = COINS.integers(bound, samples // 4)
    assert draws.dtype == (np.int64 if bound <= 2**63 else object)
    assert draws.min() >= 0 and draws.max() < bound
    if bound > 1:
        cells = min(bound, 30)
        counts = np.bincount([int(d) * cells // bound for d in draws], minlength=cells)
        chances = [(-(-(c + 1) * bound // cells) - -(-c * bound // cells)) / bound for c in range(cells)]
        assert chi_square(counts, chances) > ALARM


@pytest.mark.parametrize("bound", [3, 2**63 - 1, 2**64 + 1])
def test_one_integer_is_below_the_bound_and_uniform(bound: int) -> None:
    counts = np.bincount([COINS.below(bound) * 3 // bound for _ in range(20_000)], minlength=3)
    assert chi_square(counts, [1 / 3] * 3) > ALARM


def test_draws_at_or_above_the_bound_are_drawn_again() -> None:
    assert ScriptedCoins(bytes([0xFF, 0xC0, 0x80])).below(3) == 2
    assert ScriptedCoins(bytes([0xFF, 0x40, 0xC0, 0x80])).integers(3, 2).tolist() == [2, 1]


def test_integers_of_size_zero_are_empty() -> None:
    assert COINS.integers(7, 0).size == COINS.integers(2**70, 0).size == 0


@pytest.mark.parametrize("bound", [0, -1])
def test_a_bound_below_one_is_refused(bound: int) -> None:
    for draw in (COINS.below, lambda b: COINS.integers(b, 3)):
        with pytest.raises(ValueError, match="at least 1"):
            draw(bound)


@pytest.mark.parametrize(("p", "q"), [(0, 1), (1, 2), (1, 1), (3, 2), (5, 2), (2, 3)])
def test_the_scalar_coin_has_exactly_its_probability(p: int, q: int) -> None:
    outcomes = law(lambda coins: coins.bernoulli_exp(p, q), ByteTreeCoins, depth=9)
    value = Fraction(exp_minus(Fraction(p, q)))
    assert outcomes[True] <= value <= outcomes[True] + outcomes[Truncated]
    assert outcomes[Truncated] < Fraction(1, 200)


@pytest.mark.parametrize(("p", "q"), [(1, 3), (1, 1), (3, 2), (2, 1)])
def test_the_vectorised_coin_has_exactly_its_probability(p: int, q: int) -> None:
    one = np.array([p], dtype=np.int64)
    outcomes = law(lambda coins: bool(coins.bernoulli_exp_many(one, q)[0]), UnshiftedTreeCoins, depth=9)
    value = Fraction(exp_minus(Fraction(p, q)))
    assert outcomes[True] <= value <= outcomes[True] + outcomes[Truncated]
    assert outcomes[Truncated] < Fraction(1, 200)


class UnshiftedTreeCoins(ByteTreeCoins):
    """The bits tossed before the first coin become a uniform draw of the tree."""

    def _masked(self, bits: int, size: int) -> np.ndarray:
        return self.integers(1 << bits, size)


def test_layers_are_drawn_by_weight_and_exponential(samples: int) -> None:
    weights = [1, 4, 0, 30, 100]
    drawn = np.bincount([COINS.layer(weights) for _ in range(samples // 20)], minlength=5)
    masses = np.array(weights) * np.exp(-np.arange(5))
    assert chi_square(drawn, masses / masses.sum()) > ALARM
    flatter = np.array(weights) * np.exp(-np.arange(5) / 1.3)
    assert chi_square(drawn, flatter / flatter.sum()) < ALARM


def test_a_layer_that_bounds_leave_open_is_decided_by_further_bits() -> None:
    """A uniform real in [1, 2) is below 4 exp(-1) with probability 4 exp(-1) - 1."""
    heads = sum(COINS._is_below(1, 1, 1, 2) for _ in range(4000))
    assert stats.binomtest(heads, 4000, 4 * float(exp_minus(Fraction(1))) - 1).pvalue > ALARM
    assert not COINS._is_below(2, 1, 1, 2)
    assert COINS._is_below(0, 1, 1, 2)


EXPONENTS = [
    Fraction(0),
    Fraction(1, 1000),
    Fraction(1, 40),
    Fraction(1, 2),
    Fraction(1),
    Fraction(7, 3),
    Fraction(6),
]


@pytest.mark.parametrize("scale", [1, 10**9, 2**61, 2**70], ids=["small", "int64", "edge", "python"])
def test_coins_of_many_exponents_at_once(scale: int, samples: int) -> None:
    """The frequencies agree at every exponent, whichever integers carry the products."""
    q, repeats = 3000 * scale, samples // 20
    numerators = np.repeat(np.array([int(e * q) for e in EXPONENTS], dtype=object), repeats)
    if scale < 2**50:
        numerators = numerators.astype(np.int64)
    assert_frequencies(COINS.bernoulli_exp_many(numerators, q), EXPONENTS, repeats)


def test_a_factor_beside_the_numerators_multiplies_the_exponents(samples: int) -> None:
    repeats = samples // 20
    steps = np.repeat(np.arange(5), repeats)
    for p, q in ((3, 4), (3 * 2**70, 2**72), (1, 400)):
        heads = COINS.bernoulli_exp_many(steps, q, p)
        assert_frequencies(heads, [Fraction(p * n, q) for n in range(5)], repeats)


def test_the_scalar_coin_agrees_at_large_and_small_exponents() -> None:
    for exponent in EXPONENTS:
        heads = [COINS.bernoulli_exp(exponent.numerator, exponent.denominator) for _ in range(4000)]
        assert_frequencies(np.array(heads), [exponent], 4000)


def assert_frequencies(heads: np.ndarray, exponents: list[Fraction], repeats: int) -> None:
    for exponent, row in zip(exponents, heads.reshape(-1, repeats), strict=True):
        chance = float(exp_minus(exponent))
        assert stats.binomtest(int(row.sum()), repeats, chance).pvalue > ALARM, exponent


def test_the_frequency_test_has_power() -> None:
    heads = COINS.bernoulli_exp_many(np.full(20_000, 10), 13)
    with pytest.raises(AssertionError):
        assert_frequencies(heads, [Fraction(1)], 20_000)


def test_coins_of_huge_exponents_fail_quickly() -> None:
    assert not COINS.bernoulli_exp(10**40, 1)
    assert not COINS.bernoulli_exp_many(np.array([2**62, 10**6]), 1, 10**30).any()


def test_sure_coins_and_no_coins() -> None:
    assert COINS.bernoulli_exp_many(np.zeros(1000, np.int64), 7, 10**30).all()
    assert COINS.bernoulli_exp_many(np.empty(0, np.int64), 7).size == 0


def test_a_negative_exponent_is_refused() -> None:
    for refused in (
        lambda: COINS.bernoulli_exp(-1, 2),
        lambda: COINS.bernoulli_exp(1, 0),
        lambda: COINS.bernoulli_exp_many(np.array([1, -1]), 2),
        lambda: COINS.bernoulli_exp_many(np.array([1]), -2),
    ):
        with pytest.raises(ValueError, match=r"a coin of probability exp"):
            refused()


def test_a_forked_process_draws_its_own_randomness() -> None:
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, COINS.words(4).tobytes())
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reader, 32) != COINS.words(4).tobytes()
    os.close(reader)
    os.close(writer)


def test_seeded_coins_of_the_tests_repeat_themselves() -> None:
    assert SeededCoins(1).words(3).tolist() == SeededCoins(1).words(3).tolist()
