"""The extended query protocol: Parse, Bind, Describe, Execute, Close and Flush, each for itself.

After one that fails, all are passed over until the client's Sync.
"""

from __future__ import annotations

from dpsql.interfaces.wire.bound_parameters import parameter_oids, values_of
from dpsql.interfaces.wire.channel import Message
from dpsql.interfaces.wire.client_session import ClientSession
from dpsql.interfaces.wire.failures import Failure, placed
from dpsql.interfaces.wire.messages import (
    BIND_COMPLETE,
    CLOSE_COMPLETE,
    NO_DATA,
    PARSE_COMPLETE,
    PORTAL_SUSPENDED,
    Bind,
    Named,
    bind_message,
    empty_message,
    execute_message,
    named_message,
    parameter_description,
    parse_message,
)
from dpsql.interfaces.wire.outgoing import Outgoing, completed
from dpsql.interfaces.wire.portals import MOST_PARAMETERS, Portal, Prepared
from dpsql.sql.lex.statement_texts import statement_texts
from dpsql.sql.parse.client_statements import Declare, Fetch, SettingCalls
from dpsql.stages.arguments.call_arguments import Parameters

KINDS = frozenset({b"P", b"B", b"D", b"E", b"C", b"H"})
"""The messages that are answered here."""


def extended_message(message: Message, session: ClientSession, out: Outgoing) -> None:
    """Answers one message. Raises Failure, ProtocolViolation and dpsql.Error for what it is not answered with."""
    match message.kind:
        case b"P":
            _parse(message.body, session, out)
        case b"B":
            _bind(bind_message(message.body), session, out)
        case b"D":
            _describe(named_message(message.body), session, out)
        case b"E":
            _execute(message.body, session, out)
        case b"C":
            _close(named_message(message.body), session, out)
        case b"H":
            empty_message(message.body)
            out.flush()


def _parse(body: bytes, session: ClientSession, out: Outgoing) -> None:
    parse = parse_message(body)
    if len(parse.oids) > MOST_PARAMETERS:
        raise Failure("54000", f"a statement has at most {MOST_PARAMETERS} parameters")
    statements = statement_texts(parse.sql)
    if len(statements) > 1:
        raise Failure("42601", "a prepared statement is one statement", "Prepare each of them by itself.")
    text = statements[0] if statements else None
    with placed(text):
        prepared = session.prepared(text, parse.oids)
        if text is not None and (prepared.client is None or isinstance(prepared.client, Declare)):
            session.describe(prepared)  # what is wrong with it is said here, as PostgreSQL does
        session.portals.prepare(parse.name, prepared)
    out.add(PARSE_COMPLETE)


def _bind(bind: Bind, session: ClientSession, out: Outgoing) -> None:
    prepared = session.portals.statement(bind.statement)
    with placed(prepared.text):
        size = sum(len(value) for value in bind.values if value is not None)
        portal = Portal(prepared, _values(bind, prepared, session), bind.results, size=size)
        if len(bind.results) > 1:  # another number than of columns is told before anything is charged
            columns = session.describe(prepared).columns
            portal.formats = portal.formats_of(len(columns)) if columns else ()
    session.portals.open(bind.portal, portal)
    out.add(BIND_COMPLETE)


def _values(bind: Bind, prepared: Prepared, session: ClientSession) -> Parameters | None:
    """The values of a portal's parameters; None for a statement without any."""
    if len(bind.formats) not in (0, 1, len(bind.values)):
        raise Failure("08P01", f"{len(bind.formats)} formats were given for {len(bind.values)} parameters")
    formats = bind.formats * len(bind.values) if len(bind.formats) == 1 else bind.formats
    formats = formats or (0,) * len(bind.values)
    if not bind.values and not _may_have_marks(prepared):
        return None
    description = session.describe(prepared)
    oids = parameter_oids(description, prepared.oids)
    if len(oids) != len(bind.values):
        raise Failure(
            "08P01", f"the statement has {len(oids)} parameters, but {len(bind.values)} values were given"
        )
    return values_of(list(zip(bind.values, formats, strict=True)), oids, description)


def _may_have_marks(prepared: Prepared) -> bool:
    text, client = prepared.text, prepared.client
    takes_values = client is None or isinstance(client, Declare | SettingCalls)
    return takes_values and text is not None and ("$" in text.sql or "?" in text.sql)


def _describe(named: Named, session: ClientSession, out: Outgoing) -> None:
    if named.kind == b"S":
        _describe_statement(session.portals.statement(named.name), session, out)
        return
    portal = session.portals.portal(named.name)
    with placed(portal.prepared.text):
        columns = session.columns(portal)
        portal.told = columns or ()
        out.add(NO_DATA if columns is None else out.described(columns, portal.formats_of(len(columns))))


def _describe_statement(prepared: Prepared, session: ClientSession, out: Outgoing) -> None:
    with placed(prepared.text):
        description = session.describe(prepared)
        oids, columns = parameter_oids(description, prepared.oids), description.columns
        row = out.described(columns, (0,) * len(columns)) if columns else NO_DATA
        prepared.told = columns
        out.add(parameter_description(oids), row)


def _execute(body: bytes, session: ClientSession, out: Outgoing) -> None:
    execute = execute_message(body)
    portal = session.portals.portal(execute.portal)
    with placed(portal.prepared.text):
        if portal.result is not None and portal.result.is_whole:
            raise Failure(
                "55000", f'the portal "{execute.portal[:60]}" cannot be run again', "Bind another one."
            )
        result = session.run(portal)
        most = 0 if result.is_whole else execute.most
        rows, before = portal.taken(result, Fetch(execute.portal, most or None))
        out.add(*session.shown(before))
        out.write_intervals(iso=session.settings.iso_intervals)
        if result.copied is not None:
            out.copy(result.copied, result.columns or (), rows)
        elif result.columns is not None:
            out.rows(result.columns, rows, portal.formats_of(len(result.columns)))
        # As in PostgreSQL, a portal that gave all the rows it was asked for may have more.
        suspended = 0 < most == len(rows)
        out.add(PORTAL_SUSPENDED if suspended else completed(result, len(rows)))


def _close(named: Named, session: ClientSession, out: Outgoing) -> None:
    kept = session.portals.statements if named.kind == b"S" else session.portals.portals
    kept.pop(named.name, None)  # what is not there is closed already
    out.add(CLOSE_COMPLETE)
