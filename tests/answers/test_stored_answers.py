"""What an answer costs, when it is stored, what a plan remembers, and what stands after a failure."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from fractions import Fraction
from pathlib import Path

import duckdb
import pytest

from answers.engines import shared_engines
from answers.noiseless import Noiseless
from answers.shop import make_shop
from dpsql.accounting.ledger.recorded_sources import Sources
from dpsql.engines.base import EngineFailed, EngineQuery, Exact
from dpsql.errors import BudgetExhausted, Error, OperationalError, ProgrammingError, QueryFailed, QueryRefused
from dpsql.mechanisms.sampler import ExactSampler
from dpsql.policy.load import load_policy
from dpsql.session import Session, build_session
from dpsql.stages.prepare import prepare

QUERY = "SELECT region, COUNT(*) AS n FROM orders GROUP BY region"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return make_shop(tmp_path)


def opened(shop: Path, analyst: str = "alice", epsilon: object = None, policy: str = "shop") -> Session:
    loaded = load_policy(shop / f"{policy}.yaml")
    return build_session(loaded, analyst, None, (epsilon, None), ExactSampler(), resources=shared_engines)


@pytest.fixture
def alice(shop: Path) -> Iterator[Session]:
    session = opened(shop)
    yield session
    session.close()


def spent(session: Session) -> Fraction:
    return session.budget().spent.epsilon


@pytest.mark.parametrize(
    "again",
    [
        QUERY,
        "select REGION, count(*) from ORDERS group by 1",
        "SELECT o.region AS area, COUNT(*) AS orders FROM orders AS o GROUP BY o.region ORDER BY orders DESC LIMIT 2",
        "SELECT region, COUNT(*) AS n FROM orders GROUP BY region HAVING COUNT(*) > 5",
        "SELECT region, ROUND(COUNT(*) / 10.0), RANK() OVER (ORDER BY COUNT(*)) AS r FROM orders GROUP BY 1",
        "SELECT * FROM (SELECT region, COUNT(*) AS n FROM orders GROUP BY region) AS virtual_table LIMIT 100",
        "WITH o AS (SELECT region FROM orders) SELECT region, COUNT(*) FROM o GROUP BY ALL",
    ],
)
def test_the_same_release_in_another_dress_is_free_and_the_same_draw(alice: Session, again: str) -> None:
    first = dict(alice.answer(QUERY).rows)  # type: ignore[arg-type]
    assert spent(alice) == 1
    second = alice.answer(again)
    assert spent(alice) == 1 and second.released.epsilon == 0
    if "HAVING" not in again and len(second.rows[0]) == 2:
        assert all(first[region] == n for region, n in second.rows)  # type: ignore[misc]


@pytest.mark.parametrize(
    "other",
    [
        "SELECT region, COUNT(*) FROM orders WHERE amount > 0 GROUP BY region",
        "SELECT region, COUNT(*), SUM(amount) FROM orders GROUP BY region",
        "SELECT region, COUNT(DISTINCT customer) FROM orders GROUP BY region",
        "SELECT paid, COUNT(*) FROM orders GROUP BY paid",
        "SELECT COUNT(*) FROM orders",
    ],
)
def test_another_release_is_paid(alice: Session, other: str) -> None:
    alice.answer(QUERY)
    assert alice.answer(other).released.epsilon == 1
    assert spent(alice) == 2


def test_conditions_in_another_order_are_the_same_release(alice: Session) -> None:
    alice.answer("SELECT COUNT(*) FROM orders WHERE paid AND amount > 5")
    assert alice.answer("SELECT COUNT(*) FROM orders AS o WHERE o.amount > 5 AND paid").released.epsilon == 0


def test_a_stored_answer_outlives_the_session(shop: Path) -> None:
    first = opened(shop)
    rows = first.answer(QUERY).rows
    first.close()
    second = opened(shop)
    again = second.answer(QUERY)
    assert again.rows == rows and again.released.epsilon == 0


def test_another_analyst_pays_again_and_receives_the_same_draw(shop: Path, alice: Session) -> None:
    bob = opened(shop, "bob")
    mine, his = alice.answer(QUERY), bob.answer(QUERY)
    assert mine.rows == his.rows and his.released.epsilon == 1
    assert (spent(alice), spent(bob)) == (1, 1)
    assert bob._state.ledger.spent_dataset().epsilon == 1
    assert bob.answer(QUERY).released.epsilon == 0


def test_a_larger_epsilon_costs_the_difference_and_a_smaller_one_nothing(shop: Path, alice: Session) -> None:
    careful = opened(shop, epsilon="0.25")
    assert careful.answer(QUERY).released.epsilon == Fraction(1, 4)
    fine = alice.answer(QUERY)
    assert fine.released.epsilon == Fraction(3, 4)
    half = opened(shop, epsilon="0.5").answer(QUERY)
    assert half.released.epsilon == 0 and half.rows == fine.rows
    assert spent(alice) == 1


def test_free_things_stay_free(alice: Session) -> None:
    for query in (
        "SELECT 1",
        "SELECT country FROM regions",
        "SELECT DISTINCT region FROM orders",
        f"EXPLAIN {QUERY}",
        f"{QUERY} LIMIT 0",
        "SELECT * FROM orders LIMIT 0",
    ):
        assert alice.answer(query).released.epsilon == 0
    alice.explain(QUERY)
    assert spent(alice) == 0


def test_limit_0_gives_names_and_types_and_no_row(alice: Session) -> None:
    probe = alice.answer("SELECT * FROM orders LIMIT 0")
    assert probe.rows == ()
    assert [(c.name, c.type) for c in probe.columns][:3] == [
        ("customer", "BIGINT"),
        ("region", "VARCHAR"),
        ("product", "BIGINT"),
    ]


class Broken:
    """An engine that knows a secret and fails with it."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def run(self, query: EngineQuery) -> Exact:
        raise self.error

    def close(self) -> None: ...


