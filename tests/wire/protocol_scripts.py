"""Scripts of protocol messages: what a client sends (`>`) and what it must be sent back (`<`), a message a line.

    > Query SELECT 1 AS one
    < T one:int4
    < D 1
    < C SELECT 1
    < Z I

A client's message is its name and its fields, a text in double quotes where it has spaces; the last field of Query and
Parse is the SQL as it stands. `#` begins a comment. A first line `only dpsql` says that PostgreSQL answers otherwise.
All messages are sent before anything is read, which pipelining allows, so that a script needs no clock.
"""

from __future__ import annotations

import shlex
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from struct import pack, unpack

from dpsql.interfaces.wire.channel import Message, Opening
from dpsql.interfaces.wire.conversation import converse
from dpsql.interfaces.wire.messages import message
from dpsql.interfaces.wire.values.wire_types import TYPES

NAMES = {kind.oid: kind.name for kind in TYPES.values()} | {
    kind.lists: f"{kind.name}[]" for kind in TYPES.values()
}
OIDS = {name: oid for oid, name in NAMES.items()} | {"unknown": 0, "varchar": 1043}


@dataclass(frozen=True, slots=True)
class Script:
    """The messages of a script, and the lines that it expects."""

    name: str
    sent: tuple[bytes, ...]
    expected: tuple[str, ...]
    own: bool


class MemoryChannel:
    """A channel whose client has sent everything already."""

    def __init__(self, sent: tuple[bytes, ...]) -> None:
        self._sent = [Message(m[:1], m[5:]) for m in sent]
        self._sent.reverse()
        self.received = b""

    def receive(self) -> Message | None:
        return self._sent.pop() if self._sent else None

    def send(self, messages: bytes) -> None:
        assert "".join(chr(m[0]) for m in split(messages)), "whole messages, and at least one"
        self.received += messages


def read_script(path: Path) -> Script:
    """A script from its file."""
    lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    lines = [line for line in lines if line and not line.startswith("#")]
    own = lines[0] == "only dpsql"
    sent = tuple(client_message(line[1:].strip()) for line in lines if line.startswith(">"))
    expected = tuple(line[1:].strip() for line in lines if line.startswith("<"))
    assert len(lines) == len(sent) + len(expected) + own, f"{path.name} has lines of another kind"
    return Script(path.stem, sent, expected, own)


def client_message(line: str) -> bytes:
    """The message that a line stands for."""
    name, _, rest = line.partition(" ")
    match name:
        case "Query":
            return message(b"Q", _text(rest))
        case "Parse":
            return _parse(rest)
        case "Bind":
            return _bind(shlex.split(rest))
        case "Describe" | "Close":
            kind, of = shlex.split(rest)
            return message(name[:1].encode(), kind.encode() + _text(of))
        case "Execute":
            portal, *most = shlex.split(rest)
            return message(b"E", _text(portal) + pack("!i", int(most[0]) if most else 0))
        case "Sync" | "Flush" | "Terminate":
            return message({"Sync": b"S", "Flush": b"H", "Terminate": b"X"}[name])
        case "Raw":
            kind, *data = rest.split(" ", 1)
            return message(kind.encode(), bytes.fromhex("".join(data)))
    raise ValueError(f"no message is called {name}")


def _text(value: str) -> bytes:
    return value.encode() + b"\0"


def _parse(rest: str) -> bytes:
    """A name, types in brackets or none, and the SQL: Parse "a" [int4 unknown] SELECT $1."""
    name, _, rest = rest.partition(" ")
    types: list[int] = []
    if rest.startswith("["):
        listed, _, rest = rest[1:].partition("] ")
        types = [OIDS[kind] for kind in listed.split()]
    oids = b"".join(pack("!I", oid) for oid in types)
    return message(b"P", _text(name.strip('"')) + _text(rest.strip()) + pack("!h", len(types)) + oids)


