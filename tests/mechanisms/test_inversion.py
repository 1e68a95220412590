"""Inversion of finite laws: every word against the exact law, and the bounds against decimals."""

import decimal
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from exact_laws import CONTEXT, exp_minus
from tree_coins import ScriptedCoins, TreeCoins, Truncated, law, words

from dpsql.mechanisms.exact.inversion import WORD_BITS, coins_of_odds, draw_indices, logistic


def probability(epsilon: Fraction, odds: Fraction) -> Decimal:
    """odds / (odds + exp(epsilon)) to 80 digits."""
    with decimal.localcontext(CONTEXT):
        a = Decimal(odds.numerator) / odds.denominator * exp_minus(epsilon)
        return a / (1 + a)


EPSILONS = [Fraction(1, 10**9), Fraction(1, 3), Fraction(1), Fraction(5), Fraction(60), Fraction(1000)]


@pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
@pytest.mark.parametrize("odds", [Fraction(1), Fraction(7, 2), Fraction(10**12), Fraction(1, 10**6)], ids=str)
@pytest.mark.parametrize("bits", [8, 63, 126])
def test_the_bounds_hold_the_probability(epsilon: Fraction, odds: Fraction, bits: int) -> None:
    low, high = logistic(epsilon, odds, bits)
    with decimal.localcontext(CONTEXT):
        assert low <= probability(epsilon, odds) * 2**bits <= high <= low + 2


@pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
@pytest.mark.parametrize("odds", [Fraction(1), Fraction(7, 2), Fraction(99)], ids=str)
def test_over_all_words_a_coin_has_exactly_its_probability(epsilon: Fraction, odds: Fraction) -> None:
    """Words of 6 bits, and of each word that leaves the coin open all second words."""
    outcomes = law(lambda coins: bool(coins_of_odds(1, epsilon, odds, coins, bits=6)[0]), TreeCoins, depth=2)
    value = Fraction(probability(epsilon, odds))
    assert outcomes[True] <= value <= outcomes[True] + outcomes[Truncated]
    assert outcomes[Truncated] <= Fraction(2, 2**12)


THIRDS = [Fraction(1, 7), Fraction(1, 7), Fraction(5, 7)]


def rational_cuts(bits: int) -> list[tuple[int, int]]:
    return [(int(f * 2**bits), int(f * 2**bits) + 1) for f in THIRDS]


def test_over_all_words_an_index_has_exactly_its_probability() -> None:
    """An index between two equal cuts has probability 0."""
    outcomes = law(lambda coins: int(draw_indices(1, rational_cuts, coins, 6)[0]), TreeCoins, depth=2)
    open_end = outcomes.pop(Truncated)
    assert 0 < open_end <= Fraction(2, 2**12)
    for index, chance in enumerate([Fraction(1, 7), Fraction(0), Fraction(4, 7), Fraction(2, 7)]):
        assert outcomes[index] <= chance <= outcomes[index] + open_end


def test_a_word_beside_the_cut_is_decided_and_one_on_it_draws_another() -> None:
    with decimal.localcontext(CONTEXT):
        exact = probability(Fraction(1), Fraction(1)) * 2**WORD_BITS
        floor, rest = int(exact), int((exact - int(exact)) * 2**WORD_BITS)

    def toss(word: int, *more: int) -> bool:
        script = words(word << 2) + b"".join((m << 2).to_bytes(8, "little") for m in more)
        coins = ScriptedCoins(script)
        heads = bool(coins_of_odds(1, Fraction(1), Fraction(1), coins)[0])
        assert coins.script == b""
        return heads

    assert toss(floor - 2) and not toss(floor + 2)
    assert toss(floor, rest - 2) and not toss(floor, rest + 2)


def test_no_draws_are_an_empty_array() -> None:
    assert draw_indices(0, rational_cuts, TreeCoins([], 0)).dtype == np.int64
