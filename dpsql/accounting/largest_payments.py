"""The questions that cost most, with their texts as the audit log has them; for admins."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace

from dpsql.accounting.ledger.audit_log import Line
from dpsql.accounting.ledger.booked_totals import cost_of
from dpsql.accounting.storage.protocol import Connection
from dpsql.privacy import Cost
from dpsql.slotted import dataclass


@dataclass(frozen=True, slots=True)
class LargePayment:
    """What one query was charged, as booked: when (seconds since 1970), to whom, for the releases of these keys.

    `sql` is None where no question stands behind it, as for a calibration, or where the log's line was lost.
    """

    time: int
    analyst: str
    cost: Cost
    keys: frozenset[str]
    sql: str | None = None


def largest(db: Connection, dataset: str, count: int) -> tuple[LargePayment, ...]:
    """The queries of a dataset that were charged most, the largest epsilon first; without their texts."""
    rows = db.execute(
        "SELECT id, time, analyst, epsilon, delta FROM entries WHERE dataset = ? AND (epsilon > 0 OR delta > 0) "
        "ORDER BY epsilon DESC, delta DESC, id LIMIT ?",
        (dataset, count),
    ).fetchall()
    return tuple(
        LargePayment(int(at), analyst, cost_of(epsilon, delta), _keys(db, entry))
        for entry, at, analyst, epsilon, delta in rows
    )


def _keys(db: Connection, entry: int) -> frozenset[str]:
    return frozenset(k for (k,) in db.execute("SELECT key FROM charges WHERE entry = ?", (entry,)).fetchall())


def with_texts(
    payments: Iterable[LargePayment], log: Iterable[Line], dataset: str
) -> tuple[LargePayment, ...]:
    """The payments with the question that each was for: the first by its analyst that paid for one of its keys."""
    payments_by_order = tuple(payments)
    wanted = {(p.analyst, key) for p in payments_by_order for key in p.keys}
    texts: dict[tuple[str, str], str] = {}
    for line in log:
        if line.what == "paid" and line.dataset == dataset:
            body = json.loads(line.body)
            for pair in ((line.who, key) for key in body["keys"]):
                if pair in wanted:
                    texts.setdefault(pair, body["sql"])
    return tuple(replace(p, sql=_text(p, texts)) for p in payments_by_order)


def _text(payment: LargePayment, texts: dict[tuple[str, str], str]) -> str | None:
    return next((t for key in sorted(payment.keys) if (t := texts.get((payment.analyst, key)))), None)
