"""Calls to dpsql on a thread of their own, so that a cancelled one is no longer waited for.

It goes on all the same: its charge stands, and its answer is stored, so that to ask again is free. What it takes says
nothing to whoever cancelled it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from queue import SimpleQueue
from typing import Any, Generic, TypeVar

from dpsql.dbapi import Connection
from dpsql.engines.base import OutputColumn
from dpsql.errors import Error, InterfaceError, ProgrammingError
from dpsql.interfaces.wire.channel import Opening, SessionSettings
from dpsql.interfaces.wire.failures import Failure, cancelled
from dpsql.interfaces.wire.notices import charge_notices
from dpsql.interfaces.wire.portals import Result
from dpsql.interfaces.wire.told_columns import as_told, check_sendable, check_told
from dpsql.stages.arguments.call_arguments import Parameters

T = TypeVar("T")
Turn = Callable[[], AbstractContextManager[None]]


class InnerCalls:
    """The inner connection of one session; another takes its place where a call is given up or settings change."""

    __slots__ = ("_connection", "_opening", "_runner", "_settings")

    def __init__(self, opening: Opening) -> None:
        self._opening = opening
        self._runner: _Runner | None = None
        self._connection: Connection | None = None
        self._settings = SessionSettings()

    def check(self, settings: SessionSettings) -> None:
        """Opens a connection with these settings. Raises Failure for one that the policy does not allow."""
        self._connected(settings)

    def check_cancelled(self) -> None:
        """Raises Failure where what runs is to be given up."""
        if self._opening.cancelled.is_asked():
            raise cancelled()

    def run(self, settings: SessionSettings, work: Callable[[Connection], T]) -> T:
        """What the work gives. Raises Failure where it was cancelled, and what the work raises."""
        connection, requests = self._connected(settings), self._opening.cancelled
        call = _Call(work, connection, self._opening.turn, requests.ended)
        if self._runner is None:
            self._runner = _Runner()
        self.check_cancelled()
        self._runner.run(call)
        if not requests.wait_for(call.is_over) and call.give_up():
            self._connection = self._runner = None
            raise cancelled()
        return call.result()

    def close(self) -> None:
        """Closes the connection that is in use now, and ends its thread."""
        if self._runner is not None:
            self._runner.end()
            self._runner = None
        self._close_connection()

    def _close_connection(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            _close(connection)

    def _connected(self, settings: SessionSettings) -> Connection:
        if self._connection is None or settings != self._settings:
            try:
                connection = self._opening.connect(settings)
            except (ProgrammingError, InterfaceError) as error:
                raise Failure("22023", str(error)) from None
            self._close_connection()
            self._connection, self._settings = connection, settings
        return self._connection


class _Runner:
    """A thread that runs one call after another, until one of them is given up; to start one takes a while."""

    __slots__ = ("_calls",)

    def __init__(self) -> None:
        self._calls: SimpleQueue[_Call[Any] | None] = SimpleQueue()
        threading.Thread(target=self._serve, name="dpsql-calls", daemon=True).start()

    def run(self, call: _Call[Any]) -> None:
        """Runs the call, which is not waited for."""
        self._calls.put(call)

    def end(self) -> None:
        """Ends the thread after what it runs."""
        self._calls.put(None)

    def _serve(self) -> None:
        while (call := self._calls.get()) is not None:
            if not call.take():
                return


class _Call(Generic[T]):
    """One piece of work, taken by a thread when its turn comes; whoever waits for it may give it up."""

    __slots__ = ("_connection", "_done", "_failure", "_given_up", "_lock", "_tell", "_turn", "_work", "over")

    def __init__(
        self, work: Callable[[Connection], T], connection: Connection, turn: Turn, tell: Callable[[], None]
    ) -> None:
        self._work, self._connection, self._turn, self._tell = work, connection, turn, tell
        self._lock = threading.Lock()
        self._done: list[T] = []
        self._failure: BaseException | None = None
        self._given_up = self.over = False

    def take(self) -> bool:
        """Runs the work in its turn, unless it was given up before that; whether it is still waited for."""
        try:
            with self._turn():
                if not self._given_up:
                    self._done.append(self._work(self._connection))
        except BaseException as error:
            self._failure = error
        with self._lock:
            self.over = True
        if self._given_up:
            _close(self._connection)
            return False
        self._tell()
        return True

    def is_over(self) -> bool:
        """Whether the work has ended."""
        return self.over

    def give_up(self) -> bool:
        """Leaves the work to its thread, which closes the connection; False where it has ended already."""
        with self._lock:
            self._given_up = not self.over
        return self._given_up

    def result(self) -> T:
        """What the work gave; raises what it raised."""
        if self._failure is not None:
            raise self._failure
        return self._done[0]


def answered(
    connection: Connection, sql: str, values: Parameters | None, told: tuple[OutputColumn, ...] | None
) -> tuple[Result, bool]:
    """The answer to a query in the columns that its client was told, and whether it was charged.

    Where it cannot be given in them, or cannot be sent at all, that is found before anything is charged.
    """
    planned = connection.describe(sql, values).columns
    check_sendable(planned)
    if told is not None:
        check_told(told, planned)
    cursor = connection.execute(sql, values)
    columns, released = cursor.columns or None, cursor.release
    rows = cursor.rows if columns is not None else ()
    before = charge_notices(released, connection)
    if told and columns is not None:
        columns, rows = told, as_told(told, columns, rows)
    return Result(
        "SELECT" if columns is not None else "SET", columns, rows, before, columns is not None
    ), bool(before)


def _close(connection: Connection) -> None:
    with suppress(Error):
        connection.close()
