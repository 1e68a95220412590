"""What listener and worker tell each other beside the sessions' own messages: one JSON object a packet."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping

from dpsql.slotted import dataclass

LONGEST = 1 << 17
"""More than a start-up packet can become when it is written as JSON."""


@dataclass(frozen=True, slots=True)
class OpenSession:
    """Listener to worker, with the session's socket: a client has logged in. `number` is the session's process id."""

    number: int
    login: str
    analyst: str
    database: str
    parameters: Mapping[str, str]
    protocol: tuple[int, int]
    key: bytes
    encrypted: bool


@dataclass(frozen=True, slots=True)
class CancelSession:
    """Listener to worker: give up what this session runs, if it ran at this time of the host's monotonic clock."""

    number: int
    at: float | None = None


@dataclass(frozen=True, slots=True)
class Reload:
    """Listener to worker: read the policies again."""


@dataclass(frozen=True, slots=True)
class Finish:
    """Listener to worker: finish what runs, then end."""


@dataclass(frozen=True, slots=True)
class SessionEnded:
    """Worker to listener: nothing of this session runs any more."""

    number: int


Control = OpenSession | CancelSession | Reload | Finish | SessionEnded


def packet(message: Control) -> bytes:
    """The message as bytes."""
    match message:
        case OpenSession():
            fields = {name: getattr(message, name) for name in OpenSession.__slots__}
            body = {**fields, "parameters": dict(message.parameters), "key": b64encode(message.key).decode()}
        case CancelSession():
            body = {"number": message.number, "at": message.at}
        case SessionEnded():
            body = {"number": message.number}
        case Reload() | Finish():
            body = {}
    return json.dumps([type(message).__name__, body]).encode()


def unpacked(data: bytes) -> Control:
    """The message in bytes that `packet` made."""
    name, body = json.loads(data)
    match name:
        case "OpenSession":
            whole = {**body, "protocol": tuple(body["protocol"]), "key": b64decode(body["key"])}
            return OpenSession(**whole)
        case "CancelSession":
            return CancelSession(body["number"], body["at"])
        case "SessionEnded":
            return SessionEnded(body["number"])
        case "Reload":
            return Reload()
        case "Finish":
            return Finish()
    raise ValueError(f"no such message: {name}")
