"""One client's session: what its statements mean, and what each of them gives."""

from __future__ import annotations

from typing import assert_never

from dpsql.engines.base import OutputColumn
from dpsql.interfaces.wire.bound_parameters import constants_of, declared_types, parameter_oids
from dpsql.interfaces.wire.copy_out import check_quoted, copy_format
from dpsql.interfaces.wire.failures import CANCELLED, Failure, placed
from dpsql.interfaces.wire.inner_calls import answered
from dpsql.interfaces.wire.notices import notice
from dpsql.interfaces.wire.portals import (
    MOST_PARAMETERS,
    CopyFormat,
    Notice,
    Portal,
    Prepared,
    Result,
)
from dpsql.interfaces.wire.session_state import TEXT, SessionState, call_columns, shown_columns
from dpsql.interfaces.wire.settings import ALL, Settings
from dpsql.interfaces.wire.told_columns import widest
from dpsql.interfaces.wire.values.bound_values import oid_of_name
from dpsql.release.types import Description
from dpsql.sql.lex.statement_texts import StatementText
from dpsql.sql.parse.client_statement_reader import client_statement
from dpsql.sql.parse.client_statements import (
    Begin,
    ClientStatement,
    CloseCursor,
    Commit,
    CopyOut,
    Deallocate,
    Declare,
    Discard,
    Execute,
    Fetch,
    Listen,
    Prepare,
    Release,
    Reset,
    Rollback,
    Savepoint,
    SetConstraints,
    SettingCalls,
    SetTransaction,
    SetValue,
    Show,
    Unlisten,
)
from dpsql.stages.arguments.call_arguments import Parameters


