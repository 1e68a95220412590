"""Literals, INTERVALs and bound parameters as typed constants."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from sqlglot import exp

from dpsql.algebra.expressions import NULL, Duration, Literal
from dpsql.algebra.facts import MICROS_PER_DAY
from dpsql.algebra.types import SqlType
from dpsql.errors import ProgrammingError, QueryRefused
from dpsql.sql.ast.positions import refuse_node
from dpsql.sql.ast.traversal import all_of
from dpsql.sql.dialect import Node

# Months, days and microseconds.
_UNITS: Final = MappingProxyType(
    {
        "year": (12, 0, 0), "quarter": (3, 0, 0), "month": (1, 0, 0), "week": (0, 7, 0), "day": (0, 1, 0),
        "hour": (0, 0, 3_600 * 10**6), "minute": (0, 0, 60 * 10**6), "second": (0, 0, 10**6),
        "millisecond": (0, 0, 1_000), "microsecond": (0, 0, 1),
    }
)  # fmt: skip
_MOST: Final = 10**6
# Python's int() takes digits of every script and refuses thousands of them; 2**126 has 38.
_DIGITS = re.compile(r"[0-9]+")
_DECIMAL = re.compile(r"[0-9]{1,38}\.[0-9]{0,40}")
MOST_DIGITS = 100
# A fraction has so many digits that each piece of a week and less is a whole number of microseconds, or none.
_PART = re.compile(r"([+-]?[0-9]+(?:\.[0-9]{1,6})?) *([a-z]+)")
_COMPOUND = re.compile(rf"( *{_PART.pattern})+ *")
# As DuckDB reads them in the text of an INTERVAL.
_SHORT = {
    "y": "year", "yr": "year", "mon": "month", "w": "week", "d": "day", "h": "hour", "hr": "hour", "m": "minute",
    "min": "minute", "s": "second", "sec": "second", "ms": "millisecond", "msec": "millisecond", "us": "microsecond",
    "usec": "microsecond",
}  # fmt: skip


def number(text: str) -> Literal:
    """A numeric literal: whole numbers are integers, the rest doubles."""
    digits = text.replace("_", "")
    value = whole(digits)
    if value is not None and value < 2**126:
        return Literal(value, SqlType.INTEGER)
    as_float = float(digits)
    if not math.isfinite(as_float):
        raise QueryRefused(f"the number {text[:40]} is too large")
    return _nearest(as_float, digits if _DECIMAL.fullmatch(digits) else as_float)


def _nearest(as_float: float, number: str | float | Decimal | Fraction) -> Literal:
    """A number as the double nearest to it; one that is whole and no double, as an id may be, as an integer."""
    if 2**53 <= abs(as_float) < 2**126:
        exact = Fraction(number)
        if exact.denominator == 1 and exact != as_float:
            return Literal(int.__int__(exact.numerator), SqlType.INTEGER)
    return Literal(as_float, SqlType.DOUBLE)


def whole(text: str) -> int | None:
    """The number that a text of decimal digits spells; None for any other text, and beyond MOST_DIGITS."""
    return int(text) if len(text) <= MOST_DIGITS and _DIGITS.fullmatch(text) else None


def is_fraction(node: Node) -> bool:
    """Whether a node is a number that is written with a point."""
    return isinstance(node, exp.Literal) and not node.is_string and "." in node.this


_MOST_DIGITS = 15
_DEEPEST = 8


def decimal_constant(node: Node) -> Literal | None:
    """The exact value of a sum, difference or product of decimal constants, as DuckDB computes it, or None.

    Only values that a double holds to the last written digit are folded.
    """
    if not isinstance(node, exp.Add | exp.Sub | exp.Mul):
        return None
    value = _decimal(node, _DEEPEST)
    if value is None or not any("." in n.this for n in all_of(node, exp.Literal)):
        return None
    return Literal(float(value), SqlType.DOUBLE) if len(value.as_tuple().digits) <= _MOST_DIGITS else None


def _decimal(node: Node, depth: int) -> Decimal | None:
    """The value of arithmetic on numbers written without an exponent, nested no deeper than `depth`."""
    if depth == 0:
        return None
    if isinstance(node, exp.Paren):
        return _decimal(node.this, depth - 1)
    if isinstance(node, exp.Literal):
        plain = not node.is_string and len(node.this) <= _MOST_DIGITS and node.this.isascii()
        return Decimal(node.this) if plain and node.this.replace(".", "", 1).isdecimal() else None
    if isinstance(node, exp.Neg):
        inner = _decimal(node.this, depth - 1)
        return None if inner is None else -inner
    if not isinstance(node, exp.Add | exp.Sub | exp.Mul):
        return None
    a, b = _decimal(node.this, depth - 1), _decimal(node.expression, depth - 1)
    if a is None or b is None:
        return None
    return a + b if isinstance(node, exp.Add) else a - b if isinstance(node, exp.Sub) else a * b


def duration(node: exp.Interval) -> Duration:
    """An INTERVAL: INTERVAL 3 MONTH, INTERVAL '1 day', INTERVAL '1 month 3.5 days'."""
    unit = node.text("unit").lower()
    parts = [0, 0, 0]
    for amount, name in [(_amount(node.this), unit)] if unit else _parts(node.this):
        unit_name = _SHORT.get(name) or _SHORT.get(name[:-1], name.removesuffix("s"))
        size = _UNITS.get(unit_name)
        if size is None and amount is not None:
            raise refuse_node(node, f'the INTERVAL unit "{unit_name}" is not supported')
        length = _length(amount, size) if amount is not None and size is not None else None
        if length is None:
            hint = "Write INTERVAL 3 MONTH; weeks and less may be a fraction in one text, as in INTERVAL '1.5 hours'."
            raise refuse_node(node, "an INTERVAL needs a whole number and a unit", hint)
        parts = [n + more for n, more in zip(parts, length, strict=True)]
    return Duration(*parts)


def _amount(node: Node) -> Fraction | None:
    value = _whole(node)
    return None if value is None else Fraction(value)


def _length(amount: Fraction, size: tuple[int, int, int]) -> tuple[int, int, int] | None:
    """Months, days and microseconds of so many units, as DuckDB cuts them; None for pieces of months and too many."""
    if abs(amount) > _MOST:
        return None
    months, days, micros = (amount * of_unit for of_unit in size)
    micros += (days - int(days)) * MICROS_PER_DAY
    if months.denominator != 1 or micros.denominator != 1:
        return None
    return int(months), int(days), int(micros)


def _parts(node: Node) -> list[tuple[Fraction | None, str]]:
    """The numbers and units of a text such as '1 month 3 days'."""
    text = node.name.lower() if isinstance(node, exp.Literal) else ""
    if len(text) > MOST_DIGITS or not _COMPOUND.fullmatch(text):
        return [(None, "")]
    return [(Fraction(amount), unit) for amount, unit in _PART.findall(text)]


def is_whole(node: Node) -> bool:
    """Whether a node is a whole number as it is written, with or without a sign."""
    return _whole(node) is not None


def _whole(node: Node | None) -> int | None:
    sign = 1
    while isinstance(node, exp.Neg | exp.Paren):
        sign, node = (-sign if isinstance(node, exp.Neg) else sign), node.this
    if not isinstance(node, exp.Literal):
        return None
    text = node.this.strip()
    value = whole(text.removeprefix("-"))
    if value is None:
        return None
    return -sign * value if text.startswith("-") else sign * value


def parameter(node: exp.Placeholder, params: Mapping[str, object]) -> Literal:
    """The constant bound to a placeholder; positional ones are named by their index, from 1."""
    return constant(params[node.name])


def constant(value: object) -> Literal:
    """A Python value as a typed constant. Raises ProgrammingError for a type that SQL has no constant for.

    A value of a class derived from Python's own is the plain value that it stands for, whatever the class says of it.
    """
    if value is None:
        return NULL
    if isinstance(value, bool):
        return Literal(value, SqlType.BOOLEAN)
    if isinstance(value, int) and abs(value) < 2**126:
        return Literal(int.__int__(value), SqlType.INTEGER)
    if isinstance(value, float | Decimal | Fraction):
        return _double(value)
    if isinstance(value, str) and "\0" not in value:
        return Literal(str.__str__(value), SqlType.TEXT)
    if isinstance(value, datetime) and value.tzinfo is None:
        return Literal(_moment(value), SqlType.TIMESTAMP)
    if isinstance(value, date) and not isinstance(value, datetime):
        return Literal(date(value.year, value.month, value.day), SqlType.DATE)
    raise _unbound(value)


def _moment(value: datetime) -> datetime:
    """The moment itself; `fold` tells apart what is one moment without a time zone."""
    seconds = (value.hour, value.minute, value.second, value.microsecond)
    return datetime(value.year, value.month, value.day, *seconds)


def _unbound(value: object) -> ProgrammingError:
    """Why a value is no constant."""
    if isinstance(value, int):
        return ProgrammingError("the whole number of a parameter is too large; pass it as a float")
    if isinstance(value, str):
        return ProgrammingError("the text of a parameter holds a NUL character")
    if isinstance(value, datetime):
        return ProgrammingError(
            "the moment of a parameter has a time zone; pass it without one, as moments stand in the data"
        )
    return QueryRefused(
        f"a parameter of type {type(value).__name__} is not supported", hint="Pass it as a text."
    )


def _double(value: float | Decimal | Fraction) -> Literal:
    try:
        as_float = float(value)
    except (OverflowError, ValueError):
        as_float = math.nan
    if not math.isfinite(as_float):
        raise ProgrammingError("a parameter must be a finite number")
    return _nearest(as_float, value)
