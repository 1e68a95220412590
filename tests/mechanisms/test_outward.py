"""Bounds rounded outwards, against more digits and against integrals by another route."""

import decimal
from decimal import Decimal
from fractions import Fraction

import pytest
from scipy import stats

from dpsql.mechanisms.exact.exact_exp import Bounds
from dpsql.mechanisms.exact.interval_arithmetic import (
    exp_outward,
    least_fraction,
    ln_outward,
    normal_tail,
    root_two_pi,
    sqrt_outward,
)

WIDE = decimal.Context(prec=500, Emin=-60_000, Emax=60_000)
VALUES = [Fraction(1, 10**30), Fraction(1, 3), Fraction(2), Fraction(355, 113), Fraction(10**25, 7)]


def decimal_of(x: Fraction) -> Decimal:
    return WIDE.divide(Decimal(x.numerator), Decimal(x.denominator))


def assert_tight(bounds: Bounds, value: Decimal) -> None:
    low, high = bounds
    assert low < Fraction(value) < high
    assert high - low < abs(Fraction(value)) / 10**55


@pytest.mark.parametrize("x", VALUES, ids=float)
def test_logarithms_and_roots_lie_between_their_bounds(x: Fraction) -> None:
    assert_tight(ln_outward(x), WIDE.ln(decimal_of(x)))
    assert_tight(sqrt_outward(x), WIDE.sqrt(decimal_of(x)))


@pytest.mark.parametrize(
    "x", [Fraction(1, 10**30), Fraction(-7, 3), Fraction(1), Fraction(9000, 7), Fraction(-19_000)], ids=float
)
def test_exponentials_lie_between_their_bounds(x: Fraction) -> None:
    assert_tight(exp_outward(x), WIDE.exp(decimal_of(x)))


def test_bounds_meet_where_the_value_is_rational() -> None:
    assert exp_outward(Fraction(0)) == (1, 1)
    assert ln_outward(Fraction(1)) == sqrt_outward(Fraction(0)) == (0, 0)


def test_an_exponential_out_of_reach_is_a_clear_error() -> None:
    with pytest.raises(ValueError, match="out of reach"):
        exp_outward(Fraction(10**6))


def erfc_fraction(x: Fraction) -> Decimal:
    """Q(x) / phi(x) by the continued fraction 1/(x + 1/(x + 2/(x + ...))), evaluated from its 20,000th term."""
    with decimal.localcontext(decimal.Context(prec=120, Emin=-60_000, Emax=60_000)):
        value, below = decimal_of(x), Decimal(0)
        for n in range(20_000, 0, -1):
            below = n / (value + below)
        return 1 / (value + below)


PI = Decimal(
    "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798"
)


@pytest.mark.parametrize("x", [Fraction(3), Fraction(17, 2), Fraction(20), Fraction(40)], ids=float)
def test_the_normal_tail_lies_between_its_bounds(x: Fraction) -> None:
    low, high = normal_tail(x)
    with decimal.localcontext(decimal.Context(prec=120, Emin=-60_000, Emax=60_000)):
        value = erfc_fraction(x) * (-(decimal_of(x) ** 2) / 2).exp() / (2 * PI).sqrt()
    slack = Fraction(value) / 10**95  # of the 100 digits of pi
    assert low - slack < Fraction(value) < high + slack
    assert high - low < Fraction(value) / 10**50
    assert normal_tail(-x) == (1 - high, 1 - low)


@pytest.mark.parametrize("x", [Fraction(0), Fraction(1, 100), Fraction(-1), Fraction(3, 2), Fraction(30)])
def test_the_normal_tail_is_that_of_other_libraries(x: Fraction) -> None:
    low, high = normal_tail(x)
    assert low < high
    assert float(low) == pytest.approx(stats.norm.sf(float(x)), rel=1e-12)
    assert float(high) == pytest.approx(float(low), rel=1e-14)


@pytest.mark.parametrize("x", [Fraction(40) + Fraction(1, 10**9), Fraction(60), Fraction(150)], ids=float)
def test_the_far_normal_tail_is_safe(x: Fraction) -> None:
    low, high = normal_tail(x)
    with decimal.localcontext(decimal.Context(prec=120, Emin=-60_000, Emax=60_000)):
        value = erfc_fraction(x) * (-(decimal_of(x) ** 2) / 2).exp() / (2 * PI).sqrt()
    assert low < Fraction(value) < high < low * Fraction(11, 10)


def test_the_normal_tail_is_safe_where_nothing_is_left_of_it() -> None:
    low, high = normal_tail(Fraction(10**9))
    assert 0 == low < high < Fraction(1, 10**8000)


def test_the_root_of_two_pi_lies_between_its_bounds() -> None:
    assert_tight(root_two_pi(), WIDE.sqrt(WIDE.multiply(2, PI)))


def test_an_exponential_far_below_is_safe() -> None:
    low, high = exp_outward(Fraction(-(10**9)))
    assert 0 == low < high < Fraction(1, 10**8000)


def test_another_decimal_context_changes_nothing() -> None:
    with decimal.localcontext(decimal.Context(prec=3)):
        coarse = normal_tail(Fraction(7)), ln_outward(Fraction(3)), exp_outward(Fraction(2))
    assert coarse == (normal_tail(Fraction(7)), ln_outward(Fraction(3)), exp_outward(Fraction(2)))


@pytest.mark.parametrize("root", [Fraction(1, 1000), Fraction(2), Fraction(22, 7), Fraction(10**20)])
def test_the_least_fraction_holds_and_is_nearly_least(root: Fraction) -> None:
    found = least_fraction(lambda x: x >= root)
    assert root <= found <= root * (1 + Fraction(1, 2**29))
    assert found.numerator.bit_length() <= 31 or found.denominator == 1
