"""Who has paid for and received which stored draw, and who has yet to pay for a draw that all have received.

A calibration's numbers may stand in a policy at any time from its draw on, so that everybody has received every draw
of this ledger, whether a policy lists it yet or not, and those of other ledgers that the policy lists. The dataset has
received one that is on the shelf, an analyst or a role where it has a receipt. One that has not begins with its cost:
analysts and roles that come later, and all accounts of a ledger that is new. A policy's word for what a draw cost
counts where this ledger does not know it.
"""

from __future__ import annotations

from dpsql.accounting.accountants.events import events_of_json
from dpsql.accounting.calibration_charges import KEYS
from dpsql.accounting.ledger.path_credit import stored_payload
from dpsql.accounting.storage.protocol import Connection
from dpsql.accounting.types import DATASET
from dpsql.privacy import Charge

ELSEWHERE = b"drawn under another ledger"
"""What is on the shelf in the place of a draw that a policy lists and this ledger does not have."""


def is_received(db: Connection, dataset: str, account: str, key: str) -> bool:
    """Whether an analyst or a role has the receipt for a draw."""
    row = db.execute(
        "SELECT 1 FROM receipts WHERE dataset = ? AND account = ? AND key = ?", (dataset, account, key)
    ).fetchone()
    return row is not None


def receive(
    db: Connection, dataset: str, analyst: str, role: str | None, key: str, entry: int, about: str
) -> None:
    """Note that an analyst, and the role that paid beside, have received a stored draw by an entry."""
    for account in (f"analyst {analyst}", *((f"role {role}",) if role is not None else ())):
        db.execute(
            "INSERT INTO receipts VALUES (?, ?, ?, ?, ?) ON CONFLICT (dataset, account, key) DO NOTHING",
            (dataset, account, key, entry, about),
        )


def unreceived_openings(
    db: Connection, dataset: str, account: str, opening: tuple[Charge, ...]
) -> tuple[Charge, ...]:
    """Those of the draws under this ledger, and of the policy's, that the account has no receipt for."""
    if account == DATASET:
        return tuple(c for c in opening if stored_payload(db, dataset, c.key) is None)
    every = {c.key: c for c in (*opening, *_drawn_here(db, dataset, account))}
    return tuple(c for c in every.values() if not is_received(db, dataset, account, c.key))


def unpaid_openings(
    db: Connection, dataset: str, account: str, opening: tuple[Charge, ...]
) -> tuple[Charge, ...]:
    """Those of them that the account has yet to pay for: it may have paid for a draw that was never kept."""
    unreceived = unreceived_openings(db, dataset, account, opening)
    return tuple(c for c in unreceived if payment(db, dataset, account, c.key) is None)


def payment(db: Connection, dataset: str, account: str, key: str) -> int | None:
    """The entry by which an account has paid for a draw; None where it has not. All that it paid is looked through."""
    row = db.execute(
        "SELECT b.entry FROM balances AS b JOIN charges AS c ON c.entry = b.entry "
        "WHERE b.dataset = ? AND b.account = ? AND c.key = ? ORDER BY b.entry LIMIT 1",
        (dataset, account, key),
    ).fetchone()
    return int(row[0]) if row is not None else None


def _drawn_here(db: Connection, dataset: str, account: str) -> tuple[Charge, ...]:
    """The calibrations that were drawn under this ledger and not received by the account, as they were charged."""
    rows = db.execute(
        "SELECT s.key, c.canonical, c.events FROM shelf AS s "
        "JOIN charges AS c ON c.entry = s.entry AND c.key = s.key "
        "WHERE s.dataset = ? AND s.key >= ? AND s.key < ? AND s.payload <> ? AND NOT EXISTS "
        "(SELECT 1 FROM receipts AS r WHERE r.dataset = s.dataset AND r.account = ? AND r.key = s.key) "
        "ORDER BY s.entry",
        (dataset, *KEYS, ELSEWHERE, account),
    ).fetchall()
    return tuple(Charge(key, text, events_of_json(events)) for key, text, events in rows)
