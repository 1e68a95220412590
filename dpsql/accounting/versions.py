"""The data's versions, which are public events, and the sources' fingerprints, which are for the admin alone."""

from __future__ import annotations

from collections.abc import Callable

from dpsql.accounting import chain
from dpsql.accounting.store import Connection
from dpsql.accounting.types import Request
from dpsql.errors import LedgerUnavailable

Fingerprints = tuple[tuple[str, str], ...]


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


def recorded(db: Connection, dataset: str) -> dict[str, str]:
    """The latest recorded fingerprint of each source."""
    # Rows come by version, and in a dict a later one replaces an earlier one.
    return dict(
        db.execute(
            "SELECT source, fingerprint FROM fingerprints WHERE dataset = ? ORDER BY version", (dataset,)
        )
    )


def record(db: Connection, dataset: str, fingerprints: Fingerprints, version: int) -> None:
    """Note the sources' fingerprints under a version."""
    for source, fingerprint in dict(fingerprints).items():
        db.execute("INSERT INTO fingerprints VALUES (?, ?, ?, ?)", (dataset, source, version, fingerprint))


def first_sight(db: Connection, dataset: str, fingerprints: Fingerprints) -> dict[str, str]:
    """Note the sources that are seen for the first time; what is recorded then."""
    known = recorded(db, dataset)
    new = tuple(pair for pair in fingerprints if pair[0] not in known)
    record(db, dataset, new, data_version(db, dataset))
    return known | dict(new)
