"""A ledger with as many charges as wanted, in minutes rather than hours: the very rows that charging would write.

The first charge of each analyst is made by the ledger itself. The others follow from what stands there then, without
reading it again for each, many to a transaction; a test compares every table with that of a ledger charged one by one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from dpsql.accounting.accountants.accountant import Accountants
from dpsql.accounting.accountants.events import events_json
from dpsql.accounting.ledger import audit_log as chain
from dpsql.accounting.ledger.booked_totals import Totals, booked
from dpsql.accounting.ledger.ledger import MAIN, Ledger
from dpsql.accounting.ledger.stored_releases import payload_digest
from dpsql.accounting.ledger.subjects import subject_of
from dpsql.accounting.storage.protocol import Connection
from dpsql.accounting.types import DATASET, Request
from dpsql.policy.model import AccountantName
from dpsql.privacy import Charge, Cost, Event, Mechanism

ANALYSTS = 100
ALIKE = 10
BATCH = 10_000
LIMIT = Cost(Fraction(10**6), Fraction(1, 10**6))
EVENTS = (Event(Mechanism.DISCRETE_LAPLACE, 1, Cost(Fraction(1, 100))),)
PAYLOAD = bytes(100)
COLUMNS = {"entries": 10, "charges": 10, "balances": 4, "log": 7, "shelf": 5, "receipts": 5}
# As long as the text of a count under one condition, the part about its rows first.
ROWS = "(Question(relation=Filter(source=Scan(table='orders', index=0), conjuncts=({:0>120},)), keys="
REST = "{:0>500}"


def request(n: int, accountant: AccountantName = AccountantName.RDP) -> Request:
    """The request of an analyst by number."""
    return Request(f"analyst{n % ANALYSTS}", LIMIT, LIMIT, LIMIT, "policy", 1, accountant)


def charge(n: int) -> Charge:
    """The n-th charge; an analyst makes several about the same rows."""
    rows = ROWS.format(n // (ANALYSTS * ALIKE))
    return Charge(f"{n:064x}", rows + REST.format(n), EVENTS, len(rows))


def fill(
    path: Path, count: int, clock: Callable[[], float], accountant: AccountantName = AccountantName.RDP
) -> None:
    """Charge and keep so many draws, analyst by analyst in turn."""
    with Ledger.open(path, clock=clock) as ledger:
        for n in range(min(count, ANALYSTS)):
            one_by_one(ledger, n, accountant)
        if count <= ANALYSTS:
            return
        book = ledger._database.read(lambda db: Book.read(db, int(clock()), accountant))
        for first in range(ANALYSTS, count, BATCH):
            rows = book.rows(range(first, min(first + BATCH, count)))
            ledger._database.write(lambda db, of=rows: _insert(db, of))  # type: ignore[misc]
        ledger._mark.raise_to(count)


def one_by_one(ledger: Ledger, n: int, accountant: AccountantName) -> None:
    """The n-th charge and its draw, by the ledger itself."""
    wanted = charge(n)
    ledger.keep(ledger.charge(request(n, accountant), (wanted,)), wanted.key, PAYLOAD)


Rows = dict[str, list[tuple[object, ...]]]


@dataclass(slots=True)
class Book:
    """What the next rows depend on: the last line of the log, and how often one charge's totals were booked."""

    time: int
    accountant: AccountantName
    line: int
    hash: str
    once: Totals = field(default_factory=lambda: Accountants().totals(EVENTS))

    @classmethod
    def read(cls, db: Connection, time: int, accountant: AccountantName) -> Book:
        line, last = db.execute("SELECT id, hash FROM log ORDER BY id DESC LIMIT 1").fetchone()
        return cls(time, accountant, line, last)

    def rows(self, numbers: range) -> Rows:
        """The rows of these charges, table by table."""
        found: Rows = {table: [] for table in COLUMNS}
        for n in numbers:
            for table, row in self._of(n):
                found[table].append(row)
        return found

    def _of(self, n: int) -> Iterator[tuple[str, tuple[object, ...]]]:
        entry, asks, wanted = n + 1, request(n, self.accountant), charge(n)
        own, about = asks.own_account.name, subject_of(wanted)
        units = booked(wanted.cost)
        head = (
            entry,
            self.time,
            MAIN,
            asks.analyst,
            None,
            asks.policy_digest,
            1,
            str(self.accountant),
            *units,
        )
        credits = ("[]", None, "[]")
        paid = (entry, wanted.key, wanted.canonical, events_json(wanted.events), *credits, about, None, "")
        times = {own: n // ANALYSTS + 1, DATASET: entry}
        balances = [(MAIN, a, entry, self.once.times(t).written()) for a, t in sorted(times.items())]
        yield "entries", head
        yield "charges", paid
        yield from (("balances", row) for row in balances)
        digest = chain.digest([[head], [paid], balances, []])
        body = {"epsilon": units[0], "delta": units[1], "entry": entry, "digest": digest}
        yield "log", self._line(asks.analyst, "charge", body)
        yield "shelf", (MAIN, wanted.key, entry, PAYLOAD, "")
        drawn = {"entry": entry, "key": wanted.key, "payload": payload_digest(PAYLOAD)}
        yield "log", self._line(asks.analyst, "draw", drawn)
        yield "receipts", (MAIN, own, wanted.key, entry, about)

    def _line(self, who: str, what: str, body: chain.Body) -> tuple[object, ...]:
        self.line += 1
        fields = (self.line, self.time, MAIN, who, what, json.dumps(body, sort_keys=True))
        self.hash = chain.chained(self.hash, fields)
        return (*fields, self.hash)


def _insert(db: Connection, rows: Rows) -> None:
    for table, columns in COLUMNS.items():
        marks = ", ".join("?" * columns)
        db.executemany(f"INSERT INTO {table} VALUES ({marks})", rows[table])  # type: ignore[attr-defined]
