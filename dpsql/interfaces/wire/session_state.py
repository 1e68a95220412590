"""Settings and the transaction of one client's session, and what statements about them give."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, assert_never

from dpsql.engines.base import OutputColumn
from dpsql.interfaces.wire.channel import Opening
from dpsql.interfaces.wire.failures import Failure
from dpsql.interfaces.wire.inner_calls import InnerCalls
from dpsql.interfaces.wire.messages import parameter_status
from dpsql.interfaces.wire.notices import STANDS, notice, warning
from dpsql.interfaces.wire.portals import Notice, Portals, Result
from dpsql.interfaces.wire.settings import ALL, Settings
from dpsql.interfaces.wire.transactions import Phase, Transaction
from dpsql.sql.parse.client_statements import (
    Begin,
    Commit,
    Mark,
    Release,
    Reset,
    Rollback,
    Savepoint,
    SetCall,
    SetConstraints,
    SettingCalls,
    SetTransaction,
    SetValue,
    Show,
)
from dpsql.sql.system_tables.pg_settings import setting_name
from dpsql.stages.arguments.call_arguments import Parameters

TEXT: Final = "VARCHAR"


class SessionState:
    """What a session holds between two messages: settings, its transaction, its statements and portals.

    Its methods raise Failure and dpsql.Error for what is not answered.
    """

    __slots__ = ("_told", "calls", "portals", "settings", "transaction")

    def __init__(self, opening: Opening, settings: Settings) -> None:
        self.settings = self._told = settings
        self.transaction = Transaction(settings, settings)
        self.portals = Portals()
        self.calls = InnerCalls(opening)

    def changed_settings(self) -> list[bytes]:
        """What clients are told of settings before ReadyForQuery: those that are others than the last time."""
        if self.settings is self._told:
            return []
        was, self._told = self._told.reported(), self.settings
        return [parameter_status(n, v) for n, v in self.settings.reported().items() if was[n] != v]

    def fail(self) -> None:
        """What a failed statement leaves: nothing that was set in its transaction, but for its kind."""
        kind = self.settings.of_transaction()
        if self.transaction.phase is Phase.IDLE:
            self.portals.roll_back(self.transaction.opened)
        self.settings = self.transaction.fail().with_all(kind)

    def end_message(self) -> None:
        """What ends with a Sync or a simple query outside a transaction."""
        if self.transaction.phase is Phase.IDLE:
            self.portals.end_transaction()
            self.settings = self.transaction.kept.after_transaction()
            self.transaction.end(self.settings, self.portals.opened)

    def _transaction(
        self, client: Begin | Commit | Rollback | Savepoint | Release | SetConstraints
    ) -> Result:
        transaction = self.transaction
        match client:
            case Begin(tag, modes):
                there = warning("25001", "there is already a transaction in progress")
                before = () if transaction.begin() else (there,)
                self.settings = self.settings.with_all(modes)
                return Result(tag, before=before)
            case Commit(chain):
                return self._end(commit=transaction.phase is not Phase.FAILED, chain=chain)
            case Rollback(name, chain):
                if name is None:
                    return self._end(commit=False, chain=chain)
                savepoint = transaction.back_to(name)
                self.settings = savepoint.settings
                self.portals.roll_back(savepoint.opened)
                return Result("ROLLBACK")
            case Savepoint(name):
                transaction.mark(name, self.settings, self.portals.opened)
                return Result("SAVEPOINT")
            case Release(name):
                transaction.release(name)
                return Result("RELEASE")
            case SetConstraints():
                return Result("SET CONSTRAINTS", before=self._outside("SET CONSTRAINTS"))
            case _:
                assert_never(client)

    def _end(self, *, commit: bool, chain: bool) -> Result:
        transaction, kind = self.transaction, self.settings.of_transaction()
        tag = "COMMIT" if commit else "ROLLBACK"
        if transaction.phase is Phase.IDLE and chain:
            raise Failure("25P01", f"{tag} AND CHAIN can only be used in transactions")
        none = warning("25P01", "there is no transaction in progress")
        before = (none,) if transaction.phase is Phase.IDLE else ()
        if transaction.charged and not commit:
            before = (*before, notice(STANDS))
        self.settings = (transaction.kept if commit else transaction.before).after_transaction()
        if not commit:
            self.portals.roll_back(transaction.opened)
        self.portals.end_transaction()
        transaction.end(self.settings, self.portals.opened)
        if chain:
            transaction.begin()
            self.settings = self.settings.with_all(kind)
        return Result(tag, before=before)

    def _outside(self, what: str) -> tuple[Notice, ...]:
        """That a statement has no effect beyond itself outside a transaction, where that is so."""
        if self.transaction.is_block:
            return ()
        return (warning("25P01", f"{what} can only be used in transactions"),)

    def _setting(self, client: SetValue | SetTransaction | Reset | Show) -> Result:
        match client:
            case SetTransaction(modes, session=True):
                defaults = tuple((f"default_{name}", value) for name, value in modes)
                self._set(lambda settings: settings.with_all(defaults))
                return Result("SET")
            case SetTransaction(modes):
                self.settings = self.settings.with_all(modes)
                return Result("SET", before=self._outside("SET TRANSACTION"))
            case Show(name):
                value = self.settings.show(name) or ""
                rows = self.settings.listed() if name == ALL else ((value,),)
                return Result("SHOW", shown_columns(name), rows)
            case Reset(name):
                self._set(lambda settings: settings.reset() if name is None else settings.set(name, None))
                return Result("RESET")
            case SetValue(name, value, local):
                self._set(lambda settings: settings.set(name, value), local=local)
                return Result("SET", before=self._outside("SET LOCAL") if local else ())
            case _:
                assert_never(client)

    def _setting_calls(self, calls: SettingCalls, values: Parameters | None) -> Result:
        """The calls in turn."""
        made = tuple(self._setting_call(call, values) for _, call in calls.items)
        return Result("SELECT", call_columns(calls), (made,), counted=True)

    def _setting_call(self, call: SetCall | Show, values: Parameters | None) -> str | None:
        """What a call gives."""
        if isinstance(call, Show):
            return self.settings.show(call.name)
        name = self._given(call.name, values)
        if name is None:
            raise Failure("22004", "the name of a setting is NULL")
        value = self._given(call.value, values)
        self._set(lambda settings: settings.set(name, value), local=call.local)
        return self.settings.show(name)

    def _given(self, given: str | Mark | Show, values: Parameters | None) -> str | None:
        """The value of a constant, of another setting or of a parameter; None is NULL."""
        if isinstance(given, str):
            return given
        if isinstance(given, Show):
            return self.settings.show(given.name)
        if not isinstance(values, Mapping):
            raise Failure("42P02", f"there is no value for the parameter ${given.number}")
        value = values[str(given.number)]
        return None if value is None else str(value)

    def _set(self, change: Callable[[Settings], Settings], *, local: bool = False) -> None:
        """Changes the settings until the transaction's end, and beyond it unless that is all that is `local` to it."""
        settings = change(self.settings)
        if settings.own != self.settings.own:
            self.calls.check(settings.own)
        if not local:
            self.transaction.kept = change(self.transaction.kept)
        self.settings = settings


def call_columns(calls: SettingCalls) -> tuple[OutputColumn, ...]:
    """The columns of calls of set_config and current_setting."""
    return tuple(OutputColumn(name, TEXT) for name, _ in calls.items)


def shown_columns(name: str) -> tuple[OutputColumn, ...]:
    """The columns of SHOW."""
    names = ("name", "setting", "description") if name == ALL else (setting_name(name),)
    return tuple(OutputColumn(n, TEXT) for n in names)
