"""Made-up values of a column, from what the policy says of it: its list, its bounds, its type, and nothing of the data.

A value is a function of names and a row's number, so that a policy has the same made-up rows for good.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from fractions import Fraction
from typing import assert_never

from dpsql.algebra.expressions import LiteralValue
from dpsql.policy.model import Column, ColumnType

# Of a column without an end so many values are used where nothing asks for different ones.
_USUAL = 1_000
# One in so many values of a nullable column is NULL.
_NULL = 20
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_LONGEST = 6
_FIRST = datetime(2025, 1, 1)


@dataclass(frozen=True, slots=True)
class Domain:
    """The values that a column may be given, by number; `size` is how many there are, None without an end."""

    size: int | None
    at: Callable[[int], LiteralValue]


def chosen(most: int, *place: object) -> int:
    """A whole number from 0 to below `most`, the same for good at one place, and spread evenly over places."""
    text = "\x1f".join(map(str, place)).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest()) % most


def cell(column: Column, domain: Domain, table: str, row: int) -> LiteralValue:
    """The value of a column in a row; NULL now and then where the policy allows it."""
    if column.nullable and chosen(_NULL, table, column.name, row, "null") == 0:
        return None
    size = _USUAL if domain.size is None else domain.size
    return domain.at(chosen(size, table, column.name, row))


def domain_of(column: Column, listed: tuple[LiteralValue, ...] | None) -> Domain:
    """The values of a column: those listed, or those between its bounds, or some of its type."""
    if listed:
        return Domain(len(listed), listed.__getitem__)
    match column.type:
        case ColumnType.INTEGER | ColumnType.FLOAT:
            return _numbers(column)
        case ColumnType.DATE | ColumnType.TIMESTAMP:
            return _moments(column)
        case ColumnType.TEXT:
            return _texts(column)
        case ColumnType.BOOLEAN:
            return Domain(2, bool)
    assert_never(column.type)


def _numbers(column: Column) -> Domain:
    whole = column.type is ColumnType.INTEGER
    if not isinstance(column.lower, int | Fraction) or not isinstance(column.upper, int | Fraction):
        return Domain(None, lambda i: i + 1 if whole else float(i + 1))
    lower, upper = Fraction(column.lower), Fraction(column.upper)
    step = Fraction(1) if whole else column.step or _step(upper - lower)
    first = math.ceil(lower / step)
    size = math.floor(upper / step) - first + 1
    return Domain(size, lambda i: first + i if whole else float((first + i) * step))


def _step(width: Fraction) -> Fraction:
    """A power of ten that a range has about a thousand of."""
    return Fraction(10) ** math.floor(math.log10(width / 1_000))


def _moments(column: Column) -> Domain:
    is_date = column.type is ColumnType.DATE
    step = timedelta(days=1) if is_date else timedelta(minutes=1)
    first: date = _FIRST.date() if is_date else _FIRST
    size = None
    if isinstance(column.lower, date) and isinstance(column.upper, date):
        first, size = column.lower, (column.upper - column.lower) // step + 1
    return Domain(size, lambda i: first + i * step)


def _texts(column: Column) -> Domain:
    """The column's name with a number; short codes of letters where that is too long."""
    if column.longest >= len(column.name) + 12:
        return Domain(None, lambda i: f"{column.name}_{i + 1}")
    length = min(column.longest, _LONGEST)
    return Domain(len(_LETTERS) ** length, lambda i: _code(i, length))


def _code(number: int, length: int) -> str:
    return "".join(
        _LETTERS[number // len(_LETTERS) ** place % len(_LETTERS)] for place in reversed(range(length))
    )
