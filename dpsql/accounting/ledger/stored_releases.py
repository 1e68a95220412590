"""The pages of the ledger that hold releases: the draws that stand, and who has paid for and received which."""

from __future__ import annotations

import hashlib

from dpsql.accounting.accountants.events import confined_of_json, events_of_json
from dpsql.accounting.ledger import audit_log as chain
from dpsql.accounting.ledger.balances import Dues
from dpsql.accounting.ledger.path_credit import Due, count, credit, stored_payload
from dpsql.accounting.ledger.receipts import is_received, receive
from dpsql.accounting.ledger.subjects import subject, subject_of
from dpsql.accounting.storage.protocol import Connection
from dpsql.accounting.types import DATASET, Request, UnpaidRelease
from dpsql.errors import InternalError
from dpsql.privacy import FITTED_TO, Charge
from dpsql.slotted import dataclass


@dataclass(frozen=True, slots=True)
class Found:
    """What is stored of the wanted releases, and what is due for them."""

    stored: tuple[tuple[str, bytes], ...]
    dues: Dues


def distinct(charges: tuple[Charge, ...]) -> tuple[Charge, ...]:
    """Each key once; two different charges under one key are a bug."""
    by_key: dict[str, Charge] = {}
    for charge in charges:
        if by_key.setdefault(charge.key, charge) != charge:
            raise InternalError("two different releases of one query have the same key")
    return tuple(by_key.values())


def found(db: Connection, dataset: str, request: Request, wanted: tuple[Charge, ...]) -> Found:
    """What of the wanted releases is stored, and who still has to pay for which.

    Nobody pays for what the analyst has received before; else the role pays for what none of its members received
    under it, and the dataset for what has to be drawn; each less what it has paid on the same path of noise.
    """
    role = request.role_account
    payloads = {charge.key: stored_payload(db, dataset, charge.key) for charge in wanted}
    stored = tuple((key, payload) for key, payload in payloads.items() if payload is not None)
    unpaid = tuple(c for c in wanted if not is_received(db, dataset, request.own_account.name, c.key))
    by_role = tuple(c for c in unpaid if role is not None and not is_received(db, dataset, role.name, c.key))
    drawn = tuple(c for c in unpaid if payloads[c.key] is None)

    def due(account: str, charges: tuple[Charge, ...]) -> tuple[Due, ...]:
        return tuple(Due(c, credit(db, dataset, account, c)) for c in charges)

    own = due(request.own_account.name, unpaid)
    return Found(stored, Dues(own, due(role.name, by_role) if role else (), due(DATASET, drawn)))


def free(
    db: Connection, dataset: str, request: Request, wanted: tuple[Charge, ...]
) -> tuple[tuple[str, bytes], ...] | None:
    """The draws of the wanted releases where the analyst has received all of them before; else None."""
    account = request.own_account.name
    if not all(is_received(db, dataset, account, charge.key) for charge in wanted):
        return None
    payloads = ((charge.key, stored_payload(db, dataset, charge.key)) for charge in wanted)
    return tuple((key, payload) for key, payload in payloads if payload is not None)


def received(db: Connection, dataset: str, request: Request, keys: tuple[str, ...]) -> frozenset[str]:
    """Those of the keys whose draws the analyst has received."""
    account = request.own_account.name
    return frozenset(key for key in keys if is_received(db, dataset, account, key))


def received_fitted(db: Connection, dataset: str, request: Request, keys: tuple[str, ...]) -> frozenset[str]:
    """Those of the keys whose draws the analyst has received by a payment that names what the answer is fitted to."""
    account = request.own_account.name
    fitted_rows = (
        db.execute(
            "SELECT c.key FROM receipts AS r JOIN charges AS c ON c.entry = r.entry AND c.key = r.key "
            "WHERE r.dataset = ? AND r.account = ? AND r.key = ? AND c.canonical LIKE ?",
            (dataset, account, key, f"%{FITTED_TO}%"),
        ).fetchone()
        for key in keys
    )
    return frozenset(row[0] for row in fitted_rows if row is not None)


