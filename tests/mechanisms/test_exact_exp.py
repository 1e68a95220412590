"""Bounds of exp(-x) against the decimal module."""

import decimal
from decimal import Decimal
from fractions import Fraction

import pytest
from exact_laws import CONTEXT, exp_minus

from dpsql.mechanisms.exact.exact_exp import exp_bounds, exp_floor, exp_floors, is_positive, least

RATIOS = [
    Fraction(1, 10**30), Fraction(1, 2**100), Fraction(1, 1000), Fraction(1, 3), Fraction(1, 2), Fraction(1),
    Fraction(355, 113), Fraction(10), Fraction(9999, 100), Fraction(127), Fraction(128),
]  # fmt: skip


@pytest.mark.parametrize("ratio", RATIOS, ids=str)
@pytest.mark.parametrize("bits", [0, 1, 8, 63, 64, 127, 200])
def test_bounds_hold_the_value_and_are_at_most_two_apart(ratio: Fraction, bits: int) -> None:
    with decimal.localcontext(CONTEXT):
        value = exp_minus(ratio) * 2**bits
        lo, hi = exp_bounds(ratio, bits)
        assert 0 <= lo <= value <= hi <= lo + 2


def test_bounds_are_exact_at_zero() -> None:
    assert exp_bounds(Fraction(0), 70) == (1 << 70, 1 << 70)


def test_bounds_of_a_huge_ratio_take_no_time() -> None:
    assert exp_bounds(Fraction(10**40), 200) == (0, 1)


def test_bounds_tighten_with_precision() -> None:
    lo, hi = exp_bounds(Fraction(7, 3), 2000)
    coarse_lo, coarse_hi = exp_bounds(Fraction(7, 3), 100)
    assert coarse_lo <= lo >> 1900 <= hi >> 1900 <= coarse_hi
    assert hi - lo <= 2


@pytest.mark.parametrize(("ratio", "bits"), [(Fraction(-1), 8), (Fraction(1), -1)])
def test_bounds_refuse_negative_arguments(ratio: Fraction, bits: int) -> None:
    with pytest.raises(ValueError, match="need ratio >= 0"):
        exp_bounds(ratio, bits)


@pytest.mark.parametrize("ratio", [Fraction(1, 64), Fraction(3, 100), Fraction(1), Fraction(1000)], ids=str)
def test_floors_are_exact(ratio: Fraction) -> None:
    with decimal.localcontext(CONTEXT):
        wanted = tuple(int(exp_minus(ratio * j) * 2**63) for j in range(1, 601))
    assert exp_floors(ratio, 600, 63) == wanted
    assert exp_floor(ratio * 600, 63) == wanted[-1]


@pytest.mark.parametrize("j", [1, 2, 7])
@pytest.mark.parametrize(("nudge", "floor"), [(1, 2**62 + 4), (-1, 2**62 + 5)])
def test_floors_are_exact_beside_an_integer(j: int, nudge: int, floor: int) -> None:
    """exp(-ratio j) * 2^63 lies within 1e-50 of 2^62 + 5, on the side that the nudge says."""
    with decimal.localcontext(CONTEXT):
        boundary = Fraction(CONTEXT.ln(Decimal(2**63) / (2**62 + 5)))
    ratio = (boundary + Fraction(nudge, 10**70)) / j
    assert exp_floor(ratio * j, 63) == exp_floors(ratio, j, 63)[-1] == floor


def test_sign_of_a_tiny_difference_is_decided() -> None:
    centre = Fraction(exp_bounds(Fraction(1), 400)[0], 1 << 400)  # just below exp(-1)

    def difference(bits: int) -> tuple[Fraction, Fraction]:
        lo, hi = exp_bounds(Fraction(1), bits)
        return Fraction(lo, 1 << bits) - centre, Fraction(hi, 1 << bits) - centre

    assert is_positive(difference)
    assert not is_positive(lambda bits: (-difference(bits)[1], -difference(bits)[0]))


@pytest.mark.parametrize("answer", [0, 1, 2, 17, 1000])
@pytest.mark.parametrize("guess", [-5, 0, 1, 16, 17, 18, 999, 1001, 5000])
def test_least_finds_the_first_true_from_any_guess(answer: int, guess: int) -> None:
    assert least(lambda k: k >= answer, guess) == answer
