"""One SQLite file: opened, read and written in durable transactions, its errors put in our own words.

This is the only module that imports sqlite3. An error of SQLite never travels on, not even as the context of ours.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

from dpsql.accounting.storage.protocol import Held, Result, require_format
from dpsql.accounting.storage.sqlite_schema import APPLICATION, CREATION
from dpsql.errors import LedgerUnavailable

Connection = sqlite3.Connection

POLL_SECONDS = 0.001
STRICT_SINCE = (3, 37, 0)
PRAGMAS = (
    "PRAGMA synchronous = FULL",
    "PRAGMA fullfsync = ON",
    "PRAGMA foreign_keys = ON",
    "PRAGMA trusted_schema = OFF",
)
WAITING = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL)
SENTENCES = (
    (WAITING, "stayed locked by another process for too long; try again"),
    ((sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM), "cannot be written; give this user write access to it"),
    ((sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_AUTH), "cannot be opened; check its folder and permissions"),
    ((sqlite3.SQLITE_FULL,), "cannot grow: the disk is full"),
    ((sqlite3.SQLITE_IOERR,), "cannot be read or written: the disk reported an error"),
    ((sqlite3.SQLITE_CORRUPT,), "is damaged; restore the newest copy"),
    ((sqlite3.SQLITE_NOTADB,), "is damaged or is not a ledger"),
)


class Database(Held[Connection]):
    """A connection to a ledger's file; see `Store`. Statements wait up to `timeout` seconds for another's lock."""

    __slots__ = ("_file", "_timeout", "_waits", "path")
    failures = sqlite3.Error

    def __init__(self, path: Path, db: Connection, timeout: float, any_thread: bool = False) -> None:
        super().__init__(db, any_thread)
        self.path = path
        self._timeout = timeout
        self._file = _identity(path)
        self._waits: bool | None = None

    @classmethod
    def open(cls, path: Path, timeout: float, any_thread: bool = False) -> Database:
        """Open the file, or create it with mode 0600."""
        if sqlite3.sqlite_version_info < STRICT_SINCE:
            raise LedgerUnavailable(f"the ledger needs SQLite 3.37; this Python has {sqlite3.sqlite_version}")
        _create(path)
        database = cls(path, _connect(path), timeout, any_thread)
        try:
            database.read(lambda db: _require_ours(path, db))
            database._configure()
            if not database.read(_is_filled):
                database.write(_fill)
        except BaseException:
            database.close()
            raise
        return database

    def read(self, action: Callable[[Connection], Result]) -> Result:
        """What the action reads, as it stood at one moment; it is begun again while another process holds a lock."""
        db = self._usable()
        try:
            return self._patiently(lambda: _snapshot(db, action))
        except sqlite3.Error as error:
            problem = unavailable(self.path, error)
        raise problem

    def write(self, action: Callable[[Connection], Result], *, durable: bool = True) -> Result:
        db = self._usable()
        try:
            self._wait_for_the_disk(db, durable)
            return self._transact(db, action)
        except sqlite3.Error as error:
            problem = unavailable(self.path, error)
        raise problem

    def damage(self) -> tuple[str, ...]:
        """What SQLite finds wrong with the file's pages and indexes."""
        rows = self.read(lambda db: db.execute("PRAGMA integrity_check").fetchall())
        return tuple(f"the file is damaged: {damage}" for (damage,) in rows if damage != "ok")

    def copy_to(self, path: Path) -> None:
        """Write all that is committed, as it stands at one moment, into a new file of its own, durably, mode 0600.

        LedgerUnavailable where the file is there already or cannot be written; then it is removed again.
        """
        db = self._usable()
        _create_new(path)
        try:
            with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as copy:
                self._patiently(lambda: db.backup(copy))
                copy.execute("PRAGMA journal_mode = DELETE")  # one file, without a log beside it
            _sync(path)
        except (sqlite3.Error, OSError):
            path.unlink(missing_ok=True)
            problem = LedgerUnavailable(
                f"{path} cannot be written; check its folder, and whether the disk is full"
            )
        else:
            return
        raise problem

    def _configure(self) -> None:
        """Set what holds for the connection, and a log for the file; no transaction may be open then."""
        db = self._usable()
        try:
            return self._patiently(lambda: _configure(self.path, db))
        except sqlite3.Error as error:
            problem = unavailable(self.path, error)
        raise problem

    def _wait_for_the_disk(self, db: Connection, wait: bool) -> None:
        """Whether commits wait until the log is flushed, from now on."""
        if wait is not self._waits:
            db.execute(f"PRAGMA synchronous = {'FULL' if wait else 'NORMAL'}")
            self._waits = wait

    def _transact(self, db: Connection, action: Callable[[Connection], Result]) -> Result:
        try:
            self._patiently(lambda: db.execute("BEGIN IMMEDIATE"))
            result = action(db)
            db.execute("COMMIT")
        except BaseException:
            with contextlib.suppress(sqlite3.Error):
                db.rollback()
            raise
        return result

    def _patiently(self, action: Callable[[], Result]) -> Result:
        # SQLite's busy handler backs off to 100 ms and starves one of many writers; short even steps do not.
        deadline = time.monotonic() + self._timeout
        while True:
            try:
                return action()
            except sqlite3.OperationalError as error:
                if _code(error) not in WAITING or time.monotonic() >= deadline:
                    raise
            time.sleep(POLL_SECONDS)

    def _usable(self) -> Connection:
        db = self._mine()
        if _identity(self.path) != self._file:
            raise LedgerUnavailable(f"the ledger {self.path} was removed or replaced while it was open")
        return db


