"""Settings and the transaction of one client's session, and what statements about them give."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, assert_never

from dpsql.engines.base import OutputColumn
from dpsql.interfaces.wire.channel import Opening
from dpsql.interfaces.wire.failures import Failure
from dpsql.interfaces.wire.inner_calls import InnerCalls
from dpsql.interfaces.wire.notices import STANDS, notice, status, warning
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

    __slots__ = ("calls", "portals", "settings", "transaction")

    def __init__(self, opening: Opening, settings: Settings) -> None:
        self.settings = settings
        self.transaction = Transaction()
        self.portals = Portals()
        self.calls = InnerCalls(opening)

    def _transaction(
        self, client: Begin | Commit | Rollback | Savepoint | Release | SetConstraints
    ) -> Result:
        transaction = self.transaction
        match client:
            case Begin(tag, modes):
                there = warning("25001", "there is already a transaction in progress")
                before = () if transaction.begin(self.settings) else (there,)
                return self._changed(tag, self.settings.with_all(modes), before)
            case Commit(chain):
                return self._end(commit=transaction.phase is not Phase.FAILED, chain=chain)
            case Rollback(name, chain):
                if name is None:
                    return self._end(commit=False, chain=chain)
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

    def _end(self, *, commit: bool, chain: bool) -> Result:
        transaction, kind = self.transaction, self.settings.of_transaction()
        tag = "COMMIT" if commit else "ROLLBACK"
        if transaction.phase is Phase.IDLE:
            if chain:
                raise Failure("25P01", f"{tag} AND CHAIN can only be used in transactions")
            return Result(tag, before=(warning("25P01", "there is no transaction in progress"),))
        settings = transaction.kept if commit else transaction.before
        stands = (notice(STANDS),) if transaction.charged and not commit else ()
        transaction.end()
        self.portals.end_transaction()
        kept = (settings if settings is not None else self.settings).after_transaction()
        if chain:
            transaction.begin(kept)
            kept = kept.with_all(kind)
        return self._changed(tag, kept, stands)

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
                return Result("SHOW", shown_columns(name), rows)
            case Reset(name):
                settings = self.settings.reset() if name is None else self.settings.set(name, None)
                return self._set("RESET", settings, local=False)
            case SetValue(name, value, local):
                return self._set("SET", self.settings.set(name, value), local=local)
            case _:
                assert_never(client)

    def _setting_calls(self, calls: SettingCalls, values: Parameters | None) -> Result:
        """The calls in turn, all of them or none."""
        begun = self.settings, self.transaction.kept
        try:
            made = [self._setting_call(call, values) for _, call in calls.items]
        except Failure:
            self.settings, self.transaction.kept = begun
            raise
        before = tuple(told for _, notices in made for told in notices)
        return Result("SELECT", call_columns(calls), (tuple(v for v, _ in made),), before, counted=True)

    def _setting_call(
        self, call: SetCall | Show, values: Parameters | None
    ) -> tuple[str | None, tuple[Notice, ...]]:
        """What a call gives; what is set for the transaction alone is told, and not kept outside of one."""
        if isinstance(call, Show):
            return self.settings.show(call.name), ()
        name = self._given(call.name, values)
        if name is None:
            raise Failure("22004", "the name of a setting is NULL")
        settings = self.settings.set(name, self._given(call.value, values))
        told: tuple[Notice, ...] = ()
        if not call.local or self.transaction.phase is not Phase.IDLE:
            told = self._set("SET", settings, local=call.local).before
        return settings.show(name), told

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


def call_columns(calls: SettingCalls) -> tuple[OutputColumn, ...]:
    """The columns of calls of set_config and current_setting."""
    return tuple(OutputColumn(name, TEXT) for name, _ in calls.items)


def shown_columns(name: str) -> tuple[OutputColumn, ...]:
    """The columns of SHOW."""
    names = ("name", "setting", "description") if name == ALL else (setting_name(name),)
    return tuple(OutputColumn(n, TEXT) for n in names)
