"""What a conversation sends: small messages together, rows in pieces."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Generic, TypeVar

from dpsql.engines.base import OutputColumn, Row
from dpsql.interfaces.wire.channel import Channel
from dpsql.interfaces.wire.copy_out import copied
from dpsql.interfaces.wire.messages import EMPTY_QUERY_RESPONSE, command_complete, row_description
from dpsql.interfaces.wire.portals import CopyFormat, Result
from dpsql.interfaces.wire.values.data_rows import PIECE, Written, data_rows, written_as
from dpsql.interfaces.wire.values.wire_types import field_of
from dpsql.slotted import dataclass

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Remembered(Generic[T]):
    """What was made of these very columns, in these formats."""

    columns: Sequence[OutputColumn]
    formats: tuple[int, ...]
    made: T

    def is_of(self, columns: Sequence[OutputColumn], formats: tuple[int, ...]) -> bool:
        """Whether these are the same columns, not equal ones, which would take as long to compare as to write."""
        return self.columns is columns and self.formats == formats


class Outgoing:
    """Messages to a client, kept until they are many or it waits for them. Raises ConnectionError once it is gone.

    How the columns of the last answer are told and written is remembered: a tool asks the same again and again, and a
    remembered plan has the same columns each time.
    """

    __slots__ = ("_channel", "_iso_intervals", "_size", "_told", "_waiting", "_written")

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._waiting: list[bytes] = []
        self._size = 0
        self._iso_intervals = False
        self._told: _Remembered[bytes] | None = None
        self._written: _Remembered[tuple[Written, ...]] | None = None

    def add(self, *messages: bytes) -> None:
        """Whole messages, in order."""
        self._waiting += messages
        self._size += sum(map(len, messages))
        if self._size >= PIECE:
            self.flush()

    def flush(self) -> None:
        """Sends what waits."""
        if self._waiting:
            waiting, self._waiting, self._size = b"".join(self._waiting), [], 0
            self._channel.send(waiting)

    def pieces(self, pieces: Iterable[bytes]) -> None:
        """Whole messages that are made while they are sent."""
        for piece in pieces:
            self.add(piece)

    def described(self, columns: Sequence[OutputColumn], formats: tuple[int, ...]) -> bytes:
        """The RowDescription of these columns. Raises Unsendable."""
        told = self._told
        if told is None or not told.is_of(columns, formats):
            message = row_description([field_of(c) for c in columns], formats)
            told = self._told = _Remembered(columns, formats, message)
        return told.made

    def write_intervals(self, *, iso: bool) -> None:
        """How intervals are written from now on, as the setting IntervalStyle says."""
        if iso != self._iso_intervals:
            self._iso_intervals, self._written = iso, None

    def copy(self, form: CopyFormat, columns: Sequence[OutputColumn], rows: Sequence[Row]) -> None:
        """Rows as COPY sends them. Raises Unsendable."""
        self.pieces(copied(form, columns, rows, self._iso_intervals))

    def rows(self, columns: Sequence[OutputColumn], rows: Sequence[Row], formats: tuple[int, ...]) -> None:
        """Rows in these formats. Raises Unsendable."""
        written = self._written
        if written is None or not written.is_of(columns, formats):
            written = self._written = _Remembered(
                columns, formats, written_as(columns, formats, self._iso_intervals)
            )
        self.pieces(data_rows(rows, written.made))


def completed(result: Result, rows: int) -> bytes:
    """The end of a statement that sent so many rows."""
    if not result.tag:
        return EMPTY_QUERY_RESPONSE
    return command_complete(f"{result.tag} {rows}" if result.counted else result.tag)
