"""DataRow messages out of blocks of cells: one table of all their bytes, of which those that are sent are taken."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from dpsql.interfaces.wire.values.cell_blocks import Block

_HEAD: Final = 7
_LENGTH: Final = 4
_KIND: Final = ord("D")


def messages_of(blocks: Sequence[Block]) -> bytes:
    """The messages of rows whose cells are in these blocks, at least one, column by column."""
    count = len(blocks[0].table)
    width = _HEAD + sum(_LENGTH + block.table.shape[1] for block in blocks)
    table = np.empty((count, width), np.uint8)
    sent = np.ones((count, width), np.bool_)
    totals = np.full(count, _HEAD - 1 + _LENGTH * len(blocks), np.int64)
    at = _HEAD
    for block in blocks:
        kept, start = block.kept(), at + _LENGTH
        sizes = np.einsum("ij->i", kept, dtype=np.int64, casting="unsafe")  # far faster than sum(axis=1)
        totals += sizes
        table[:, at:start] = _number(sizes if block.nulls is None else np.where(block.nulls, -1, sizes))
        at = start + block.table.shape[1]
        table[:, start:at] = block.table
        sent[:, start:at] = kept
    table[:, 0] = _KIND
    table[:, 1:5] = _number(totals)
    table[:, 5:7] = np.frombuffer(len(blocks).to_bytes(2), np.uint8)
    return np.compress(sent.ravel(), table.ravel()).tobytes()


def _number(
    numbers: np.ndarray[tuple[int, ...], np.dtype[np.int64]],
) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """Four bytes of each, the highest first."""
    return numbers.astype(">i4").view(np.uint8).reshape(len(numbers), _LENGTH)
