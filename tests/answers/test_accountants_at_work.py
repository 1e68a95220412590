"""The same questions under each accountant of a policy, from the connection's side."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import closing, contextmanager
from fractions import Fraction
from pathlib import Path

import pytest

from answers.engines import shared_engines
from answers.shop import make_shop
from dpsql.errors import BudgetExhausted, LedgerUnavailable, PolicyError
from dpsql.mechanisms.sampler import ExactSampler
from dpsql.policy.load import load_policy
from dpsql.session import Session, build_session

FILTERS = ("zcdp", "rdp")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return make_shop(tmp_path)


@contextmanager
def opened(shop: Path, accountant: str, grant: str, epsilon: str | None = None) -> Iterator[Session]:
    """A session of alice under the shop's policy with another accountant and another grant of hers."""
    text = (shop / "shop.yaml").read_text(encoding="utf-8")
    head, _, _ = text.partition("budgets:")
    policy = shop / "other.yaml"
    budgets = f"budgets:\n  dataset: {{epsilon: 100, delta: 1e-4}}\n  analysts:\n    alice: {grant}\n"
    policy.write_text(f"{head}{budgets}accountant: {accountant}\n", encoding="utf-8")
    with closing(
        build_session(
            load_policy(policy),
            "alice",
            shop / "l",
            (epsilon, None),
            ExactSampler(),
            resources=shared_engines,
        )
    ) as session:
        yield session


def ask(session: Session, n: int) -> Fraction:
    return session.answer(f"SELECT COUNT(*) FROM orders WHERE amount > {n}").released.epsilon


@pytest.mark.parametrize("accountant", FILTERS)
def test_many_small_queries_cost_less_than_their_sum(shop: Path, accountant: str) -> None:
    with opened(shop, accountant, "{epsilon: 1, delta: 1e-5, per_query: 0.02}") as alice:
        charged = sum(ask(alice, n) for n in range(60))
        report = alice.budget()
        assert charged == Fraction("1.2")
        assert Fraction("0.5") < report.spent.epsilon < Fraction(1)
        assert report.remaining.epsilon == 1 - report.spent.epsilon
        assert (report.spent.delta, report.remaining.delta) == (Fraction("7.5e-6"), Fraction("2.5e-6"))
        ((granted, spent, left),) = alice.answer(
            "SELECT epsilon_granted, epsilon_spent, epsilon_remaining FROM dpsql.budget"
        ).rows
        assert (granted, spent, left) == (1.0, float(report.spent.epsilon), float(report.remaining.epsilon))


@pytest.mark.parametrize("accountant", FILTERS)
def test_one_query_is_never_dearer_than_its_epsilon_and_the_last_that_fits_is_answered(
    shop: Path, accountant: str
) -> None:
    with opened(shop, accountant, "{epsilon: 1, delta: 1e-5, per_query: 0.5}") as alice:
        ask(alice, 1)
        assert alice.budget().spent.epsilon == Fraction("0.5")
        ask(alice, 2)
        assert alice.budget().remaining.epsilon == 0
        with pytest.raises(BudgetExhausted) as refused:
            ask(alice, 3)
        assert refused.value.account == "alice"
        assert refused.value.asked_epsilon > refused.value.left_epsilon == 0
        assert ask(alice, 1) == 0  # stored


@pytest.mark.parametrize(("first", "second"), [("approx", "rdp"), ("rdp", "approx"), ("zcdp", "rdp")])
def test_another_accountant_finds_what_was_spent_before(shop: Path, first: str, second: str) -> None:
    grant = "{epsilon: 1, delta: 1e-5, per_query: 0.25}"
    with opened(shop, first, grant) as alice:
        for n in range(4):
            ask(alice, n)
    with opened(shop, second, grant) as alice:
        assert alice.budget().spent.epsilon == 1
        with pytest.raises(BudgetExhausted):
            ask(alice, 5)


@pytest.mark.parametrize("accountant", FILTERS)
def test_a_filter_needs_a_delta_in_every_budget_and_leaves_private_keys_a_quarter(
    shop: Path, accountant: str
) -> None:
    with pytest.raises(PolicyError, match=f"the {accountant} accountant needs a delta above 0"):  # noqa: SIM117
        with opened(shop, accountant, "{epsilon: 1, per_query: 0.1}"):
            pass
    with pytest.raises(PolicyError, match="what private keys may use up"):  # noqa: SIM117
        with opened(shop, accountant, "{epsilon: 1, delta: 1e-5, per_query: {epsilon: 0.1, delta: 5e-6}}"):
            pass
    with opened(shop, accountant, "{epsilon: 1, delta: 1e-5, per_query: 0.1}") as alice:
        assert alice._state.options.cost.delta == Fraction("2.5e-7")


