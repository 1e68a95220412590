"""Columns of a long answer as bytes between processes, read as a stranger's: sizes and ranges are checked."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from dpsql.engines.column_rows import (
    Column,
    ColumnRows,
    Nulls,
    NumberColumn,
    NumberKind,
    TextColumn,
    within_dates,
)

_TEXTS: Final = "texts"
_SIZE: Final = 8


class NotColumns(Exception):
    """The bytes are no columns."""


def coded_columns(rows: ColumnRows) -> tuple[list[list[object]], bytes]:
    """What each column is, in JSON's types, and the bytes of all: of each its numbers or texts, then its NULLs."""
    heads, parts = [], []
    for column in rows.columns:
        data = _data(column)
        kind = _TEXTS if isinstance(column, TextColumn) else str(column.kind)
        heads.append([kind, len(data), column.nulls is not None])
        parts += [data, b"" if column.nulls is None else np.packbits(column.nulls).tobytes()]
    return heads, b"".join(parts)


def texts_in(heads: list[list[object]]) -> int:
    """How many bytes of texts there are."""
    return sum(int(str(size)) for kind, size, _ in heads if kind == _TEXTS)


def columns_in(count: int, heads: list[list[Any]], raw: bytes | bytearray) -> ColumnRows:
    """The rows of these columns, each of `count` values. Raises NotColumns, or what Python raises for other types."""
    taken = _Taken(bytes(raw))
    columns = tuple(_column(count, taken, *head) for head in heads)
    if not columns or type(count) is not int or taken.left():
        raise NotColumns
    return ColumnRows(columns)


class _Taken:
    """Bytes that are taken one after the other."""

    __slots__ = ("_at", "_data")

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def take(self, size: int) -> bytes:
        if type(size) is not int or not 0 <= size <= self.left():
            raise NotColumns
        self._at += size
        return self._data[self._at - size : self._at]

    def left(self) -> int:
        return len(self._data) - self._at


def _data(column: Column) -> bytes:
    match column:
        case NumberColumn(_, numbers):
            return np.ascontiguousarray(numbers, numbers.dtype.newbyteorder("<")).tobytes()
        case TextColumn(data, begin, ends):
            return data[begin : int(ends[-1]) + 1] if len(ends) else b""


def _column(count: int, taken: _Taken, kind: str, size: int, nulls: bool) -> Column:
    data = taken.take(size)
    marks = _marks(count, taken.take(-(-count // 8))) if nulls else None
    if kind == _TEXTS:
        return _texts(count, data, marks)
    if size != count * _SIZE:
        raise NotColumns
    return _numbers(NumberKind(kind), data, marks)


def _marks(count: int, packed: bytes) -> Nulls:
    return np.unpackbits(np.frombuffer(packed, np.uint8), count=count).astype(np.bool_)


def _texts(count: int, data: bytes, nulls: Nulls | None) -> TextColumn:
    if data.count(b"\0") != count or (data and data[-1]):
        raise NotColumns
    data.decode()
    return TextColumn(data, 0, np.flatnonzero(np.frombuffer(data, np.uint8) == 0), nulls)


def _numbers(kind: NumberKind, data: bytes, nulls: Nulls | None) -> NumberColumn:
    if kind is NumberKind.DOUBLE:
        return NumberColumn(kind, np.frombuffer(data, "<f8"), nulls)
    numbers: npt.NDArray[np.int64] = np.frombuffer(data, "<i8")
    if not within_dates(kind, numbers):
        raise NotColumns
    return NumberColumn(kind, numbers, nulls)
