"""What an account has spent, in its window and part by part, and what that leaves room for.

Windows are calendar days, weeks and months in UTC.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import assert_never

from dpsql.accounting.accountants.accountant import Accountant, Accountants
from dpsql.accounting.accountants.basic import in_window
from dpsql.accounting.accountants.events import confined_of_json, events_of_json
from dpsql.accounting.calibration_charges import ABOUT
from dpsql.accounting.ledger.booked_totals import LARGEST, Totals
from dpsql.accounting.ledger.partition_balance import NOTHING, UNTOUCHED, Balance, cases, most
from dpsql.accounting.ledger.receipts import unpaid_openings
from dpsql.accounting.storage.protocol import Connection
from dpsql.accounting.types import Account, Request, Standing
from dpsql.mechanisms.exact.exact_exp import least
from dpsql.policy.model import Window
from dpsql.privacy import Charge, Cost, Event

MOST_REPEATS = 1_000_000


def added(charges: tuple[Charge, ...], accountants: Accountants) -> Balance:
    """What charges add to an account: to every part those that are confined to none, to each part those that are."""
    confined = [(c, c.confined) for c in charges if c.confined is not None]
    names = sorted({part for _, within in confined for part in within.parts})
    parts = (
        (n, accountants.totals(_events(c for c, within in confined if n in within.parts))) for n in names
    )
    return Balance(
        accountants.totals(_events(c for c in charges if c.confined is None)),
        tuple(p for p in parts if p[1]),
        max((within.touched for _, within in confined), default=1),
    )


def _events(charges: Iterable[Charge]) -> tuple[Event, ...]:
    return tuple(event for charge in charges for event in charge.events)


def charges_of(db: Connection, entry: int) -> tuple[Charge, ...]:
    """The charges that an entry paid for."""
    rows = db.execute(
        "SELECT key, canonical, events, parts FROM charges WHERE entry = ?", (entry,)
    ).fetchall()
    return tuple(Charge(k, text, events_of_json(e), confined=confined_of_json(p)) for k, text, e, p in rows)


def standing(
    db: Connection, dataset: str, account: Account, request: Request, rules: Accountants, now: int
) -> Standing:
    """What the account has spent in its window, as the request's accountant sees it."""
    spent = spent_so_far(db, dataset, account, request, rules, now)
    accountant, around = rules.named(request.accountant), window_of(account.window, now)

    losses = spent.in_each_part()
    costs = {totals: accountant.spent(totals, account.limit.delta) for totals in set(losses.values())}
    parts = tuple((part, costs[losses[part]]) for part, _ in spent.parts)
    elsewhere = costs[losses[UNTOUCHED]]
    every = [elsewhere, *(c for _, c in parts)]
    largest = Cost(max(c.epsilon for c in every), max(c.delta for c in every))
    return Standing(account, largest, around[1] if around else None, parts, elsewhere)


def spent_so_far(
    db: Connection,
    dataset: str,
    account: Account,
    request: Request,
    accountants: Accountants,
    now: int,
    last: Balance | None = None,
) -> Balance:
    """What the account has spent in its window, as the request's policy and data see it; `last` is its last balance.

    What it begins with is counted where it is not booked yet: then this is its first window.
    """
    last = balance(db, dataset, account.name) if last is None else last
    spent = spent_in_window(db, dataset, account, now, last).under(request.division)
    opening = unpaid_openings(db, dataset, account.name, request.opening)
    return replace(spent, whole=spent.whole + accountants.totals(_events(opening))) if opening else spent


def spent_in_window(db: Connection, dataset: str, account: Account, now: int, last: Balance) -> Balance:
    """What the account has spent since its window began, given all that was known by then."""
    around = window_of(account.window, now)
    if around is None:
        return last
    row = db.execute(
        "SELECT id FROM entries WHERE time < ? ORDER BY time DESC, id DESC LIMIT 1", (around[0],)
    ).fetchone()
    if row is None:
        return last
    return _since(db, dataset, account.name, last, int(row[0])).each(in_window)


def _since(db: Connection, dataset: str, account: str, last: Balance, until: int) -> Balance:
    """What was spent after an entry.

    A division that ended since has left its largest part in what every unit lost, from before the entry as well: of
    that one, only what its parts were charged since counts.
    """
    before, then = balance(db, dataset, account, until), last
    while then.since > until:
        then = balance(db, dataset, account, then.since - 1)
    if then.since == last.since:
        return last.minus(before)
    whole = last.whole - before.whole - most((t for _, t in then.parts), then.touched)
    ended = most((t for _, t in then.minus(before).parts), then.touched)
    return replace(last, whole=whole + ended)


def balance(db: Connection, dataset: str, account: str, until: int | None = None) -> Balance:
    """The account's balance after an entry; after the last one if none is named."""
    row = db.execute(
        "SELECT entry, totals FROM balances WHERE dataset = ? AND account = ? AND entry <= ? "
        "ORDER BY entry DESC LIMIT 1",
        (dataset, account, LARGEST if until is None else until),
    ).fetchone()
    if row is None:
        return Balance()
    entry, text = row
    return Balance.read(text, entry, lambda base: balance(db, dataset, account, base))


def repeats_left(
    db: Connection, dataset: str, request: Request, accountants: Accountants, now: int
) -> int | None:
    """How many more queries like the analyst's last one, each drawn anew, the analyst's own account still
    admits; at most `MOST_REPEATS`, and None where there is no last one."""
    row = db.execute(
        "SELECT id, policy_digest, data_version FROM entries "
        "WHERE dataset = ? AND analyst = ? AND (epsilon > 0 OR delta > 0) "
        "AND NOT EXISTS (SELECT 1 FROM charges AS c WHERE c.entry = entries.id AND c.canonical = ?) "
        "ORDER BY id DESC LIMIT 1",
        (dataset, request.analyst, ABOUT),
    ).fetchone()
    if row is None:
        return None
    entry, policy, version = row
    once = added(charges_of(db, entry), accountants)
    if f"{policy}:{version}" != request.division:
        once = Balance(once.worst)
    rules, account, left = accountants.named(request.accountant), request.own_account, MOST_REPEATS
    spent = spent_so_far(db, dataset, account, request, accountants, now)
    worst: dict[Totals, Totals] = {}
    for lost, requested in cases(spent, once):
        worst[requested] = most((lost, worst.get(requested, NOTHING)), 1)
    for requested, lost in worst.items():
        left = least(partial(_is_too_often, rules, account.limit, lost, requested, left), 1) - 1
    return left


def _is_too_often(
    rules: Accountant, limit: Cost, lost: Totals, requested: Totals, most: int, times: int
) -> bool:
    return times > most or (times > 0 and not rules.admits(lost, requested.times(times), limit))


def window_of(window: Window, at: int) -> tuple[int, int] | None:
    """The window's first second and the first second after it, around a moment; None for one that never ends.

    All in seconds since 1970.
    """
    day = datetime.fromtimestamp(at, UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    match window:
        case Window.NEVER:
            return None
        case Window.DAILY:
            begin, end = day, day + timedelta(days=1)
        case Window.WEEKLY:
            begin = day - timedelta(days=day.weekday())
            end = begin + timedelta(days=7)
        case Window.MONTHLY:
            begin = day.replace(day=1)
            end = (begin + timedelta(days=32)).replace(day=1)
        case _:
            assert_never(window)
    return int(begin.timestamp()), int(end.timestamp())