def unavailable(path: Path, error: sqlite3.Error) -> LedgerUnavailable:
    """Our own sentence for what SQLite reported."""
    code = _code(error)
    why = next((sentence for codes, sentence in SENTENCES if code in codes), "cannot be used")
    return LedgerUnavailable(f"the ledger {path} {why}")


def _code(error: sqlite3.Error) -> int:
    """The primary result code: the extended ones keep it in their lowest byte."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def _create(path: Path) -> None:
    # Only ever with O_EXCL: closing a second descriptor of an open database would drop SQLite's locks on it.
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        return
    except FileNotFoundError:
        problem = LedgerUnavailable(f"the ledger {path} cannot be created: its folder does not exist")
    except OSError:
        problem = LedgerUnavailable(f"the ledger {path} cannot be created; check its folder and permissions")
    else:
        return
    raise problem


def _create_new(path: Path) -> None:
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        problem = LedgerUnavailable(f"{path} is there already; name a new file")
    except OSError:
        problem = LedgerUnavailable(f"{path} cannot be created; check its folder and permissions")
    else:
        return
    raise problem


def _sync(path: Path) -> None:
    """Have the file, and its name in its folder, on the disk."""
    for place in (path, path.parent):
        descriptor = os.open(place, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def put_in_place(made: Path, place: Path) -> None:
    """Give a file a name that no file has, durably. LedgerUnavailable where there is one of that name."""
    try:
        os.link(made, place)  # unlike a rename, it never replaces a file
        made.unlink()
        _sync(place)
    except FileExistsError:
        problem = LedgerUnavailable(
            f"{place} is there already; move it away first, and leave its -mark where it is"
        )
    except OSError:
        problem = LedgerUnavailable(f"{place} cannot be written; check its folder and permissions")
    else:
        return
    raise problem


def _connect(path: Path) -> Connection:
    try:
        return sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
    except sqlite3.Error as error:
        problem = unavailable(path, error)
    raise problem


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _require_ours(path: Path, db: Connection) -> None:
    """Refuse another program's database before anything in it is changed."""
    (tables,) = db.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    application, form = _pragma(db, "application_id"), _pragma(db, "user_version")
    require_format(path, application, form)
    if application != APPLICATION and (application or form or tables):
        raise LedgerUnavailable(f"{path} is a database of another program, not a ledger; name another file")


def _configure(path: Path, db: Connection) -> None:
    (mode,) = db.execute("PRAGMA journal_mode = WAL").fetchone()
    if mode != "wal":
        raise LedgerUnavailable(
            f"the ledger {path} cannot have a write-ahead log where it lies; use a local disk"
        )
    for pragma in PRAGMAS:
        db.execute(pragma)


def _snapshot(db: Connection, action: Callable[[Connection], Result]) -> Result:
    db.execute("BEGIN")
    try:
        return action(db)
    finally:
        db.rollback()


def _is_filled(db: Connection) -> bool:
    return _pragma(db, "application_id") == APPLICATION


def _fill(db: Connection) -> None:
    if _is_filled(db):  # another process was faster
        return
    for statement in CREATION:
        db.execute(statement)


def _pragma(db: Connection, name: str) -> int:
    (value,) = db.execute(f"PRAGMA {name}").fetchone()
    return int(value)