def received_alike(
    db: Connection, dataset: str, request: Request, beginning: str
) -> tuple[tuple[Charge, int], ...]:
    """What the analyst has received under the request's policy and data version about the rows that this beginning of
    its canonical text names, the earliest first; each with the number of its payment."""
    rows = db.execute(
        "SELECT c.key, c.canonical, c.events, c.parts, c.path, c.entry FROM receipts AS r "
        "JOIN charges AS c ON c.entry = r.entry AND c.key = r.key JOIN entries AS e ON e.id = r.entry "
        "WHERE r.dataset = ? AND r.account = ? AND r.about = ? AND e.policy_digest = ? AND e.data_version = ? "
        "AND substr(c.canonical, 1, ?) = ? ORDER BY c.entry, c.key",
        (
            *(dataset, request.own_account.name, subject(beginning)),
            *(request.policy_digest, request.data_version, len(beginning), beginning),
        ),
    ).fetchall()
    return tuple(
        (Charge(key, text, events_of_json(events), len(beginning), confined_of_json(parts), path), int(entry))
        for key, text, events, parts, path, entry in rows
    )


def count_repeat(db: Connection, dataset: str, analyst: str, keys: tuple[str, ...], line: int) -> None:
    """Number a free answer, which a line of the log tells of, among those that came of the entries it was paid by."""
    entries = {
        row[0]
        for key in keys
        for row in db.execute(
            "SELECT entry FROM receipts WHERE dataset = ? AND account = ? AND key = ?",
            (dataset, f"analyst {analyst}", key),
        ).fetchall()
    }
    for entry in sorted(entries):
        db.execute(
            "INSERT INTO repeats SELECT ?, 1 + coalesce(max(count), 0), ? FROM repeats WHERE entry = ?",
            (entry, line, entry),
        )


def hand_out(db: Connection, dataset: str, request: Request, entry: int, dues: Dues) -> None:
    """Note that what is stored and now paid for is received, where nothing has to be drawn.

    Beside a draw that is noted in its turn, as the draw is when it is kept: where an earlier draw fails, the price of
    asking again would tell that somebody else had received this one.
    """
    if not dues.drawn:
        for charge in (due.charge for due in dues.unpaid):
            receive(db, dataset, request.analyst, request.role, charge.key, entry, subject_of(charge))


def hand_over(db: Connection, dataset: str, entry: int | None, key: str) -> None:
    """Note that a stored draw is received by whoever paid for it by an entry; nothing where that did not pay for it."""
    paid = db.execute(
        "SELECT e.analyst, e.role, c.about FROM charges AS c JOIN entries AS e ON e.id = c.entry "
        "WHERE c.entry = ? AND c.key = ? AND e.dataset = ?",
        (entry, key, dataset),
    ).fetchone()
    if paid is not None and entry is not None and stored_payload(db, dataset, key) is not None:
        analyst, role, about = paid
        receive(db, dataset, analyst, role, key, entry, about)


def keep(
    db: Connection, dataset: str, entry: int | None, key: str, payload: bytes, now: int, beside: int = 0
) -> bytes | None:
    """Store the draw unless one is stored, and return the one that stands; it is received by whoever paid.

    None, and nothing is stored, for a draw on a path that has other draws by now than the number it was made beside.
    """
    paid = db.execute(
        "SELECT e.analyst, e.role, c.about, c.path FROM charges AS c JOIN entries AS e ON e.id = c.entry "
        "WHERE c.entry = ? AND c.key = ? AND c.drawn_credit IS NOT NULL AND e.dataset = ?",
        (entry, key, dataset),
    ).fetchone()
    if paid is None or entry is None:
        raise UnpaidRelease("a release was to be stored that no charge had paid for")
    analyst, role, about, path = paid
    if count(db, dataset, path) != beside and stored_payload(db, dataset, key) is None:
        return None
    stored = db.execute(
        "INSERT INTO shelf VALUES (?, ?, ?, ?, ?) ON CONFLICT (dataset, key) DO NOTHING",
        (dataset, key, entry, payload, path),
    ).rowcount
    if stored:
        body = {"entry": entry, "key": key, "payload": payload_digest(payload)}
        chain.append(db, now, dataset, analyst, "draw", body)
    receive(db, dataset, analyst, role, key, entry, about)
    stands = stored_payload(db, dataset, key)
    assert stands is not None
    return stands


def is_paid(db: Connection, dataset: str, key: str) -> bool:
    """Whether an entry has paid for the draw under a key."""
    sql = "SELECT 1 FROM charges AS c JOIN entries AS e ON e.id = c.entry WHERE c.key = ? AND e.dataset = ? LIMIT 1"
    return db.execute(sql, (key, dataset)).fetchone() is not None


def payload_digest(payload: bytes) -> str:
    """SHA-256, in hex, of what was released."""
    return hashlib.sha256(payload).hexdigest()
