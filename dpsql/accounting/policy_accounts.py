"""The accounts under a policy: the dataset's, every role's, and those of analysts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dpsql.accounting.calibration_charges import opening_charges
from dpsql.accounting.types import DATASET, Account, Request
from dpsql.policy.model import Policy
from dpsql.privacy import FREE

ANALYST, ROLE = "analyst ", "role "
EVERYBODY = "CALIBRATION"
"""Who asks where all accounts pay; no analyst's name, for these are stored in lower case."""


def admin_request(policy: Policy, data_version: int) -> Request:
    """Who asks where the admin looks at accounts, or charges them all."""
    dataset, terms = policy.dataset, (policy.digest, data_version, policy.accountant)
    opening = opening_charges(policy)
    return Request(
        EVERYBODY, FREE, FREE, dataset.limit, *terms, dataset_window=dataset.window, opening=opening
    )


def dataset_account(policy: Policy) -> Account:
    """The account of the data."""
    return Account(DATASET, DATASET, policy.dataset.limit, policy.dataset.window)


def named_accounts(policy: Policy) -> Iterator[Account]:
    """The accounts of the dataset, of every role, and of the analysts that the policy names."""
    yield dataset_account(policy)
    for role in policy.roles:
        yield Account(ROLE + role.name, f"role {role.name}", role.budget.limit, role.budget.window)
    yield from analyst_accounts(policy, named_analysts(policy))


def named_analysts(policy: Policy) -> tuple[str, ...]:
    """The analysts that have a budget of their own or are members of a role."""
    members = {name for role in policy.roles for name in role.members}
    return tuple(sorted({name for name, _ in policy.analysts} | members))


def analyst_accounts(policy: Policy, names: Iterable[str]) -> Iterator[Account]:
    """The accounts of those analysts to whom the policy grants a budget."""
    for name in names:
        budget = policy.budget(name)
        if budget is not None:
            yield Account(ANALYST + name, name, budget.limit, budget.window)


def new_analyst(policy: Policy) -> Account | None:
    """The account of an analyst under `default` who has not asked anything; None where nobody new may ask."""
    default = policy.default_of_unknown
    if default is None:
        return None
    return Account(ANALYST, "an analyst under budgets.default", default.limit, default.window)
