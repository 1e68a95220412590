"""The simple query protocol: one text, its statements in turn, up to the first that is not answered."""

from __future__ import annotations

from typing import Final

from dpsql.interfaces.wire.client_session import ClientSession
from dpsql.interfaces.wire.failures import Failure, failure_of
from dpsql.interfaces.wire.messages import EMPTY_QUERY_RESPONSE, query_text
from dpsql.interfaces.wire.outgoing import Outgoing, completed
from dpsql.interfaces.wire.portals import Portal, Result
from dpsql.sql.lex.statement_texts import StatementText, statement_texts

MOST_STATEMENTS: Final = 1_000
"""So many statements may one text have."""


def simple_query(body: bytes, session: ClientSession, out: Outgoing) -> None:
    """Answers a Query message, but for the ReadyForQuery behind it."""
    statement: StatementText | None = None
    session.portals.forget_unnamed()
    try:
        statements = statement_texts(query_text(body))
        if not statements:
            out.add(EMPTY_QUERY_RESPONSE)
        if len(statements) > MOST_STATEMENTS:
            raise Failure(
                "54000", f"a text has at most {MOST_STATEMENTS} statements", "Send them in several texts."
            )
        session.transaction.several = len(statements) > 1
        for statement in statements:
            session.calls.check_cancelled()
            _send(session.run(Portal(session.prepared(statement))), session, out)
    except ConnectionError:
        raise
    except Exception as error:
        out.add(failure_of(error, statement).message)
        session.fail()
    session.transaction.several = False
    session.end_message()


def _send(result: Result, session: ClientSession, out: Outgoing) -> None:
    out.add(*session.shown(result.before))
    out.write_intervals(iso=session.settings.iso_intervals)
    if result.copied is not None:
        out.copy(result.copied, result.columns or (), result.rows)
    elif result.columns is not None:
        formats = (int(result.binary),) * len(result.columns)
        out.add(out.described(result.columns, formats))
        out.rows(result.columns, result.rows, formats)
    out.add(completed(result, len(result.rows)))
