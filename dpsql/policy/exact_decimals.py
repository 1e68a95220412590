"""Decimal numbers from outside, parsed exactly and with a limit on their size.

A short text can spell a number of a billion digits (`1e999999999`), and Python's own readings take more than decimals:
digits of every script, underscores, blanks, fractions.
"""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction

MOST_CHARACTERS = 100
"""The longest text of a number."""
MOST_EXPONENT = 300
"""The largest exponent of ten, and the largest below zero."""
_MOST_BITS = 1100  # as many as ten to that power has, and as all those characters can add
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE]([+-]?)0*([0-9]+))?")
_WHOLE = re.compile(r"[+-]?[0-9]+")


class NotExact(ValueError):
    """What was given is no decimal number, or has more digits than are read."""


class TooLarge(NotExact):
    """The text's power of ten is above 10 ** MOST_EXPONENT."""


class TooSmall(NotExact):
    """The text's power of ten is below 10 ** -MOST_EXPONENT."""


def spells_decimal(text: str) -> bool:
    """Whether a text of any length is written as a decimal number, with or without an exponent."""
    return _DECIMAL.fullmatch(text) is not None


def decimal_of_text(text: str) -> int | Fraction:
    """The number that a text spells, exactly; one without point and exponent is an int. Raises NotExact."""
    written = _DECIMAL.fullmatch(text) if len(text) <= MOST_CHARACTERS else None
    if written is None:
        raise NotExact(f"a decimal number of at most {MOST_CHARACTERS} characters is needed")
    sign, power = written.groups()
    if power is not None and (len(power) > len(str(MOST_EXPONENT)) or int(power) > MOST_EXPONENT):
        raise (TooSmall if sign == "-" else TooLarge)(f"the exponent is beyond {MOST_EXPONENT}")
    return int(text) if _WHOLE.fullmatch(text) else Fraction(text)


def exact_number(value: object) -> Fraction:
    """The exact value of a number or of its text; of a float that of its shortest text, so that 0.1 is one tenth.

    Raises NotExact, for booleans, NaN and infinity as well.
    """
    if isinstance(value, float):
        value = float.__repr__(value)
    if isinstance(value, str | Decimal):
        return Fraction(decimal_of_text(str(value)))
    if isinstance(value, bool) or not isinstance(value, int | Fraction):
        raise NotExact("a finite number is needed")
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > _MOST_BITS:
        raise NotExact("the number has too many digits")
    return Fraction(value)
