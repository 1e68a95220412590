"""The pages of the ledger that hold money: entries, the charges they pay for, and every account's balance."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from dpsql.accounting import chain
from dpsql.accounting.accountant import Accountants
from dpsql.accounting.events import events_json, events_of_json
from dpsql.accounting.grants import note_grants
from dpsql.accounting.store import Connection
from dpsql.accounting.subjects import subject_of
from dpsql.accounting.totals import LARGEST, Totals, booked, cost_of
from dpsql.accounting.types import DATASET, Account, Payment, Request, Standing
from dpsql.accounting.windows import window_of
from dpsql.errors import BudgetExhausted, LedgerUnavailable
from dpsql.privacy import FREE, Charge, Cost, Event

# How far clocks may be set back: what a time server corrects.
TOLERANCE = 300
MOST_REPEATS = 1_000_000


@dataclass(frozen=True, slots=True)
class Dues:
    """What has to be paid for: by the analyst, by the analyst's role, and by the dataset, which pays for draws."""

    unpaid: tuple[Charge, ...]
    by_role: tuple[Charge, ...]
    drawn: tuple[Charge, ...]

    def of(self, account: Account, request: Request) -> tuple[Charge, ...]:
        """What that account pays for."""
        if account.name == DATASET:
            return self.drawn
        return self.unpaid if account == request.own_account else self.by_role


def last_entry(db: Connection) -> int:
    """The number of the last entry, 0 where there is none."""
    (last,) = db.execute("SELECT coalesce(max(id), 0) FROM entries").fetchone()
    return int(last)


def moment(db: Connection, clock: Callable[[], float]) -> int:
    """The present second, never before the last entry; LedgerUnavailable where the clock was set back."""
    now = int(clock())
    row = db.execute("SELECT time FROM entries ORDER BY id DESC LIMIT 1").fetchone()
    last = int(row[0]) if row is not None else now
    if now < last - TOLERANCE:
        written = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(last))
        raise LedgerUnavailable(
            f"the computer's clock was set back: the ledger's last entry is of {written}; set the clock right"
        )
    return max(now, last)


def standing(
    db: Connection, dataset: str, account: Account, request: Request, rules: Accountants, now: int
) -> Standing:
    """What the account has spent in its window, as the request's accountant sees it."""
    spent = spent_in_window(db, dataset, account, now)
    cost = rules.named(request.accountant).spent(spent, account.limit.delta)
    around = window_of(account.window, now)
    return Standing(account, cost, around[1] if around else None)


def spent_in_window(db: Connection, dataset: str, account: Account, now: int) -> Totals:
    """The account's totals since its window began."""
    whole, around = balance(db, dataset, account.name), window_of(account.window, now)
    if around is None:
        return whole
    row = db.execute(
        "SELECT id FROM entries WHERE time < ? ORDER BY time DESC, id DESC LIMIT 1", (around[0],)
    ).fetchone()
    return whole - balance(db, dataset, account.name, int(row[0])) if row is not None else whole


def balance(db: Connection, dataset: str, account: str, until: int | None = None) -> Totals:
    """The account's running totals after an entry; after the last one if none is named."""
    row = db.execute(
        "SELECT totals FROM balances WHERE dataset = ? AND account = ? AND entry <= ? "
        "ORDER BY entry DESC LIMIT 1",
        (dataset, account, LARGEST if until is None else until),
    ).fetchone()
    return Totals.read(row[0]) if row is not None else Totals()


def repeats_left(db: Connection, dataset: str, request: Request, known: Accountants, now: int) -> int | None:
    """How many more queries like the analyst's last one, each drawn anew, every account still admits; at most
    `MOST_REPEATS`, and None where there is no last one."""
    row = db.execute(
        "SELECT id FROM entries WHERE dataset = ? AND analyst = ? AND (epsilon > 0 OR delta > 0) "
        "ORDER BY id DESC LIMIT 1",
        (dataset, request.analyst),
    ).fetchone()
    if row is None:
        return None
    texts = db.execute("SELECT events FROM charges WHERE entry = ?", row).fetchall()
    once = known.totals(tuple(event for (text,) in texts for event in events_of_json(text)))
    rules, left = known.named(request.accountant), MOST_REPEATS
    for account in request.accounts:
        spent = spent_in_window(db, dataset, account, now)
        left = _most(lambda n, s=spent, a=account: rules.admits(s, once.times(n), a.limit), left)  # type: ignore[misc]
    return left


