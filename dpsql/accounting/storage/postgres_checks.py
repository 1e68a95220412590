"""What has to be so of a server and of the ledger in it: asked when it is opened, and in every transaction."""

from __future__ import annotations

import time

from dpsql.accounting.storage.postgres_schema import GUARDED, SCHEMA
from dpsql.accounting.storage.protocol import TOLERANCE, Connection, require_format
from dpsql.accounting.storage.sqlite_schema import APPLICATION
from dpsql.errors import LedgerUnavailable

SYNCED = ("fsync", "full_page_writes")
# Of a host's clock and the server's. No two hosts are further apart than an entry may lie ahead of a clock, so that
# whether a host is refused never follows from what others wrote.
APART = TOLERANCE // 2

Known = tuple[int, str]
"""The number and the hash of a line of the log that is on the server's disk."""

# The last line after a write that the commit will wait for: one that wrote nothing waits for no disk.
LAST_WRITTEN = (
    "SELECT id, hash FROM log WHERE pg_current_xact_id_if_assigned() IS NOT NULL ORDER BY id DESC LIMIT 1"
)
# Other lines may have been written without waiting for the disk.
LAST_CHARGE = "SELECT id, hash FROM log WHERE what = 'charge' ORDER BY id DESC LIMIT 1"
# Whoever may act as the database's owner may do anything to it. A superuser may act as everybody, and trusts not all.
STRANGERS = """
    SELECT r.rolname FROM pg_roles AS r
    JOIN pg_roles AS me ON me.rolname = current_user
    JOIN pg_database AS d ON d.datname = current_database()
    WHERE r.oid IN (
        SELECT nspowner FROM pg_namespace WHERE nspname = ?
        UNION SELECT relowner FROM pg_class WHERE relnamespace = to_regnamespace(?)
        UNION SELECT proowner FROM pg_proc WHERE pronamespace = to_regnamespace(?)
    )
    AND NOT pg_has_role(r.oid, d.datdba, 'USAGE')
    AND (me.rolsuper OR NOT pg_has_role(r.oid, 'USAGE'))
    ORDER BY r.rolname
"""


def question(known: Known | None) -> str:
    """What each transaction asks before all else; `require_sound` judges the answer."""
    line = f"(SELECT hash FROM log WHERE id = {known[0]})" if known is not None else "NULL"
    settings = ", ".join(f"current_setting('{name}')" for name in SYNCED)
    return f"SELECT {settings}, floor(extract(epoch FROM clock_timestamp()))::bigint, {line}"


def require_sound(where: str, known: Known | None, answer: tuple[object, ...]) -> None:
    """LedgerUnavailable where the server may lose charges, its clock is another one, or the ledger is."""
    *settings, now, line = answer
    for name, setting in zip(SYNCED, settings, strict=True):
        if setting != "on":
            raise LedgerUnavailable(f"the server of {where} could lose charges: it runs with {name} off")
    if not isinstance(now, int) or abs(time.time() - now) > APART:
        raise LedgerUnavailable(
            f"the clock of this computer and that of the server of {where} are more than {APART} seconds apart; "
            "set them right"
        )
    if known is not None and line != known[1]:
        raise LedgerUnavailable(
            f"the ledger in {where} is not the one that was there before: another one, or an older state, was put in "
            "its place. Restore the newest; to accept the loss of what it charged, open again"
        )


def is_there(where: str, db: Connection) -> bool:
    """Whether the schema is there; LedgerUnavailable where it is no ledger, a stranger's, or one of another version."""
    # By the catalog's rows: functions by name may answer from what was so before the lock was waited for.
    if db.execute("SELECT 1 FROM pg_namespace WHERE nspname = ?", (SCHEMA,)).fetchone() is None:
        return False
    _require_owners(where, db)
    (table,) = db.execute("SELECT to_regclass(?) IS NOT NULL", (f"{SCHEMA}.format",)).fetchone()
    row = db.execute("SELECT application, format FROM format").fetchone() if table else None
    if row is None or row[0] != APPLICATION:
        raise LedgerUnavailable(f"the schema {SCHEMA} in {where} is another program's, not a ledger")
    require_format(f"in {where}", *row)
    return True


def _require_owners(where: str, db: Connection) -> None:
    """Refuse a schema of somebody who could take away what was spent, and need not be trusted with it."""
    stranger = db.execute(STRANGERS, (SCHEMA, SCHEMA, SCHEMA)).fetchone()
    if stranger is not None:
        raise LedgerUnavailable(
            f"the schema {SCHEMA} in {where}, or a part of it, belongs to {stranger[0]}, who could change what was "
            "spent. A ledger belongs to the owner of its database, or to the user who charges or a role that this "
            "user has; the admin must give it, or the database, another owner"
        )


def unguarded(db: Connection) -> tuple[str, ...]:
    """The tables that anybody could change, since their guards are gone, in words."""
    rows = db.execute(
        "SELECT c.relname FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = t.tgrelid "
        "WHERE c.relnamespace = to_regnamespace(?) AND t.tgname = 'append_only' AND t.tgenabled = 'A'",
        (SCHEMA,),
    ).fetchall()
    guarded = {name for (name,) in rows}
    return tuple(f"the table {name} is not append-only any more" for name in GUARDED if name not in guarded)
