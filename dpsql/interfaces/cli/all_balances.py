"""The balances of every account of a policy; for the admin alone."""

from __future__ import annotations

from pathlib import Path

from dpsql.accounting.ledger.ledger import Ledger
from dpsql.accounting.policy_accounts import admin_request, dataset_account, named_accounts
from dpsql.accounting.types import Standing
from dpsql.policy.load import load_policy
from dpsql.release.types import BudgetReport
from dpsql.session import default_ledger


def balances(policy: str | Path, ledger: str | Path) -> tuple[Standing, ...]:
    """The current balances of the dataset, every role and every analyst that the policy names."""
    loaded = load_policy(policy)
    with Ledger.open(ledger, dataset=loaded.dataset.name) as book:
        request = admin_request(loaded, book.data_version())
        return tuple(book.standing(request, account) for account in named_accounts(loaded))


def dataset_balance(policy: Path, ledger: str | Path | None) -> BudgetReport:
    """What all analysts together were granted, have spent and have left."""
    loaded = load_policy(policy)
    with Ledger.open(ledger or default_ledger(loaded.path), dataset=loaded.dataset.name) as book:
        now = book.standing(admin_request(loaded, book.data_version()), dataset_account(loaded))
    return BudgetReport(now.account.limit, now.spent, now.remaining, now.ends)
