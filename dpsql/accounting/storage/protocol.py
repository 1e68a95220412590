"""What the ledger needs of a database, whichever it is: statements within transactions, and errors in our own words."""

from __future__ import annotations

import contextlib
import os
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from dpsql.accounting.storage.sqlite_schema import APPLICATION, FORMAT
from dpsql.errors import InterfaceError, LedgerUnavailable, Uncopyable

Result = TypeVar("Result")
# How far clocks may be apart, and set back: what a time server corrects.
TOLERANCE = 300


class Cursor(Protocol):
    """The rows that a statement found, as tuples."""

    @property
    def rowcount(self) -> int:
        """How many rows the statement wrote."""

    def fetchone(self) -> Any:
        """The next row, or None."""

    def fetchall(self) -> list[Any]:
        """The rows that are left."""

    def __iter__(self) -> Iterator[Any]: ...


class Connection(Protocol):
    """Runs one statement of the SQL that SQLite and PostgreSQL share; `?` stands for each parameter."""

    def execute(self, sql: str, parameters: Sequence[object] = ..., /) -> Cursor:
        """Run it."""


class Store(Protocol):
    """A ledger's database, open.

    Guarantees: the writes of one `write` are seen by others together or not at all, and are durable when it returns;
    of all writers one is at work at a time, and it sees everything that was written before. Errors: LedgerUnavailable
    for whatever the database reports, InterfaceError for use after close, in another thread or after a fork.
    """

    def read(self, action: Callable[[Connection], Result]) -> Result:
        """What the action reads."""

    def write(self, action: Callable[[Connection], Result], *, durable: bool = True) -> Result:
        """What the action returns once its writes are durable; nothing is written if it raises.

        What need not be durable is lost, if at all, together with everything that was written later.
        """

    def damage(self) -> tuple[str, ...]:
        """What is wrong with the database itself, in words."""

    def close(self) -> None:
        """Let go of it; a second call does nothing."""


class Closable(Protocol):
    """A driver's connection."""

    def close(self) -> None:
        """Close it."""


Driver = TypeVar("Driver", bound=Closable)


class Held(Uncopyable, Generic[Driver]):
    """A connection of the process that opened it, and of the thread unless it was opened for `any_thread`."""

    __slots__ = ("__weakref__", "_db", "_end", "_pid", "_thread")
    failures: ClassVar[type[Exception]]
    """What the driver raises."""

    def __init__(self, db: Driver | None, any_thread: bool) -> None:
        self._pid = os.getpid()
        self._thread = None if any_thread else threading.get_ident()
        self._hold(db)

    def _hold(self, db: Driver | None) -> None:
        """Has a connection, which is closed with this, or when this is forgotten: Python 3.13 warns of open ones."""
        self._db = db
        self._end = weakref.finalize(self, _close, db, self._pid, self.failures)

    def close(self) -> None:
        """Close the connection; a second call does nothing, a forked child leaves its parent's alone."""
        self._db = None
        self._end()

    def _mine(self) -> Driver:
        if self._db is None:
            raise InterfaceError("the ledger is closed")
        if self._pid != os.getpid():
            raise InterfaceError("the ledger was opened before a fork; open it again in the child process")
        if self._thread not in (None, threading.get_ident()):
            raise InterfaceError("the ledger belongs to the thread that opened it; open one here too")
        return self._db


def _close(db: Driver | None, opened_by: int, failures: type[Exception]) -> None:
    if db is not None and opened_by == os.getpid():
        with contextlib.suppress(failures):
            db.close()


def require_format(where: object, application: int, form: int) -> None:
    """LedgerUnavailable for a ledger that another version wrote."""
    if application == APPLICATION and form > FORMAT:
        raise LedgerUnavailable(f"the ledger {where} was written by a newer dpsql; use that version")
    if application == APPLICATION and form < FORMAT:
        raise LedgerUnavailable(
            f"the ledger {where} was written by an older dpsql, which this one cannot carry on; use that version: "
            "another ledger would forget what was spent"
        )
