"""Rows as DataRow messages, made column by column and sent in pieces."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from operator import add, itemgetter
from struct import Struct
from typing import Final

from dpsql.engines.base import OutputColumn, Row
from dpsql.engines.column_rows import Column, ColumnRows
from dpsql.interfaces.wire.values.binary_values import binary_packer
from dpsql.interfaces.wire.values.block_messages import messages_of
from dpsql.interfaces.wire.values.cell_blocks import Block, block_of, block_of_cells
from dpsql.interfaces.wire.values.text_columns import text_column
from dpsql.interfaces.wire.values.text_values import text_writer
from dpsql.interfaces.wire.values.wire_types import WireType, column_type
from dpsql.slotted import dataclass

Cells = Callable[[Sequence[object]], list[bytes | None]]
"""The cells of a column; None for NULL."""
PIECE: Final = 65_536
"""About so many bytes are sent at once."""
_ROWS: Final = 256
_ROWS_OF_COLUMNS: Final = 4_096
_CELLS: Final = 65_536
_NULL: Final = b"\xff\xff\xff\xff"
_LENGTHS: Final = tuple(n.to_bytes(4) for n in range(1024))
_HEAD: Final = Struct("!ciH")


@dataclass(frozen=True, slots=True)
class Written:
    """How a column is written: its type, text (0) or binary (1), and its cells as they are written value by value."""

    kind: WireType
    form: int
    cells: Cells


def written_as(
    columns: Sequence[OutputColumn], formats: Sequence[int], iso_intervals: bool = False
) -> tuple[Written, ...]:
    """How the columns are written. Raises Unsendable."""
    kinds = [(column_type(c), form) for c, form in zip(columns, formats, strict=True)]
    return tuple(Written(kind, form, _cells(kind, form, iso_intervals)) for kind, form in kinds)


def data_rows(rows: Sequence[Row], columns: Sequence[Written]) -> Iterator[bytes]:
    """The rows as messages, in pieces of whole messages. Raises Unsendable for a value that is not of its type."""
    waiting, size = [], 0
    for made in _parts(rows, columns):
        waiting.append(made)
        size += len(made)
        if size >= PIECE:
            yield b"".join(waiting)
            waiting, size = [], 0
    if waiting:
        yield b"".join(waiting)


def _parts(rows: Sequence[Row], columns: Sequence[Written]) -> Iterator[bytes]:
    if isinstance(rows, ColumnRows) and len(rows) >= _ROWS:
        step = max(_ROWS, min(_ROWS_OF_COLUMNS, _CELLS // len(columns)))
        for start in range(0, len(rows), step):
            yield _of_columns(rows.part(start, min(start + step, len(rows))), columns)
        return
    for start in range(0, len(rows), _ROWS):
        part = rows[start : start + _ROWS]
        yield _messages(len(part), list(zip(*part, strict=True)), columns)


def _of_columns(rows: ColumnRows, columns: Sequence[Written]) -> bytes:
    """The messages of rows that are held as columns."""
    blocks = [_block(held, column) for held, column in zip(rows.columns, columns, strict=True)]
    found = [block for block in blocks if block is not None]
    if len(found) < len(blocks):
        return _messages(len(rows), [held.values() for held in rows.columns], columns)
    return messages_of(found)


def _block(held: Column, column: Written) -> Block | None:
    block = block_of(held, column.kind, column.form)
    return block if block is not None else block_of_cells(column.cells(held.values()))


def _messages(count: int, values: Sequence[Sequence[object]], columns: Sequence[Written]) -> bytes:
    """The messages side by side: each row's head, then the length and the bytes of each of its cells."""
    width, pack = len(columns), _HEAD.pack
    step = 2 * width + 1
    parts: list[bytes] = [b""] * (step * count)
    totals = [6 + 4 * width] * count
    for place, (column, cells) in enumerate(zip(columns, values, strict=True)):
        written = column.cells(cells)
        data = [b"" if cell is None else cell for cell in written] if None in cells else written
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


def _cells(kind: WireType, form: int, iso_intervals: bool) -> Cells:
    if form == 1:
        return _one_by_one(binary_packer(kind))
    write = text_writer(kind, iso_intervals)
    return text_column(kind) or _one_by_one(lambda value: write(value).encode())


def _one_by_one(write: Callable[[object], bytes]) -> Cells:
    return lambda values: [None if v is None else write(v) for v in values]
