"""Inversion of the geometric law, word by word, against decimals."""

import decimal
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from exact_laws import CONTEXT, exp_minus
from tree_coins import ScriptedCoins, SeededCoins, words

from dpsql.mechanisms.noise.geometric import GeometricTable

RATES = [Fraction(1, 63), Fraction(1, 40), Fraction(3, 10), Fraction(1), Fraction(20), Fraction(1000)]


def inverse(rate: Fraction, uniform: Decimal) -> int:
    """max {j : U < exp(-rate j)}."""
    with decimal.localcontext(CONTEXT):
        return int(-CONTEXT.ln(uniform) * rate.denominator / rate.numerator)


def draw(rate: Fraction, word: int, *following: int) -> int:
    """The value of one word; exactly the following words must be used up."""
    coins = ScriptedCoins(words(*following))
    value = GeometricTable.of(rate).draw(np.array([word], dtype=np.uint64), coins)
    assert coins.script == b""
    return int(value[0])


@pytest.mark.one_in(6)
@pytest.mark.parametrize("rate", RATES, ids=str)
def test_random_words_are_inverted_exactly(rate: Fraction) -> None:
    table = GeometricTable.of(rate)
    given = SeededCoins(5).words(3000) >> np.uint64(1)
    given = np.concatenate([given[given > table.floors[0]], table.floors[1:] + 1, table.floors[1:] - 1])
    values = table.draw(given, ScriptedCoins(b""))
    with decimal.localcontext(CONTEXT):
        wanted = [inverse(rate, (int(w) + Decimal("0.5")) / 2**63) for w in given]
    assert values.tolist() == wanted


@pytest.mark.parametrize("rate", RATES, ids=str)
def test_a_word_that_equals_a_floor_is_decided_by_further_bits(rate: Fraction) -> None:
    """One more word just below, or just above, the boundary; and two more where even the first is equal."""
    table = GeometricTable.of(rate)
    size = len(table.floors)
    for j in sorted({2, size // 2, size - 1} & set(range(1, size))):
        floor = int(table.floors[size - j])
        with decimal.localcontext(CONTEXT):
            rest = (exp_minus(rate * j) * 2**63 - floor) * 2**64
            second, third = int(rest), int((rest - int(rest)) * 2**64)
        assert draw(rate, floor, second - 2) == j
        assert draw(rate, floor, second + 2) == j - 1
        assert draw(rate, floor, second, third - 2) == j
        assert draw(rate, floor, second, third + 2) == j - 1


def test_equal_floors_are_told_apart_by_further_bits() -> None:
    """At rate 1000 the only floor is 0: a word 0 leaves open whether U < exp(-1000), some 1443 bits down."""
    assert draw(Fraction(1000), 1) == 0
    assert draw(Fraction(1000), 0, 1) == 0
    assert draw(Fraction(1000), 0, *[0] * 20, 1) == 0
    assert draw(Fraction(1000), 0, *[0] * 30, 2**63) == 1


@pytest.mark.parametrize("rate", RATES[:4], ids=str)
def test_beyond_the_table_the_law_begins_again(rate: Fraction) -> None:
    """A word below the last floor proves G >= J; the rest is drawn afresh, from the upper 63 bits of a new
    word."""
    table = GeometricTable.of(rate)
    size, below = len(table.floors), int(table.floors[0]) - 1
    assert draw(rate, below, 2**64 - 1) == size
    assert draw(rate, below, 2 * below, 2**64 - 1) == 2 * size
    assert draw(rate, below, 2 * (int(table.floors[-1]) - 1)) == size + 1


def test_a_floor_at_the_end_of_the_table_is_decided_before_the_law_begins_again() -> None:
    rate = Fraction(1, 40)
    table = GeometricTable.of(rate)
    size, last = len(table.floors), int(table.floors[0])
    assert draw(rate, last, 0, 2**64 - 1) == size
    assert draw(rate, last, 2**64 - 1) == size - 1


@pytest.mark.parametrize("rate", RATES, ids=str)
def test_the_table_ends_where_twelve_bits_are_used_up(rate: Fraction) -> None:
    assert exp_minus(rate * len(GeometricTable.of(rate).floors)) <= Decimal(1) / 4096
