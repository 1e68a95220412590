"""Long answers as columns: numbers and texts side by side, and rows made of them only where somebody reads rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import overload

import numpy as np
import numpy.typing as npt

from dpsql.engines.base import Row
from dpsql.slotted import dataclass

_AT_ONCE = 65_536
FIRST_DAY, LAST_DAY = -719_162, 2_932_896
"""The days of Python's dates, counted from 1970-01-01."""
MICROSECONDS_OF_DAY = 86_400_000_000

Numbers = npt.NDArray[np.int64] | npt.NDArray[np.float64]
Nulls = npt.NDArray[np.bool_]


class NumberKind(StrEnum):
    """What the numbers of a column stand for; days and microseconds are counted from 1970-01-01."""

    BOOLEAN = "boolean"
    INTEGER = "integer"
    DOUBLE = "double"
    DAYS = "days"
    MICROSECONDS = "microseconds"


@dataclass(frozen=True, slots=True, eq=False)
class NumberColumn:
    """A column of numbers, 64 bits each: whole ones, save where their kind is DOUBLE; a NULL is a 0 with its mark."""

    kind: NumberKind
    numbers: Numbers
    nulls: Nulls | None = None

    def __len__(self) -> int:
        return len(self.numbers)

    def part(self, start: int, stop: int) -> NumberColumn:
        """Some of its rows, in the same memory."""
        nulls = self.nulls[start:stop] if self.nulls is not None else None
        return NumberColumn(self.kind, self.numbers[start:stop], nulls)

    def values(self) -> list[object]:
        """Its cells as Python's values."""
        return _with_nulls(_objects(self.kind, self.numbers), self.nulls)


@dataclass(frozen=True, slots=True, eq=False)
class TextColumn:
    """A column of texts in UTF-8, each behind the one before and followed by a zero byte; a NULL is an empty one.

    The first begins at `begin`; `ends` are the places of the zero bytes.
    """

    data: bytes
    begin: int
    ends: npt.NDArray[np.int64]
    nulls: Nulls | None = None

    def __len__(self) -> int:
        return len(self.ends)

    def part(self, start: int, stop: int) -> TextColumn:
        """Some of its rows, in the same memory."""
        nulls = self.nulls[start:stop] if self.nulls is not None else None
        begin = int(self.ends[start - 1]) + 1 if start else self.begin
        return TextColumn(self.data, begin, self.ends[start:stop], nulls)

    def values(self) -> list[object]:
        """Its cells as Python's values."""
        whole = self.data[self.begin : int(self.ends[-1])].decode() if len(self.ends) else None
        texts: list[object] = [] if whole is None else [*whole.split("\0")]
        return _with_nulls(texts, self.nulls)


Column = NumberColumn | TextColumn


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ColumnRows(Sequence[Row]):
    """Rows that are held as at least one column, all of the same length; they equal a tuple of the same rows."""

    columns: tuple[Column, ...]

    def __len__(self) -> int:
        return len(self.columns[0])

    @overload
    def __getitem__(self, at: int) -> Row: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Row]: ...
    def __getitem__(self, at: int | slice) -> Row | Sequence[Row]:
        if isinstance(at, slice):
            start, stop, step = at.indices(len(self))
            return self.part(start, max(start, stop)) if step == 1 else tuple(self)[at]
        place = range(len(self))[at]
        return next(iter(self.part(place, place + 1)))

    def __iter__(self) -> Iterator[Row]:
        for start in range(0, len(self), _AT_ONCE):
            part = self.part(start, min(start + _AT_ONCE, len(self)))
            yield from zip(*(column.values() for column in part.columns), strict=True)

    def part(self, start: int, stop: int) -> ColumnRows:
        """Rows from one place to another, in the same memory."""
        return ColumnRows(tuple(column.part(start, stop) for column in self.columns))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ColumnRows | tuple):
            return NotImplemented
        return len(self) == len(other) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))


def column_values(rows: Sequence[Row], at: int) -> list[object]:
    """The values of one column of rows, however those are held."""
    if isinstance(rows, ColumnRows):
        return rows.columns[at].values()
    return [row[at] for row in rows]


def within_dates(kind: NumberKind, numbers: Numbers) -> bool:
    """Whether days and microseconds are within Python's dates."""
    match kind:
        case NumberKind.DAYS:
            return _within(numbers, FIRST_DAY, LAST_DAY)
        case NumberKind.MICROSECONDS:
            most = (LAST_DAY + 1) * MICROSECONDS_OF_DAY - 1
            return _within(numbers, FIRST_DAY * MICROSECONDS_OF_DAY, most)
        case NumberKind.BOOLEAN | NumberKind.INTEGER | NumberKind.DOUBLE:
            return True


def _within(numbers: Numbers, least: int, most: int) -> bool:
    return not len(numbers) or bool(numbers.min() >= least and numbers.max() <= most)


def _objects(kind: NumberKind, numbers: Numbers) -> list[object]:
    match kind:
        case NumberKind.BOOLEAN:
            return list(numbers.astype(np.bool_).tolist())
        case NumberKind.INTEGER | NumberKind.DOUBLE:
            return list(numbers.tolist())
        case NumberKind.DAYS:
            return list(numbers.astype("M8[D]").tolist())
        case NumberKind.MICROSECONDS:
            return list(numbers.astype("M8[us]").tolist())


def _with_nulls(values: list[object], nulls: Nulls | None) -> list[object]:
    if nulls is not None:
        for place in np.flatnonzero(nulls).tolist():
            values[place] = None
    return values