def _bind(fields: list[str]) -> bytes:
    """A portal, a statement, values as text, NULL or x:hex for binary, and formats of results: -> t b."""
    portal, statement, *rest = fields
    at = rest.index("->") if "->" in rest else len(rest)
    values, formats = rest[:at], rest[at + 1 :]
    codes = b"".join(pack("!h", int(v.startswith("x:"))) for v in values)
    results = b"".join(pack("!h", int(f == "b")) for f in formats)
    return message(
        b"B",
        _text(portal) + _text(statement) + pack("!h", len(values)) + codes + pack("!h", len(values))
        + b"".join(map(_value, values)) + pack("!h", len(formats)) + results,
    )  # fmt: skip


def _value(value: str) -> bytes:
    if value == "NULL":
        return pack("!i", -1)
    data = bytes.fromhex(value[2:]) if value.startswith("x:") else value.encode()
    return pack("!i", len(data)) + data


def split(data: bytes) -> Iterator[bytes]:
    """The messages in these bytes, each whole."""
    at = 0
    while at < len(data):
        end = at + 1 + int.from_bytes(data[at + 1 : at + 5])
        assert end <= len(data), "a message is cut off"
        yield data[at:end]
        at = end


def shown(data: bytes) -> list[str]:
    """What a server sent, a line for each message, without its greeting."""
    lines = [_line(chr(m[0]), m[5:]) for m in split(data)]
    greeted = next((i for i, line in enumerate(lines) if line == "Z I"), -1)
    return lines[greeted + 1 :]


def _line(kind: str, body: bytes) -> str:
    match kind:
        case "T":
            return f"T {' '.join(_fields(body))}".strip()
        case "D":
            return f"D {' | '.join(_cells(body))}".strip()
        case "C":
            return f"C {body[:-1].decode()}"
        case "Z":
            return f"Z {body.decode()}"
        case "S":
            return f"S {' '.join(body[:-1].decode().split(chr(0)))}".strip()
        case "E" | "N":
            fields = {f[:1]: f[1:].decode() for f in body.split(b"\0") if f}
            place = f" at {fields[b'P']}" if b"P" in fields else ""
            return f"{kind} {fields[b'C']}{place}"
        case "t":
            oids = unpack(f"!{(len(body) - 2) // 4}I", body[2:])
            return f"t {' '.join(NAMES.get(oid, str(oid)) for oid in oids)}".strip()
        case "H":
            return f"H {'binary' if body[0] else 'text'} {int.from_bytes(body[1:3])}"
        case "d":
            return f"d {_shown_bytes(body)}"
    return f"{kind} {body.hex()}".strip()


def _fields(body: bytes) -> Iterator[str]:
    at = 2
    for _ in range(int.from_bytes(body[:2])):
        end = body.index(b"\0", at)
        oid = int.from_bytes(body[end + 7 : end + 11])
        form = int.from_bytes(body[end + 17 : end + 19])
        yield f"{body[at:end].decode()}:{NAMES.get(oid, str(oid))}{'!' if form else ''}"
        at = end + 19


def _cells(body: bytes) -> Iterator[str]:
    at = 2
    for _ in range(int.from_bytes(body[:2])):
        size = unpack("!i", body[at : at + 4])[0]
        at += 4
        yield "NULL" if size < 0 else _shown_bytes(body[at : at + size])
        at += max(size, 0)


def _shown_bytes(data: bytes) -> str:
    """A text as it is, with line ends escaped; anything else in hex."""
    text = data.decode("ascii", "replace").replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")
    return text if text.isprintable() and "\ufffd" not in text else f"x:{data.hex()}"


def played(script: Script, opening: Opening) -> list[str]:
    """What our conversation answers."""
    channel = MemoryChannel(script.sent)
    converse(channel, opening)
    return shown(channel.received)


def played_at(script: Script, path: str, user: str, database: str) -> list[str]:
    """What the PostgreSQL at a socket's path answers."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
        start = pack("!i", 196608) + _text("user") + _text(user) + _text("database") + _text(database) + b"\0"
        connection.sendall(pack("!i", len(start) + 4) + start)
        connection.sendall(b"".join(script.sent) + message(b"X"))
        received = b""
        while part := connection.recv(65_536):
            received += part
    return [line for line in shown(received) if not line.startswith("R ")]
