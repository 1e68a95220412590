"""The pages of the ledger that hold money: entries, the charges they pay for, and every account's balance.

The limits under which accounts pay are noted, with who runs the process, each time they are not the last ones.
"""

from __future__ import annotations

import getpass
import json
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from operator import itemgetter

from dpsql.accounting.accountants.accountant import Accountants
from dpsql.accounting.accountants.events import confined_json, events_json
from dpsql.accounting.ledger import audit_log as chain
from dpsql.accounting.ledger import ledger_pages as pages
from dpsql.accounting.ledger.booked_totals import booked, cost_of
from dpsql.accounting.ledger.partition_balance import Balance, cases
from dpsql.accounting.ledger.path_credit import Due, credit_json
from dpsql.accounting.ledger.spent import added, balance, spent_so_far
from dpsql.accounting.ledger.subjects import subject_of
from dpsql.accounting.storage.protocol import TOLERANCE, Connection
from dpsql.accounting.types import DATASET, Account, Payment, Request
from dpsql.errors import BudgetExhausted, LedgerUnavailable
from dpsql.privacy import FREE, Charge, Cost, Event
from dpsql.slotted import dataclass


@dataclass(frozen=True, slots=True)
class Dues:
    """What has to be paid for: by the analyst, by the analyst's role, and by the dataset, which pays for draws."""

    unpaid: tuple[Due, ...]
    by_role: tuple[Due, ...]
    drawn: tuple[Due, ...]

    @property
    def own_events(self) -> tuple[Event, ...]:
        """What the analyst pays for."""
        return tuple(event for due in self.unpaid for event in due.owed.events)

    def of(self, account: Account, request: Request) -> tuple[Charge, ...]:
        """What that account pays for."""
        dues = self.unpaid if account == request.own_account else self.by_role
        return tuple(due.owed for due in (self.drawn if account.name == DATASET else dues))


@dataclass(frozen=True, slots=True)
class Share:
    """What an account is charged on top of its last balance."""

    account: Account
    last: Balance
    more: Balance


@dataclass(frozen=True, slots=True)
class Bill:
    """What a query costs the analyst, as the policy's accountant counts one query, and what each account pays of it."""

    dues: Dues
    cost: Cost
    shares: tuple[Share, ...]


def bill(db: Connection, dataset: str, request: Request, dues: Dues, accountants: Accountants) -> Bill:
    """What is charged for what is due, to the accounts as they stand now."""
    shares = (
        Share(account, balance(db, dataset, account.name), added(dues.of(account, request), accountants))
        for account in request.accounts
    )
    return Bill(dues, accountants.named(request.accountant).cost(dues.own_events), tuple(shares))


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
        # Others may have written the entry: an analyst is not told when that was.
        raise LedgerUnavailable(
            "the computer's clock was set back, behind the ledger's last entry: `dpsql ledger log` tells its moment; "
            "set the clock right"
        )
    return max(now, last)


def check_budgets(
    db: Connection, dataset: str, request: Request, bill: Bill, accountants: Accountants, now: int
) -> None:
    """BudgetExhausted where the query costs more than one query may, or than an account has left."""
    paid, most = bill.cost, request.per_query
    if paid != FREE and (paid.epsilon > most.epsilon or paid.delta > most.delta):
        raise _exhausted(f"one query by {request.analyst}", FREE, paid, most)
    for share in bill.shares:
        account = share.account
        refusal = refused(db, dataset, account, request, share.more, accountants, now, share.last)
        if refusal is not None:
            if account != request.own_account:  # others pay too: amounts would tell what they asked
                raise BudgetExhausted(account.owner)
            raise refusal


def refused(
    db: Connection,
    dataset: str,
    account: Account,
    request: Request,
    more: Balance,
    accountants: Accountants,
    now: int,
    last: Balance | None = None,
) -> BudgetExhausted | None:
    """Why the account may not be charged this much on top of what it has spent, with its amounts; None where it may.

    `last` is the account's last balance, where it was read before.
    """
    rules = accountants.named(request.accountant)
    spent = spent_so_far(db, dataset, account, request, accountants, now, last)
    if rules.admits(spent.worst, more.worst, account.limit):
        return None  # then in every part: more never costs less
    for lost, requested in cases(spent, more):
        if not rules.admits(lost, requested, account.limit):
            delta = account.limit.delta
            before, after = rules.spent(lost, delta), rules.spent(lost + requested, delta)
            return _exhausted(account.owner, before, after, account.limit)
    return None


