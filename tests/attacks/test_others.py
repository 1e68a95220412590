"""What others did is not shown: an analyst's own account, and one refusal without amounts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing
from fractions import Fraction
from pathlib import Path

import duckdb
import pytest

from attacks.neighbours import Blind, Watched
from dpsql.engines.base import EngineFailed
from dpsql.errors import BudgetExhausted, Error, QueryFailed
from dpsql.interfaces.cli import main
from dpsql.interfaces.cli.all_balances import balances
from dpsql.interfaces.cli.ask import budget_sheet
from dpsql.policy.load import load_policy
from dpsql.session import Session, build_session
from dpsql.stages.deadline import Deadline

SAME = "SELECT COUNT(*) FROM orders WHERE amount > 3"
OTHER = "SELECT region, COUNT(*), SUM(amount) FROM orders GROUP BY region"
FINER = f"{SAME.replace('SELECT', 'SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0.75)')}"
POLICY = """
version: 1
privacy: {{unit: orders.customer, max_rows_per_unit: 1}}
tables:
  orders:
    source: orders.parquet
    unit_key: customer
    columns:
      customer: {{type: integer}}
      amount: {{type: integer, lower: 0, upper: 9}}
      region: {{type: text, values: [north, south], partition: true}}
budgets:
  dataset: {{epsilon: {dataset}, delta: 1e-5}}
  default: {{epsilon: 3, delta: 1e-6, per_query: 0.5}}
  analysts: {{mallory: {{epsilon: 3, delta: 1e-6, per_query: 0.75}}, bob: {{epsilon: 3, delta: 1e-6, per_query: 0.75}}}}
  roles: {{sales: {{epsilon: {role}, delta: 1e-6, members: [mallory, bob]}}}}
accountant: {accountant}
"""
SYSTEM = (
    "SELECT * FROM dpsql.budget",
    "SELECT * FROM dpsql.parts",
    "SELECT number, question, epsilon, delta, releases, stored, canonical, free_answers FROM dpsql.history",
    f"EXPLAIN {SAME}",
)
ACTS = {"nothing": (), "the same": (SAME,), "the same, finer": (SAME, FINER), "another": (OTHER,)}


def opened(home: Path, analyst: str) -> Session:
    return build_session(load_policy(home / "shop.yaml"), analyst, None, ("0.5", None), Blind())


def shop(home: Path, dataset: str = "100", role: str = "50", accountant: str = "approx") -> Path:
    home.mkdir(exist_ok=True)
    rows = "SELECT range AS customer, range % 10 AS amount, 'north' AS region FROM range(50)"
    duckdb.execute(f"COPY ({rows}) TO '{home / 'orders.parquet'}'")
    text = POLICY.format(dataset=dataset, role=role, accountant=accountant)
    (home / "shop.yaml").write_text(text, encoding="utf-8")
    return home


def told(session: Session) -> Iterator[object]:
    """All that a session tells, before and after each of some questions, but for the numbers of rows' times."""
    for sql in (None, SAME, SAME, FINER, OTHER, *(f"{SAME} AND amount > {n}" for n in range(9))):
        try:
            if sql is not None:
                answer = session.answer(sql)
                yield answer.rows, answer.released.epsilon, answer.released.delta, answer.released.notes
        except Error as error:
            yield type(error).__name__, str(error), vars(error)
        report = session.budget()
        yield report, budget_sheet(report), report._repr_html_()
        yield from (session.answer(asked).rows for asked in SYSTEM)
        for asked in (SAME, FINER, OTHER):
            plan = session.explain(asked)
            yield str(plan), plan.epsilon, plan.delta


@pytest.mark.one_in(18)
@pytest.mark.parametrize("accountant", ["approx", "zcdp"])
def test_an_analyst_is_told_the_same_whatever_others_asked(tmp_path: Path, accountant: str) -> None:
    seen = {}
    for act, questions in ACTS.items():
        home = shop(tmp_path / act, accountant=accountant)
        with closing(opened(home, "bob")) as bob, closing(opened(home, "alice")) as alice:
            for sql in questions:
                bob.answer(sql)
                if sql is not FINER:
                    alice.answer(sql)
        with closing(opened(home, "mallory")) as mallory:
            seen[act] = list(told(mallory))
    first, *others = seen.values()
    assert any("BudgetExhausted" in str(entry) for entry in first)
    for other in others:
        assert other == first


