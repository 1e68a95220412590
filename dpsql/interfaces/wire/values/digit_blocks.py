"""The decimal digits of many numbers at once, one row of bytes for each, and which of them are written."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

_Bytes = npt.NDArray[np.uint8]
_Held = npt.NDArray[np.bool_]
_Whole = npt.NDArray[np.int64]
_ZERO, _MINUS, _POINT = (np.uint8(ord(c)) for c in "0-.")
_POWERS: Final = np.array([10**n for n in range(1, 20)], np.uint64)
_PAIRS: Final = np.array([[ord(c) for c in f"{n:02}"] for n in range(100)], np.uint8)
_MOST_PLACES: Final = 4
"""With more than these, some numbers are written with an exponent."""
_MOST_WHOLE: Final = 1e15
"""Decimals of at most 15 digits are told apart by doubles."""


def pairs(numbers: _Whole) -> _Bytes:
    """The two digits of each number from 0 to 99."""
    made: _Bytes = _PAIRS[numbers]
    return made


def digits(numbers: _Whole) -> tuple[_Bytes, _Held]:
    """Whole numbers as they are written, at the right of their rows."""
    negative = numbers < 0
    sizes = _positive(numbers)
    return _signed(sizes, negative)


def decimal_digits(numbers: npt.NDArray[np.float64]) -> tuple[_Bytes, _Held] | None:
    """Doubles by the shortest digits that tell each from all others; None where one needs more than four places.

    Where the double nearest to n / 10**p is the number itself and n has at most 15 digits, no shorter decimal is, and
    none of the same length: two decimals of at most 15 digits are never the same double.
    """
    for places in range(_MOST_PLACES + 1):
        whole = _scaled(numbers, places)
        if whole is not None:
            return _decimals(whole, numbers < 0, places)
    return None


def without_last_zeros(fractions: _Whole, places: int) -> _Held:
    """Which characters of a point and so many digits are written: up to the last digit that is not 0."""
    held = np.empty((len(fractions), places + 1), np.bool_)
    for at in range(places):
        held[:, at + 1] = fractions % 10 ** (places - at) != 0
    held[:, 0] = fractions != 0
    return held


def _scaled(numbers: npt.NDArray[np.float64], places: int) -> _Whole | None:
    """The numbers times 10**places where those are whole, below 1e15 and not minus zero."""
    power = 10.0**places
    with np.errstate(over="ignore", invalid="ignore"):
        whole = np.rint(numbers * power)
        fits = (np.abs(whole) < _MOST_WHOLE) & (whole / power == numbers)
    if not fits.all() or (np.signbit(numbers) & (numbers == 0)).any():
        return None
    return whole.astype(np.int64)


def _decimals(whole: _Whole, negative: _Held, places: int) -> tuple[_Bytes, _Held]:
    before, behind = np.divmod(np.abs(whole), 10**places)
    table, held = _signed(before.astype(np.uint64), negative)
    if not places:
        return table, held
    fraction = np.full((len(whole), places + 1), _POINT, np.uint8)
    rest = behind
    for at in range(places, 0, -1):
        rest, digit = np.divmod(rest, 10)
        fraction[:, at] = digit.astype(np.uint8) + _ZERO
    return np.hstack([table, fraction]), np.hstack([held, without_last_zeros(behind, places)])


def _positive(numbers: _Whole) -> npt.NDArray[np.uint64]:
    """Their sizes; that of the least one has no sign to lose."""
    bits = numbers.astype(np.uint64)
    return np.where(numbers < 0, ~bits + np.uint64(1), bits)


def _signed(sizes: npt.NDArray[np.uint64], negative: _Held) -> tuple[_Bytes, _Held]:
    counts = np.searchsorted(_POWERS, sizes, side="right") + 1
    width = int(counts.max(initial=1)) + 1
    table = np.empty((len(sizes), width), np.uint8)
    rest = sizes.astype(np.uint32) if width <= 10 else sizes
    for at in range(width - 1, 0, -1):
        above = rest // 10
        table[:, at] = (rest - above * 10).astype(np.uint8) + _ZERO
        rest = above
    places = np.flatnonzero(negative)
    table[places, width - 1 - counts[places]] = _MINUS
    held = np.arange(width) >= (width - counts - negative)[:, None]
    return table, held
