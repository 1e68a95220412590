"""Whether a ledger is what was once written: the chain of its log, every entry, every total, every draw.

Totals are recomputed from the events alone, by the accountants and not by the code that booked them. The log is read
once, with the entries and the draws that its lines speak of, so that what is held in memory does not grow with it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import field
from functools import lru_cache

from dpsql.accounting.accountants.accountant import REMEMBERED, Accountants
from dpsql.accounting.accountants.basic import total
from dpsql.accounting.accountants.events import confined_of_json, events_of_json
from dpsql.accounting.ledger import audit_log as chain
from dpsql.accounting.ledger.booked_totals import LARGEST, booked
from dpsql.accounting.ledger.ledger_pages import Entry, entries, last_line, lines
from dpsql.accounting.ledger.path_credit import credit_of_json, overdrawn, owed, stored_payload
from dpsql.accounting.ledger.recount import Paid, Recount
from dpsql.accounting.ledger.stored_releases import payload_digest
from dpsql.accounting.storage.protocol import Connection
from dpsql.accounting.types import DATASET
from dpsql.privacy import Event
from dpsql.progress import Phase, Progress, untold
from dpsql.slotted import dataclass


def problems(db: Connection, accountants: Accountants, progress: Progress = untold) -> Iterator[str]:
    """What is wrong, in words."""
    log, books, draws = Chained(), Recounted(accountants), Drawn()
    end = last.id if (last := last_line(db)) is not None else 0
    while page := lines(db, log.number):
        for line in page:
            yield from log.check(line)
        bodies = [(line, json.loads(line.body)) for line in page if line.what in ("charge", "draw")]
        yield from books.check(db, {b["entry"]: b["digest"] for line, b in bodies if line.what == "charge"})
        yield from draws.check(
            db, [(n.dataset, b["key"], b["payload"]) for n, b in bodies if n.what == "draw"]
        )
        progress(Phase("recounting the log", log.number, end, "lines"))
    progress(Phase("comparing draws, receipts and free answers"))
    yield from books.unlogged(db)
    yield from draws.unlogged(db)
    yield from _off_path(db)
    yield from _repeats(db)
    yield from _receipts(db)


@dataclass(slots=True)
class Chained:
    """The log so far: the number and the hash of its last line."""

    number: int = 0
    before: str = chain.GENESIS

    def check(self, line: chain.Line) -> Iterator[str]:
        """Each line follows on the one before."""
        if line.id != self.number + 1:
            yield f"line {self.number + 1} of the log is missing"
        fields = (line.id, line.time, line.dataset, line.who, line.what, line.body)
        if line.hash != chain.chained(self.before, fields):
            yield f"line {line.id} of the log is not what was written"
        self.number, self.before = line.id, line.hash


@dataclass(slots=True)
class Recounted:
    """The entries so far: how many there are, and what every account has paid by them."""

    accountants: Accountants
    last: int = 0
    accounts: dict[tuple[str, str], Recount] = field(default_factory=dict)
    # Most charges of a ledger are like others.
    events: Callable[[str], tuple[Event, ...]] = field(
        default_factory=lambda: lru_cache(maxsize=REMEMBERED)(events_of_json)
    )

    def check(self, db: Connection, logged: dict[int, str]) -> Iterator[str]:
        """The next entries, as far as some lines of the log tell of them."""
        yield from self._until(db, max(logged, default=0), logged)
        for number in logged:
            yield f"entry {number} is in the log and is missing"

    def unlogged(self, db: Connection) -> Iterator[str]:
        """The entries that no line of the log tells of."""
        yield from self._until(db, LARGEST, {})

    def _until(self, db: Connection, until: int, logged: dict[int, str]) -> Iterator[str]:
        while page := entries(db, self.last, until):
            for entry in page:
                yield from self._entry(db, entry, logged.pop(entry.head.id, None))

    def _entry(self, db: Connection, entry: Entry, logged: str | None) -> Iterator[str]:
        """An entry is in the log as it stands, and its totals follow from its events and the entries before."""
        head, number = entry.head, entry.head.id
        if number != self.last + 1:
            yield f"entry {self.last + 1} is missing"
        self.last = number
        if logged != entry.digest:
            yield f"entry {number} is not what the log says was written"
        paid = self._paid(entry)
        requested = total(tuple(event for event, _ in paid[f"analyst {head.analyst}"]))
        if booked(requested) != (head.epsilon, head.delta):
            yield f"entry {number} charges another epsilon or delta than its events cost"
        yield from self._balances(entry, paid)
        for charge in entry.charges:
            for account in overdrawn(db, head, charge):
                yield f"entry {number} is reduced by more than {account} had paid for coarser draws"

    def _balances(self, entry: Entry, paid: dict[str, tuple[Paid, ...]]) -> Iterator[str]:
        """The balances of an entry are those that are counted again, and no others."""
        head, written = entry.head, {account: totals for _, account, _, totals in entry.balances}
        for account, events in paid.items():
            recount = self.accounts.setdefault((head.dataset, account), Recount(self.accountants))
            counts = recount.add(events, f"{head.policy_digest}:{head.data_version}", head.id)
            if counts and written.pop(account, None) != recount.written(head.id):
                yield f"the totals of {account} after entry {head.id} are not the sum of its events"
        for account in written:
            yield f"entry {head.id} has totals of {account}, which paid for nothing"

    def _paid(self, entry: Entry) -> dict[str, tuple[Paid, ...]]:
        """The events that each account paid for in an entry, each with the parts that it is confined to."""
        own, by_role, drawn = f"analyst {entry.head.analyst}", f"role {entry.head.role}", DATASET
        paid: dict[str, tuple[Paid, ...]] = {own: (), drawn: ()}
        if entry.head.role is not None:
            paid[by_role] = ()
        for charge in entry.charges:
            confined, events = confined_of_json(charge.parts), self.events(charge.events)
            for account, credit in zip((own, by_role, drawn), charge.credits, strict=True):
                if credit is not None:
                    left = ((event, confined) for event in owed(events, credit_of_json(credit)))
                    paid[account] = (*paid.get(account, ()), *left)
        return paid


@dataclass(slots=True)
class Drawn:
    """How many of the stored draws the log tells of, so far."""

    count: int = 0

    def check(self, db: Connection, logged: list[tuple[str, str, str]]) -> Iterator[str]:
        """The draws that some lines of the log name are stored, each as it was kept."""
        self.count += len(logged)
        for dataset, key, digest in logged:
            payload = stored_payload(db, dataset, key)
            if payload is None:
                yield f"the release {key} was drawn and is missing"
            elif payload_digest(payload) != digest:
                yield f"the stored release {key} is not the one that was drawn"

    def unlogged(self, db: Connection) -> Iterator[str]:
        """The stored draws are as many as the log tells of; else those which it does not tell of once."""
        (stored,) = db.execute("SELECT count(*) FROM shelf").fetchone()
        if stored == self.count:
            return
        logged = Counter(_logged_draws(db))
        for dataset, key in db.execute("SELECT dataset, key FROM shelf").fetchall():
            if logged.pop((dataset, key), 0) != 1:
                yield f"the stored release {key} is not the one that was drawn"


def _logged_draws(db: Connection) -> Iterator[tuple[str, str]]:
    after = 0
    while page := lines(db, after):
        yield from ((line.dataset, json.loads(line.body)["key"]) for line in page if line.what == "draw")
        after = page[-1].id


def _off_path(db: Connection) -> Iterator[str]:
    """Every stored draw is on the path of noise that it was paid for."""
    for (key,) in db.execute(
        "SELECT s.key FROM shelf AS s JOIN charges AS c ON c.entry = s.entry AND c.key = s.key WHERE s.path <> c.path"
    ).fetchall():
        yield f"the stored release {key} is not on the path that it was paid for"


def _receipts(db: Connection) -> Iterator[str]:
    """Stored draws are handed out for nothing only to who paid for them."""
    for account, key in db.execute(
        "SELECT r.account, r.key FROM receipts AS r JOIN entries AS e ON e.id = r.entry "
        "WHERE r.account NOT IN ('analyst ' || e.analyst, 'role ' || coalesce(e.role, '')) OR r.dataset != e.dataset"
    ).fetchall():
        yield f"the receipt of {account} for the release {key} belongs to a payment of somebody else"


def _repeats(db: Connection) -> Iterator[str]:
    """Free answers are numbered from 1 for each entry, and stand in the log."""
    for (entry,) in db.execute(
        "SELECT r.entry FROM repeats AS r JOIN entries AS e ON e.id = r.entry JOIN log AS l ON l.id = r.line "
        "GROUP BY r.entry HAVING max(r.count) != count(*) OR count(DISTINCT r.line) != count(*) "
        "OR sum(CASE WHEN l.what = 'stored' AND l.who = e.analyst THEN 0 ELSE 1 END) > 0"
    ).fetchall():
        yield f"the free answers that came of entry {entry} are not those of the log"
