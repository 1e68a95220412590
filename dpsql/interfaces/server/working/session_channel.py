"""A session's messages over a socket between listener and worker.

To the worker travel the client's messages as they are. To the listener travel frames: four bytes of length, then whole
messages. A frame of length zero is the end of a session. A listener that sees the socket close without one knows that
the worker died, and, outside of a frame, that the client stands between two messages.
"""

from __future__ import annotations

import os
import select
import socket
import threading
from contextlib import suppress

from dpsql.interfaces.wire.channel import Message
from dpsql.interfaces.wire.messages import error_response

HEAD = 5
_CHUNK = 1 << 16
_END = (0).to_bytes(4)


class SessionChannel:
    """The worker's end; see `Channel`. It is used by its session's thread, and ended by others."""

    __slots__ = (
        "_bytes",
        "_closed",
        "_idle_seconds",
        "_lock",
        "_most",
        "_poll",
        "_reason",
        "_socket",
        "_woken",
    )

    def __init__(self, ours: socket.socket, idle_seconds: float, most: int) -> None:
        self._socket = ours
        self._idle_seconds = idle_seconds
        self._most = most
        self._bytes = bytearray()
        self._reason: tuple[str, str] | None = None
        self._lock = threading.Lock()
        self._closed = False
        self._woken = os.eventfd(0)
        self._poll = select.poll()
        for descriptor in (self._socket.fileno(), self._woken):
            self._poll.register(descriptor, select.POLLIN)

    def receive(self) -> Message | None:
        """The client's next message; None once it is gone, was idle for too long, or the session is to end."""
        message = self._message()
        if message is None and self._reason is not None:
            with suppress(OSError):
                self.send(error_response(*self._reason, fatal=True))
        return message

    def _message(self) -> Message | None:
        head = self._taken(HEAD)
        if head is None:
            return None
        length = int.from_bytes(head[1:]) - 4
        if not 0 <= length <= self._most:
            self.end_with("08P01", "a message has a length that none can have")
            return None
        body = self._taken(length)
        return Message(head[:1], body) if body is not None else None

    def send(self, messages: bytes) -> None:
        """Sends whole messages. Raises ConnectionError once the client is gone."""
        self._socket.settimeout(None)
        length = len(messages).to_bytes(4)
        if len(messages) <= _CHUNK:
            self._socket.sendall(length + messages)
        else:
            self._socket.sendall(length)
            self._socket.sendall(messages)

    def end_with(self, sqlstate: str, sentence: str) -> None:
        """Ends the session with a sentence: at once where it waits for its client, else after what runs."""
        with self._lock:
            self._reason = self._reason or (sqlstate, sentence)
            if not self._closed:
                os.eventfd_write(self._woken, 1)

    def close(self) -> None:
        """Tells the listener that the session has ended, and closes the socket."""
        with suppress(OSError):
            self._socket.settimeout(None)
            self._socket.sendall(_END)
        with self._lock:
            self._closed = True
            os.close(self._woken)
        self._socket.close()

    def _taken(self, count: int) -> bytes | None:
        """The next bytes; None where there are none any more, or the session is to end."""
        while self._reason is None and len(self._bytes) < count:
            if not self._poll.poll(self._idle_seconds * 1000):
                self.end_with("57P05", "the session was idle for too long")
            elif self._reason is None and not self._received():
                return None
        if self._reason is not None:
            return None
        taken = bytes(self._bytes[:count])
        del self._bytes[:count]
        return taken

    def _received(self) -> bool:
        """Takes what has come; False where nothing will come any more."""
        try:
            part = self._socket.recv(_CHUNK)
        except OSError:
            return False
        self._bytes += part
        return bool(part)
