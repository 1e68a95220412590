"""Rows as DataRow messages, made column by column and sent in pieces."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from struct import Struct
from typing import Final

from dpsql.engines.base import OutputColumn, Row
from dpsql.interfaces.wire.binary_values import binary_packer
from dpsql.interfaces.wire.text_values import text_writer
from dpsql.interfaces.wire.wire_types import WireType, wire_type

Cells = Callable[[Sequence[object]], list[bytes]]
"""The cells of a column, each behind its length."""
PIECE: Final = 65_536
"""About so many bytes are sent at once."""
_ROWS: Final = 512
_NULL: Final = b"\xff\xff\xff\xff"
_LENGTHS: Final = tuple(n.to_bytes(4) for n in range(1024))
_HEAD: Final = Struct("!ciH")


def cells_of(columns: Sequence[OutputColumn], formats: Sequence[int]) -> tuple[Cells, ...]:
    """How the columns are written, in text (0) or binary (1). Raises Unsendable."""
    return tuple(_cells(wire_type(c.type), form) for c, form in zip(columns, formats, strict=True))


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
    width, pack = len(cells), _HEAD.pack
    parts: list[bytes] = []
    if not cells:
        return pack(b"D", 6, 0) * len(rows)
    columns = [write(values) for write, values in zip(cells, zip(*rows, strict=True), strict=True)]
    for body in map(b"".join, zip(*columns, strict=True)):
        parts += (pack(b"D", len(body) + 6, width), body)
    return b"".join(parts)


def _cells(kind: WireType, form: int) -> Cells:
    if form == 1:
        return _written(binary_packer(kind))
    write = text_writer(kind)
    return _written(lambda value: write(value).encode())


def _written(write: Callable[[object], bytes]) -> Cells:
    return lambda values: [_NULL if v is None else _sized(write(v)) for v in values]


def _sized(data: bytes) -> bytes:
    return (_LENGTHS[len(data)] if len(data) < 1024 else len(data).to_bytes(4)) + data
