"""A client's connection from its first byte to its start-up packet, in clear or inside TLS."""

from __future__ import annotations

import asyncio
import socket

from dpsql.interfaces.server.limits import Limits
from dpsql.interfaces.server.listening.certificates import ALPN, Tls, common_name
from dpsql.interfaces.server.listening.client_stream import ClientGone, ClientStream
from dpsql.interfaces.wire.messages import ProtocolViolation
from dpsql.interfaces.wire.startup import (
    CancelRequest,
    FirstPacket,
    GssRequest,
    SslRequest,
    StartUp,
    first_packet,
)
from dpsql.slotted import dataclass

_TLS_HANDSHAKE = 0x16
_SHORTEST = 8
_MOST_REQUESTS = 2
_CLOSE_SECONDS = 5.0

First = StartUp | CancelRequest | ProtocolViolation
"""What a client wants first, or what is wrong with that, which it has not been told yet."""


@dataclass(frozen=True, slots=True)
class Client:
    """A connection; inside TLS with what channel binding is bound to, and a verified certificate's name."""

    stream: ClientStream
    encrypted: bool
    binding: bytes | None = None
    certified: str | None = None


class Arrival:
    """A connection that was accepted: a socket, and a stream over it once it is known whether it is encrypted.

    Until then nothing is read beyond a packet: no byte sent in clear is ever taken for one that came inside TLS.
    """

    __slots__ = ("_limits", "_raw", "_tls", "_wrapped", "client")

    def __init__(self, raw: socket.socket, tls: Tls | None, limits: Limits) -> None:
        self._raw = raw
        self._tls = tls
        self._limits = limits
        self._wrapped = False
        self.client: Client | None = None

    async def first_packet(self) -> First:
        """What the client wants first; `client` is there to answer it. Raises ClientGone."""
        if await self._first_byte() == _TLS_HANDSHAKE:
            return await self._directly_secured()
        for _ in range(_MOST_REQUESTS + 1):
            packet = await self._clear_packet()
            match packet:
                case SslRequest() if self._tls is not None:
                    return await self._secured(self._tls)
                case SslRequest() | GssRequest():
                    await self._reply(b"N")
                case StartUp() | CancelRequest() | ProtocolViolation():
                    await self._stream(None)
                    return self._in_clear(packet)
        raise ClientGone

    async def close(self) -> None:
        """Closes the connection, whatever has become of it."""
        if self.client is not None:
            await self.client.stream.close(_CLOSE_SECONDS)
        elif not self._wrapped:  # else a handshake failed, which has closed it
            self._raw.close()

    async def _clear_packet(self) -> FirstPacket | ProtocolViolation:
        try:
            length = _body_length(await self._exactly(4), self._limits.start_up)
            return first_packet(await self._exactly(length))
        except ProtocolViolation as violation:
            return violation

    def _in_clear(self, packet: First) -> First:
        if self._tls is None or not isinstance(packet, StartUp):
            return packet
        return ProtocolViolation("this server takes encrypted connections only; use sslmode=require", "28000")

    async def _directly_secured(self) -> First:
        """TLS without a request before it, as PostgreSQL 17 has it: the client has to name the protocol."""
        if self._tls is None:
            raise ClientGone
        client = await self._stream(self._tls)
        if client.stream.alpn() != ALPN:
            return ProtocolViolation("TLS without a request needs the ALPN protocol postgresql")
        return await self._inside(client)

    async def _secured(self, tls: Tls) -> First:
        if self._is_pending():
            await self._stream(None)
            return ProtocolViolation("bytes came in clear behind the request for TLS")
        await self._reply(b"S")
        return await self._inside(await self._stream(tls))

    async def _inside(self, client: Client) -> First:
        """The packet that a client sends inside TLS."""
        try:
            head = await client.stream.exactly(4)
            packet = first_packet(await client.stream.exactly(_body_length(head, self._limits.start_up)))
        except ProtocolViolation as violation:
            return violation
        if isinstance(packet, SslRequest | GssRequest):
            return ProtocolViolation("the connection is encrypted already")
        return packet

    async def _stream(self, tls: Tls | None) -> Client:
        """A stream over the connection, after a TLS handshake where there is TLS. Raises ClientGone."""
        loop, self._wrapped = asyncio.get_running_loop(), True
        context = tls.context if tls is not None else None
        try:
            transport, stream = await loop.connect_accepted_socket(ClientStream, self._raw, ssl=context)
        except OSError:  # ssl.SSLError is one
            raise ClientGone from None
        name = common_name(transport.get_extra_info("peercert"))
        self.client = Client(stream, tls is not None, tls.binding if tls is not None else None, name)
        return self.client

    async def _exactly(self, count: int) -> bytes:
        loop, received = asyncio.get_running_loop(), b""
        while len(received) < count:
            try:
                part = await loop.sock_recv(self._raw, count - len(received))
            except OSError:
                raise ClientGone from None
            if not part:
                raise ClientGone
            received += part
        return received

    async def _reply(self, answer: bytes) -> None:
        try:
            await asyncio.get_running_loop().sock_sendall(self._raw, answer)
        except OSError:
            raise ClientGone from None

    async def _first_byte(self) -> int:
        """The first byte, left where it is."""
        loop = asyncio.get_running_loop()
        readable = asyncio.Event()
        loop.add_reader(self._raw, readable.set)
        try:
            await readable.wait()
            return self._raw.recv(1, socket.MSG_PEEK)[0]
        except (OSError, IndexError):
            raise ClientGone from None
        finally:
            loop.remove_reader(self._raw)

    def _is_pending(self) -> bool:
        """Whether bytes have come that were not asked for."""
        try:
            return bool(self._raw.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT))
        except BlockingIOError:
            return False
        except OSError:
            return True


def _body_length(head: bytes, most: int) -> int:
    length = int.from_bytes(head)
    if not _SHORTEST <= length <= most:
        raise ProtocolViolation(f"a start-up packet has {_SHORTEST} to {most} bytes")
    return length - 4
