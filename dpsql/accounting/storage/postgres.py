"""A ledger in a PostgreSQL database, for many hosts; its errors put in our own words.

This is the only module that imports psycopg. An error of psycopg never travels on, not even as the context of ours: it
could name the server's user, or quote a row.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from math import ceil

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import TransactionStatus

from dpsql.accounting.storage.postgres_checks import (
    LAST_CHARGE,
    LAST_WRITTEN,
    Known,
    is_there,
    question,
    require_sound,
    unguarded,
)
from dpsql.accounting.storage.postgres_schema import CREATION, SCHEMA
from dpsql.accounting.storage.protocol import Connection, Cursor, Held, Result
from dpsql.accounting.storage.sqlite_schema import APPLICATION
from dpsql.errors import LedgerUnavailable

OLDEST = 130000
# A host that stops in the middle of a charge holds up the others for so long, and then loses its connection.
IDLE_SECONDS = 10
NETWORK: dict[str, int | str] = {
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
    "application_name": "dpsql",
}
LOST = "lost its connection to the server; try again"
UNREACHED = "cannot be reached; check its address, the user and the server"
SENTENCES = (
    (("55P03",), "stayed locked by another process for too long; try again"),
    (("40",), "was written by others at the same moment; try again"),
    (("25006",), "cannot be written: the server is read-only or a standby"),
    (("42501",), "does not allow this user to read and append; the admin must grant it"),
    (("53100",), "cannot grow: the server's disk is full"),
    (("54",), "cannot hold a name or a key that is so long"),
    (("53",), "cannot be used: the server has no room for one more"),
    (("XX001", "XX002", "58030"), "is damaged or cannot be read; restore the newest copy"),
    (("28",), "refuses this user or password"),
    (("08", "57", "25P03"), LOST),
)


class Statements:
    """A connection as the ledger's pages use it."""

    __slots__ = ("_db",)

    def __init__(self, db: psycopg.Connection) -> None:
        self._db = db

    def execute(self, sql: str, parameters: Sequence[object] = (), /) -> Cursor:
        """Run one statement, `?` for each parameter."""
        return self._db.execute(sql.replace("?", "%s").encode(), parameters)


class Postgres(Held[psycopg.Connection]):
    """A connection to a ledger's schema, opened anew where it was lost; see `Store`.

    *Requires* a server of version 13 or later in UTF-8 that syncs its log to disk (`fsync`, `full_page_writes`), whose
    clock is the host's, and an owner who is trusted: all of it is checked. *Guarantees* what `Store` promises.
    *Because* each write begins with a lock that one transaction can hold at a time and that is let go after the commit
    is visible, and each statement at READ COMMITTED sees all that was committed before it began (PostgreSQL's manual,
    13.2.1 and 13.3.5); the commit returns when its log is on disk, and warns where it is not on a standby's. Every
    setting that this rests on is made inside each transaction, so that no pool in between can lose it.
    """

    __slots__ = ("_known", "_timeout", "_url", "where")
    failures = psycopg.Error

    def __init__(self, url: str, timeout: float, any_thread: bool = False) -> None:
        super().__init__(None, any_thread)
        self._url = url
        self._timeout = timeout
        self._known: Known | None = None
        self.where = _shown(url)

    @classmethod
    def open(cls, url: str, timeout: float, any_thread: bool = False, create: bool = True) -> Postgres:
        """Open the ledger in that database; where there is none, create it or, with `create` off, refuse."""
        store = cls(url, timeout, any_thread)
        store._hold(store._connected())
        try:
            if not store.read(lambda db: is_there(store.where, db)):
                if not create:
                    raise LedgerUnavailable(f"there is no ledger in {store.where}")
                store.write(lambda db: _fill(store.where, db))
            store._known = store.read(lambda db: db.execute(LAST_CHARGE).fetchone())
        except BaseException:
            store.close()
            raise
        return store

    def read(self, action: Callable[[Connection], Result]) -> Result:
        """What the action reads, all of it as it stood at one moment."""
        return self._transact("ISOLATION LEVEL REPEATABLE READ READ ONLY", (), action)

    def write(self, action: Callable[[Connection], Result], *, durable: bool = True) -> Result:
        # Where the server waits for its standbys to apply as well, that is left as it is.
        stricter = "WHERE current_setting('synchronous_commit') <> 'remote_apply'" if durable else ""
        level = "on" if durable else "off"
        settings = (
            f"SELECT set_config('synchronous_commit', '{level}', true) {stricter}",
            f"SELECT pg_advisory_xact_lock({APPLICATION})",
        )

        def remembering(db: Connection) -> tuple[Result, Known | None]:
            return action(db), db.execute(LAST_WRITTEN).fetchone() if durable else None

        result, last = self._transact("ISOLATION LEVEL READ COMMITTED READ WRITE", settings, remembering)
        self._known = last or self._known
        return result

    def damage(self) -> tuple[str, ...]:
        """The tables that anybody could change, since their guards are gone."""
        return self.read(unguarded)

    def _transact(
        self, mode: str, settings: tuple[str, ...], action: Callable[[Connection], Result]
    ) -> Result:
        limits = (
            f"SET LOCAL search_path = {SCHEMA}, pg_temp",
            "SET LOCAL row_security = off",  # rows that a policy would hide are an error
            "SET LOCAL client_min_messages = warning",  # what `_commit` listens for
            f"SET LOCAL lock_timeout = {max(1, ceil(self._timeout * 1000))}",
            f"SET LOCAL idle_in_transaction_session_timeout = {IDLE_SECONDS * 1000}",
        )
        script = "; ".join((f"BEGIN {mode}", *limits, *settings, question(self._known))).encode()
        try:
            db, answer = self._begun(script)
            try:
                require_sound(self.where, self._known, answer)
                result = action(Statements(db))
                _commit(self.where, db)
            except BaseException:
                _roll_back(db)
                raise
            return result
        except psycopg.Error as error:
            problem = unavailable(self.where, error)
        raise problem

    def _begun(self, script: bytes) -> tuple[psycopg.Connection, tuple[object, ...]]:
        """A connection in a new transaction, and the row that the script ends with.

        A connection that was lost while nothing was going on is opened anew.
        """
        db = self._usable()
        try:
            return db, _last_row(db, script)
        except psycopg.OperationalError:
            if not db.closed:
                raise
        db = self._usable()
        return db, _last_row(db, script)

    def _usable(self) -> psycopg.Connection:
        db = self._mine()
        if db.closed:
            self._end()
            db = self._connected()
            self._hold(db)
        return db

    def _connected(self) -> psycopg.Connection:
        try:
            # Statements that the server keeps prepared do not survive a pool that hands out another connection.
            db = psycopg.connect(_completed(self._url), autocommit=True, prepare_threshold=None)
        except psycopg.Error as error:
            problem = unavailable(self.where, error, UNREACHED)
        else:
            unfit = _unfit(self.where, db)
            if unfit is None:
                return db
            db.close()
            problem = unfit
        raise problem


