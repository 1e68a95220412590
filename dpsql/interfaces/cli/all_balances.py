"""The balances of every account of a policy; for the admin alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from dpsql.accounting.ledger.ledger import Ledger
from dpsql.accounting.types import Account, Request, Standing
from dpsql.policy.load import load_policy
from dpsql.policy.model import Policy
from dpsql.privacy import FREE


def balances(policy: str | Path, ledger: str | Path) -> tuple[Standing, ...]:
    """The current balances of the dataset, every role and every analyst that the policy names."""
    loaded = load_policy(policy)
    with Ledger.open(ledger, dataset=loaded.dataset.name) as book:
        dataset, version = loaded.dataset, book.data_version()
        terms = loaded.digest, version, loaded.accountant
        request = Request("-", FREE, FREE, dataset.limit, *terms, dataset_window=dataset.window)
        return tuple(book.standing(request, account) for account in _accounts(loaded, request))


def _accounts(policy: Policy, request: Request) -> Iterator[Account]:
    yield request.dataset_account
    for role in policy.roles:
        limit, window = role.budget.limit, role.budget.window
        account = replace(request, role=role.name, role_limit=limit, role_window=window).role_account
        assert account is not None
        yield account
    named = {name for name, _ in policy.analysts} | {name for role in policy.roles for name in role.members}
    for name in sorted(named):
        budget = policy.budget(name)
        assert budget is not None
        yield replace(request, analyst=name, analyst_limit=budget.limit, window=budget.window).own_account
