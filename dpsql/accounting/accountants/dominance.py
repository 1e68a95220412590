"""Whether a policy's accountant admits whatever plain addition would, were every query Gaussian noise.

A query at epsilon that is answered by Gaussian noise has rho = epsilon^2 / 2. A filter on rho has no need of plain
addition where it admits at least as much; where few queries fit into a budget, it admits less.
"""

from __future__ import annotations

from fractions import Fraction

from dpsql.accounting.accountants.accountant import Accountants
from dpsql.accounting.ledger.booked_totals import Totals
from dpsql.policy.model import Budget, Policy
from dpsql.privacy import FREE, Cost, Event, Mechanism


def dominates_addition(policy: Policy) -> bool:
    """Whether the filter of every account admits, at rho = epsilon^2 / 2 a query, whatever plain addition admits.

    False where the accountant is itself plain addition. A function of the policy alone.

    Because: let queries of epsilon_i <= p add up to at most L. Their rhos add up to at most p L / 2, since
    epsilon_i^2 <= p epsilon_i. So a filter that admits rho = p L / 2 at once admits them all; and where it does, as
    many queries of p itself are admitted as plain addition admits, L / p.
    """
    if not policy.accountant.is_filter:
        return False
    accountant = Accountants().named(policy.accountant)
    return all(
        accountant.admits(Totals(), accountant.totals((gaussian,)), limit)
        for limit, largest in set(_accounts(policy))
        for gaussian in (Event(Mechanism.DISCRETE_GAUSSIAN, 1, FREE, 1 / (largest * limit.epsilon)),)
    )


def _accounts(policy: Policy) -> list[tuple[Cost, Fraction]]:
    """The limit of every account, and the most that one query which it pays for may request."""
    grants = [
        b for b in (policy.default, *(b for _, b in policy.analysts), *(r.budget for r in policy.roles)) if b
    ]
    accounts = [(b.limit, b.per_query.epsilon) for b in grants]
    for role in policy.roles:
        members = [b for name, b in policy.analysts if name in role.members]
        accounts.append((role.budget.limit, _largest([role.budget, *members])))
    return [*accounts, (policy.dataset.limit, _largest(grants))] if grants else accounts


def _largest(budgets: list[Budget]) -> Fraction:
    return max(b.per_query.epsilon for b in budgets)
