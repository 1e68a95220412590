"""A ledger read from its beginning to its end, some rows at a time, so that a long one needs neither memory nor one
search for each row."""

from __future__ import annotations

from collections import defaultdict
from typing import Any, NamedTuple

from dpsql.accounting.ledger.audit_log import Line, digest
from dpsql.accounting.ledger.booked_totals import LARGEST
from dpsql.accounting.storage.protocol import Connection
from dpsql.slotted import dataclass

LINES = 1_000
ENTRIES = 500
BELONGING = (("charges", "key"), ("balances", "dataset, account"), ("grants", "dataset, account"))
Row = tuple[Any, ...]


class Head(NamedTuple):
    """A row of the entries."""

    id: int
    time: int
    dataset: str
    analyst: str
    role: str | None
    policy_digest: str
    data_version: int
    accountant: str
    epsilon: int
    delta: int


class Paid(NamedTuple):
    """A row of the charges."""

    entry: int
    key: str
    canonical: str
    events: str
    own_credit: str
    role_credit: str | None
    drawn_credit: str | None
    about: str
    parts: str | None
    path: str

    @property
    def credits(self) -> tuple[str | None, ...]:
        """What the analyst, the role and the dataset had paid before; None for who does not pay."""
        return self.own_credit, self.role_credit, self.drawn_credit


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry with all that belongs to it: its charges by key, its balances and its grants by dataset and account."""

    head: Head
    charges: tuple[Paid, ...]
    balances: tuple[Row, ...]
    grants: tuple[Row, ...]

    @property
    def digest(self) -> str:
        """What the entry's line in the log holds."""
        return digest([[self.head], self.charges, self.balances, self.grants])


def lines(db: Connection, after: int = 0) -> tuple[Line, ...]:
    """The next lines of the log behind a number, in order; none at its end."""
    rows = db.execute("SELECT * FROM log WHERE id > ? ORDER BY id LIMIT ?", (after, LINES)).fetchall()
    return tuple(Line(*row) for row in rows)


def last_line(db: Connection) -> Line | None:
    """The last line of the log, or None."""
    row = db.execute("SELECT * FROM log ORDER BY id DESC LIMIT 1").fetchone()
    return Line(*row) if row is not None else None


def entries(db: Connection, after: int = 0, until: int = LARGEST) -> tuple[Entry, ...]:
    """The next entries behind a number and up to another one, in order; none at the end."""
    heads = "SELECT * FROM entries WHERE id > ? AND id <= ? ORDER BY id LIMIT ?"
    return _whole(db, db.execute(heads, (after, until, ENTRIES)).fetchall())


def _whole(db: Connection, heads: list[Row]) -> tuple[Entry, ...]:
    if not heads:
        return ()
    span = heads[0][0], heads[-1][0]
    charges, balances, grants = (_of(db, table, order, span) for table, order in BELONGING)
    return tuple(
        Entry(Head(*h), tuple(Paid(*c) for c in charges[h[0]]), tuple(balances[h[0]]), tuple(grants[h[0]]))
        for h in heads
    )


def _of(db: Connection, table: str, order: str, span: tuple[object, object]) -> dict[object, list[Row]]:
    """The rows of a table that belong to a span of entries."""
    rows = db.execute(
        f"SELECT entry, t.* FROM {table} AS t WHERE entry BETWEEN ? AND ? ORDER BY entry, {order}", span
    )
    by_entry: dict[object, list[Row]] = defaultdict(list)
    for number, *row in rows.fetchall():
        by_entry[number].append(tuple(row))
    return by_entry
