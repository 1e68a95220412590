"""A client's proof of who it is; whatever fails, it is told the same sentence."""

from __future__ import annotations

from dpsql.interfaces.server.limits import Limits
from dpsql.interfaces.server.listening.client_connection import Client
from dpsql.interfaces.server.logins.scram import Exchange, WrongPassword
from dpsql.interfaces.server.logins.users import Token, User, Users
from dpsql.interfaces.wire.messages import (
    ProtocolViolation,
    authentication,
    authentication_sasl,
    password,
    sasl_initial,
)
from dpsql.slotted import dataclass

_CLEARTEXT, _CONTINUE, _FINAL = 3, 11, 12
_HEAD = 5


class LoginFailed(Exception):
    """The login does not exist, or the proof is wrong: nobody is told which."""


@dataclass(frozen=True, slots=True)
class Gate:
    """What a login is checked against."""

    users: Users
    limits: Limits


async def prove(client: Client, login: str, gate: Gate) -> User:
    """The user that the client has proved to be.

    A verified client certificate with the login's name is enough. A token is asked for in clear inside TLS; all other
    clients go through SCRAM, also where there is no such login. Raises LoginFailed, ProtocolViolation,
    ClientGone.
    """
    user = gate.users.by_login.get(login)
    if user is not None and client.certified == login:
        return user
    if user is not None and isinstance(user.proof, Token) and client.encrypted:
        return await _by_token(client, user, user.proof, gate.limits)
    await _by_password(client, Exchange(gate.users.verifier(login), client.binding), gate.limits)
    if user is None:
        raise LoginFailed
    return user


async def _by_token(client: Client, user: User, token: Token, limits: Limits) -> User:
    await client.stream.send(authentication(_CLEARTEXT))
    if not token.fits(password(await _answer(client, limits))):
        raise LoginFailed
    return user


async def _by_password(client: Client, exchange: Exchange, limits: Limits) -> None:
    await client.stream.send(authentication_sasl(exchange.mechanisms))
    first = sasl_initial(await _answer(client, limits))
    await client.stream.send(authentication(_CONTINUE, exchange.first(first.mechanism, first.data)))
    try:
        proof = exchange.final(await _answer(client, limits))
    except WrongPassword:
        raise LoginFailed from None
    await client.stream.send(authentication(_FINAL, proof))


async def _answer(client: Client, limits: Limits) -> bytes:
    """The body of the client's next message, which has to be part of its proof."""
    head = await client.stream.exactly(_HEAD)
    length = int.from_bytes(head[1:]) - 4
    if head[:1] != b"p" or not 0 <= length <= limits.login_message:
        raise ProtocolViolation("a password or a SASL message of at most 2,000 bytes was expected")
    return await client.stream.exactly(length)
