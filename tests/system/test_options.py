"""WITH DIFFERENTIAL_PRIVACY OPTIONS(...): a query's own epsilon and delta, exactly as written, within the policy."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from fractions import Fraction

import pytest
from answers.noiseless import Noiseless
from answers.shop import make_shop

from dpsql.errors import QueryRefused
from dpsql.policy.load import load_policy
from dpsql.session import Session, build_session

CLAUSE = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS({}) "


@pytest.fixture(name="session", scope="module")
def _session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    policy = make_shop(tmp_path_factory.mktemp("options") / "shop") / "shop.yaml"
    with closing(
        build_session(load_policy(policy), "alice", None, ("0.125", "1e-8"), Noiseless(least=3))
    ) as session:
        yield session


@pytest.mark.parametrize(
    ("written", "exact"),
    [
        ("0.1", "1/10"),
        (".3", "3/10"),
        ("1.", "1"),
        ("1e-9", "1/1000000000"),
        ("25E-2", "1/4"),
        ("0.123456789", "123456789/1000000000"),
    ],
)
def test_epsilon_is_the_number_as_it_is_written(written: str, exact: str, session: Session) -> None:
    plan = session.explain(CLAUSE.format(f"epsilon = {written}") + "count(*) FROM orders")
    assert plan.epsilon == Fraction(exact)


def test_what_is_not_given_is_the_connections(session: Session) -> None:
    keyed = "product, count(*) FROM orders GROUP BY product"
    plan = session.explain(CLAUSE.format("delta = 1e-9") + keyed)
    assert (plan.epsilon, plan.delta) == (Fraction(1, 8), Fraction(1, 10**9))
    plan = session.explain(CLAUSE.format("epsilon = 1") + keyed)
    assert (plan.epsilon, plan.delta) == (Fraction(1), Fraction(1, 10**8))
    plan = session.explain("SELECT WITH DIFFERENTIAL_PRIVACY " + keyed)
    assert (plan.epsilon, plan.delta) == (Fraction(1, 8), Fraction(1, 10**8))


def test_what_is_asked_is_what_is_charged_and_the_next_query_is_as_before(session: Session) -> None:
    before = session.budget().spent.epsilon
    query = "sum(quantity) AS q FROM orders WHERE {}"
    finer = session.answer(CLAUSE.format("epsilon = 0.75, delta = 0") + query.format("paid"))
    assert finer.released.epsilon == Fraction(3, 4)
    assert session.answer(f"SELECT {query.format('NOT paid')}").released.epsilon == Fraction(1, 8)
    assert session.explain(f"SELECT {query.format('NOT paid')}").epsilon == Fraction(1, 8)
    assert session.budget().spent.epsilon == before + Fraction(7, 8)


def test_a_delta_of_nothing_selects_no_private_keys(session: Session) -> None:
    with pytest.raises(QueryRefused, match="needs a delta"):
        session.explain(CLAUSE.format("delta = 0") + "product, count(*) FROM orders GROUP BY product")


def test_names_columns_and_places_are_those_of_the_text_without_the_clause(session: Session) -> None:
    head = CLAUSE.format("epsilon = 0.5,\n max_rows_contributed = 100")
    answer = session.answer(head + "region, count(*) FROM orders GROUP BY region")
    assert [c.name for c in answer.columns] == ["region", "count_star()"]
    with pytest.raises(QueryRefused) as caught:
        session.answer(head + "region, count(nosuch) FROM orders GROUP BY region")
    column = (head.splitlines()[1] + "region, count(").index("count(") + len("count(") + 1
    assert (caught.value.line, caught.value.column) == (2, column)


@pytest.mark.parametrize("written", ["orders.customer", "CUSTOMER"])
def test_the_privacy_unit_may_be_repeated(written: str, session: Session) -> None:
    options = f"privacy_unit_column = {written}, max_groups_contributed = NULL"
    assert session.explain(CLAUSE.format(options) + "count(*) FROM orders").epsilon == Fraction(1, 8)
