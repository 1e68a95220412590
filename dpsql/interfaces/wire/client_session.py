"""One client's session: what its statements mean, and what each of them gives."""

from __future__ import annotations

from typing import assert_never

from dpsql.engines.base import OutputColumn
from dpsql.interfaces.wire.bound_parameters import constants_of, declared_types, parameter_oids
from dpsql.interfaces.wire.channel import Opening
from dpsql.interfaces.wire.copy_out import copy_format
from dpsql.interfaces.wire.failures import CANCELLED, Failure, placed
from dpsql.interfaces.wire.inner_calls import InnerCalls, answered
from dpsql.interfaces.wire.notices import STANDS, notice, status, warning
from dpsql.interfaces.wire.portals import (
    MOST_PARAMETERS,
    CopyFormat,
    Notice,
    Portal,
    Portals,
    Prepared,
    Result,
)
from dpsql.interfaces.wire.settings import ALL, Settings
from dpsql.interfaces.wire.transactions import Phase, Transaction
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
from dpsql.sql.system_tables.pg_settings import setting_name
from dpsql.stages.arguments.call_arguments import Parameters

_TEXT = "VARCHAR"


class ClientSession:
    """What a session holds between two messages: settings, its transaction, its statements and portals.

    Its methods raise Failure and dpsql.Error for what is not answered.
    """

    __slots__ = ("calls", "portals", "settings", "transaction")

    def __init__(self, opening: Opening, settings: Settings) -> None:
        self.settings = settings
        self.transaction = Transaction()
        self.portals = Portals()
        self.calls = InnerCalls(opening)

    def prepared(self, text: StatementText | None, oids: tuple[int, ...] = ()) -> Prepared:
        """A statement as it was read; None is an empty one."""
        client = client_statement(text.sql) if text is not None else None
        shown = [client] if isinstance(client, Show) and client.name != ALL else []
        if isinstance(client, SettingCalls):
            shown = [asked for _, asked in client.items if isinstance(asked, Show)]
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
        return self.calls.run(self.settings.own, lambda c: c.describe(sql, values)).columns or None

    def run(self, portal: Portal) -> Result:
        """What the portal's statement gives; it is run the first time alone."""
        prepared = portal.prepared
        self._check_transaction(prepared.client)
        if portal.result is None:
            portal.result = self._answer(portal) if prepared.client is None else self._said(portal)
        return portal.result

    def shown(self, notices: tuple[Notice, ...]) -> list[bytes]:
        """The messages of those that the client wants to see."""
        return [n.message for n in notices if n.level is None or self.settings.shows(n.level)]

    def end_message(self) -> None:
        """What ends with a Sync or a simple query outside a transaction."""
        if self.transaction.phase is Phase.IDLE:
            self.portals.end_transaction()
            self.settings = self.settings.after_transaction()

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
                return Description(_shown_columns(name))
            case SettingCalls(items):
                return Description(tuple(OutputColumn(name, _TEXT) for name, _ in items))
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
            case SettingCalls(items):
                return self._setting_calls(items)
            case SetValue() | SetTransaction() | Reset() | Show() as client:
                return self._setting(client)
            case Declare(name, query, start, hold, back):
                inner = Prepared(inner_text(prepared, query, start), None)
                return self._declare(
                    name, Portal(inner, portal.values, hold=hold, back=back, size=portal.size)
                )
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
            case Unlisten():
                return Result("UNLISTEN")
            case CopyOut(query, start, options):
                return self._copy(inner_text(prepared, query, start), copy_format(options))
            case _:
                assert_never(prepared.client)

    def _transaction(
        self, client: Begin | Commit | Rollback | Savepoint | Release | SetConstraints
    ) -> Result:
        transaction = self.transaction
        match client:
            case Begin(tag, modes):
                there = warning("25001", "there is already a transaction in progress")
                before = () if transaction.begin(self.settings) else (there,)
                return self._changed(tag, self.settings.with_all(modes), before)
            case Commit():
                return self._end(commit=transaction.phase is not Phase.FAILED)
            case Rollback(name):
                if name is None:
                    return self._end(commit=False)
                return self._changed("ROLLBACK", transaction.back_to(name))
            case Savepoint(name):
                transaction.mark(name, self.settings)
                return Result("SAVEPOINT")
            case Release(name):
                transaction.release(name)
                return Result("RELEASE")
            case SetConstraints():
                return Result("SET CONSTRAINTS", before=self._outside("SET CONSTRAINTS"))
            case _:
                assert_never(client)

    def _end(self, *, commit: bool) -> Result:
        transaction = self.transaction
        tag = "COMMIT" if commit else "ROLLBACK"
        if transaction.phase is Phase.IDLE:
            return Result(tag, before=(warning("25P01", "there is no transaction in progress"),))
        settings = transaction.kept if commit else transaction.before
        stands = (notice(STANDS),) if transaction.charged and not commit else ()
        transaction.end()
        self.portals.end_transaction()
        kept = settings if settings is not None else self.settings
        return self._changed(tag, kept.after_transaction(), stands)

    def _outside(self, what: str) -> tuple[Notice, ...]:
        """That a statement has no effect outside a transaction, where that is so."""
        idle = self.transaction.phase is Phase.IDLE
        return (warning("25P01", f"{what} can only be used in transactions"),) if idle else ()

    def _setting(self, client: SetValue | SetTransaction | Reset | Show) -> Result:
        match client:
            case SetTransaction(modes, session=True):
                defaults = tuple((f"default_{name}", value) for name, value in modes)
                return self._set("SET", self.settings.with_all(defaults), local=False)
            case SetTransaction(modes):
                return self._changed("SET", self.settings.with_all(modes), self._outside("SET TRANSACTION"))
            case Show(name):
                value = self.settings.show(name) or ""
                rows = self.settings.listed() if name == ALL else ((value,),)
                return Result("SHOW", _shown_columns(name), rows)
            case Reset(name):
                settings = self.settings.reset() if name is None else self.settings.set(name, None)
                return self._set("RESET", settings, local=False)
            case SetValue(name, value, local):
                return self._set("SET", self.settings.set(name, value), local=local)
            case _:
                assert_never(client)

    def _setting_calls(self, items: tuple[tuple[str, SetValue | Show], ...]) -> Result:
        """The calls in turn; what is set for the transaction alone is told, and not kept outside of one."""
        before: tuple[Notice, ...] = ()
        row: list[str | None] = []
        for _, asked in items:
            settings = self.settings
            if isinstance(asked, SetValue):
                settings = settings.set(asked.name, asked.value)
                if not asked.local or self.transaction.phase is not Phase.IDLE:
                    before += self._set("SET", settings, local=asked.local).before
            row.append(settings.show(asked.name))
        columns = tuple(OutputColumn(name, _TEXT) for name, _ in items)
        return Result("SELECT", columns, (tuple(row),), before, counted=True)

    def _set(self, tag: str, settings: Settings, *, local: bool) -> Result:
        if local and (told := self._outside("SET LOCAL")):
            return Result(tag, before=told)
        if settings.own != self.settings.own:
            self.calls.check(settings.own)
        if not local and self.transaction.phase is not Phase.IDLE:
            self.transaction.kept = settings
        return self._changed(tag, settings)

    def _changed(self, tag: str, settings: Settings, before: tuple[Notice, ...] = ()) -> Result:
        """The session with these settings, and what clients are told of the change."""
        before_it, self.settings = self.settings, settings
        if settings == before_it:
            return Result(tag, before=before)
        was = before_it.reported()
        told = [status(n, v) for n, v in settings.reported().items() if was[n] != v]
        return Result(tag, before=(*before, *told))

    def _close_cursor(self, name: str | None) -> Result:
        if name is None:
            self.portals.portals.clear()
            return Result("CLOSE CURSOR ALL")
        self.portals.portal(name)
        del self.portals.portals[name]
        return Result("CLOSE CURSOR")

    def _declare(self, name: str, cursor: Portal) -> Result:
        if self.transaction.phase is Phase.IDLE and not cursor.hold:
            raise Failure("25P01", "DECLARE CURSOR can only be used in transactions", "Send BEGIN first.")
        with placed(cursor.prepared.text):
            cursor.told = self.columns(cursor) or ()
        self.portals.open(name, cursor)
        return Result("DECLARE CURSOR")

    def _fetch(self, client: Fetch) -> Result:
        portal = self._cursor(client.name)
        result = self.run(portal)
        rows, before = portal.taken(result, client)
        if client.move:
            return Result(f"MOVE {len(rows)}", before=before)
        return Result("FETCH", result.columns or (), rows, before, counted=True)

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
        if self.transaction.phase is not Phase.IDLE:
            raise Failure("25001", "DISCARD ALL cannot run inside a transaction")
        self.portals.statements.clear()
        self.portals.portals.clear()
        return self._changed("DISCARD ALL", self.settings.reset())

    def _copy(self, query: StatementText, form: CopyFormat) -> Result:
        with placed(query):
            result = self._answer(Portal(Prepared(query, None)))
        return Result("COPY", result.columns or (), result.rows, result.before, True, form)


def _shown_columns(name: str) -> tuple[OutputColumn, ...]:
    """The columns of SHOW."""
    names = ("name", "setting", "description") if name == ALL else (setting_name(name),)
    return tuple(OutputColumn(n, _TEXT) for n in names)


def inner_text(prepared: Prepared, query: str, start: int) -> StatementText:
    """A query inside a statement, with its place in the whole text."""
    return StatementText(query, start + (prepared.text.start if prepared.text is not None else 0))