def unavailable(where: str, error: psycopg.Error, silent: str = LOST) -> LedgerUnavailable:
    """Our own sentence for what PostgreSQL reported, or that it is `silent`."""
    code = error.sqlstate or ""
    why = next((s for codes, s in SENTENCES if code.startswith(codes)), "cannot be used")
    if not code and isinstance(error, psycopg.OperationalError):
        why = silent
    return LedgerUnavailable(f"the ledger in {where} {why}")


def _completed(url: str) -> str:
    """The address with what it does not say itself."""
    missing = {name: value for name, value in NETWORK.items() if name not in conninfo_to_dict(url)}
    return make_conninfo(url, client_encoding="UTF8", **missing)


def _shown(url: str) -> str:
    """The address without user and password."""
    try:
        parts = conninfo_to_dict(url)
    except psycopg.Error:
        problem = LedgerUnavailable("the ledger's address is not postgresql://user@host/database")
    else:
        return f"postgresql://{parts.get('host', '')}/{parts.get('dbname', '')}"
    raise problem


def _last_row(db: psycopg.Connection, script: bytes) -> tuple[object, ...]:
    """The row that a script ends with; nothing of it is left where it fails."""
    try:
        cursor = db.execute(script)
        while cursor.nextset():
            pass
        return cursor.fetchone() or ()
    except BaseException:
        _roll_back(db)
        raise


def _commit(where: str, db: psycopg.Connection) -> None:
    """Commit; LedgerUnavailable where that failed, or where the server warns that it may not be safe."""
    told: list[str | None] = []

    def heard(notice: psycopg.errors.Diagnostic) -> None:
        told.append(notice.severity_nonlocalized)  # what is read of a notice later is nothing

    db.add_notice_handler(heard)
    try:
        if db.execute("COMMIT").statusmessage != "COMMIT":
            raise LedgerUnavailable(f"the ledger in {where} did not commit; try again")
    finally:
        db.remove_notice_handler(heard)
    if "WARNING" in told:
        raise LedgerUnavailable(
            f"the ledger in {where} cannot tell that what it wrote is safe, as where a standby has not confirmed it: "
            "there is no answer, and a charge may stand"
        )


def _roll_back(db: psycopg.Connection) -> None:
    """End the transaction; a connection that cannot is given up."""
    with contextlib.suppress(psycopg.Error):
        if db.info.transaction_status is not TransactionStatus.IDLE:
            db.execute("ROLLBACK")
    if db.info.transaction_status is not TransactionStatus.IDLE:
        db.close()


def _unfit(where: str, db: psycopg.Connection) -> LedgerUnavailable | None:
    """Why a server is refused that lacks what is asked of it, or that cannot hold every text."""
    if db.info.server_version < OLDEST:
        return LedgerUnavailable(f"the ledger in {where} needs PostgreSQL 13 or later")
    if db.info.parameter_status("server_encoding") != "UTF8":
        return LedgerUnavailable(f"the database of {where} is not in UTF-8; name another one")
    return None


def _fill(where: str, db: Connection) -> None:
    if is_there(where, db):  # another process was faster
        return
    for statement in CREATION:
        db.execute(statement)