def _most(holds: Callable[[int], bool], most: int) -> int:
    """The largest n up to `most` at which a predicate that stays false once it is false holds; it holds at 0."""
    high = 1
    while high <= most and holds(high):
        high *= 2
    low, high = high // 2, min(high, most + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def check_budgets(
    db: Connection, dataset: str, request: Request, dues: Dues, known: Accountants, now: int
) -> None:
    """BudgetExhausted where the query costs more than one query may, or than an account has left."""
    rules = known.named(request.accountant)
    paid, most = rules.cost(_events(dues.unpaid)), request.per_query
    if paid != FREE and (paid.epsilon > most.epsilon or paid.delta > most.delta):
        raise _exhausted(f"one query by {request.analyst}", FREE, paid, most)
    for account in request.accounts:
        spent = spent_in_window(db, dataset, account, now)
        asked = known.totals(_events(dues.of(account, request)))
        if not rules.admits(spent, asked, account.limit):
            delta = account.limit.delta
            before, after = rules.spent(spent, delta), rules.spent(spent + asked, delta)
            raise _exhausted(account.owner, before, after, account.limit)


def _exhausted(owner: str, before: Cost, after: Cost, limit: Cost) -> BudgetExhausted:
    return BudgetExhausted(
        owner,
        asked_epsilon=after.epsilon - before.epsilon,
        left_epsilon=max(limit.epsilon - before.epsilon, FREE.epsilon),
        asked_delta=after.delta - before.delta,
        left_delta=max(limit.delta - before.delta, FREE.delta),
    )


def book(
    db: Connection, dataset: str, request: Request, dues: Dues, known: Accountants, now: int
) -> tuple[int, Cost]:
    """Write the entry, its charges and the new balances; its number, and what the query was asked at, as booked."""
    entry = last_entry(db) + 1
    units = booked(known.named(request.accountant).cost(_events(dues.unpaid)))
    db.execute(
        "INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *(entry, now, dataset, request.analyst, request.role),
            *(request.policy_digest, request.data_version, str(request.accountant), *units),
        ),
    )
    for charge in dues.unpaid:
        flags = int(charge in dues.drawn), int(charge in dues.by_role)
        db.execute(
            "INSERT INTO charges VALUES (?, ?, ?, ?, ?, ?, ?)",
            (entry, charge.key, charge.canonical, events_json(charge.events), *flags, subject_of(charge)),
        )
    for account in request.accounts:
        if paid := known.totals(_events(dues.of(account, request))):
            after = balance(db, dataset, account.name) + paid
            db.execute(
                "INSERT INTO balances VALUES (?, ?, ?, ?)", (dataset, account.name, entry, after.written())
            )
    note_grants(db, dataset, request, entry, now)
    body = {"epsilon": units[0], "delta": units[1], "entry": entry, "digest": chain.entry_digest(db, entry)}
    chain.append(db, now, dataset, request.analyst, "charge", body)
    return entry, cost_of(*units)


def _events(charges: tuple[Charge, ...]) -> tuple[Event, ...]:
    return tuple(event for charge in charges for event in charge.events)


def payments(db: Connection, dataset: str, analyst: str) -> tuple[Payment, ...]:
    """What that analyst's account has paid, query by query."""
    rows = db.execute(
        "SELECT e.id, e.time, e.epsilon, e.delta, c.canonical, EXISTS "
        "(SELECT 1 FROM receipts AS r WHERE r.dataset = e.dataset AND r.account = 'analyst ' || e.analyst "
        "AND r.key = c.key), coalesce((SELECT max(count) FROM repeats AS f WHERE f.entry = e.id), 0) "
        "FROM entries AS e JOIN charges AS c ON c.entry = e.id "
        "WHERE e.dataset = ? AND e.analyst = ? ORDER BY e.id, c.canonical",
        (dataset, analyst),
    ).fetchall()
    found = []
    for _, charges in groupby(rows, key=itemgetter(0)):
        charged = tuple(charges)
        _, at, epsilon, delta, *_, free = charged[0]
        texts, received = tuple(c[4] for c in charged), all(c[5] for c in charged)
        found.append(Payment(int(at), cost_of(epsilon, delta), texts, received, int(free)))
    return tuple(found)
