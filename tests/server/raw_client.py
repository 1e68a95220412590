"""A client that writes what it wants onto a socket."""

from __future__ import annotations

import hashlib
import socket
import ssl
from collections.abc import Mapping
from typing import Self

from server.served import CERTIFICATES, PASSWORD
from server.test_scram import Client as ScramClient

SSL_REQUEST = bytes.fromhex("0000000804d2162f")
GSS_REQUEST = bytes.fromhex("0000000804d21630")


class RawClient:
    """One connection, and the messages that come over it."""

    def __init__(self, port: int, source: str = "127.0.0.1") -> None:
        self.key = b""
        self.socket: socket.socket = socket.create_connection(("127.0.0.1", port), 10, (source, 0))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.socket.close()

    def send(self, data: bytes) -> Self:
        self.socket.sendall(data)
        return self

    def exactly(self, count: int) -> bytes:
        """The next bytes; fewer where the server has closed the connection."""
        data = b""
        while len(data) < count:
            try:
                part = self.socket.recv(count - len(data))
            except ConnectionResetError:
                break
            if not part:
                break
            data += part
        return data

    def message(self) -> tuple[bytes, bytes]:
        """The next message: kind and body; two empty texts at the end."""
        head = self.exactly(5)
        if len(head) < 5:
            return b"", b""
        return head[:1], self.exactly(int.from_bytes(head[1:]) - 4)

    def error(self) -> dict[str, str]:
        """The fields of the error that comes next."""
        kind, body = self.message()
        assert kind == b"E", (kind, body)
        return {field[:1].decode(): field[1:].decode() for field in body.rstrip(b"\0").split(b"\0")}

    def is_closed(self) -> bool:
        return self.exactly(1) == b""

    def start_tls(self, context: ssl.SSLContext) -> Self:
        self.socket = context.wrap_socket(self.socket, server_hostname="localhost")
        return self

    def start(self, user: str, protocol: int = 196608, **parameters: str) -> Self:
        return self.send(start_up({"user": user, "database": "shop", **parameters}, protocol))

    def log_in(self, user: str, password: str = PASSWORD, protocol: int = 196608, **parameters: str) -> Self:
        """A whole login by SCRAM, up to ReadyForQuery; `key` is then what cancels."""
        self.start(user, protocol, **parameters)
        client = ScramClient(password)
        assert self.message()[0] == b"R"
        first = client.first()
        self.send(message(b"p", b"SCRAM-SHA-256\0" + len(first).to_bytes(4) + first))
        _, answer = self.message()
        self.send(message(b"p", client.final(answer[4:])))
        while (received := self.message())[0] not in (b"Z", b"E", b""):
            if received[0] == b"K":
                self.key = received[1]
        assert received[0] == b"Z", received
        return self


def message(kind: bytes, body: bytes) -> bytes:
    return kind + (len(body) + 4).to_bytes(4) + body


def start_up(parameters: Mapping[str, str], protocol: int = 196608) -> bytes:
    body = b"".join(f"{name}\0{value}\0".encode() for name, value in parameters.items()) + b"\0"
    return (len(body) + 8).to_bytes(4) + protocol.to_bytes(4) + body


def tls_context(**options: object) -> ssl.SSLContext:
    """A context of a client that trusts the tests' authority."""
    context = ssl.create_default_context(cafile=CERTIFICATES / "authority.pem")
    for name, value in options.items():
        setattr(context, name, value)
    return context


def certificate_hash() -> bytes:
    """What channel binding binds to, by another way than the server's: the certificate is signed with SHA-256."""
    text = (CERTIFICATES / "server.pem").read_text()
    return hashlib.sha256(ssl.PEM_cert_to_DER_cert(text)).digest()
