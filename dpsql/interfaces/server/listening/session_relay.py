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


class SessionRelay:
    """Relays one session. Messages of the client are checked against the limit, those of the worker are whole."""

    __slots__ = ("_between", "_client", "_ending", "_limits", "_reader", "_writer")

    def __init__(
        self,
        client: Client,
        worker: tuple[asyncio.StreamReader, asyncio.StreamWriter],
        limits: Limits,
    ) -> None:
        self._client = client
        self._reader, self._writer = worker
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
            self._writer.close()
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

    async def _message_to_worker(self) -> bool:
        head = await self._client.reader.readexactly(_HEAD)
        missing = int.from_bytes(head[1:]) - _LENGTH
        if not 0 <= missing <= self._limits.message:
            self._end(Ending.MESSAGE_TOO_LONG)
            return False
        self._writer.write(head)
        while missing:
            part = await self._client.reader.read(min(missing, _CHUNK))
            if not part:
                raise asyncio.IncompleteReadError(part, missing)
            self._writer.write(part)
            missing -= len(part)
            await self._writer.drain()
        return True

    def _end(self, ending: Ending) -> None:
        self._ending = self._ending or ending
        self._writer.close()  # the other direction sees this

    async def _to_client(self) -> Ending:
        while True:
            try:
                length = int.from_bytes(await self._reader.readexactly(_LENGTH))
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
            part = await self._reader.read(min(length, _CHUNK))
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


async def streams(ours: socket.socket) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Streams over our end of a session's socket."""
    return await asyncio.open_unix_connection(sock=ours, limit=_CHUNK)
