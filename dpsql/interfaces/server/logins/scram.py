"""The server's side of SCRAM-SHA-256 and SCRAM-SHA-256-PLUS.

RFC 5802 (the exchange), RFC 7677 (SHA-256), RFC 5929 (channel binding to the server's certificate). As in PostgreSQL
the user's name in the exchange is not looked at: the start-up packet has named the login.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from base64 import b64decode, b64encode
from binascii import Error as NotBase64

from dpsql.interfaces.server.logins.saslprep import prepared
from dpsql.interfaces.wire.messages import ProtocolViolation
from dpsql.slotted import dataclass

PLAIN, PLUS = "SCRAM-SHA-256", "SCRAM-SHA-256-PLUS"
ITERATIONS = 4_096
"""PostgreSQL's count. All verifiers have this one, so that a login that does not exist looks like one that does."""
_SALT, _KEY, _NONCE = 16, 32, 18
_WRITTEN = re.compile(r"SCRAM-SHA-256\$(\d{1,9}):([A-Za-z0-9+/=]+)\$([A-Za-z0-9+/=]+):([A-Za-z0-9+/=]+)")
_FIRST = re.compile(
    rb"(n|y|p=[A-Za-z0-9.-]+),(a=[^,]*)?,(n=[^,]*,r=([\x21-\x2b\x2d-\x7e]+)(?:,.*)?)", re.DOTALL
)
_FINAL = re.compile(rb"(c=([A-Za-z0-9+/=]+),r=([^,]+)(?:,[A-Za-z]=[^,]*)*),p=([A-Za-z0-9+/=]+)")
_BOUND = b"p=tls-server-end-point"


class WrongPassword(Exception):
    """The client has not proved that it knows the password; where it failed is not said."""


@dataclass(frozen=True, slots=True, repr=False)
class Verifier:
    """What is kept of a password: enough to check a proof of it, not enough to make one."""

    salt: bytes
    stored_key: bytes
    server_key: bytes

    def __post_init__(self) -> None:
        if (len(self.salt), len(self.stored_key), len(self.server_key)) != (_SALT, _KEY, _KEY):
            raise ValueError("a verifier has a salt of 16 bytes and two keys of 32")

    def written(self) -> str:
        """The verifier as PostgreSQL writes it in pg_authid.rolpassword."""
        salt, stored, server = (b64encode(v).decode() for v in (self.salt, self.stored_key, self.server_key))
        return f"SCRAM-SHA-256${ITERATIONS}:{salt}${stored}:{server}"


def verifier_of(password: str) -> Verifier:
    """A new verifier of a password, with a salt of its own."""
    salt = secrets.token_bytes(_SALT)
    salted = hashlib.pbkdf2_hmac("sha256", prepared(password), salt, ITERATIONS)
    return Verifier(salt, _digest(_mac(salted, b"Client Key")), _mac(salted, b"Server Key"))


def read_verifier(written: str) -> Verifier:
    """The verifier in a text as PostgreSQL writes it. Raises ValueError with a sentence."""
    match = _WRITTEN.fullmatch(written)
    if match is None:
        raise ValueError("a verifier is SCRAM-SHA-256$4096:salt$stored key:server key")
    if int(match[1]) != ITERATIONS:
        raise ValueError(f"a verifier has {ITERATIONS} iterations; set the password with `dpsql user passwd`")
    try:
        return Verifier(*(b64decode(part, validate=True) for part in match.group(2, 3, 4)))
    except NotBase64:
        raise ValueError("a verifier's salt and keys are written in base64") from None


def fake_verifier(secret: bytes, login: str) -> Verifier:
    """The verifier of a login that does not exist: always the same one, and no password fits it."""
    salt, stored, server = (
        _mac(secret, what + login.encode()) for what in (b"salt:", b"stored:", b"server:")
    )
    return Verifier(salt[:_SALT], stored, server)


class Exchange:
    """One client's proof that it knows a password: `first` answers its first message, `final` its last one.

    `binding` is the digest of the server's certificate (RFC 5929), inside TLS with a certificate that has one.
    """

    __slots__ = ("_binding", "_bound", "_header", "_nonce", "_opened", "_verifier")

    def __init__(self, verifier: Verifier, binding: bytes | None) -> None:
        self._verifier = verifier
        self._binding = binding
        self._bound = False
        self._header = self._opened = b""
        self._nonce = b""

    @property
    def mechanisms(self) -> tuple[str, ...]:
        """What the client may choose from, the better one first."""
        return (PLUS, PLAIN) if self._binding is not None else (PLAIN,)

    def first(self, mechanism: str, data: bytes) -> bytes:
        """The server's answer to the client's first message. Raises ProtocolViolation."""
        match = _FIRST.fullmatch(data)
        if mechanism not in self.mechanisms or match is None:
            raise ProtocolViolation("the first SCRAM message is not of a mechanism that was offered")
        flag, other_name, bare, nonce = match.groups()
        self._check_flag(flag, mechanism)
        if other_name:
            raise ProtocolViolation("a login cannot act for another one", "0A000")
        self._header = data[: len(data) - len(bare)]
        self._nonce = nonce + b64encode(secrets.token_bytes(_NONCE))
        salt = b64encode(self._verifier.salt)
        answer = b"r=%s,s=%s,i=%d" % (self._nonce, salt, ITERATIONS)
        self._opened = bare + b"," + answer
        return answer

    def _check_flag(self, flag: bytes, mechanism: str) -> None:
        """What the client says of channel binding has to fit what was offered: else somebody stands between."""
        self._bound = mechanism == PLUS
        if self._bound and flag != _BOUND:
            raise ProtocolViolation("the channel binding that is spoken is tls-server-end-point")
        if not self._bound and flag.startswith(b"p"):
            raise ProtocolViolation("channel binding needs SCRAM-SHA-256-PLUS")
        if not self._bound and flag == b"y" and self._binding is not None:
            raise ProtocolViolation(
                "the client was told of no channel binding, though it was offered", "28000"
            )

    def final(self, data: bytes) -> bytes:
        """The server's own proof. Raises WrongPassword, and ProtocolViolation for what is not such a message."""
        match = _FINAL.fullmatch(data)
        if match is None:
            raise ProtocolViolation("the last SCRAM message is malformed")
        unproved, channel, nonce, written = match.groups()
        proof, given = _unwritten(written), _unwritten(channel)
        expected = self._header + ((self._binding or b"") if self._bound else b"")
        if not hmac.compare_digest(given, expected) or not hmac.compare_digest(nonce, self._nonce):
            raise ProtocolViolation("the SCRAM messages do not belong to this connection", "28000")
        proven = self._opened + b"," + unproved
        signature = _mac(self._verifier.stored_key, proven)
        key = bytes(a ^ b for a, b in zip(proof.ljust(_KEY, b"\0"), signature, strict=False))
        if len(proof) != _KEY or not hmac.compare_digest(_digest(key), self._verifier.stored_key):
            raise WrongPassword
        return b"v=" + b64encode(_mac(self._verifier.server_key, proven))


def _unwritten(data: bytes) -> bytes:
    try:
        return b64decode(data, validate=True)
    except NotBase64:
        raise ProtocolViolation("the last SCRAM message is malformed") from None


def _mac(key: bytes, data: bytes) -> bytes:
    return hmac.digest(key, data, "sha256")


def _digest(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()