def test_what_a_failed_query_costs_again_does_not_tell_what_others_had_drawn(tmp_path: Path) -> None:
    """Half of its epsilon is for the release that somebody else has at that epsilon; the one before it fails."""
    half = SAME.replace("SELECT", "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0.25)")
    both = f"SELECT (SELECT COUNT(*) FROM orders WHERE amount > 7) AS a, ({SAME}) AS b"
    seen = {}
    for act, questions in {"nothing": (), "half of it": (half,)}.items():
        home = shop(tmp_path / act)
        with closing(opened(home, "bob")) as bob:
            for sql in questions:
                bob.answer(sql)
        with closing(opened(home, "mallory")) as mallory:
            engine = mallory._state.engine
            mallory._state.engine = Watched(engine)
            mallory._state.engine.failure = EngineFailed("too long")
            with pytest.raises(QueryFailed):
                mallory.answer(both)
            mallory._state.engine = engine
            seen[act] = [mallory.answer(half).released.cost, *told(mallory)]
    assert seen["nothing"] == seen["half of it"]


def test_what_others_had_drawn_is_received_beside_a_new_draw(tmp_path: Path) -> None:
    half = SAME.replace("SELECT", "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0.25)")
    both = f"SELECT (SELECT COUNT(*) FROM orders WHERE amount > 7) AS a, ({SAME}) AS b"
    home = shop(tmp_path / "shop")
    with closing(opened(home, "bob")) as bob, closing(opened(home, "mallory")) as mallory:
        bob.answer(half)
        costs = [mallory.answer(sql).released.cost.epsilon for sql in (both, both, half)]
    assert costs == [Fraction(1, 2), 0, 0]


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("limits", "account", "sentence"),
    [
        ({"dataset": "2"}, "dataset", "the data's budget does not allow this query. Nothing was charged."),
        (
            {"role": "2"},
            "role sales",
            "the budget of role sales does not allow this query. Nothing was charged.",
        ),
    ],
)
@pytest.mark.parametrize("spent", [3, 4])
def test_the_one_refusal_that_tells_of_others_has_no_amounts(
    tmp_path: Path, limits: dict[str, str], account: str, sentence: str, spent: int
) -> None:
    home = shop(tmp_path, **limits)
    with ExitStack() as sessions:
        bob, mallory = (sessions.enter_context(closing(opened(home, n))) for n in ("bob", "mallory"))
        for n in range(spent):
            bob.answer(f"{SAME} AND amount > {n}")
        before = mallory.budget()
        assert before.remaining == before.limit and before.queries_left is None
        with pytest.raises(BudgetExhausted) as refused:
            mallory.answer(FINER)
        assert str(refused.value) == sentence and mallory.budget() == before
        amounts = {name: value for name, value in vars(refused.value).items() if name != "account"}
        assert refused.value.account == account and set(amounts.values()) == {None}


def test_a_paid_answer_comes_at_the_deadline_whether_or_not_somebody_had_it_drawn(tmp_path: Path) -> None:
    for act in ("nothing", "the same"):
        home, waited = shop(tmp_path / act), []
        for analyst in ("alice", "mallory")[act == "nothing" :]:
            waited.clear()
            with closing(opened(home, analyst)) as session:
                now = iter((0.0, 1.0, 1.0, 2.0, 5.0, 5.0, 5.0, 5.0))
                session._state.deadline = Deadline(5.0, lambda now=now: next(now), waited.append)
                session.answer(SAME)
        assert waited, act


def test_an_admin_sees_what_every_account_has_left(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = shop(tmp_path)
    with closing(opened(home, "bob")) as bob, closing(opened(home, "alice")) as alice:
        bob.answer(SAME)
        alice.answer(SAME)
        alice.answer(OTHER)
    policy, ledger = home / "shop.yaml", home / "shop.ledger"
    left = {one.account.name: float(one.remaining.epsilon) for one in balances(policy, ledger)}
    assert left == {"dataset": 99.0, "role sales": 49.5, "analyst bob": 2.5, "analyst mallory": 3.0}
    with pytest.raises(SystemExit) as ended:
        main(["ledger", "balances", str(policy), str(ledger)])
    assert ended.value.code == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("account,epsilon_granted,") and lines[1].startswith("dataset,100.0,1e-05,1.0,")