@pytest.mark.parametrize(
    "error", [EngineFailed("row 7 is 'secret'"), ValueError("secret"), MemoryError(), RecursionError()]
)
def test_a_failure_after_the_charge_leaves_the_charge_and_one_sentence_without_a_cause(
    alice: Session, error: Exception
) -> None:
    alice._state.engine.close()
    alice._state.engine = Broken(error)
    with pytest.raises(QueryFailed) as caught:
        alice.answer(QUERY)
    assert str(caught.value) == "the query could not be completed; its charge stands"
    assert caught.value.__cause__ is None and caught.value.__context__ is None
    assert spent(alice) == 1


def test_the_charge_comes_before_the_data(alice: Session) -> None:
    charged: list[Fraction] = []

    class Watching(Broken):
        def run(self, query: EngineQuery) -> Exact:
            charged.append(alice._state.ledger.spent("alice").epsilon)
            raise EngineFailed("")

    alice._state.engine = Watching(EngineFailed(""))
    with pytest.raises(QueryFailed):
        alice.answer(QUERY)
    assert charged == [1]


def test_a_query_that_failed_is_charged_anew_when_it_is_asked_again(alice: Session) -> None:
    engine = alice._state.engine
    alice._state.engine = Broken(EngineFailed(""))
    with pytest.raises(QueryFailed):
        alice.answer(QUERY)
    alice._state.engine = engine
    assert len(alice.answer(QUERY).rows) == 4
    assert spent(alice) == 2


def poor(shop: Path, epsilon: str) -> Path:
    policy = shop / "poor.yaml"
    text = (shop / "shop.yaml").read_text(encoding="utf-8")
    policy.write_text(
        text.replace("default: {epsilon: 1000", f"default: {{epsilon: {epsilon}"), encoding="utf-8"
    )
    return policy


def test_a_query_beyond_the_budget_charges_nothing_and_says_what_is_left(shop: Path) -> None:
    poor(shop, "2.5")
    session = opened(shop, policy="poor")
    session.answer("SELECT COUNT(*) FROM orders")
    session.answer("SELECT COUNT(*) FROM orders WHERE paid")
    before = session.budget()
    with pytest.raises(BudgetExhausted) as caught:
        session.answer(QUERY)
    assert (caught.value.asked_epsilon, caught.value.left_epsilon) == (1, Fraction(1, 2))
    assert session.budget() == before
    assert session.answer("SELECT COUNT(*) FROM orders").released.epsilon == 0


def test_the_engine_is_not_asked_where_the_budget_does_not_suffice(shop: Path) -> None:
    poor(shop, "1")
    session = opened(shop, policy="poor")
    session.answer("SELECT COUNT(*) FROM orders")
    session._state.engine = Broken(AssertionError("data was touched"))
    with pytest.raises(BudgetExhausted):
        session.answer(QUERY)


def test_a_plan_is_made_once_for_a_text_and_its_values(alice: Session) -> None:
    state = alice._state
    text = "SELECT COUNT(*) FROM orders WHERE amount > ?"
    assert prepare(text, [5], state) is prepare(text, [5], state)
    assert prepare(text, [5], state) is not prepare(text, [6], state)
    both = "SELECT COUNT(*) FROM orders WHERE ? = quantity"
    assert prepare(both, [1], state) is not prepare(both, [1.0], state)


def test_plans_are_forgotten_after_some_time(alice: Session) -> None:
    first = prepare("SELECT 0", None, alice._state)
    for i in range(1, 260):
        prepare(f"SELECT {i}", None, alice._state)
    assert prepare("SELECT 0", None, alice._state) is not first


def test_the_present_is_fixed_once_for_a_query_and_moves_between_queries(alice: Session) -> None:
    moments = iter([datetime(2025, 2, 1, 12), datetime(2025, 3, 5, 12), datetime(2025, 3, 5, 12)])
    alice._state.clock = lambda: next(moments)
    query = "SELECT now() AS a, now() AS b, current_date AS d, COUNT_IF(day < current_date) AS n FROM orders"
    first, second, third = (alice.answer(query) for _ in range(3))
    assert first.rows[0][:2] == (datetime(2025, 2, 1, 12),) * 2
    assert first.rows[0][2] == datetime(2025, 2, 1).date()
    assert (first.released.epsilon, second.released.epsilon, third.released.epsilon) == (1, 1, 0)
    assert second.rows == third.rows


