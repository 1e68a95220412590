"""A session's bytes between client and worker, with back-pressure both ways and no more than a buffer of each."""

from __future__ import annotations

import asyncio
import enum
import socket

from dpsql.interfaces.server.limits import Limits
from dpsql.interfaces.server.listening.client_connection import Client, ClientGone
from dpsql.interfaces.wire.messages import error_response

_HEAD, _LENGTH = 5, 4
_CHUNK = 1 << 16


class Ending(enum.StrEnum):
    """How a session ended."""

    FINISHED = "finished"
    CLIENT_LEFT = "client left"
    CLIENT_TOO_SLOW = "client too slow"
    MESSAGE_TOO_LONG = "message too long"
    WORKER_DIED = "worker died"
    ENDED = "ended"


class WorkerGone(Exception):
    """The worker takes no more messages of this session."""


class WorkerStreams:
    """Our end of a session's socket to the worker.

    Reading and writing have descriptors of their own, so that a message which the worker does not take any more costs
    none of those that it has sent before.
    """

    __slots__ = ("_sending", "_writer", "reader")

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, sending: socket.socket
    ) -> None:
        self.reader = reader
        self._writer = writer  # it writes nothing; the connection lasts as long as it
        self._sending = sending

    @classmethod
    async def over(cls, ours: socket.socket) -> WorkerStreams:
        """Takes the socket over, which does not block."""
        sending = ours.dup()
        reader, writer = await asyncio.open_unix_connection(sock=ours, limit=_CHUNK)
        return cls(reader, writer, sending)

    async def send(self, data: bytes) -> None:
        """Waits until the worker has room for it. Raises WorkerGone."""
        try:
            await asyncio.get_running_loop().sock_sendall(self._sending, data)
        except OSError:
            raise WorkerGone from None

    def stop(self) -> None:
        """Ends reading."""
        self._writer.transport.abort()

    def close(self) -> None:
        """Closes the socket; the worker sees that its client is gone."""
        self._writer.transport.abort()
        self._sending.close()


class SessionRelay:
    """Relays one session. Messages of the client are checked against the limit, those of the worker are whole."""

    __slots__ = ("_between", "_client", "_ending", "_limits", "_worker")

    def __init__(self, client: Client, worker: WorkerStreams, limits: Limits) -> None:
        self._client = client
        self._worker = worker
        self._limits = limits
        self._between = True
        self._ending: Ending | None = None

    async def run(self) -> Ending:
        """Relays until either side ends. Cancelling it ends the session, and the client is told so."""
        upwards = asyncio.create_task(self._to_worker())
        try:
            ending = await self._to_client()
        except asyncio.CancelledError:
            ending = Ending.ENDED
        finally:
            upwards.cancel()
            await asyncio.wait([upwards])
            self._worker.close()
        ending = self._ending or ending
        await self._farewell(ending)
        return ending

    async def _to_worker(self) -> None:
        """The client's messages, each behind a check of its length."""
        try:
            while await self._message_to_worker():
                pass
        except (asyncio.IncompleteReadError, OSError):
            self._end(Ending.CLIENT_LEFT)
        except WorkerGone:
            return  # what it has said before is still to be read

    async def _message_to_worker(self) -> bool:
        head = await self._client.reader.readexactly(_HEAD)
        missing = int.from_bytes(head[1:]) - _LENGTH
        if not 0 <= missing <= self._limits.message:
            self._end(Ending.MESSAGE_TOO_LONG)
            return False
        part = head
        while missing:
            body = await self._client.reader.read(min(missing, _CHUNK))
            if not body:
                raise asyncio.IncompleteReadError(body, missing)
            missing -= len(body)
            await self._worker.send(part + body)
            part = b""
        if part:
            await self._worker.send(part)
        return True

    def _end(self, ending: Ending) -> None:
        self._ending = self._ending or ending
        self._worker.stop()  # the other direction sees this

    async def _to_client(self) -> Ending:
        while True:
            try:
                length = int.from_bytes(await self._worker.reader.readexactly(_LENGTH))
                if not length:
                    return Ending.FINISHED
                self._between = False
                await self._frame_to_client(length)
                self._between = True
            except (asyncio.IncompleteReadError, ConnectionError):
                return Ending.WORKER_DIED
            except ClientGone:
                return Ending.CLIENT_LEFT
            except TimeoutError:
                return Ending.CLIENT_TOO_SLOW

    async def _frame_to_client(self, length: int) -> None:
        while length:
            part = await self._worker.reader.read(min(length, _CHUNK))
            if not part:
                raise asyncio.IncompleteReadError(part, length)
            length -= len(part)
            async with asyncio.timeout(self._limits.write_seconds):
                await self._client.send(part)

    async def _farewell(self, ending: Ending) -> None:
        """What the client is told last, where it stands between two messages."""
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
        if self._between and said:
            self._client.writer.write(said)
        if not self._between or ending is Ending.CLIENT_TOO_SLOW:
            self._client.writer.transport.abort()
