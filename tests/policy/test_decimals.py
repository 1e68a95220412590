"""A number from outside is exact and small before it is a number: hostile texts are refused, none is computed with."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpsql.policy import exact_decimals as decimals
from dpsql.policy.exact_decimals import (
    MOST_CHARACTERS,
    MOST_EXPONENT,
    NotExact,
    TooLarge,
    TooSmall,
    decimal_of_text,
    exact_number,
)
from dpsql.policy.scalars import plain_value

HOSTILE = (
    "1e999999999", "1e-999999999", "1E+999999999", "1e301", "1e-301", "9" * 5_000, "0." + "0" * 5_000 + "1",
    "1e" + "9" * 90, "١٢", "1٢", "²", "0x10", "0b1", "1_0", "1,0", "nan", "inf", "-inf", "Infinity", " 1", "1 ",
    " 1 ", "1\n", "", "-", ".", "e5", "1e", "1/3", "--1", "1.2.3", "1e5.0", "\u06f1", "１", "1\x00",
)  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE, ids=lambda t: ascii(t[:20]))
def test_a_hostile_text_is_no_number(text: str) -> None:
    with pytest.raises(NotExact):
        decimal_of_text(text)
    with pytest.raises(NotExact):
        exact_number(text)
    assert not isinstance(plain_value(text), int | Fraction)


@pytest.mark.parametrize(
    "value",
    [True, None, b"1", 1j, float("nan"), float("inf"), Decimal("nan"), Decimal("sNaN"), Decimal("-Infinity"),
     Decimal("1E+999999999"), Decimal("1E-999999999"), Decimal("9" * 5_000), 10**400, -(10**400), 10**5_000,
     Fraction(1, 10**400), Fraction(10**400, 3), object(), [1]],
    ids=lambda v: type(v).__name__,
)  # fmt: skip
def test_a_hostile_value_is_no_number(value: object) -> None:
    with pytest.raises(NotExact):
        exact_number(value)


def test_the_digits_of_an_exponent_are_counted_before_anything_is_computed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def computed(text: object) -> Fraction:
        raise AssertionError(f"{text} was computed")

    monkeypatch.setattr(decimals, "Fraction", computed)
    for text, kind in (("1e999999999", TooLarge), ("0.5e+301", TooLarge), ("1e-999999999", TooSmall)):
        with pytest.raises(kind):
            decimal_of_text(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [("0", 0), ("-0", 0), ("+7", 7), ("007", 7), ("0.1", Fraction(1, 10)), (".5", Fraction(1, 2)), ("5.", Fraction(5)),
     ("1e-6", Fraction(1, 10**6)), ("1E+2", Fraction(100)), ("1e000300", Fraction(10) ** MOST_EXPONENT),
     ("9" * MOST_CHARACTERS, 10**MOST_CHARACTERS - 1)],
)  # fmt: skip
def test_a_decimal_is_exact(text: str, value: Fraction | int) -> None:
    found = decimal_of_text(text)
    assert found == exact_number(text) == plain_value(text) == value or text == "007"
    assert type(found) is type(value)


@given(st.floats(-1e300, 1e300, allow_nan=False))
def test_a_float_is_what_its_shortest_text_says(value: float) -> None:
    if value == 0 or abs(value) > 1e-290:
        assert exact_number(value) == Fraction(repr(value)) and float(exact_number(value)) == value


@given(
    st.decimals(-(10**30), 10**30, allow_nan=False, places=9)
    | st.fractions()
    | st.integers(-(2**1000), 2**1000)
)
def test_what_is_exact_stays_what_it_is(value: Decimal | Fraction | int) -> None:
    assert exact_number(value) == Fraction(value)
