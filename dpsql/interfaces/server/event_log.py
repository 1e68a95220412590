"""The server's log: one JSON object a line, on standard error, without anything of a query."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TextIO

Value = str | int | float | None


class EventLog:
    """Writes events with a few named values, each line at once; a stream that is gone changes nothing."""

    __slots__ = ("_stream",)

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, event: str, **values: Value) -> None:
        """A line with the time, the event, and the values that are not None."""
        line = {"time": datetime.now(UTC).isoformat(timespec="milliseconds"), "event": event}
        given = {name: value for name, value in values.items() if value is not None}
        try:
            self._stream.write(json.dumps({**line, **given}) + "\n")
            self._stream.flush()
        except (OSError, ValueError):
            return