def test_a_ledger_whose_clock_was_set_back_answers_nothing_new(shop: Path) -> None:
    with opened(shop, "approx", "{epsilon: 1, delta: 1e-5, per_query: 0.25}") as alice:
        ask(alice, 1)
        alice._state.ledger._clock = lambda: 1_000_000_000.0
        with pytest.raises(LedgerUnavailable, match="clock was set back"):
            ask(alice, 2)
        assert ask(alice, 1) == 0


def test_a_policys_windows_and_roles_reach_the_ledger(shop: Path) -> None:
    text = (shop / "shop.yaml").read_text(encoding="utf-8").partition("budgets:")[0]
    policy = shop / "roles.yaml"
    policy.write_text(
        f"{text}budgets:\n  dataset: {{epsilon: 9, window: monthly, name: shop}}\n  roles:\n"
        "    sales: {epsilon: 0.5, per_query: 0.25, window: daily, members: [Alice, BOB]}\n",
        encoding="utf-8",
    )
    loaded = load_policy(policy)
    sessions = [build_session(loaded, name, None, (None, None), ExactSampler()) for name in ("ALICE", "bob")]
    with closing(sessions[0]) as alice, closing(sessions[1]) as bob:
        ask(alice, 1)
        assert alice.budget().queries_left == 1
        ends = alice.budget().ends
        assert ends is not None and (ends.hour, ends.minute, ends.second) == (0, 0, 0)
        ask(bob, 2)
        assert bob.budget().remaining.epsilon == alice.budget().remaining.epsilon == Fraction("0.25")
        assert bob.budget().spent.epsilon == Fraction("0.25")
        with pytest.raises(BudgetExhausted, match="role sales"):
            ask(bob, 3)
        ((ended, more),) = bob.answer("SELECT window_ends, queries_left FROM dpsql.budget").rows
        assert (ended, more) == (ends, 1)


@pytest.mark.parametrize("name", ["ALICE", "Alice", "\uff21lice", "al\u2071ce"])
def test_a_name_in_other_case_or_form_is_the_same_account(shop: Path, name: str) -> None:
    with opened(shop, "approx", "{epsilon: 1, delta: 1e-5, per_query: 0.5}") as alice:
        ask(alice, 1)
        again = build_session(alice.policy, name, shop / "l", (None, None), ExactSampler())
        with closing(again) as other:
            assert ask(other, 1) == 0
            ask(other, 2)
            with pytest.raises(BudgetExhausted):
                ask(other, 3)


@pytest.mark.parametrize(
    ("query", "rho", "said"),
    [
        ("SELECT COUNT(*) FROM orders", 0.2 * math.tanh(0.1), "; rho 0.01993"),
        ("SELECT COUNT(*), AVG(amount) FROM orders", 0.2 * math.tanh(0.1), "; rho 0.01993 for all 2 of them"),
        ("SELECT MEDIAN(amount) FROM orders", 0.2**2 / 8, "; rho 0.005"),
    ],
)
@pytest.mark.parametrize("accountant", FILTERS)
def test_a_plan_says_its_rho_beside_the_epsilon_that_it_is_asked_at(
    shop: Path, accountant: str, query: str, rho: float, said: str
) -> None:
    with opened(shop, accountant, "{epsilon: 1, delta: 1e-5, per_query: 0.2}") as alice:
        plan = alice.explain(query)
        assert plan.rho is not None and float(plan.rho) == pytest.approx(rho, rel=1e-9)
        assert str(plan).startswith(f"epsilon 0.2, delta 0, rho {rho:.4g}\n")
        assert plan.releases[0].note.endswith(said)


def test_a_plan_that_is_read_from_received_answers_takes_no_rho(shop: Path) -> None:
    with opened(shop, "zcdp", "{epsilon: 1, delta: 1e-5, per_query: 0.2}") as alice:
        alice.answer("SELECT COUNT(*), AVG(amount) FROM orders")
        implied = alice.explain("SELECT AVG(amount) FROM orders")
        assert (implied.epsilon, implied.rho) == (0, 0)


def test_where_epsilons_add_up_nothing_is_said_of_rho(shop: Path) -> None:
    with opened(shop, "approx", "{epsilon: 1, delta: 1e-5, per_query: 0.2}") as alice:
        plan = alice.explain("SELECT COUNT(*) FROM orders")
        assert plan.rho is None and "rho" not in str(plan)
