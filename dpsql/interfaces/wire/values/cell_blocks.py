"""Many cells of a column at once: their bytes in a table of equal rows, and which of them are of a cell.

Text is what `text_values` writes and binary what `binary_values` packs; what is not written here goes by those.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from dpsql.engines.column_rows import (
    MICROSECONDS_OF_DAY,
    Column,
    Nulls,
    NumberColumn,
    NumberKind,
    TextColumn,
)
from dpsql.interfaces.wire.values.binary_values import EPOCH
from dpsql.interfaces.wire.values.digit_blocks import decimal_digits, digits, pairs, without_last_zeros
from dpsql.interfaces.wire.values.wire_types import WireType
from dpsql.slotted import dataclass

Bytes = npt.NDArray[np.uint8]
Held = npt.NDArray[np.bool_]
_Whole = npt.NDArray[np.int64]
_LEAST_WIDTH: Final = 64
_DAYS_TO_EPOCH: Final = EPOCH.toordinal() - 719_163
_COLON, _DASH, _SPACE, _POINT = (np.uint8(ord(c)) for c in ":- .")
_MICROSECONDS: Final = 1_000_000
_WIDTHS: Final = {"int2": 2, "int4": 4, "int8": 8}


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """A row of bytes for each cell; `held` are those that are the cell's (None: all of them), and none of a NULL."""

    table: Bytes
    held: Held | None
    nulls: Nulls | None = None

    def kept(self) -> Held:
        """Which bytes are sent."""
        kept = self.held if self.held is not None else np.ones(self.table.shape, np.bool_)
        return kept if self.nulls is None else kept & ~self.nulls[:, None]


def block_of(column: Column, kind: WireType, form: int) -> Block | None:
    """A column's cells in text (0) or binary (1); None where they are not written here."""
    if isinstance(column, TextColumn):
        return _texts(column) if kind.name == "text" else None
    block = _binary(column, kind.name) if form else _text(column, kind.name)
    return Block(block.table, block.held, column.nulls) if block is not None else None


def block_of_cells(cells: Sequence[bytes | None]) -> Block | None:
    """Cells that are written already; None where one is far longer than most."""
    nulls = np.fromiter((c is None for c in cells), np.bool_, len(cells)) if None in cells else None
    written = [c for c in cells if c is not None] if nulls is not None else cells
    sizes = np.zeros(len(cells), np.int64)
    present = ~nulls if nulls is not None else slice(None)
    sizes[present] = np.fromiter(map(len, written), np.int64, len(written))  # type: ignore[arg-type]
    return _spread(np.frombuffer(b"".join(written), np.uint8), sizes, nulls)  # type: ignore[arg-type]


def _texts(column: TextColumn) -> Block | None:
    sizes = np.diff(column.ends, prepend=column.begin - 1) - 1
    data = np.frombuffer(column.data, np.uint8)[column.begin : int(column.ends[-1])]
    return _spread(data[data != 0], sizes, column.nulls)


def _spread(data: Bytes, sizes: _Whole, nulls: Nulls | None) -> Block | None:
    """Bytes side by side as rows of a table; None where most of it would be empty."""
    width = int(sizes.max())
    if width > _LEAST_WIDTH and width * len(sizes) > 4 * len(data):
        return None
    held = np.arange(width) < sizes[:, None]
    table = np.empty((len(sizes), width), np.uint8)
    table[held] = data
    return Block(table, held, nulls)


def _text(column: NumberColumn, name: str) -> Block | None:
    match column.kind, name:
        case NumberKind.BOOLEAN, "bool":
            return Block(np.where(column.numbers != 0, ord("t"), ord("f")).astype(np.uint8)[:, None], None)
        case NumberKind.INTEGER, "int2" | "int4" | "int8":
            return Block(*digits(_whole(column)))
        case NumberKind.DOUBLE, "float8":
            made = decimal_digits(column.numbers.astype(np.float64, copy=False))
            return Block(*made) if made is not None else None
        case NumberKind.DAYS, "date":
            return Block(_dates(_whole(column)), None)
        case NumberKind.MICROSECONDS, "timestamp":
            return _moments(_whole(column))
        case _:
            return None


def _dates(days: _Whole) -> Bytes:
    """The ten characters of each date, of the years 1 to 9999."""
    dates = days.astype("M8[D]")
    months = dates.astype("M8[M]")
    month = months.astype(np.int64)
    year = month // 12 + 1970
    table = np.full((len(days), 10), _DASH, np.uint8)
    table[:, 0:2], table[:, 2:4] = pairs(year // 100), pairs(year % 100)
    table[:, 5:7] = pairs(month % 12 + 1)
    table[:, 8:10] = pairs((dates - months).astype(np.int64) + 1)
    return table


def _moments(moments: _Whole) -> Block:
    days, rest = np.divmod(moments, MICROSECONDS_OF_DAY)
    seconds, fraction = np.divmod(rest, _MICROSECONDS)
    table = np.full((len(moments), 26), _COLON, np.uint8)
    table[:, :10] = _dates(days)
    table[:, 10] = _SPACE
    table[:, 11:13], table[:, 14:16] = pairs(seconds // 3600), pairs(seconds // 60 % 60)
    table[:, 17:19], table[:, 19] = pairs(seconds % 60), _POINT
    for place, shift in ((20, 10_000), (22, 100), (24, 1)):
        table[:, place : place + 2] = pairs(fraction // shift % 100)
    held = np.ones(table.shape, np.bool_)
    held[:, 19:] = without_last_zeros(fraction, 6)
    return Block(table, held)


def _binary(column: NumberColumn, name: str) -> Block | None:
    match column.kind, name:
        case NumberKind.BOOLEAN, "bool":
            return Block((column.numbers != 0).astype(np.uint8)[:, None], None)
        case NumberKind.INTEGER, "int2" | "int4" | "int8":
            return _integers(_whole(column), _WIDTHS[name])
        case NumberKind.DOUBLE, "float8":
            return Block(_rows(column.numbers.astype(">f8"), 8), None)
        case NumberKind.DAYS, "date":
            return Block(_rows((_whole(column) - _DAYS_TO_EPOCH).astype(">i4"), 4), None)
        case NumberKind.MICROSECONDS, "timestamp":
            since = _whole(column) - _DAYS_TO_EPOCH * MICROSECONDS_OF_DAY
            return Block(_rows(since.astype(">i8"), 8), None)
        case _:
            return None


def _integers(numbers: _Whole, width: int) -> Block | None:
    most = 2 ** (8 * width - 1)
    if len(numbers) and not (-most <= int(numbers.min()) and int(numbers.max()) < most):
        return None
    return Block(_rows(numbers.astype(f">i{width}"), width), None)


def _rows(numbers: npt.NDArray[Any], width: int) -> Bytes:
    return numbers.view(np.uint8).reshape(len(numbers), width)


def _whole(column: NumberColumn) -> _Whole:
    return column.numbers.astype(np.int64, copy=False)
