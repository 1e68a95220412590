"""A connection for BI tools answers what would return rows of a private table with its columns, no row, free."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from answers.noiseless import Noiseless
from answers.shop import make_shop

import dpsql
from dpsql.errors import InterfaceError, QueryRefused
from dpsql.policy.load import load_policy
from dpsql.session import Session, build_session


@pytest.fixture(name="policy", scope="module")
def _policy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_shop(tmp_path_factory.mktemp("rows") / "shop") / "shop.yaml"


@pytest.fixture(name="usual", scope="module")
def _usual(policy: Path) -> Iterator[Session]:
    with closing(
        build_session(load_policy(policy), "alice", None, (None, None), Noiseless(least=3))
    ) as session:
        yield session


@pytest.fixture(name="tool", scope="module")
def _tool(policy: Path) -> Iterator[Session]:
    with closing(
        build_session(load_policy(policy), "tool", None, (None, None), Noiseless(least=3), "empty")
    ) as session:
        yield session


@pytest.mark.parametrize(
    ("sql", "columns"),
    [
        ("SELECT * FROM regions JOIN orders USING (region) LIMIT 1000", 12),
        (
            'SELECT "orders"."region" AS "region", amount * 2 FROM "main"."orders" AS "orders" ORDER BY 2 DESC LIMIT 1',
            2,
        ),
        ("SELECT 1 FROM orders", 1),
        ("SELECT * FROM (SELECT day, amount FROM orders LIMIT 50000) AS virtual_table LIMIT 1001", 2),
        (
            "WITH o AS (SELECT * FROM orders), p AS (SELECT region FROM o) SELECT * FROM p WHERE region = 'north'",
            1,
        ),
        ("SELECT region FROM regions UNION ALL SELECT region FROM orders", 1),
        ("(SELECT region, row_number() OVER (ORDER BY day) AS n FROM orders)", 2),
        ("SELECT o.*, b.epsilon_spent FROM orders o, dpsql.budget b", 11),
        ("SELECT amount, (SELECT count(*) FROM orders) AS n FROM orders", 2),
    ],
)
def test_rows_are_refused_as_ever_and_empty_where_the_connection_says_so(
    sql: str, columns: int, usual: Session, tool: Session
) -> None:
    with pytest.raises(QueryRefused):
        usual.answer(sql)
    before = tool.budget().spent
    answer = tool.answer(sql)
    assert (len(answer.columns), answer.rows, tool.budget().spent) == (columns, (), before)
    described = usual.answer(f"SELECT * FROM ({sql}) AS t LIMIT 0").columns
    assert [c.type for c in answer.columns] == [c.type for c in described]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT region, count(*) FROM orders GROUP BY region ORDER BY 1",
        "SELECT * FROM (SELECT region, sum(amount) AS s FROM orders GROUP BY region) AS t ORDER BY 1 LIMIT 3",
        "SELECT DISTINCT region FROM orders ORDER BY 1",
        "SELECT region FROM orders GROUP BY region ORDER BY 1",
        "SELECT * FROM regions ORDER BY 1",
        "SELECT (SELECT count(*) FROM orders) AS n",
        "SELECT table_name FROM information_schema.tables ORDER BY 1",
        "WITH o AS (SELECT * FROM orders) SELECT count(*) FROM o HAVING count(*) > 0",
    ],
)
def test_everything_else_is_answered_as_ever(sql: str, usual: Session, tool: Session) -> None:
    answer = tool.answer(sql)
    assert answer.rows == usual.answer(sql).rows
    assert answer.rows != ()


@pytest.mark.parametrize(
    "sql", ["SELECT DISTINCT region FROM orders", "SELECT region FROM orders GROUP BY 1"]
)
def test_declared_values_are_listed_for_nothing(sql: str, tool: Session) -> None:
    answer = tool.answer(sql)
    assert len(answer.rows) == 4
    assert answer.released.epsilon == 0


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT nosuch FROM orders",
        "SELECT * FROM nosuch",
        "SELECT * FROM orders, information_schema.views",
        "SELECT getenv('HOME') FROM orders",
        "SELECT count(*) FROM (SELECT * FROM orders LIMIT 10) AS t",
        "SELECT customer, sum(amount) FROM orders GROUP BY customer",
        "SELECT region FROM regions WHERE region = (SELECT region FROM orders LIMIT 1)",
    ],
)
def test_what_no_query_may_do_is_refused_here_too(sql: str, tool: Session) -> None:
    before = tool.budget()
    with pytest.raises(QueryRefused):
        tool.answer(sql)
    assert tool.budget() == before


def test_a_plan_of_rows_is_empty(tool: Session) -> None:
    assert tool.explain("SELECT * FROM orders").releases == ()
    assert tool.answer("EXPLAIN SELECT * FROM orders").rows == ()


def test_hidden_columns_are_not_described(policy: Path) -> None:
    hidden = policy.with_name("hidden.yaml")
    text = policy.read_text(encoding="utf-8")
    hidden.write_text(
        text.replace("product:  {type: integer}", "product:  {type: integer, hidden: true}"), "utf-8"
    )
    with dpsql.connect(hidden, analyst="tool", rows="empty") as connection:
        assert "product" not in [d[0] for d in connection.execute("SELECT * FROM orders").description or ()]
        for sql in ("SELECT product FROM orders", "SELECT o.product FROM orders o WHERE TRUE"):
            with pytest.raises(QueryRefused):
                connection.execute(sql)
        assert (
            connection.execute(
                "SELECT * FROM dpsql.columns WHERE column_name = 'product' AND NOT public"
            ).fetchall()
            == []
        )
        assert ("product",) not in [row[:1] for row in connection.execute("DESCRIBE orders").fetchall()]


@pytest.mark.parametrize("rows", ["all", "", None, 1, True])
def test_another_wish_for_rows_is_refused(rows: object, policy: Path) -> None:
    with pytest.raises(InterfaceError, match='rows must be "refuse", "empty" or "mock"'):
        dpsql.connect(policy, analyst="alice", rows=rows)  # type: ignore[arg-type]