class ClientSession(SessionState):
    """A session whose statements are described and answered. Its methods raise as those of SessionState do."""

    __slots__ = ()

    def prepared(self, text: StatementText | None, oids: tuple[int, ...] = ()) -> Prepared:
        """A statement as it was read; None is an empty one."""
        client = client_statement(text.sql) if text is not None else None
        shown = [client] if isinstance(client, Show) and client.name != ALL else []
        if isinstance(client, SettingCalls):
            shown = list(client.shown)
        if any(self.settings.show(asked.name) is None for asked in shown):
            client = None  # SHOW TABLES and the like are dpsql's own
        self._check_transaction(client)
        return Prepared(text, client, oids)

    def describe(self, prepared: Prepared) -> Description:
        """The columns and parameters of a statement, from its text and declared types; it is not run."""
        if prepared.described is None:
            prepared.described = self._described(prepared)
        return prepared.described

    def columns(self, portal: Portal) -> tuple[OutputColumn, ...] | None:
        """The columns of a portal's answer, None where it has none; it is planned and not run."""
        if portal.result is not None:
            return portal.result.columns
        prepared = portal.prepared
        if prepared.text is None or prepared.client is not None or portal.values is None:
            return self.describe(prepared).columns or None
        sql, values = prepared.text.sql, portal.values
        planned = self.calls.run(self.settings.own, lambda c: c.describe(sql, values)).columns
        return tuple(widest(self.describe(prepared).columns, planned)) or None

    def run(self, portal: Portal) -> Result:
        """What the portal's statement gives; it is run the first time alone."""
        prepared = portal.prepared
        self._check_transaction(prepared.client)
        if portal.result is None:
            portal.result = self._answer(portal) if prepared.client is None else self._said(portal)
        return portal.result

    def shown(self, notices: tuple[Notice, ...]) -> list[bytes]:
        """The messages of those that the client wants to see."""
        return [n.message for n in notices if self.settings.shows(n.level)]

    def close(self) -> None:
        """Gives the session up."""
        self.calls.close()

    def _check_transaction(self, client: ClientStatement | None) -> None:
        if not isinstance(client, Commit | Rollback):
            self.transaction.check()

    def _described(self, prepared: Prepared) -> Description:
        match prepared.client:
            case None:
                return self._described_query(prepared.text, prepared.oids)
            case Show(name):
                return Description(shown_columns(name))
            case SettingCalls() as calls:
                numbers = sorted({mark.number for mark in calls.marks})
                return Description(call_columns(calls), tuple((str(n), TEXT) for n in numbers))
            case Declare(_, query, start):
                text = inner_text(prepared, query, start)
                with placed(text):
                    inner = self._described_query(text, prepared.oids)
                return Description((), inner.parameters, inner.positional)
            case Fetch(name, _, move=False):
                return Description(self.columns(self._cursor(name)) or ())
            case Execute() as client:
                with placed(None):
                    return Description(self.columns(self._execution(client)) or ())
            case _:
                return Description(())

    def _described_query(self, text: StatementText | None, oids: tuple[int, ...]) -> Description:
        if text is None:
            return Description(())
        types = declared_types(oids)
        return self.calls.run(self.settings.own, lambda c: c.describe(text.sql, None, types))

    def _answer(self, portal: Portal) -> Result:
        text = portal.prepared.text
        if text is None:
            return Result("")
        self.portals.check_room()
        told = portal.told if portal.told is not None else portal.prepared.told
        result, charged = self._call(text.sql, portal.values, told)
        self.transaction.charged |= charged
        return result

    def _call(
        self, sql: str, values: Parameters | None, told: tuple[OutputColumn, ...] | None
    ) -> tuple[Result, bool]:
        try:
            return self.calls.run(self.settings.own, lambda c: answered(c, sql, values, told))
        except Failure as failure:
            self.transaction.charged |= failure.sqlstate == CANCELLED
            raise

    def _said(self, portal: Portal) -> Result:
        """What a statement about the session gives."""
        prepared = portal.prepared
        match prepared.client:
            case None:
                return Result("")
            case Begin() | Commit() | Rollback() | Savepoint() | Release() | SetConstraints() as client:
                return self._transaction(client)
            case SettingCalls() as calls:
                return self._setting_calls(calls, portal.values)
            case SetValue() | SetTransaction() | Reset() | Show() as client:
                return self._setting(client)
            case Declare() as client:
                return self._declare(client, portal)
            case Fetch() as client:
                return self._fetch(client)
            case Prepare(name, types, query, start):
                return self._prepare(name, types, inner_text(prepared, query, start))
            case Execute() as client:
                return self._execute(client, portal.told if portal.told is not None else prepared.told)
            case CloseCursor(name):
                return self._close_cursor(name)
            case Deallocate(name):
                return self._deallocate(name)
            case Discard(what):
                return self._discard(what)
            case Listen():
                return Result(
                    "LISTEN", before=(notice("nothing is notified here, and nothing will be heard"),)
                )
            case Unlisten():
                return Result("UNLISTEN")
            case CopyOut(query, start, options):
                return self._copy(inner_text(prepared, query, start), copy_format(options))
            case _:
                assert_never(prepared.client)

    def _close_cursor(self, name: str | None) -> Result:
        if name is None:
            self.portals.portals.clear()
            return Result("CLOSE CURSOR ALL")
        self.portals.portal(name)
        del self.portals.portals[name]
        return Result("CLOSE CURSOR")

    def _declare(self, client: Declare, portal: Portal) -> Result:
        if not (self.transaction.is_block or client.hold):
            raise Failure("25P01", "DECLARE CURSOR can only be used in transactions", "Send BEGIN first.")
        inner = Prepared(inner_text(portal.prepared, client.query, client.start), None)
        cursor = Portal(
            inner,
            portal.values,
            hold=client.hold,
            back=client.back,
            binary=client.binary,
            size=portal.size,
        )
        with placed(inner.text):
            cursor.told = self.columns(cursor) or ()
        self.portals.open(client.name, cursor)
        return Result("DECLARE CURSOR")

    def _fetch(self, client: Fetch) -> Result:
        portal = self._cursor(client.name)
        result = self.run(portal)
        rows, before = portal.taken(result, client)
        if client.move:
            return Result(f"MOVE {len(rows)}", before=before)
        return Result("FETCH", result.columns or (), rows, before, counted=True, binary=portal.binary)

    def _cursor(self, name: str) -> Portal:
        """A portal that rows can be fetched from; one of another FETCH could lead back to itself."""
        portal = self.portals.portal(name)
        if portal.prepared.client is not None:
            raise Failure("55000", f'"{name[:60]}" is no cursor of a query', "Send Execute for it.")
        return portal

    def _prepare(self, name: str, types: tuple[str, ...], query: StatementText) -> Result:
        if len(types) > MOST_PARAMETERS:
            raise Failure("54000", f"a statement has at most {MOST_PARAMETERS} parameters")
        with placed(query):
            if client_statement(query.sql) is not None:
                raise Failure(
                    "42601", "only a query can be prepared here", "Send other statements as they are."
                )
            prepared = Prepared(query, None, tuple(map(oid_of_name, types)))
            parameter_oids(self.describe(prepared), prepared.oids)
        self.portals.prepare(name, prepared)
        return Result("PREPARE")

    def _execution(self, client: Execute) -> Portal:
        """A portal of a prepared query with the values of an EXECUTE."""
        prepared = self.portals.statement(client.name)
        if prepared.client is not None or prepared.text is None:
            raise Failure("0A000", f'the prepared statement "{client.name[:60]}" is no query')
        description = self.describe(prepared)
        oids = parameter_oids(description, prepared.oids)
        if len(oids) != len(client.values):
            raise Failure(
                "42601",
                f"the statement has {len(oids)} parameters, but {len(client.values)} values were given",
            )
        return Portal(prepared, constants_of(client.values, oids, description))

    def _execute(self, client: Execute, told: tuple[OutputColumn, ...] | None) -> Result:
        with placed(None):  # a place in the prepared query is none in this text
            portal = self._execution(client)
            portal.told = told
            return self.run(portal)

    def _deallocate(self, name: str | None) -> Result:
        if name is None:
            self.portals.statements.clear()
            return Result("DEALLOCATE ALL")
        self.portals.statement(name)
        del self.portals.statements[name]
        return Result("DEALLOCATE")

    def _discard(self, what: str) -> Result:
        if what != "ALL":
            return Result(f"DISCARD {what}")
        if self.transaction.is_block:
            raise Failure("25001", "DISCARD ALL cannot run inside a transaction")
        self.portals.statements.clear()
        self.portals.portals.clear()
        self._set(Settings.reset)
        return Result("DISCARD ALL")

    def _copy(self, query: StatementText, form: CopyFormat) -> Result:
        inner = Prepared(query, None)
        with placed(query):
            check_quoted(form, self.describe(inner).columns if form.quoted else ())
            result = self._answer(Portal(inner))
        return Result("COPY", result.columns or (), result.rows, result.before, True, form)


def inner_text(prepared: Prepared, query: str, start: int) -> StatementText:
    """A query inside a statement, with its place in the whole text."""
    return StatementText(query, start + (prepared.text.start if prepared.text is not None else 0))