def test_the_time_of_day_is_that_of_the_present_moment(alice: Session) -> None:
    moments = iter([datetime(2025, 2, 1, 12, 30), *[datetime(2025, 2, 1, 13, 5)] * 2])
    alice._state.clock = lambda: next(moments)
    minute = "(SELECT EXTRACT(minute FROM CURRENT_TIME) AS m) AS z"
    query = f"SELECT CAST(CURRENT_TIME AS VARCHAR), COUNT(*) FROM orders JOIN {minute} ON quantity < z.m"
    first, second, third = (alice.answer(query) for _ in range(3))
    assert [answer.rows[0][0] for answer in (first, second)] == ["12:30:00+00", "13:05:00+00"]
    assert [answer.released.epsilon for answer in (first, second, third)] == [1, 1, 0]


@pytest.mark.parametrize(
    "present",
    [
        "NOW()",
        "TODAY()",
        "LOCALTIMESTAMP",
        "GETDATE()",
        "CLOCK_TIMESTAMP()",
        "CURDATE()",
        "SYSDATE()",
        "UNIX_TIMESTAMP()",
        "CAST(AGE(DATE '2020-01-01') AS VARCHAR)",
        "EXTRACT(YEAR FROM AGE(DATE '2020-01-01'))",
        "(SELECT MAX(d) FROM generate_series(CURDATE() - 3, CURDATE(), INTERVAL 1 DAY) AS t(d))",
    ],
)
def test_the_present_is_another_one_however_it_is_written(alice: Session, present: str) -> None:
    answers = []
    for day in (datetime(2025, 2, 1), datetime(2026, 3, 1)):
        alice._state.clock = lambda day=day: day  # type: ignore[misc]
        answers.append(alice.answer(f"SELECT {present}").rows)
    assert answers[0] != answers[1]


def test_an_aggregate_that_does_not_read_the_present_is_the_same_release_tomorrow(alice: Session) -> None:
    days = iter([datetime(2025, 2, 1), datetime(2025, 2, 2)])
    alice._state.clock = lambda: next(days)
    query = "SELECT today() AS d, COUNT(*) AS n FROM orders"
    one, two = alice.answer(query), alice.answer(query)
    assert two.released.epsilon == 0 and one.rows[0][1] == two.rows[0][1] and one.rows[0][0] != two.rows[0][0]


@pytest.mark.parametrize(
    ("query", "params"),
    [
        ("SELECT COUNT(*) FROM orders WHERE amount > ?", []),
        ("SELECT COUNT(*) FROM orders WHERE amount > ?", [1, 2]),
        ("SELECT COUNT(*) FROM orders WHERE amount > $a", {"b": 1}),
        ("SELECT COUNT(*) FROM orders WHERE amount > $a", {1: 2, "a": 3}),
        ("SELECT COUNT(*) FROM orders WHERE amount > ?", [object()]),
        ("SELECT COUNT(*) FROM orders WHERE amount > ?", [float("nan")]),
        ("SELECT COUNT(*) FROM orders WHERE amount > ?", [[1]]),
    ],
)
def test_wrong_parameters_are_an_error_of_ours_and_cost_nothing(
    alice: Session, query: str, params: object
) -> None:
    with pytest.raises(ProgrammingError):
        alice.answer(query, params)  # type: ignore[arg-type]
    assert spent(alice) == 0


def test_a_source_that_changes_under_a_session_stops_it_before_the_charge(alice: Session) -> None:
    alice._state.stamps, alice._state.sources = (), Sources("another engine")
    with pytest.raises(OperationalError, match="the data is being changed"):
        alice.answer(QUERY)
    assert spent(alice) == 0


def test_a_refusal_carries_nothing_of_a_library(alice: Session) -> None:
    with pytest.raises(QueryRefused) as caught:
        alice.answer("SELECT COUNT(*) + region FROM orders GROUP BY region")
    assert caught.value.__cause__ is None and caught.value.__context__ is None


def test_noise_is_drawn_once_for_each_cell_and_a_repeat_draws_none(shop: Path) -> None:
    sampler = Noiseless()
    session = build_session(load_policy(shop / "shop.yaml"), "alice", None, (None, None), sampler)
    session.answer("SELECT region, COUNT(*), SUM(amount) FROM orders GROUP BY region")
    session.answer("SELECT region, COUNT(*), SUM(amount) FROM orders GROUP BY region ORDER BY 2")
    assert sampler.asked == ["discrete_laplace"]


def test_every_error_of_a_session_is_one_of_ours(alice: Session) -> None:
    for query in (
        "",
        ";",
        "SELECT",
        "\x00",
        "SELECT * FROM",
        "(" * 200,
        "SELECT '" + "x" * 10,
        "EXPLAIN",
        "\u200b",
    ):
        with pytest.raises(Error) as caught:
            alice.answer(query)
        assert not isinstance(caught.value, duckdb.Error)
