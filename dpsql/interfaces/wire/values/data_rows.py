"""Rows as DataRow messages, made column by column and sent in pieces."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from operator import add, itemgetter
from struct import Struct
from typing import Final

from dpsql.engines.base import OutputColumn, Row
from dpsql.interfaces.wire.values.binary_values import binary_packer
from dpsql.interfaces.wire.values.text_columns import text_column
from dpsql.interfaces.wire.values.text_values import text_writer
from dpsql.interfaces.wire.values.wire_types import WireType, column_type

Cells = Callable[[Sequence[object]], list[bytes | None]]
"""The cells of a column; None for NULL."""
PIECE: Final = 65_536
"""About so many bytes are sent at once."""
_ROWS: Final = 256
_NULL: Final = b"\xff\xff\xff\xff"
_LENGTHS: Final = tuple(n.to_bytes(4) for n in range(1024))
_HEAD: Final = Struct("!ciH")


def cells_of(columns: Sequence[OutputColumn], formats: Sequence[int]) -> tuple[Cells, ...]:
    """How the columns are written, in text (0) or binary (1). Raises Unsendable."""
    return tuple(_cells(column_type(c), form) for c, form in zip(columns, formats, strict=True))


def data_rows(rows: Sequence[Row], cells: Sequence[Cells]) -> Iterator[bytes]:
    """The rows as messages, in pieces of whole messages. Raises Unsendable for a value that is not of its type."""
    waiting, size = [], 0
    for start in range(0, len(rows), _ROWS):
        made = _messages(rows[start : start + _ROWS], cells)
        waiting.append(made)
        size += len(made)
        if size >= PIECE:
            yield b"".join(waiting)
            waiting, size = [], 0
    if waiting:
        yield b"".join(waiting)


def _messages(rows: Sequence[Row], cells: Sequence[Cells]) -> bytes:
    """The messages side by side: each row's head, then the length and the bytes of each of its cells."""
    width, count, pack = len(cells), len(rows), _HEAD.pack
    step = 2 * width + 1
    parts: list[bytes] = [b""] * (step * count)
    totals = [6 + 4 * width] * count
    for place, (write, values) in enumerate(zip(cells, zip(*rows, strict=True), strict=True)):
        written = write(values)
        data = [b"" if cell is None else cell for cell in written] if None in values else written
        sizes = list(map(len, data))  # type: ignore[arg-type]
        totals = list(map(add, totals, sizes))
        parts[2 * place + 1 :: step] = _lengths(sizes) if data is written else _lengths_of(written)
        parts[2 * place + 2 :: step] = data  # type: ignore[assignment]
    parts[::step] = [pack(b"D", total, width) for total in totals]
    return b"".join(parts)


def _lengths(sizes: Sequence[int]) -> Sequence[bytes]:
    if len(sizes) > 1 and max(sizes) < len(_LENGTHS):
        found: tuple[bytes, ...] = itemgetter(*sizes)(_LENGTHS)
        return found
    return [size.to_bytes(4) for size in sizes]


def _lengths_of(written: Sequence[bytes | None]) -> list[bytes]:
    return [_NULL if cell is None else len(cell).to_bytes(4) for cell in written]


def _cells(kind: WireType, form: int) -> Cells:
    if form == 1:
        return _one_by_one(binary_packer(kind))
    write = text_writer(kind)
    return text_column(kind) or _one_by_one(lambda value: write(value).encode())


def _one_by_one(write: Callable[[object], bytes]) -> Cells:
    return lambda values: [None if v is None else write(v) for v in values]
