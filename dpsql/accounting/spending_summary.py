"""Who spent what: every account of a dataset as it stands now, and the questions that cost most; for admins alone."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from dpsql.accounting.largest_payments import LargePayment
from dpsql.accounting.ledger.ledger import Ledger
from dpsql.accounting.policy_accounts import ANALYST, ROLE, admin_request, named_accounts, named_analysts
from dpsql.accounting.types import DATASET, Account, Standing
from dpsql.policy.model import Policy
from dpsql.privacy import Cost
from dpsql.slotted import dataclass


@dataclass(frozen=True, slots=True)
class AccountSummary:
    """An account as it stands in its window, and why its limit is not one of its own, if so."""

    standing: Standing
    note: str = ""


@dataclass(frozen=True, slots=True)
class SpendingSummary:
    """The dataset's account, those of roles and of analysts, and the questions that cost most."""

    accounts: tuple[AccountSummary, ...]
    largest: tuple[LargePayment, ...]


def spending_summary(policy: Policy, book: Ledger, most: int) -> SpendingSummary:
    """The accounts that the policy names, and all others that have paid; of the questions at most so many."""
    request = admin_request(policy, book.data_version())
    lines = (
        AccountSummary(book.standing(request, account), note)
        for account, note in _accounts(policy, book.accounts())
    )
    return SpendingSummary(tuple(lines), book.largest_payments(most))


def _accounts(policy: Policy, paid: tuple[str, ...]) -> Iterator[tuple[Account, str]]:
    """Each account with its note: those that the policy grants something, and those that have paid before."""
    named = tuple(named_accounts(policy))
    own = {ANALYST + name for name in named_analysts(policy)}
    yield from ((account, "") for account in named)
    revoked = (ANALYST + name for name in policy.revoked)
    others = dict.fromkeys((*revoked, *(p for p in paid if p not in own)))
    for name in sorted(others.keys() - {a.name for a in named} - {DATASET}):
        yield _not_granted(policy, name)


def _not_granted(policy: Policy, name: str) -> tuple[Account, str]:
    """An account that the policy does not name, or grants nothing; its losses are converted at the dataset's delta."""
    nothing = Cost(Fraction(0), policy.dataset.limit.delta)
    if name.startswith(ROLE):
        return Account(name, f"role {name.removeprefix(ROLE)}", nothing), "not in the policy"
    analyst = name.removeprefix(ANALYST)
    budget = policy.budget(analyst)
    if budget is not None:
        return Account(name, analyst, budget.limit, budget.window), "not named: has the default"
    note = "revoked" if analyst in policy.revoked else "not named: refused"
    return Account(name, analyst, nothing), note
