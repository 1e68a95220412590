"""The listener's end of a session's socket to the worker."""

from __future__ import annotations

import asyncio
import socket
from contextlib import suppress
from typing import Protocol

_CHUNK = 1 << 16


class WorkerReceiver(Protocol):
    """Takes a worker's bytes; all of its methods are called by the event loop."""

    def told(self, data: bytes) -> None:
        """The next bytes of the worker."""
        ...

    def went(self) -> None:
        """The worker sends no more."""
        ...

    def is_full(self) -> None:
        """The worker does not take what was sent: no more is to be sent now."""
        ...

    def has_room(self) -> None:
        """The worker has taken all of it."""
        ...


class WorkerSocket:
    """Bytes to and from the worker.

    A message that the worker does not take any more costs none of those that it has sent before: only the end of its
    own bytes ends reading, as no transport of asyncio has it.
    """

    __slots__ = ("_broken", "_finished", "_loop", "_reading", "_receiver", "_socket", "_waiting")

    def __init__(self, ours: socket.socket) -> None:
        """Takes the socket over, which does not block."""
        self._socket = ours
        self._loop = asyncio.get_running_loop()
        self._waiting = bytearray()
        self._broken = self._finished = self._reading = False
        self._receiver: WorkerReceiver | None = None

    def hand_to(self, receiver: WorkerReceiver) -> None:
        """Reads; the receiver gets the bytes as they come."""
        self._receiver = receiver
        self.resume()

    def send(self, data: bytes) -> None:
        """Sends bytes without waiting; the receiver is told when to send no more."""
        if self._broken:
            return
        if not self._waiting:
            data = data[self._sent(data) :]
            if not data:
                return
            self._loop.add_writer(self._socket, self._send_waiting)
            if self._receiver is not None:
                self._receiver.is_full()
        self._waiting += data

    def finish(self) -> None:
        """Says that nothing more is sent, behind what waits; the worker's answers are read all the same."""
        self._finished = True
        if not self._waiting:
            self._shut_down()

    def pause(self) -> None:
        """Reads nothing until `resume`; the worker has to wait."""
        if self._reading:
            self._reading = False
            self._loop.remove_reader(self._socket)

    def resume(self) -> None:
        """Reads again."""
        if not self._reading and self._socket.fileno() >= 0:
            self._reading = True
            self._loop.add_reader(self._socket, self._read)

    def close(self) -> None:
        """Closes the socket; the worker sees that its client is gone."""
        self.pause()
        self._loop.remove_writer(self._socket)
        self._socket.close()

    def _read(self) -> None:
        try:
            data = self._socket.recv(_CHUNK)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            data = b""
        if self._receiver is None:
            return
        if data:
            self._receiver.told(data)
        else:
            self.pause()
            self._receiver.went()

    def _sent(self, data: bytes | bytearray) -> int:
        """How many of the bytes are no longer to be sent: all of them once nobody takes any."""
        try:
            return self._socket.send(data)
        except (BlockingIOError, InterruptedError):
            return 0
        except OSError:
            self._broken = True
            return len(data)

    def _send_waiting(self) -> None:
        del self._waiting[: self._sent(self._waiting)]
        if not self._waiting:
            self._loop.remove_writer(self._socket)
            if self._finished:
                self._shut_down()
            if self._receiver is not None:
                self._receiver.has_room()

    def _shut_down(self) -> None:
        with suppress(OSError):  # the worker is gone, or this end is closed
            self._socket.shutdown(socket.SHUT_WR)
