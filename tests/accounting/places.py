"""Looking into a ledger behind its back, wherever it lies."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

import psycopg
import pytest

from dpsql.accounting.ledger.ledger import Ledger
from dpsql.accounting.storage.open_store import is_address
from dpsql.accounting.storage.postgres_schema import SCHEMA
from dpsql.accounting.storage.sqlite_schema import NAMES
from dpsql.errors import LedgerUnavailable

Raw = sqlite3.Connection | psycopg.Connection[tuple[object, ...]]
Refused = (sqlite3.Error, psycopg.Error)


@contextmanager
def behind(place: str) -> Iterator[Raw]:
    """A connection of our own; what it does stands once it is left."""
    if is_address(place):
        with psycopg.connect(place) as db:
            db.execute(f"SET search_path = {SCHEMA}".encode())
            yield db
        return
    with closing(sqlite3.connect(place)) as file:
        yield file
        file.commit()


def rows(place: str, sql: str) -> list[tuple[object, ...]]:
    with behind(place) as db:
        return db.execute(sql).fetchall()


def drop_guards(db: Raw) -> None:
    """Take away what keeps tables append-only and whole, as somebody who owns them can."""
    if isinstance(db, sqlite3.Connection):
        for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
            db.execute(f"DROP TRIGGER {name}")
        db.execute("PRAGMA foreign_keys = OFF")
        return
    db.execute("SET session_replication_role = replica")  # no references are checked
    for table in NAMES:
        db.execute(f"ALTER TABLE {table} DISABLE TRIGGER append_only")


def restore_guards(db: Raw) -> None:
    """Put back what `verify` would miss at once."""
    if isinstance(db, psycopg.Connection):
        for table in NAMES:
            db.execute(f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER append_only")


def tamper(place: str, *statements: str) -> tuple[str, ...]:
    """What `verify` says after statements that the triggers would have refused."""
    with behind(place) as db:
        drop_guards(db)
        for statement in statements:
            db.execute(statement)
        restore_guards(db)
    with Ledger.open(place, dataset="") as ledger:
        return ledger.verify()


def refusal(work: Callable[[], object]) -> str:
    """The error; no error of psycopg hangs on to it."""
    with pytest.raises(LedgerUnavailable) as caught:
        work()
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    return str(caught.value)
