"""How accounts pay for a calibration: all that there are when it is drawn, and later ones when they first pay.

An account pays in an entry of its own, so that a ledger of any age holds it. Where the dataset or a role pays, the
entry's analyst is EVERYBODY, which is no analyst's name: names are stored in lower case.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from dpsql.accounting.accountants.accountant import Accountants
from dpsql.accounting.ledger import balances as books
from dpsql.accounting.ledger import stored_releases as draws
from dpsql.accounting.ledger.path_credit import Due
from dpsql.accounting.ledger.receipts import receive, unpaid_openings
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
from dpsql.accounting.types import DATASET, Request
from dpsql.policy.model import Policy
from dpsql.privacy import Charge
from dpsql.slotted import dataclass

_ELSEWHERE = b"drawn under another ledger"


@dataclass(frozen=True, slots=True)
class Payer:
    """An account that has paid for a draw, by which entry."""

    analyst: str
    role: str | None
    entry: int


@dataclass(frozen=True, slots=True)
class PaidDraw:
    """A calibration that is paid for and yet to be drawn; the dataset is the first of the payers."""

    key: str
    payers: tuple[Payer, ...]


def unpaid(db: Connection, dataset: str, request: Request) -> bool:
    """Whether an account of the request has yet to pay for what it begins with."""
    return any(unpaid_openings(db, dataset, a.name, request.opening) for a in request.accounts)


def open_accounts(db: Connection, dataset: str, request: Request, accountants: Accountants, now: int) -> None:
    """Book what the request's accounts begin with and have not paid for, whether it fits or not."""
    for account in reversed(request.accounts):  # the dataset first: what is received is on the shelf
        for charge in unpaid_openings(db, dataset, account.name, request.opening):
            payer = _book(db, dataset, account.name, request, charge, accountants, now)
            if account.name == DATASET:
                draws.keep(db, dataset, payer.entry, charge.key, _ELSEWHERE, now)
            else:
                receive(db, dataset, payer.analyst, payer.role, charge.key, payer.entry, "")


def pay_for_draw(
    db: Connection,
    dataset: str,
    policy: Policy,
    request: Request,
    charge: Charge,
    accountants: Accountants,
    now: int,
) -> PaidDraw:
    """Book a draw to every account there is; BudgetExhausted, with the amounts, where one has no room for it."""
    paid_before = known_accounts(db, dataset)
    more = added((charge,), accountants)
    others = (name.removeprefix(ANALYST) for name in paid_before if name.startswith(ANALYST))
    unnamed = sorted(set(others) - set(named_analysts(policy)))
    limited = [*named_accounts(policy), *analyst_accounts(policy, unnamed)]
    for account in (*limited, new_analyst(policy)):
        if account is not None:
            refusal = books.refused(db, dataset, account, request, more, accountants, now)
            if refusal is not None:
                raise refusal
    names = dict.fromkeys((dataset_account(policy).name, *(a.name for a in limited), *paid_before))
    payers = (_book(db, dataset, name, request, charge, accountants, now) for name in names)
    return PaidDraw(charge.key, tuple(payers))


def keep_draw(db: Connection, dataset: str, paid: PaidDraw, payload: bytes, now: int) -> None:
    """Store the draw; every account that paid has received it."""
    draws.keep(db, dataset, paid.payers[0].entry, paid.key, payload, now)
    for payer in paid.payers[1:]:
        receive(db, dataset, payer.analyst, payer.role, paid.key, payer.entry, "")


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
    analyst = account.removeprefix(ANALYST) if account.startswith(ANALYST) else EVERYBODY
    role = account.removeprefix(ROLE) if account.startswith(ROLE) else None
    dues = books.Dues(due, due if role is not None else (), due if account == DATASET else ())
    payer = replace(request, analyst=analyst, role=role)
    bill = books.bill(db, dataset, payer, dues, accountants)
    entry, _ = books.book(db, dataset, payer, bill, now, granted=False)
    return Payer(analyst, role, entry)
