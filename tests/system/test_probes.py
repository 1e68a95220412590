"""A query that can have no row, whatever is in its tables, is answered with its columns, free, for every connection."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from answers.noiseless import Noiseless
from answers.shop import make_shop

from dpsql.errors import QueryRefused
from dpsql.policy.load import load_policy
from dpsql.session import Session, build_session


@pytest.fixture(name="session", scope="module")
def _session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    folder: Path = make_shop(tmp_path_factory.mktemp("probes") / "shop")
    policy = load_policy(folder / "shop.yaml")
    with closing(build_session(policy, "alice", None, (None, None), Noiseless(least=3))) as session:
        yield session


@pytest.mark.parametrize(
    ("sql", "columns"),
    [
        ("SELECT * FROM orders LIMIT 0", 10),
        ("SELECT * FROM orders WHERE 1=0", 10),
        ('SELECT * FROM (SELECT region, amount FROM orders) AS "q01" WHERE (0 = 1)', 2),
        ("SELECT region AS r FROM orders WHERE FALSE", 1),
        ("SELECT o.region FROM orders o JOIN regions USING (region) WHERE o.amount > 3 AND (1 = 2)", 1),
        ("SELECT region, count(*) AS n FROM orders WHERE 1 = 0 GROUP BY region", 2),
        ("SELECT region FROM orders FETCH FIRST 0 ROWS ONLY", 1),
        ("SELECT * FROM orders WHERE 1 <> 1 OR 2 < 1", 10),
        ("SELECT * FROM orders WHERE '1' = '0' AND region > 'a'", 10),
        ("SELECT * FROM orders WHERE NOT TRUE", 10),
        ("SELECT * FROM orders WHERE NULL", 10),
        ("SELECT region, max(amount) FROM orders GROUP BY region HAVING 1 = 0", 2),
        ("SELECT sum(amount) FROM orders HAVING FALSE", 1),
        (
            "SELECT * FROM (SELECT region, sum(amount) AS s FROM orders GROUP BY 1 LIMIT 0) AS t WHERE s > 1",
            2,
        ),
        ("SELECT * FROM (SELECT region FROM orders WHERE 1 > 2) AS t ORDER BY 1 LIMIT 10", 1),
        ('SELECT "dpsql"."main"."orders"."region" FROM "dpsql"."main"."orders" LIMIT 0', 1),
    ],
)
def test_what_can_have_no_row_is_free(sql: str, columns: int, session: Session) -> None:
    before = session.budget().spent
    answer = session.answer(sql)
    assert (len(answer.columns), answer.rows, session.budget().spent) == (columns, (), before)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) FROM orders WHERE 1 = 0",
        "SELECT sum(quantity) FROM (SELECT * FROM orders WHERE 1 = 0) AS t",
        "SELECT min(quantity) FROM orders WHERE 1 = 0 GROUP BY ()",
        "SELECT sum(quantity * 2) AS n FROM orders WHERE quantity < 4 AND 1 = 0 GROUP BY ALL",
        "SELECT max(quantity) FROM (SELECT * FROM orders WHERE 1 = 0) AS t HAVING 1 = 1",
    ],
)
def test_an_aggregate_over_no_row_has_a_row_and_its_price(sql: str, session: Session) -> None:
    before = session.budget().spent.epsilon
    assert len(session.answer(sql).rows) == 1
    assert session.budget().spent.epsilon > before


def test_the_total_of_a_rollup_over_no_row_is_a_row(session: Session) -> None:
    for sets in ("ROLLUP (region)", "CUBE (region)", "GROUPING SETS ((region), ())"):
        assert None in [
            r[0]
            for r in session.answer(
                f"SELECT region, sum(quantity) FROM orders WHERE 1 = 0 GROUP BY {sets}"
            ).rows
        ]


@pytest.mark.parametrize(
    "where", ["1 = 1", "1 = 0 OR amount > 3", "NOT (1 = 0)", "'01' = 1", "region = 'north'", "1 = amount"]
)
def test_a_condition_that_could_hold_makes_no_probe(where: str, session: Session) -> None:
    with pytest.raises(QueryRefused):
        session.answer(f"SELECT amount FROM orders WHERE {where}")


@pytest.mark.parametrize("sql", ["SELECT nosuch FROM orders WHERE 1 = 0", "SELECT * FROM nosuch WHERE FALSE"])
def test_a_probe_of_what_is_not_there_is_refused(sql: str, session: Session) -> None:
    with pytest.raises(QueryRefused):
        session.answer(sql)
