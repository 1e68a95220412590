"""A session's bytes between client and worker, with back-pressure both ways and no more than a buffer of each."""

from __future__ import annotations

import asyncio
import enum

from dpsql.interfaces.server.limits import Limits
from dpsql.interfaces.server.listening.client_stream import ClientStream
from dpsql.interfaces.server.listening.worker_socket import WorkerSocket
from dpsql.interfaces.wire.messages import error_response

_HEAD, _LENGTH = 5, 4


class Ending(enum.StrEnum):
    """How a session ended."""

    FINISHED = "finished"
    CLIENT_LEFT = "client left"
    CLIENT_TOO_SLOW = "client too slow"
    MESSAGE_TOO_LONG = "message too long"
    WORKER_DIED = "worker died"
    ENDED = "ended"


class SessionRelay:
    """Relays one session, as the receiver of both sides.

    Messages of the client are checked against the limit, each before any of its bytes goes on; those of the worker
    are whole. What comes is handed on in the call of the event loop that has read it: no task stands in between.
    """

    __slots__ = (
        "_client",
        "_ended",
        "_frame",
        "_frame_head",
        "_head",
        "_limits",
        "_message",
        "_over",
        "_timer",
        "_worker",
    )

    def __init__(self, client: ClientStream, worker: WorkerSocket, limits: Limits) -> None:
        self._client = client
        self._worker = worker
        self._limits = limits
        self._head = b""
        self._frame_head = b""
        self._message = self._frame = 0  # bytes that the message, the frame of now still has to come
        self._ended = Ending.FINISHED  # what it is once the worker ends the session
        self._timer: asyncio.TimerHandle | None = None
        self._over: asyncio.Future[Ending] = asyncio.get_running_loop().create_future()

    async def run(self) -> Ending:
        """Relays until either side ends. Cancelling it ends the session, and the client is told so."""
        self._worker.hand_to(self)
        self._client.hand_to(self)
        try:
            ending = await self._over
        except asyncio.CancelledError:
            ending = Ending.ENDED
        self._end(ending)
        self._worker.close()
        self.took_it()
        self._farewell(ending)
        return ending

    def received(self, data: bytes) -> None:
        """Bytes of the client, which go on behind a check of the length of each message."""
        if self._over.done():
            return
        if self._head:
            data, self._head = self._head + data, b""
        at = min(self._message, len(data))
        self._message -= at
        while len(data) - at >= _HEAD:
            body = int.from_bytes(data[at + 1 : at + _HEAD]) - _LENGTH
            if not 0 <= body <= self._limits.message:
                self._worker.send(data[:at])
                self._end(Ending.MESSAGE_TOO_LONG)
                return
            here = min(_HEAD + body, len(data) - at)
            self._message = _HEAD + body - here
            at += here
        self._head = data[at:]
        self._worker.send(data[:at])

    def told(self, data: bytes) -> None:
        """Bytes of the worker: frames, whose lengths are taken off."""
        if self._over.done():
            return
        if self._frame_head:
            data, self._frame_head = self._frame_head + data, b""
        view, at = memoryview(data), 0
        while at < len(data):
            if not self._frame:
                if len(data) - at < _LENGTH:
                    self._frame_head = data[at:]
                    return
                self._frame = int.from_bytes(view[at : at + _LENGTH])
                at += _LENGTH
                if not self._frame:
                    self._end(self._ended)
                    return
            part = view[at : at + self._frame]
            self._client.write(part)
            self._frame -= len(part)
            at += len(part)

    def sent_all(self) -> None:
        """The client sends no more; the worker answers what has come, and ends the session then."""
        self._ended = Ending.CLIENT_LEFT
        self._worker.finish()

    def left(self) -> None:
        """The client is gone."""
        self._end(Ending.CLIENT_LEFT)

    def went(self) -> None:
        """The worker sends no more, and has not said that the session is over."""
        self._end(Ending.WORKER_DIED)

    def is_slow(self) -> None:
        """The worker waits for the client, which has so long to take what was sent."""
        self._worker.pause()
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(
                self._limits.write_seconds, self._end, Ending.CLIENT_TOO_SLOW
            )

    def took_it(self) -> None:
        """The client has taken most of it."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not self._over.done():
            self._worker.resume()

    def is_full(self) -> None:
        """The client waits for the worker."""
        self._client.pause()

    def has_room(self) -> None:
        """The worker has taken all of it."""
        self._client.resume()

    def _end(self, ending: Ending) -> None:
        if not self._over.done():
            self._over.set_result(ending)

    def _farewell(self, ending: Ending) -> None:
        """What the client is told last, where it stands between two messages."""
        between = not self._frame
        match ending:
            case Ending.WORKER_DIED | Ending.ENDED:
                said = error_response(
                    "57P01", "the session was ended by the server; what was charged stands", fatal=True
                )
            case Ending.MESSAGE_TOO_LONG:
                said = error_response(
                    "54000", f"a message has at most {self._limits.message} bytes", fatal=True
                )
            case Ending.FINISHED | Ending.CLIENT_LEFT | Ending.CLIENT_TOO_SLOW:
                said = b""
        if between and said:
            self._client.write(said)
        if not between or ending is Ending.CLIENT_TOO_SLOW:
            self._client.abort()
