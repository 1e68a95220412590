"""The first packet of a connection, which has a length and no kind: a start-up, or a request in its place."""

from __future__ import annotations

from collections.abc import Mapping

from dpsql.interfaces.wire.messages import ProtocolViolation, Reader, parameters
from dpsql.slotted import dataclass

_SSL, _GSS, _CANCEL = 80877103, 80877104, 80877102
_MOST_KEY = 256
NEWEST = (3, 2)
"""The newest protocol that is spoken; 3.1 was never used."""


@dataclass(frozen=True, slots=True)
class SslRequest:
    """Asks for TLS."""


@dataclass(frozen=True, slots=True)
class GssRequest:
    """Asks for encryption by GSSAPI."""


@dataclass(frozen=True, slots=True)
class CancelRequest:
    """Asks to cancel what the session with this number and secret runs."""

    process_id: int
    key: bytes


@dataclass(frozen=True, slots=True)
class StartUp:
    """A session asked for: the protocol that is spoken, its parameters, and the protocol options that nobody knows.

    `negotiate`: the client is to be told with NegotiateProtocolVersion, since it asked for something newer.
    """

    protocol: tuple[int, int]
    parameters: Mapping[str, str]
    unknown: tuple[str, ...]
    negotiate: bool

    @property
    def user(self) -> str:
        """The login that the client named; never empty."""
        return self.parameters["user"]

    @property
    def database(self) -> str:
        """The database that the client named, which is the user's name without one."""
        return self.parameters.get("database") or self.user


FirstPacket = SslRequest | GssRequest | CancelRequest | StartUp


def first_packet(body: bytes) -> FirstPacket:
    """The first packet without its length. Raises ProtocolViolation."""
    reader = Reader(body)
    code = reader.oid()
    if code == _CANCEL:
        return _cancel(reader)
    if code not in (_SSL, _GSS):
        return _start_up(code >> 16, code & 0xFFFF, reader)
    reader.end()
    return SslRequest() if code == _SSL else GssRequest()


def _cancel(reader: Reader) -> CancelRequest:
    process_id, key = reader.int32(), reader.rest
    if not 4 <= len(key) <= _MOST_KEY:
        raise ProtocolViolation("the key of a cancel request has 4 to 256 bytes")
    return CancelRequest(process_id, key)


def _start_up(major: int, minor: int, reader: Reader) -> StartUp:
    if major != NEWEST[0]:
        raise ProtocolViolation(f"protocol {major}.{minor} is not spoken; 3.0 and 3.2 are", "0A000")
    given = parameters(reader)
    if not given.get("user"):
        raise ProtocolViolation("the start-up packet names no user", "28000")
    unknown = tuple(name for name in given if name.startswith("_pq_."))
    spoken = (3, 2) if minor >= NEWEST[1] else (3, 0)
    known = {name: value for name, value in given.items() if name not in unknown}
    return StartUp(spoken, known, unknown, bool(unknown) or spoken != (major, minor))
