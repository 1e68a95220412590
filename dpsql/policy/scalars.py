"""What a YAML scalar means in a policy, whatever YAML version's implicit types are."""

from __future__ import annotations

import json
import re
from datetime import date, datetime
from fractions import Fraction

from dpsql.errors import Place
from dpsql.policy.exact_decimals import MOST_EXPONENT, NotExact, decimal_of_text, spells_decimal
from dpsql.slotted import dataclass

_LEADING_ZERO = re.compile(r"[+-]?0[0-9]+")
_BASED = re.compile(r"[+-]?0[xob][0-9a-fA-F_]+")
_GROUPED = re.compile(r"[+-]?[0-9.]*[0-9]_[0-9_.]*(?:[eE][+-]?[0-9]+)?")
_SIXTIES = re.compile(r"[+-]?[0-9]+(?::[0-5]?[0-9])+(?:\.[0-9]*)?")
_NOT_FINITE = re.compile(r"[+-]?\.?(?:inf|infinity|nan)", re.IGNORECASE)
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_CLOCK = r"[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.([0-9]+))?)?"
_TIMESTAMP = re.compile(rf"{_DATE.pattern}[Tt ]{_CLOCK}\s*(Z|z|[+-][0-9]{{1,2}}(?::?[0-9]{{2}})?)?")
_TRUE = frozenset({"true", "yes", "on"})
_FALSE = frozenset({"false", "no", "off"})


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A scalar that has no meaning here, and why; whoever reads it reports the reason."""

    reason: str


Plain = None | bool | int | Fraction | date | datetime | str | Unreadable


@dataclass(frozen=True, slots=True)
class Leaf:
    """A scalar as written, what it means, and where it stands; numbers are exact (int or Fraction)."""

    text: str
    value: Plain
    place: Place


def shown(text: str) -> str:
    """The text for a message: short, quoted, without control characters."""
    return json.dumps(text if len(text) <= 60 else text[:57] + "...", ensure_ascii=not text.isprintable())


def plain_value(text: str) -> Plain:
    """The value of an unquoted scalar.

    Decimal numbers are exact, with or without an exponent (YAML 1.1 takes `1e-6` for text). What YAML
    versions read differently (octal, base 60, digit groups) or is not finite is Unreadable, never guessed.
    """
    lowered = text.lower()
    if lowered in ("", "~", "null"):
        return None
    if lowered in _TRUE or lowered in _FALSE:
        return lowered in _TRUE
    if text[0] in "+-.0123456789":
        return _numeric(text)
    return _not_finite(text) if _NOT_FINITE.fullmatch(text) else text


def _numeric(text: str) -> Plain:
    """The value of a scalar that begins as numbers and dates do."""
    if _LEADING_ZERO.fullmatch(text):
        return Unreadable(f"{shown(text)} may be read as octal: drop the leading 0")
    if spells_decimal(text):
        return _number(text)
    if _DATE.fullmatch(text) or _TIMESTAMP.fullmatch(text):
        return _moment(text)
    if _NOT_FINITE.fullmatch(text):
        return _not_finite(text)
    if _BASED.fullmatch(text) or _GROUPED.fullmatch(text) or _SIXTIES.fullmatch(text):
        return Unreadable(f"YAML versions read {shown(text)} differently: write a decimal number")
    return text


def _not_finite(text: str) -> Unreadable:
    return Unreadable(f"{text} is not a finite number")


def _number(text: str) -> Plain:
    try:
        return decimal_of_text(text)
    except NotExact:
        return Unreadable(
            f"{shown(text)} is too long for a number, or its exponent is beyond {MOST_EXPONENT}"
        )


def _moment(text: str) -> Plain:
    """A date, or a timestamp to the microsecond without a time zone."""
    timestamp = _TIMESTAMP.fullmatch(text)
    fraction, zone = timestamp.groups() if timestamp else (None, None)
    if zone:
        return Unreadable(f"{text} has a time zone: write the timestamp without one, as the column stores it")
    if fraction and len(fraction) > 6:
        return Unreadable(f"{shown(text)} is finer than a microsecond")
    try:
        return datetime.fromisoformat(text) if timestamp else date.fromisoformat(text)
    except ValueError:
        return Unreadable(f"{text} is not a day and time of the calendar")
