"""A session from its first ParameterStatus to its end: the client's messages in turn, each with its answer."""

from __future__ import annotations

from dpsql.interfaces.wire.channel import CancelRequests, Channel, Message, Opening
from dpsql.interfaces.wire.client_session import ClientSession
from dpsql.interfaces.wire.extended_query import KINDS, extended_message
from dpsql.interfaces.wire.failures import Failure, failure_of
from dpsql.interfaces.wire.messages import (
    backend_key_data,
    empty_message,
    error_response,
    parameter_status,
    ready_for_query,
)
from dpsql.interfaces.wire.outgoing import Outgoing
from dpsql.interfaces.wire.settings import Settings, opened_settings
from dpsql.interfaces.wire.simple_query import simple_query

# What a COPY from the client would send; none is ever asked for, and what comes is passed over as in PostgreSQL.
_IGNORED = frozenset({b"d", b"c", b"f"})


def converse(channel: Channel, opening: Opening) -> None:
    """Holds a client's session, which has logged in, until either side ends it.

    Raises nothing for what the client sends or does not read; only what the channel raises otherwise.
    """
    out = Outgoing(channel)
    try:
        session = _opened(opening, out)
        if session is None:
            return
        try:
            _loop(channel, session, out, opening.cancelled)
        finally:
            session.close()
    except ConnectionError:
        return


def _opened(opening: Opening, out: Outgoing) -> ClientSession | None:
    """The session with its greeting; None where it cannot begin, which the client is told."""
    try:
        session = ClientSession(opening, _settings(opening))
        session.calls.check(session.settings.own)
    except Exception as error:
        failure = failure_of(error, None)
        out.add(error_response(failure.sqlstate, failure.sentence, failure.hint, fatal=True))
        out.flush()
        return None
    out.add(*(parameter_status(name, value) for name, value in session.settings.reported().items()))
    out.add(backend_key_data(opening.process_id, opening.key), ready_for_query(b"I"))
    out.flush()
    return session


def _settings(opening: Opening) -> Settings:
    fixed = {
        "session_authorization": opening.login,
        "ssl": "on" if opening.encrypted else "off",
    }
    return opened_settings(opening.parameters, fixed, opening.public_is_main)


def _loop(channel: Channel, session: ClientSession, out: Outgoing, cancels: CancelRequests) -> None:
    skipping = False
    while (message := channel.receive()) is not None:
        if message.kind == b"X":
            return
        if message.kind == b"S":
            skipping = False
            _sync(message, session, out)
            _ready(session, out, cancels)
        elif skipping or message.kind in _IGNORED:
            continue
        elif message.kind == b"Q":
            cancels.begin()
            simple_query(message.body, session, out)
            _ready(session, out, cancels)
        elif message.kind in KINDS:
            cancels.begin()
            skipping = not _answered(message, session, out)
            if message.kind == b"H":
                cancels.end()
        elif message.kind == b"F":
            out.add(
                Failure("0A000", "calls of functions by number are not supported", "Send SELECT.").message
            )
            session.fail()
            session.end_message()
            _ready(session, out, cancels)
        else:
            out.add(error_response("08P01", "a message of this kind is not of the protocol", fatal=True))
            out.flush()
            return


def _answered(message: Message, session: ClientSession, out: Outgoing) -> bool:
    """Whether a message of the extended protocol was answered; where not, the client is told why."""
    try:
        extended_message(message, session, out)
    except ConnectionError:
        raise
    except Exception as error:
        out.add(failure_of(error, None).message)
        out.flush()  # asyncpg sends no Sync before it has seen the error
        session.fail()
        return False
    return True


def _sync(message: Message, session: ClientSession, out: Outgoing) -> None:
    try:
        empty_message(message.body)
    except Exception as error:
        out.add(failure_of(error, None).message)
    session.end_message()


def _ready(session: ClientSession, out: Outgoing, cancels: CancelRequests) -> None:
    cancels.end()
    out.add(*session.changed_settings(), ready_for_query(session.transaction.phase.value.encode()))
    out.flush()
