"""SCRAM as a server: the RFCs' own examples, and everything that must not be let through."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpsql.interfaces.server.logins.saslprep import prepared
from dpsql.interfaces.server.logins.scram import (
    PLAIN,
    PLUS,
    Exchange,
    Verifier,
    WrongPassword,
    fake_verifier,
    read_verifier,
    verifier_of,
)
from dpsql.interfaces.wire.messages import ProtocolViolation

# RFC 7677, section 3: user "user", password "pencil".
_SALT = base64.b64decode("W22ZaJ0SNY7soEsUEjb6gQ==")
_CLIENT_NONCE, _SERVER_NONCE = "rOprNGfwEbeRWgbNEkqO", "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0"
_PROOF = "dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="
_SERVER_PROOF = b"v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="
BINDING = hashlib.sha256(b"certificate").digest()


class Client:
    """A client of SCRAM, written from the RFC and not from the server."""

    def __init__(self, password: str, flag: str = "n", bound: bytes = b"") -> None:
        self.password, self.header, self.bound = password, f"{flag},,".encode(), bound
        self.bare = b"n=,r=client-nonce"

    def first(self) -> bytes:
        return self.header + self.bare

    def final(self, answer: bytes) -> bytes:
        nonce, salt, count = re.fullmatch(rb"r=(.*),s=(.*),i=(\d+)", answer).groups()
        channel = base64.b64encode(self.header + self.bound)
        unproved = b"c=" + channel + b",r=" + nonce
        salted = hashlib.pbkdf2_hmac("sha256", self.password.encode(), base64.b64decode(salt), int(count))
        key = hmac.digest(salted, b"Client Key", "sha256")
        self.message = self.bare + b"," + answer + b"," + unproved
        signature = hmac.digest(hashlib.sha256(key).digest(), self.message, "sha256")
        self.server_key = hmac.digest(salted, b"Server Key", "sha256")
        proof = bytes(a ^ b for a, b in zip(key, signature, strict=True))
        return unproved + b",p=" + base64.b64encode(proof)

    def trusts(self, answer: bytes) -> bool:
        return answer == b"v=" + base64.b64encode(hmac.digest(self.server_key, self.message, "sha256"))


def logs_in(client: Client, exchange: Exchange, mechanism: str = PLAIN) -> bool:
    answer = exchange.first(mechanism, client.first())
    return client.trusts(exchange.final(client.final(answer)))


def test_the_example_of_rfc_7677(monkeypatch: pytest.MonkeyPatch) -> None:
    salted = hashlib.pbkdf2_hmac("sha256", b"pencil", _SALT, 4096)
    stored = hashlib.sha256(hmac.digest(salted, b"Client Key", "sha256")).digest()
    verifier = Verifier(_SALT, stored, hmac.digest(salted, b"Server Key", "sha256"))
    exchange = Exchange(verifier, None)
    monkeypatch.setattr("dpsql.interfaces.server.logins.scram.b64encode", _with_nonce())
    first = exchange.first(PLAIN, f"n,,n=user,r={_CLIENT_NONCE}".encode())
    assert first == f"r={_CLIENT_NONCE}{_SERVER_NONCE},s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096".encode()
    last = f"c=biws,r={_CLIENT_NONCE}{_SERVER_NONCE},p={_PROOF}".encode()
    assert exchange.final(last) == _SERVER_PROOF


def _with_nonce():
    nonces = [_SERVER_NONCE.encode()]
    return lambda data: nonces.pop() if nonces else base64.b64encode(data)


def test_a_verifier_is_written_as_postgresql_writes_it() -> None:
    verifier = verifier_of("pencil")
    assert re.fullmatch(r"SCRAM-SHA-256\$4096:[\w+/]{22}==\$[\w+/]{43}=:[\w+/]{43}=", verifier.written())
    assert read_verifier(verifier.written()) == verifier
    assert verifier_of("pencil") != verifier


@pytest.mark.parametrize(
    "written",
    ["", "md5abc", "SCRAM-SHA-256$4096:AAAA$AAAA:AAAA", "SCRAM-SHA-256$1000:W22ZaJ0SNY7soEsUEjb6gQ==$=:="],
)
def test_what_is_no_verifier_is_refused(written: str) -> None:
    with pytest.raises(ValueError, match="verifier"):
        read_verifier(written)


def test_the_password_logs_in_and_another_does_not() -> None:
    verifier = verifier_of("pencil")
    assert logs_in(Client("pencil"), Exchange(verifier, None))
    with pytest.raises(WrongPassword):
        logs_in(Client("pencils"), Exchange(verifier, None))


def test_nobody_logs_in_against_a_fake_verifier_and_it_is_always_the_same() -> None:
    fake = fake_verifier(b"secret", "nobody")
    assert fake == fake_verifier(b"secret", "nobody")
    assert fake.salt != fake_verifier(b"secret", "somebody").salt != fake_verifier(b"other", "somebody").salt
    with pytest.raises(WrongPassword):
        logs_in(Client(""), Exchange(fake, None))


def test_channel_binding_is_to_this_certificate() -> None:
    verifier = verifier_of("pencil")
    bound = "p=tls-server-end-point"
    assert logs_in(Client("pencil", bound, BINDING), Exchange(verifier, BINDING), PLUS)
    with pytest.raises(ProtocolViolation):
        logs_in(Client("pencil", bound, hashlib.sha256(b"other").digest()), Exchange(verifier, BINDING), PLUS)


@pytest.mark.parametrize(
    ("flag", "mechanism", "binding"),
    [
        ("y", PLAIN, BINDING),  # a downgrade: the offer of channel binding was taken out on the way
        ("p=tls-server-end-point", PLAIN, BINDING),
        ("p=tls-unique", PLUS, BINDING),
        ("n", PLUS, BINDING),
        ("p=tls-server-end-point", PLUS, None),
        ("n,a=alice", PLAIN, None),
        ("n", "SCRAM-SHA-1", None),
    ],
)
def test_a_first_message_that_does_not_fit_is_refused(
    flag: str, mechanism: str, binding: bytes | None
) -> None:
    client = Client("pencil", flag)
    first = f"{flag},".encode() + client.bare if "a=" in flag else client.first()
    with pytest.raises(ProtocolViolation):
        Exchange(verifier_of("pencil"), binding).first(mechanism, first)


def test_a_client_without_channel_binding_is_let_in_where_there_is_some() -> None:
    assert logs_in(Client("pencil"), Exchange(verifier_of("pencil"), BINDING))


def test_a_proof_of_another_exchange_is_refused() -> None:
    verifier, client = verifier_of("pencil"), Client("pencil")
    final = client.final(Exchange(verifier, None).first(PLAIN, client.first()))
    other = Exchange(verifier, None)
    other.first(PLAIN, client.first())
    with pytest.raises(ProtocolViolation):
        other.final(final)


@given(st.binary(max_size=200), st.binary(max_size=200))
def test_no_bytes_do_more_than_violate_the_protocol(first: bytes, final: bytes) -> None:
    exchange = Exchange(fake_verifier(b"secret", "nobody"), None)
    with pytest.raises(ProtocolViolation):
        exchange.first(PLAIN, first)
        raise ProtocolViolation("by chance it was one")
    exchange.first(PLAIN, b"n,,n=,r=abc")
    with pytest.raises((ProtocolViolation, WrongPassword)):
        exchange.final(final)


@given(st.binary(max_size=64))
def test_no_proof_of_any_length_fits_by_being_short_or_long(proof: bytes) -> None:
    exchange = Exchange(verifier_of("pencil"), None)
    answer = exchange.first(PLAIN, b"n,,n=,r=abc")
    nonce = answer.split(b",")[0]
    with pytest.raises((ProtocolViolation, WrongPassword)):
        exchange.final(b"c=biws," + nonce + b",p=" + base64.b64encode(proof))


@pytest.mark.parametrize(
    ("password", "same_as"),
    [
        ("I\u00adX", "IX"),  # RFC 4013, section 3
        ("user", "user"),
        ("USER", "USER"),
        ("\u00aa", "a"),
        ("\u2168", "IX"),
        ("a\u00a0b", "a b"),
        ("a\u200bb", "a b"),  # both a space and nothing by the tables; PostgreSQL takes it for a space
    ],
)
def test_passwords_are_prepared(password: str, same_as: str) -> None:
    assert prepared(password) == same_as.encode()


@pytest.mark.parametrize("password", ["\u0007", "\u0627\u0031", "\u00ad", "\u0221", "a\u0627"])
def test_passwords_that_saslprep_does_not_allow_are_taken_as_they_are(password: str) -> None:
    assert prepared(password) == password.encode()
