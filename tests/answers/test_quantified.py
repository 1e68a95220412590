"""Comparisons with ANY and ALL of a query: DuckDB's own of released results, and refused of private rows."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from answers.engines import shared_engines
from answers.noiseless import Noiseless
from answers.shop import make_shop
from dpsql.errors import QueryRefused
from dpsql.policy.load import load_policy
from dpsql.session import Session, build_session

GROUPS = "(SELECT region, COUNT(*) AS n FROM orders WHERE region <> 'west' GROUP BY region) AS g"
QUERIES = (
    "SELECT zone FROM regions",
    "SELECT NULL UNION ALL SELECT 7",
    "SELECT 1 WHERE false",
    f"SELECT n FROM {GROUPS}",
    "SELECT zone + g.n FROM regions WHERE regions.region = g.region",
)
ANSWERED = [
    f"SELECT region, n {sign} {word} ({query}) AS v FROM {GROUPS} ORDER BY region"
    for sign, word, query in itertools.product(("=", "<>", "<", ">="), ("ANY", "ALL", "SOME"), QUERIES)
]
TOLD = (
    "SELECT region, COUNT(*) FROM orders WHERE region <> 'west' GROUP BY region "
    f"HAVING COUNT(*) >= ALL (SELECT n FROM {GROUPS})",
    "WITH g AS (SELECT region, SUM(quantity) AS n FROM orders GROUP BY region) "
    "SELECT region FROM g WHERE n > ALL (SELECT h.n FROM g AS h WHERE h.region <> g.region)",
    "SELECT region FROM regions WHERE zone * 5 < ANY (SELECT COUNT(*) FROM orders) ORDER BY region",
    "SELECT NOT COUNT(*) > ALL (SELECT zone FROM regions), 3 > ALL (SELECT zone FROM regions) FROM orders",
)
PRIVATE = (
    "SELECT COUNT(*) FROM orders WHERE quantity {}",
    "SELECT COUNT(*) FILTER (WHERE NOT quantity {}) FROM orders",
    "SELECT SUM(CASE WHEN quantity {} THEN 1 ELSE 0 END) FROM orders",
    "SELECT quantity {} AS k, COUNT(*) FROM orders GROUP BY 1",
    "SELECT COUNT(*) FROM orders JOIN regions ON orders.region = regions.region AND quantity {}",
    "SELECT COUNT(*) FROM (SELECT customer, COUNT(*) AS c FROM orders GROUP BY customer HAVING COUNT(*) {}) AS x",
    "SELECT COUNT(*) FROM (SELECT SUM(quantity) OVER (PARTITION BY customer) {} AS k FROM orders) AS x WHERE k",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_shop(tmp_path_factory.mktemp("quantified") / "shop")


@pytest.fixture(scope="module")
def session(folder: Path) -> Session:
    return build_session(
        *(load_policy(folder / "shop.yaml"), "alice", None, (None, None), Noiseless()),
        resources=shared_engines,
    )


@pytest.fixture(scope="module")
def plain(folder: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(str(folder / "shop.duckdb"), read_only=True) as connection:
        yield connection


@pytest.mark.one_in(5)
@pytest.mark.parametrize("sql", [*TOLD, *ANSWERED])
def test_of_released_results_they_are_duckdb_s(
    sql: str, session: Session, plain: duckdb.DuckDBPyConnection
) -> None:
    answer = session.answer(sql)
    assert [tuple(row) for row in answer.rows] == plain.execute(sql).fetchall()
    assert len(answer.released.intervals) == len(answer.rows)


@pytest.mark.parametrize("place", PRIVATE)
@pytest.mark.parametrize(
    "query", ["SELECT zone FROM regions", "SELECT 1", "SELECT AVG(quantity) FROM orders"]
)
def test_private_rows_are_compared_with_none(place: str, query: str, session: Session) -> None:
    for quantified in (f"> ALL ({query})", f"<> ANY ({query})", f"<= SOME ({query})"):
        with pytest.raises(QueryRefused, match="is not supported on private rows"):
            session.answer(place.format(quantified))


@pytest.mark.parametrize("query", ["SELECT quantity FROM orders", "SELECT quantity FROM orders LIMIT 1"])
@pytest.mark.parametrize("word", ["ANY", "ALL"])
def test_a_query_of_private_rows_is_none_of_results(query: str, word: str, session: Session) -> None:
    for sql in (
        f"SELECT zone > {word} ({query}) FROM regions",
        f"SELECT COUNT(*) > {word} ({query}) FROM orders",
    ):
        with pytest.raises(QueryRefused, match=r"private (table|rows)"):
            session.answer(sql)
