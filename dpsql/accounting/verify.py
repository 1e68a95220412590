"""Whether a ledger is what was once written: the chain of its log, every entry, every total, every draw.

Totals are recomputed from the events alone, by the accountants and not by the code that booked them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from dpsql.accounting import chain
from dpsql.accounting.accountant import Accountants
from dpsql.accounting.basic import total
from dpsql.accounting.draws import payload_digest
from dpsql.accounting.events import confined_of_json, events_of_json
from dpsql.accounting.paths import credit_of_json, owed, unbacked
from dpsql.accounting.recount import Paid, Recount
from dpsql.accounting.store import Connection
from dpsql.accounting.totals import booked
from dpsql.accounting.types import DATASET


def problems(db: Connection, known: Accountants) -> Iterator[str]:
    """What is wrong, in words."""
    logged: dict[str, dict[object, str]] = {"charge": {}, "draw": {}}
    yield from _chain(db, logged)
    yield from _entries(db, known, logged["charge"])
    yield from _shelf(db, logged["draw"])
    yield from unbacked(db)


def _chain(db: Connection, logged: dict[str, dict[object, str]]) -> Iterator[str]:
    """Each line follows on the one before; what the lines say of entries and draws is noted."""
    before, number = chain.GENESIS, 0
    for line in chain.lines(db):
        number += 1
        if line.id != number:
            yield f"line {number} of the log is missing"
            number = line.id
        fields = (line.id, line.time, line.dataset, line.who, line.what, line.body)
        if line.hash != chain.chained(before, fields):
            yield f"line {line.id} of the log is not what was written"
        before = line.hash
        body = json.loads(line.body)
        if line.what == "charge":
            logged["charge"][body["entry"]] = body["digest"]
        elif line.what == "draw":
            logged["draw"][line.dataset, body["key"]] = body["payload"]


def _entries(db: Connection, known: Accountants, logged: dict[object, str]) -> Iterator[str]:
    """Every entry is in the log as it stands, and its totals follow from its events and the entries before."""
    accounts: dict[tuple[str, str], Recount] = {}
    count = 0
    for entry, dataset, analyst, role, policy, version, epsilon, delta in db.execute(
        "SELECT id, dataset, analyst, role, policy_digest, data_version, epsilon, delta FROM entries ORDER BY id"
    ).fetchall():
        count += 1
        if entry != count:
            yield f"entry {count} is missing"
            count = entry
        if logged.pop(entry, None) != chain.entry_digest(db, entry):
            yield f"entry {entry} is not what the log says was written"
        paid = _paid(db, entry, analyst, role)
        if booked(total(tuple(event for event, _ in paid[f"analyst {analyst}"]))) != (epsilon, delta):
            yield f"entry {entry} charges another epsilon or delta than its events cost"
        changed = {}
        for account, events in paid.items():
            recount = accounts.setdefault((dataset, account), Recount(known))
            if recount.add(events, f"{policy}:{version}", entry):
                changed[account] = recount.written(entry)
        yield from _balances(db, entry, changed)
    for entry in logged:
        yield f"entry {entry} is in the log and is missing"


def _balances(db: Connection, entry: int, counted: dict[str, str]) -> Iterator[str]:
    """The balances of an entry are those that were counted again, and no others."""
    rows = db.execute("SELECT account, totals FROM balances WHERE entry = ?", (entry,)).fetchall()
    written: dict[str, str] = dict(rows)
    for account, totals in counted.items():
        if written.pop(account, None) != totals:
            yield f"the totals of {account} after entry {entry} are not the sum of its events"
    for account in written:
        yield f"entry {entry} has totals of {account}, which paid for nothing"


def _paid(db: Connection, entry: int, analyst: str, role: str | None) -> dict[str, tuple[Paid, ...]]:
    """The events that each account paid for in an entry, each with the parts that it is confined to."""
    own, by_role, drawn = f"analyst {analyst}", f"role {role}", DATASET
    paid: dict[str, tuple[Paid, ...]] = {own: (), drawn: (), **({by_role: ()} if role is not None else {})}
    for text, *credits, parts in db.execute(
        "SELECT events, own_credit, role_credit, drawn_credit, parts FROM charges WHERE entry = ?", (entry,)
    ).fetchall():
        confined, events = confined_of_json(parts), events_of_json(text)
        for account, credit in zip((own, by_role, drawn), credits, strict=True):
            if credit is not None:
                left = ((event, confined) for event in owed(events, credit_of_json(credit)))
                paid[account] = (*paid.get(account, ()), *left)
    return paid


def _shelf(db: Connection, logged: dict[object, str]) -> Iterator[str]:
    """Every stored draw is the one that was kept, and is handed out for nothing only to who paid for it."""
    for dataset, key, payload in db.execute("SELECT dataset, key, payload FROM shelf"):
        if logged.pop((dataset, key), None) != payload_digest(bytes(payload)):
            yield f"the stored release {key} is not the one that was drawn"
    for _, key in logged:  # type: ignore[misc]
        yield f"the release {key} was drawn and is missing"
    yield from _repeats(db)
    for account, key in db.execute(
        "SELECT r.account, r.key FROM receipts AS r JOIN entries AS e ON e.id = r.entry "
        "WHERE r.account NOT IN ('analyst ' || e.analyst, 'role ' || coalesce(e.role, '')) OR r.dataset != e.dataset"
    ):
        yield f"the receipt of {account} for the release {key} belongs to a payment of somebody else"


def _repeats(db: Connection) -> Iterator[str]:
    """Free answers are numbered from 1 for each entry, and stand in the log."""
    for (entry,) in db.execute(
        "SELECT r.entry FROM repeats AS r JOIN entries AS e ON e.id = r.entry JOIN log AS l ON l.id = r.line "
        "GROUP BY r.entry HAVING max(r.count) != count(*) OR count(DISTINCT r.line) != count(*) "
        "OR sum(CASE WHEN l.what = 'stored' AND l.who = e.analyst THEN 0 ELSE 1 END) > 0"
    ).fetchall():
        yield f"the free answers that came of entry {entry} are not those of the log"
