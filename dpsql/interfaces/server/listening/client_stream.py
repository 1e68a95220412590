"""A client's connection as bytes: read as they are asked for before a session, handed on as they come in it."""

from __future__ import annotations

import asyncio
from typing import Protocol

_WAITING = 1 << 15
"""Bytes that are kept for a reader; the client has to wait before it can send more."""


class ClientGone(Exception):
    """The client went away, or does not speak the protocol at all; there is nobody to tell."""


class ClientReceiver(Protocol):
    """Takes a client's bytes while a session lasts; all of its methods are called by the event loop."""

    def received(self, data: bytes) -> None:
        """The next bytes of the client."""
        ...

    def sent_all(self) -> None:
        """The client sends no more; it may still read."""
        ...

    def left(self) -> None:
        """The client is gone."""
        ...

    def is_slow(self) -> None:
        """The client does not take what was sent: no more is to be sent now."""
        ...

    def took_it(self) -> None:
        """The client has taken most of it."""
        ...


class ClientStream(asyncio.Protocol):
    """The bytes of one connection, in clear or inside TLS. Raises ClientGone."""

    __slots__ = ("_bytes", "_changed", "_closed", "_ended", "_receiver", "_slow", "_transport")

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._changed = asyncio.Event()
        self._closed = asyncio.Event()
        self._ended = self._slow = False
        self._receiver: ClientReceiver | None = None
        self._transport: asyncio.Transport | None = None

    async def exactly(self, count: int) -> bytes:
        """The next bytes of the client, which are waited for."""
        while len(self._bytes) < count:
            if self._ended:
                raise ClientGone
            await self._change()
        taken = bytes(self._bytes[:count])
        del self._bytes[:count]
        self._connected().resume_reading()
        return taken

    async def send(self, data: bytes) -> None:
        """Sends bytes; waits while the client does not take them."""
        self.write(data)
        while self._slow:
            await self._change()
        if self._closed.is_set():
            raise ClientGone

    def write(self, data: bytes | memoryview) -> None:
        """Sends bytes without waiting; a receiver is told when to send no more."""
        self._connected().write(data)

    def alpn(self) -> str | None:
        """The protocol that the client named in its TLS handshake, if there was one."""
        inside = self._connected().get_extra_info("ssl_object")
        name: str | None = inside.selected_alpn_protocol() if inside is not None else None
        return name

    def hand_to(self, receiver: ClientReceiver) -> None:
        """From now on the receiver gets the bytes, from the first that nobody has read."""
        self._receiver = receiver
        self.resume()
        waiting, self._bytes = bytes(self._bytes), bytearray()
        if waiting:
            receiver.received(waiting)
        if self._closed.is_set():
            receiver.left()
        elif self._ended:
            receiver.sent_all()

    def pause(self) -> None:
        """Reads nothing until `resume`; the client has to wait."""
        self._connected().pause_reading()

    def resume(self) -> None:
        """Reads again."""
        self._connected().resume_reading()

    def abort(self) -> None:
        """Ends the connection, whatever has not been sent."""
        self._connected().abort()

    async def close(self, seconds: float) -> None:
        """Ends the connection once everything was sent, or the client has had so long to take it."""
        self._connected().close()
        try:
            async with asyncio.timeout(seconds):
                await self._closed.wait()
        except (TimeoutError, asyncio.CancelledError):
            self.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Called by the event loop, as all that follow."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Bytes of the client."""
        if self._receiver is not None:
            self._receiver.received(data)
            return
        self._bytes += data
        if len(self._bytes) > _WAITING:
            self.pause()
        self._changed.set()

    def eof_received(self) -> bool:
        """The client sends no more; without TLS it can still be answered."""
        self._ended = True
        self._changed.set()
        if self._receiver is not None:
            self._receiver.sent_all()
        return self._connected().get_extra_info("ssl_object") is None

    def connection_lost(self, error: Exception | None) -> None:
        """The connection is gone."""
        self._closed.set()
        self._slow, self._ended = False, True
        self._changed.set()
        if self._receiver is not None:
            self._receiver.left()

    def pause_writing(self) -> None:
        """The client does not take what was sent."""
        self._slow = True
        if self._receiver is not None:
            self._receiver.is_slow()

    def resume_writing(self) -> None:
        """The client has taken most of it."""
        self._slow = False
        self._changed.set()
        if self._receiver is not None:
            self._receiver.took_it()

    async def _change(self) -> None:
        self._changed.clear()
        await self._changed.wait()

    def _connected(self) -> asyncio.Transport:
        assert self._transport is not None, "the event loop has made the connection"
        return self._transport
