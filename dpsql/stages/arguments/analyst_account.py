"""The account of an analyst under a policy."""

from __future__ import annotations

from dpsql.errors import InterfaceError, WrongType
from dpsql.policy.model import Budget, Policy
from dpsql.policy.names import analyst_name_mistake, fold_name


def account_of(policy: Policy, analyst: object) -> tuple[str, Budget]:
    """The name as it is charged, and its budget. Raises WrongType and InterfaceError."""
    if not isinstance(analyst, str):
        raise WrongType(f"an analyst's name is text (str), not {type(analyst).__name__}")
    if not analyst:
        raise InterfaceError("an analyst's name is needed: connect(policy, analyst=...)")
    if mistake := analyst_name_mistake(analyst):
        raise InterfaceError(f"nobody has that name: {mistake}")
    name = fold_name(analyst)
    budget = policy.budget(name)
    if budget is None:
        raise InterfaceError(_without_budget(policy, name, analyst))
    return name, budget


def _without_budget(policy: Policy, name: str, written: str) -> str:
    """Why an analyst may ask nothing, by the policy alone."""
    named = name in policy.revoked or policy.default is None or policy.default_of_unknown is not None
    reason = "" if named else ": it does not name this analyst, and budgets.unknown_analysts is `refuse`"
    return f"the policy grants {written!r} no budget{reason}"