def _exhausted(owner: str, before: Cost, after: Cost, limit: Cost) -> BudgetExhausted:
    return BudgetExhausted(
        owner,
        asked_epsilon=after.epsilon - before.epsilon,
        left_epsilon=max(limit.epsilon - before.epsilon, FREE.epsilon),
        asked_delta=after.delta - before.delta,
        left_delta=max(limit.delta - before.delta, FREE.delta),
    )


def book(
    db: Connection, dataset: str, request: Request, bill: Bill, now: int, *, granted: bool = True
) -> tuple[int, Cost]:
    """Write the entry, its charges and the new balances; its number, and what the query requested, as booked.

    Unless it is `granted`, the request's limits are nobody's, and are not noted.
    """
    units = booked(bill.cost)
    head = pages.Head(
        *(last_entry(db) + 1, now, dataset, request.analyst, request.role),
        *(request.policy_digest, request.data_version, str(request.accountant), *units),
    )
    charges = tuple(sorted(_charges(head.id, bill.dues)))  # by key, of which no two are alike
    balances = tuple(sorted(_balances(dataset, head.id, bill.shares, request.division)))
    db.execute("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", head)
    for paid in charges:
        db.execute("INSERT INTO charges VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", paid)
    for row in balances:
        db.execute("INSERT INTO balances VALUES (?, ?, ?, ?)", row)
    grants = note_grants(db, dataset, request, head.id, now) if granted else ()
    entry = pages.Entry(head, charges, balances, grants)
    body = {"epsilon": units[0], "delta": units[1], "entry": head.id, "digest": entry.digest}
    chain.append(db, now, dataset, request.analyst, "charge", body)
    return head.id, cost_of(*units)


def _charges(entry: int, dues: Dues) -> Iterator[pages.Paid]:
    """What is written of each release that an entry pays for."""
    credits = [{due.charge.key: credit_json(due.credit) for due in of} for of in (dues.by_role, dues.drawn)]
    for due in dues.unpaid:
        charge, (by_role, drawn) = due.charge, (of.get(due.charge.key) for of in credits)
        yield pages.Paid(
            *(entry, charge.key, charge.canonical, events_json(charge.events)),
            *(credit_json(due.credit), by_role, drawn),
            *(subject_of(charge), confined_json(charge.confined), charge.path),
        )


def _balances(dataset: str, entry: int, shares: Iterable[Share], division: str) -> Iterator[pages.Row]:
    """The balances of the accounts that pay by an entry."""
    for share in shares:
        if share.more:
            after = share.last.plus(share.more, division, entry)
            yield dataset, share.account.name, entry, after.written(entry)


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
    paid = []
    for _, charges in groupby(rows, key=itemgetter(0)):
        charged = tuple(charges)
        _, at, epsilon, delta, *_, free = charged[0]
        texts, received = tuple(c[4] for c in charged), all(c[5] for c in charged)
        paid.append(Payment(int(at), cost_of(epsilon, delta), texts, received, int(free)))
    return tuple(paid)


def note_grants(
    db: Connection, dataset: str, request: Request, entry: int, now: int
) -> tuple[tuple[object, ...], ...]:
    """Write down every limit of the request that differs from what the same policy granted last; the rows of that."""
    noted = []
    for account in request.accounts:
        terms, before = _terms(account), _last(db, dataset, request.policy_digest, account.name)
        if terms != before:
            row = (dataset, request.policy_digest, account.name, entry, terms)
            db.execute("INSERT INTO grants VALUES (?, ?, ?, ?, ?)", row)
            noted.append(row)
            body = {"account": account.name, "granted": terms, "before": before or "nothing"}
            chain.append(db, now, dataset, system_user(), "grant", body)
    return tuple(sorted(noted))


def _terms(account: Account) -> str:
    limit = account.limit
    terms = {"epsilon": str(limit.epsilon), "delta": str(limit.delta), "window": str(account.window)}
    return json.dumps(terms)


def _last(db: Connection, dataset: str, policy: str, account: str) -> str | None:
    row = db.execute(
        "SELECT terms FROM grants WHERE dataset = ? AND policy_digest = ? AND account = ? ORDER BY entry DESC LIMIT 1",
        (dataset, policy, account),
    ).fetchone()
    return str(row[0]) if row is not None else None


def system_user() -> str:
    """Who runs this process, as the operating system calls them."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a container's user may have no name
        return "a user without a name"
