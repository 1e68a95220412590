"""Who may log in, and how each proves it."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Mapping
from dataclasses import field

from dpsql.interfaces.server.logins.scram import Verifier, fake_verifier
from dpsql.slotted import dataclass

ROLES = ("admin",)
_TOKEN_BYTES = 32
_TOKEN = "dpsql_"


@dataclass(frozen=True, slots=True)
class Token:
    """What is kept of a token: its digest. A token is 256 random bits, so that one round of hashing is enough."""

    digest: bytes = field(repr=False)

    def fits(self, given: str) -> bool:
        """Whether that is the token."""
        return hmac.compare_digest(token_digest(given), self.digest)


def new_token() -> str:
    """A token to be told once."""
    return _TOKEN + secrets.token_urlsafe(_TOKEN_BYTES)


def token_digest(token: str) -> bytes:
    """The digest that is kept of a token."""
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).digest()


Proof = Verifier | Token


@dataclass(frozen=True, slots=True)
class User:
    """A login, the analyst that it asks and pays as, and what proves it: a password's verifier or a token's digest."""

    login: str
    analyst: str
    proof: Proof = field(repr=False)
    roles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Users:
    """All logins; `secret` makes the verifiers of those that do not exist."""

    secret: bytes = field(repr=False)
    by_login: Mapping[str, User]

    def verifier(self, login: str) -> Verifier:
        """What a client has to prove against; it cannot be met where the login has no password."""
        user = self.by_login.get(login)
        fake = fake_verifier(self.secret, login)  # made in either case, so that both take the same time
        return user.proof if user is not None and isinstance(user.proof, Verifier) else fake

    def is_served(self, login: str, analyst: str) -> bool:
        """Whether the login is still there and still stands for that analyst."""
        user = self.by_login.get(login)
        return user is not None and user.analyst == analyst
