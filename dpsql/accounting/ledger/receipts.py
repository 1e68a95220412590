"""Who has paid for and received which stored draw, and who has yet to pay for a draw that all have received.

A calibration's numbers stand in the policy, so that everybody has received its draw. The dataset has paid for it where
it is on the shelf, an analyst or a role where it has a receipt. One that has not begins with its cost: analysts and
roles that come later, and all accounts of a ledger that is new.
"""

from __future__ import annotations

from dpsql.accounting.ledger.path_credit import stored_payload
from dpsql.accounting.storage.protocol import Connection
from dpsql.accounting.types import DATASET
from dpsql.privacy import Charge


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


def unpaid_openings(
    db: Connection, dataset: str, account: str, opening: tuple[Charge, ...]
) -> tuple[Charge, ...]:
    """Those of the draws in the policy that the account has yet to pay for."""
    return tuple(c for c in opening if not _paid(db, dataset, account, c.key))


def _paid(db: Connection, dataset: str, account: str, key: str) -> bool:
    if account == DATASET:
        return stored_payload(db, dataset, key) is not None
    return is_received(db, dataset, account, key)
