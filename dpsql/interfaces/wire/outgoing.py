"""What a conversation sends: small messages together, rows in pieces."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dpsql.engines.base import OutputColumn, Row
from dpsql.interfaces.wire.channel import Channel
from dpsql.interfaces.wire.copy_out import copied
from dpsql.interfaces.wire.messages import EMPTY_QUERY_RESPONSE, command_complete, row_description
from dpsql.interfaces.wire.portals import CopyFormat, Result
from dpsql.interfaces.wire.values.data_rows import PIECE, data_rows, written_as
from dpsql.interfaces.wire.values.wire_types import field_of


class Outgoing:
    """Messages to a client, kept until they are many or it waits for them. Raises ConnectionError once it is gone."""

    __slots__ = ("_channel", "_size", "_waiting")

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._waiting: list[bytes] = []
        self._size = 0

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


def described(columns: Sequence[OutputColumn], formats: Sequence[int]) -> bytes:
    """The RowDescription of these columns. Raises Unsendable."""
    return row_description([field_of(c) for c in columns], formats)


def send_rows(
    out: Outgoing, columns: Sequence[OutputColumn], rows: Sequence[Row], formats: Sequence[int]
) -> None:
    """Rows in these formats. Raises Unsendable."""
    out.pieces(data_rows(rows, written_as(columns, formats)))


def send_copy(out: Outgoing, form: CopyFormat, columns: Sequence[OutputColumn], rows: Sequence[Row]) -> None:
    """Rows as COPY sends them. Raises Unsendable."""
    out.pieces(copied(form, columns, rows))


def completed(result: Result, rows: int) -> bytes:
    """The end of a statement that sent so many rows."""
    if not result.tag:
        return EMPTY_QUERY_RESPONSE
    return command_complete(f"{result.tag} {rows}" if result.counted else result.tag)
