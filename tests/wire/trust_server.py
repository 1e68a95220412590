"""A server for tests alone: it believes every login, and holds each session's conversation on a thread."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO

from dpsql.interfaces.wire.channel import Message, Opening
from dpsql.interfaces.wire.conversation import converse
from dpsql.interfaces.wire.messages import authentication
from dpsql.interfaces.wire.startup import CancelRequest, GssRequest, SslRequest, StartUp, first_packet

MakeOpening = Callable[[StartUp, int], Opening]


class SocketChannel:
    """A channel on a blocking socket."""

    def __init__(self, connection: socket.socket, file: BinaryIO) -> None:
        self._connection = connection
        self._file = file

    def receive(self) -> Message | None:
        head = self._file.read(5)
        if len(head) < 5:
            return None
        return Message(head[:1], self._file.read(int.from_bytes(head[1:]) - 4))

    def send(self, messages: bytes) -> None:
        self._connection.sendall(messages)


class TrustServer:
    """Where it listens, and the sessions that it holds by their numbers."""

    def __init__(self, make: MakeOpening) -> None:
        self.make = make
        self.sessions: dict[int, Opening] = {}
        self.listener = socket.create_server(("127.0.0.1", 0))

    @property
    def port(self) -> int:
        return int(self.listener.getsockname()[1])

    def url(self, user: str = "alice", **options: str) -> str:
        given = "&".join(f"{k}={v}" for k, v in {"sslmode": "disable", **options}.items())
        return f"postgresql://{user}@127.0.0.1:{self.port}/shop?{given}"

    def serve(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                threading.Thread(target=self._hold, args=(connection,), daemon=True).start()

    def _hold(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            packet = self._first(connection)
            if isinstance(packet, CancelRequest):
                session = self.sessions.get(packet.process_id)
                if session is not None and session.key == packet.key:
                    session.cancelled.cancel()
            elif isinstance(packet, StartUp):
                number = len(self.sessions) + 1
                opening = self.sessions[number] = self.make(packet, number)
                connection.sendall(authentication(0))
                with connection.makefile("rb") as file:
                    converse(SocketChannel(connection, file), opening)

    def _first(self, connection: socket.socket) -> CancelRequest | StartUp:
        while True:
            size = int.from_bytes(connection.recv(4, socket.MSG_WAITALL))
            packet = first_packet(connection.recv(size - 4, socket.MSG_WAITALL))
            if not isinstance(packet, SslRequest | GssRequest):
                return packet
            connection.sendall(b"N")


@contextmanager
def trusting(make: MakeOpening) -> Iterator[TrustServer]:
    """A running server, for a block."""
    server = TrustServer(make)
    threading.Thread(target=server.serve, daemon=True).start()
    try:
        yield server
    finally:
        server.listener.shutdown(socket.SHUT_RDWR)  # wakes whoever waits for a connection
        server.listener.close()
