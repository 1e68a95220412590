"""The data's versions, which are public events, and what they are read from, which is for the admin alone.

A version has one set of sources. It is recorded when the version is first served, or begins; copies of its files may be
added, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable

from dpsql.accounting.ledger import audit_log as chain
from dpsql.accounting.ledger.recorded_sources import Active, SourceFile, Sources
from dpsql.accounting.storage.protocol import Connection
from dpsql.accounting.types import Request
from dpsql.errors import LedgerUnavailable

# In the place of a source's path, which is absolute: a record of all sources, counted from 1 in its version.
_RECORD = "sources "


def data_version(db: Connection, dataset: str) -> int:
    """The dataset's current version; 0 for a dataset that the ledger does not know yet."""
    (version,) = db.execute("SELECT max(version) FROM versions WHERE dataset = ?", (dataset,)).fetchone()
    return int(version or 0)


def require_current(db: Connection, dataset: str, request: Request) -> None:
    """LedgerUnavailable where the data has another version by now than the request was made for."""
    current = data_version(db, dataset)
    if request.data_version != current:
        raise LedgerUnavailable(
            f"the data has version {current} by now, and this connection was opened at version "
            f"{request.data_version}; open a new connection"
        )


def add_version(db: Connection, dataset: str, clock: Callable[[], float], who: str) -> int:
    """Begin the next version and return its number."""
    version = data_version(db, dataset) + 1
    now = int(clock())
    db.execute("INSERT INTO versions VALUES (?, ?, ?, ?)", (dataset, version, now, who))
    chain.append(db, now, dataset, who, "version", {"version": version})
    return version


def active(db: Connection, dataset: str) -> Active:
    """The current version with what was recorded for it.

    A ledger of an earlier dpsql names single files there, by size, time of change and inode, and no engine.
    """
    version = data_version(db, dataset)
    rows = db.execute(
        "SELECT source, fingerprint FROM fingerprints WHERE dataset = ? AND version = ?", (dataset, version)
    ).fetchall()
    records = {int(name.removeprefix(_RECORD)): text for name, text in rows if name.startswith(_RECORD)}
    if records:
        first, *others = (Sources.read(records[number]) for number in sorted(records))
        return Active(version, first.with_more(others))
    files = (SourceFile(path, (), text.rpartition(":")[0]) for path, text in rows)
    return Active(version, Sources(files=tuple(files)))


def record(db: Connection, dataset: str, sources: Sources, version: int) -> None:
    """Note what a version is read from, beside what was noted before."""
    (count,) = db.execute(
        "SELECT count(*) FROM fingerprints WHERE dataset = ? AND version = ? AND source LIKE ?",
        (dataset, version, f"{_RECORD}%"),
    ).fetchone()
    row = (dataset, f"{_RECORD}{count + 1}", version, sources.written())
    db.execute("INSERT INTO fingerprints VALUES (?, ?, ?, ?)", row)


def first_seen(db: Connection, dataset: str, sources: Sources) -> Active:
    """Note what the data is first served from; what stands then, where another process was faster."""
    current = active(db, dataset)
    if current.is_recorded:
        return current
    record(db, dataset, sources, current.version)
    return active(db, dataset)


def accept(
    db: Connection, dataset: str, copies: Sources, version: int, clock: Callable[[], float], who: str
) -> None:
    """Note files as copies of what a version is read from; LedgerUnavailable where it is not the current one."""
    current = data_version(db, dataset)
    if version != current:
        raise LedgerUnavailable(
            f"the data has version {current} by now, and was compared at version {version}"
        )
    record(db, dataset, copies, version)
    body = {"version": version, "files": [file.path for file in copies.files]}
    chain.append(db, int(clock()), dataset, who, "same", body)
