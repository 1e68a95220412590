"""A dashboard is affordable: a chart is paid once, charts of one release share its cost, and each cost is told."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

import dpsql
from dpsql import shared

from .conftest import MakeEngine

CHARTS = (
    "SELECT region, COUNT(*) AS n FROM orders GROUP BY region",
    "SELECT date_trunc('month', day) AS month, COUNT(*) AS n FROM orders GROUP BY month",
    "SELECT region, AVG(amount) AS mean FROM orders GROUP BY region",
    "SELECT AVG(amount) AS mean FROM orders WHERE paid",
    "SELECT COUNT(*) AS n FROM orders",
    "SELECT COUNT(DISTINCT customer) AS customers FROM orders",
    "SELECT paid, SUM(quantity) AS pieces FROM orders GROUP BY paid",
    "SELECT rating, COUNT(*) AS n FROM orders GROUP BY rating",
    "SELECT o.zone, COUNT(*) AS n FROM orders JOIN regions AS o USING (region) GROUP BY o.zone",
    "SELECT region, SUM(r) AS revenue FROM (SELECT region, amount * quantity AS r FROM orders) AS v GROUP BY 1",
)
SHARED = (
    'SELECT region AS "Region", COUNT(*) AS "Orders" FROM main.orders GROUP BY region',
    "SELECT region, COUNT(*) AS n FROM orders GROUP BY 1 ORDER BY n DESC",
    "SELECT COUNT(*), region FROM orders GROUP BY region HAVING COUNT(*) > 5 LIMIT 2",
    "SELECT o.region, COUNT(*) * 2 AS twice FROM orders AS o GROUP BY o.region",
    "SELECT region, n FROM (SELECT region, COUNT(*) AS n FROM orders GROUP BY region) AS t WHERE n > 3",
    "WITH o AS (SELECT * FROM orders) SELECT region, COUNT(*) FROM o GROUP BY region",
    "SELECT region, COUNT(*) FROM (SELECT region, amount AS a FROM orders ORDER BY a) AS v GROUP BY region",
    "SELECT COUNT(*) AS rowcount FROM (SELECT region, COUNT(*) AS n FROM orders GROUP BY region) AS q",
    "SELECT region, COUNT(*) / SUM(COUNT(*)) OVER () AS share FROM orders GROUP BY region",
    "-- a comment\nselect REGION, count ( * ) from ORDERS group by REGION;",
)


@pytest.fixture(name="connection")
def _connection(shop: Path, tmp_path: Path) -> Iterator[dpsql.Connection]:
    with shared.connect(shop / "shop.yaml", analyst="alice", ledger=tmp_path / "test.ledger") as connection:
        yield connection


def refreshed(engine: sa.engine.Engine, connection: dpsql.Connection, times: int) -> None:
    first = {chart: read(engine, chart) for chart in CHARTS}
    assert connection.budget().spent.epsilon == len(CHARTS)
    for _ in range(times - 1):
        assert {chart: read(engine, chart) for chart in CHARTS} == first
    assert connection.budget().spent.epsilon == len(CHARTS)


def read(engine: sa.engine.Engine, sql: str) -> list[tuple[object, ...]]:
    """A chart as a tool reads it, on a connection of its own."""
    with engine.connect() as opened:
        return sorted((tuple(row) for row in opened.execute(sa.text(sql))), key=str)


def test_ten_charts_refreshed_again_and_again_cost_what_ten_charts_cost(
    engine: MakeEngine, connection: dpsql.Connection
) -> None:
    refreshed(engine(), connection, 5)


@pytest.mark.slow
def test_ten_charts_refreshed_a_hundred_times_cost_what_ten_charts_cost(
    engine: MakeEngine, connection: dpsql.Connection
) -> None:
    refreshed(engine(), connection, 100)


@pytest.mark.parametrize("sql", SHARED)
def test_charts_that_share_a_release_share_its_cost(sql: str, connection: dpsql.Connection) -> None:
    connection.execute(CHARTS[0])
    assert connection.execute(sql).release.epsilon == 0


def test_each_charts_cost_is_in_the_history(connection: dpsql.Connection) -> None:
    for chart in (*CHARTS, *SHARED):
        connection.execute(chart)
    rows = connection.execute("SELECT question, epsilon, stored FROM dpsql.history").fetchall()
    assert len(rows) == len(CHARTS) and {row[1:] for row in rows} == {(1.0, True)}
    assert rows[2][0] == "avg(amount) of orders"


SUBSETS = (
    "SELECT region, paid, COUNT(*), AVG(amount), SUM(quantity) FROM orders GROUP BY region, paid",
    "SELECT region, paid, COUNT(*) AS n FROM orders GROUP BY region, paid ORDER BY n",
    "SELECT paid, region, AVG(amount) FROM orders GROUP BY paid, region",
    "SELECT region, paid, SUM(amount) FROM orders GROUP BY region, paid HAVING SUM(amount) > 10",
    "SELECT region, paid, SUM(quantity) / COUNT(*) FROM orders GROUP BY region, paid LIMIT 3",
)


def test_charts_of_fewer_measures_share_the_cost_of_the_first_and_the_history_counts_them(
    connection: dpsql.Connection,
) -> None:
    for _ in range(3):
        for chart in SUBSETS:
            connection.execute(chart)
    assert connection.budget().spent.epsilon == 1
    asked = "SELECT epsilon, stored, free_answers FROM dpsql.history"
    assert connection.execute(asked).fetchall() == [(1.0, True, 3 * len(SUBSETS) - 1)]
