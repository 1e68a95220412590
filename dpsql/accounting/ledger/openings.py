"""How accounts pay for a calibration: all that there are when it is drawn, and later ones when they first pay.

An account pays in an entry of its own, so that a ledger of any age holds it. Where the dataset or a role pays, the
entry's analyst is EVERYBODY, which is no analyst's name: names are stored in lower case.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from dpsql.accounting.accountants.accountant import Accountants
from dpsql.accounting.ledger import balances as books
from dpsql.accounting.ledger import stored_releases as draws
from dpsql.accounting.ledger.data_versions import require_current
from dpsql.accounting.ledger.path_credit import Due
from dpsql.accounting.ledger.receipts import ELSEWHERE, payment, receive, unreceived_openings
from dpsql.accounting.ledger.spent import added
from dpsql.accounting.policy_accounts import (
    ANALYST,
    EVERYBODY,
    ROLE,
    analyst_accounts,
    dataset_account,
    named_accounts,
    named_analysts,
    new_analyst,
)
from dpsql.accounting.storage.protocol import Connection
from dpsql.accounting.types import DATASET, Account, DrawLost, Request
from dpsql.errors import BudgetExhausted
from dpsql.policy.model import Policy
from dpsql.privacy import Charge
from dpsql.slotted import dataclass


@dataclass(frozen=True, slots=True)
class Payer:
    """An account that has paid for a draw, by which entry."""

    account: str
    entry: int


@dataclass(frozen=True, slots=True)
class PaidDraw:
    """A calibration that is paid for under a policy and yet to be drawn; the dataset is the first of the payers."""

    policy: Policy
    request: Request
    charge: Charge
    payers: tuple[Payer, ...]

    @property
    def last_entry(self) -> int:
        """The number of the last of the entries that paid."""
        return max(payer.entry for payer in self.payers)


def unopened(db: Connection, dataset: str, request: Request) -> bool:
    """Whether an account of the request has yet to receive what it begins with."""
    return any(unreceived_openings(db, dataset, a.name, request.opening) for a in request.accounts)


def open_accounts(db: Connection, dataset: str, request: Request, accountants: Accountants, now: int) -> int:
    """Book what the request's accounts begin with and have not paid for, whether it fits or not; the last entry."""
    for account in reversed(request.accounts):  # the dataset first: what is received is on the shelf
        for charge in unreceived_openings(db, dataset, account.name, request.opening):
            entry = payment(db, dataset, account.name, charge.key)
            if entry is None:
                entry = _book(db, dataset, account.name, request, charge, accountants, now).entry
            if account.name == DATASET:
                draws.keep(db, dataset, entry, charge.key, ELSEWHERE, now)
            else:
                _receive(db, dataset, Payer(account.name, entry), charge)
    return books.last_entry(db)


def pay_for_draw(
    db: Connection,
    dataset: str,
    policy: Policy,
    request: Request,
    charge: Charge,
    accountants: Accountants,
    now: int,
) -> PaidDraw:
    """Book a draw to every account there is; BudgetExhausted, with the amounts, where one has no room for it.

    LedgerUnavailable where the data has a newer version than the request.
    """
    require_current(db, dataset, request)
    paid_before = known_accounts(db, dataset)
    limited = [*named_accounts(policy), *_unnamed(policy, paid_before)]
    _require_room(db, dataset, policy, limited, request, charge, accountants, now)
    names = dict.fromkeys((dataset_account(policy).name, *(a.name for a in limited), *paid_before))
    payers = (_book(db, dataset, name, request, charge, accountants, now) for name in names)
    return PaidDraw(policy, request, charge, tuple(payers))


def keep_draw(
    db: Connection, dataset: str, paid: PaidDraw, payload: bytes, accountants: Accountants, now: int
) -> PaidDraw:
    """Store the draw; every account there is has received it, and those that began to pay meanwhile pay for it, too.

    DrawLost where one of these has no room for it, or a new analyst none beside a draw that was stored meanwhile: then
    nothing is stored.
    """
    paid_at_once = {payer.account for payer in paid.payers}
    late = [name for name in known_accounts(db, dataset) if name not in paid_at_once]
    terms = paid.request, paid.charge, accountants, now
    try:
        _require_room(db, dataset, paid.policy, _unnamed(paid.policy, late), *terms)
    except BudgetExhausted as refusal:
        raise DrawLost(refusal.account) from None
    draws.keep(db, dataset, paid.payers[0].entry, paid.charge.key, payload, now)
    payers = (*paid.payers, *(_book(db, dataset, name, *terms) for name in late))
    for payer in payers[1:]:
        _receive(db, dataset, payer, paid.charge)
    return replace(paid, payers=payers)


def _unnamed(policy: Policy, accounts: Iterable[str]) -> Iterator[Account]:
    """Those of the accounts that are of analysts whom the policy grants a budget without naming them."""
    others = {name.removeprefix(ANALYST) for name in accounts if name.startswith(ANALYST)}
    return analyst_accounts(policy, sorted(others - set(named_analysts(policy))))


def _require_room(
    db: Connection,
    dataset: str,
    policy: Policy,
    accounts: Iterable[Account],
    request: Request,
    charge: Charge,
    accountants: Accountants,
    now: int,
) -> None:
    """BudgetExhausted, with the amounts, where one of the accounts, or a new analyst, may not be charged this."""
    more = added((charge,), accountants)
    for account in (*accounts, new_analyst(policy)):
        if account is not None:
            refusal = books.refused(db, dataset, account, request, more, accountants, now)
            if refusal is not None:
                raise refusal


def known_accounts(db: Connection, dataset: str) -> tuple[str, ...]:
    """The names of all accounts that have paid before."""
    rows: Iterable[tuple[str]] = db.execute(
        "SELECT DISTINCT account FROM balances WHERE dataset = ? ORDER BY account", (dataset,)
    ).fetchall()
    return tuple(name for (name,) in rows if name != ANALYST + EVERYBODY)


def _book(
    db: Connection,
    dataset: str,
    account: str,
    request: Request,
    charge: Charge,
    accountants: Accountants,
    now: int,
) -> Payer:
    """An entry by which one account pays for a draw."""
    due = (Due(charge),)
    analyst, role = _who(account)
    dues = books.Dues(due, due if role is not None else (), due if account == DATASET else ())
    payer = replace(request, analyst=analyst, role=role)
    bill = books.bill(db, dataset, payer, dues, accountants)
    entry, _ = books.book(db, dataset, payer, bill, now, granted=False)
    return Payer(account, entry)


def _receive(db: Connection, dataset: str, payer: Payer, charge: Charge) -> None:
    """Note that an analyst or a role has received a draw that is on the shelf."""
    receive(db, dataset, *_who(payer.account), charge.key, payer.entry, "")


def _who(account: str) -> tuple[str, str | None]:
    """The analyst and the role of the entries by which an account pays for draws."""
    analyst = account.removeprefix(ANALYST) if account.startswith(ANALYST) else EVERYBODY
    return analyst, account.removeprefix(ROLE) if account.startswith(ROLE) else None
