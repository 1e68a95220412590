"""Who may ask: named analysts, those who are revoked, and those whom the policy does not name."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import pytest
from answers.shop import make_shop

import dpsql
from dpsql.accounting.policy_accounts import named_accounts, new_analyst
from dpsql.policy.model import Policy

Load = Callable[[str], Policy]
Mistakes = Callable[[str], list[str]]
LISTED = "    alice: {epsilon: 10, delta: 1e-7, per_query: 0.5}\n"
REFUSE = ("  analysts:\n", "  unknown_analysts: refuse\n  analysts:\n")


@pytest.mark.parametrize(
    "line", ["{revoked: true}", "{epsilon: 0}", "{epsilon: 5, delta: 1e-8, revoked: true}"]
)
def test_a_revoked_analyst_has_neither_a_budget_nor_the_default(load: Load, shop: str, line: str) -> None:
    policy = load(shop.replace(LISTED, LISTED + f"    Bob: {line}\n"))
    assert policy.budget("bob") is None and policy.revoked == ("bob",)
    assert policy.budget("alice") is not None and policy.budget("carol") == policy.default


def test_a_revoked_member_has_not_the_budget_of_the_role(load: Load, shop: str) -> None:
    roles = "  roles: {sales: {epsilon: 5, delta: 1e-7, members: [bob, dora]}}\n"
    policy = load(shop.replace(LISTED, LISTED + "    bob: {revoked: true}\n" + roles))
    assert policy.budget("bob") is None
    assert policy.budget("dora") is not None


def test_who_is_not_named_is_refused_where_the_policy_says_so(load: Load, shop: str) -> None:
    roles = "  roles: {sales: {epsilon: 5, delta: 1e-7, members: [dora]}}\n"
    policy = load(shop.replace(*REFUSE).replace(LISTED, LISTED + "    Carol: {}\n" + roles))
    assert policy.budget("bob") is None and new_analyst(policy) is None
    assert policy.budget("carol") == policy.default is not None
    assert [a.name for a in named_accounts(policy)] == [
        "dataset",
        "role sales",
        "analyst alice",
        "analyst carol",
        "analyst dora",
    ]
    assert (
        load(shop.replace(REFUSE[0], REFUSE[1].replace("refuse", "default"))).budget("bob") == policy.default
    )


def test_somebody_who_may_ask(load: Load, shop: str) -> None:
    """An audit asks in the name of somebody who has a budget."""
    refusing = shop.replace(*REFUSE)
    for policy in (load(shop), load(refusing)):
        assert policy.budget(policy.somebody) is not None
    assert load(refusing.replace(LISTED, "    alice: {revoked: true}\n    zoe: {}\n")).somebody == "zoe"


def test_mistakes_of_who_may_ask(mistakes: Mistakes, shop: str) -> None:
    assert mistakes(shop.replace(LISTED, "    alice: {delta: 1e-7}\n")) == [
        "33:5: budgets.analysts.alice: `epsilon` is missing: write a number above 0, or `{}` for what `default` grants"
    ]
    default = "  default: {epsilon: 1, delta: 1e-7, per_query: 0.1}\n"
    (told,) = mistakes(shop.replace(default, "").replace(LISTED, "    alice: {}\n"))
    assert "there is no `default` to have the budget of" in told
    (told,) = mistakes(shop.replace(REFUSE[0], "  unknown_analysts: refuse\n").replace(LISTED, ""))
    assert "budgets: nobody may ask anything: name the analysts" in told
    (told,) = mistakes(shop.replace(REFUSE[0], "  unknown_analysts: ask\n" + REFUSE[0]))
    assert 'must be one of default, refuse, not "ask"' in told
    (told,) = mistakes(shop.replace(LISTED, ""))
    assert "budgets.analysts: must be a mapping, as {alice: {}}" in told


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    return make_shop(tmp_path) / "shop.yaml"


def edited(policy: Path, *more: str) -> None:
    """The policy with other lines under `budgets`, in the place of its own."""
    before = policy.read_text().partition("budgets:\n")[0]
    lines = (
        "  dataset: {epsilon: 100, delta: 1e-6}",
        "  default: {epsilon: 2, delta: 1e-7, per_query: 1}",
        *more,
    )
    policy.write_text(before + "budgets:\n" + "\n".join(lines) + "\n")


def spent(policy: Path, analyst: str) -> Fraction:
    with closing(dpsql.connect(policy, analyst=analyst)) as connection:
        return connection.budget().spent.epsilon


def test_what_becomes_of_an_analyst_whose_line_changes(policy: Path) -> None:
    """Spent stays spent: deleted, alice goes on under the default with what she has spent; revoked, not at all."""
    edited(policy, "  analysts: {alice: {epsilon: 10, delta: 1e-7, per_query: 3}}")
    with closing(dpsql.connect(policy, analyst="alice", epsilon=3)) as connection:
        connection.execute("SELECT COUNT(*) FROM orders")
    edited(policy)
    assert spent(policy, "alice") == 3
    with closing(dpsql.connect(policy, analyst="alice")) as connection, pytest.raises(dpsql.BudgetExhausted):
        connection.execute("SELECT COUNT(*) FROM orders WHERE amount > 7")
    edited(policy, "  unknown_analysts: refuse", "  analysts: {bob: {}}")
    refusal = "it does not name this analyst, and budgets.unknown_analysts is `refuse`"
    with pytest.raises(dpsql.InterfaceError, match=refusal):
        dpsql.connect(policy, analyst="alice")
    edited(policy, "  analysts: {Alice: {revoked: true}}")
    with pytest.raises(dpsql.InterfaceError, match=r"the policy grants 'ALICE' no budget$"):
        dpsql.connect(policy, analyst="ALICE")
    edited(policy, "  analysts: {alice: {epsilon: 4, delta: 1e-7}}")
    assert spent(policy, "alice") == 3
