"""Draws on one path of noise: what an account has paid on it already, and what is stored on either side of a draw.

A path is one release at any epsilon: each coarser draw is the next finer one plus noise that depends on nothing else
(`mechanisms.noise_path`). So whatever an account has received of it costs, together, the largest epsilon, event by
event; who has paid for a coarser draw owes the difference.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction

from dpsql.accounting.accountants.events import events_of_json
from dpsql.accounting.ledger.ledger_pages import Head, Paid
from dpsql.accounting.ledger.subjects import subject_of
from dpsql.accounting.storage.protocol import Connection
from dpsql.accounting.types import DATASET, Beside, StoredDraw
from dpsql.privacy import Charge, Cost, Event
from dpsql.slotted import dataclass

NO_CREDIT = "[]"
Credit = tuple[Fraction, ...]
"""What is paid already of each event of a charge, as an epsilon; empty for nothing."""


@dataclass(frozen=True, slots=True)
class Due:
    """A charge, and what the account that owes it has paid of it already."""

    charge: Charge
    credit: Credit = ()

    @property
    def owed(self) -> Charge:
        """The charge with the events that are left to pay."""
        if not self.credit:
            return self.charge
        return replace(self.charge, events=owed(self.charge.events, self.credit))


def owed(events: tuple[Event, ...], credit: Credit) -> tuple[Event, ...]:
    """What is left to pay of events: none that is paid for, the difference where a coarser draw is."""
    if not credit:
        return events
    return tuple(
        replace(e, cost=Cost(e.cost.epsilon - paid), refines=paid) if paid else e
        for e, paid in zip(events, credit, strict=True)
        if e.cost.epsilon > paid
    )


def credit_json(credit: Credit) -> str:
    """The credit as a JSON list of fractions."""
    return json.dumps([str(epsilon) for epsilon in credit])


def credit_of_json(text: str) -> Credit:
    """What `credit_json` wrote; ValueError or TypeError for anything else."""
    return tuple(map(Fraction, json.loads(text))) if text != NO_CREDIT else ()


def credit(db: Connection, dataset: str, account: str, charge: Charge) -> Credit:
    """What the account has paid on the charge's path.

    Of an analyst or a role, the largest epsilons that it received; of the dataset, the largest that are stored.
    """
    if not charge.path:
        return ()
    rows = _paid_on_path(db, dataset, account, charge.path, subject_of(charge))
    return _largest(events_of_json(events) for _, events in rows)


def beside(db: Connection, dataset: str, charge: Charge) -> Beside:
    """The stored draws on the charge's path that are nearest to it, event by event."""
    rows = db.execute(
        "SELECT s.key, c.events FROM shelf AS s JOIN charges AS c ON c.entry = s.entry AND c.key = s.key "
        "WHERE s.dataset = ? AND s.path = ? AND s.path <> ''",
        (dataset, charge.path),
    ).fetchall()
    drawn = [(key, events_of_json(events)) for key, events in rows]
    coarser, finer = [], []
    for i, event in enumerate(charge.events):
        at = [(events[i].cost.epsilon, key) for key, events in drawn]
        coarser.append(max((k for k in at if k[0] < event.cost.epsilon), default=None))
        finer.append(min((k for k in at if k[0] >= event.cost.epsilon), default=None))
    return Beside(len(drawn), _with_payloads(db, dataset, coarser), _with_payloads(db, dataset, finer))


def count(db: Connection, dataset: str, path: str) -> int:
    """How many draws are stored on a path."""
    row = db.execute(
        "SELECT count(*) FROM shelf WHERE dataset = ? AND path = ? AND path <> ''", (dataset, path)
    ).fetchone()
    return int(row[0])


def overdrawn(db: Connection, head: Head, paid: Paid) -> Iterator[str]:
    """The accounts whose credit for a charge is more than they had paid before."""
    if all(text in (None, NO_CREDIT) for text in paid.credits):
        return
    charge = Charge(paid.key, paid.canonical, events_of_json(paid.events), path=paid.path)
    accounts = f"analyst {head.analyst}", f"role {head.role}", DATASET
    for account, text in zip(accounts, paid.credits, strict=True):
        claimed = credit_of_json(text or NO_CREDIT)
        if not claimed:
            continue
        rows = _paid_on_path(db, head.dataset, account, paid.path, paid.about)
        before = _largest(events_of_json(drawn) for at, drawn in rows if at < head.id)
        if not _covers(before, claimed, charge):
            yield account


def _covers(paid: Credit, claimed: Credit, charge: Charge) -> bool:
    alike = bool(charge.path) and len(paid) == len(claimed) == len(charge.events)
    return alike and all(most >= epsilon for most, epsilon in zip(paid, claimed, strict=True))


def _paid_on_path(db: Connection, dataset: str, account: str, path: str, about: str) -> list[tuple[int, str]]:
    """The entries and the events of the draws on a path that an account has paid for."""
    if account == DATASET:
        return db.execute(
            "SELECT s.entry, c.events FROM shelf AS s JOIN charges AS c ON c.entry = s.entry AND c.key = s.key "
            "WHERE s.dataset = ? AND s.path = ? AND s.path <> ''",
            (dataset, path),
        ).fetchall()
    return db.execute(
        "SELECT r.entry, c.events FROM receipts AS r JOIN charges AS c ON c.entry = r.entry AND c.key = r.key "
        "JOIN shelf AS s ON s.dataset = r.dataset AND s.key = r.key AND s.path = c.path "
        "WHERE r.dataset = ? AND r.account = ? AND r.about = ? AND c.path = ?",
        (dataset, account, about, path),
    ).fetchall()


def _largest(draws: Iterable[tuple[Event, ...]]) -> Credit:
    """The largest epsilon of each event."""
    return tuple(max(e.cost.epsilon for e in alike) for alike in zip(*draws, strict=True))


def _with_payloads(
    db: Connection, dataset: str, nearest: list[tuple[Fraction, str] | None]
) -> tuple[StoredDraw | None, ...]:
    payloads: dict[str, bytes] = {}
    for _, key in filter(None, nearest):
        payload = stored_payload(db, dataset, key)
        assert payload is not None, "a draw on a path is stored"
        payloads[key] = payload
    return tuple(n and StoredDraw(n[0], payloads[n[1]]) for n in nearest)


def stored_payload(db: Connection, dataset: str, key: str) -> bytes | None:
    """What is stored under a key, or None."""
    row = db.execute("SELECT payload FROM shelf WHERE dataset = ? AND key = ?", (dataset, key)).fetchone()
    return bytes(row[0]) if row is not None else None
