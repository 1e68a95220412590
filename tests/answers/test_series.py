"""A join with the top groups of the same rows keeps groups, as in DuckDB; any other join is left as it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import duckdb
import pytest
import sqlglot

from answers.noiseless import Noiseless
from answers.shop import make_shop
from dpsql.policy.load import load_policy
from dpsql.session import Session, build_session
from dpsql.sql.normalize.group_filters import keep_groups_late

TOP = "(SELECT region AS r, COUNT(*) AS c FROM orders GROUP BY region ORDER BY COUNT(*) DESC LIMIT 2) AS s"


@pytest.fixture(name="folder", scope="module")
def _folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_shop(tmp_path_factory.mktemp("series") / "shop")


@pytest.fixture(name="session", scope="module")
def _session(folder: Path) -> Iterator[Session]:
    policy = load_policy(folder / "shop.yaml")
    with closing(build_session(policy, "alice", None, (None, None), Noiseless(least=3))) as session:
        yield session


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    "sql",
    [
        f"SELECT region, COUNT(*) AS n FROM orders JOIN {TOP} ON region = r GROUP BY region",
        f"SELECT o.region, COUNT(*) AS n FROM orders AS o INNER JOIN {TOP} ON s.r = o.region GROUP BY o.region",
        f"SELECT o.region AS x, COUNT(*) AS n FROM orders AS o JOIN {TOP} ON s.r = o.region GROUP BY 1",
        f"SELECT region, SUM(quantity) AS n FROM orders JOIN {TOP} ON region = r GROUP BY region HAVING n > 3",
        f"SELECT region, rating, COUNT(*) AS n FROM orders JOIN {TOP} ON region = r WHERE paid GROUP BY region, rating "
        "HAVING COUNT(*) > 0",
        "SELECT rating, COUNT(*) AS n FROM orders JOIN (SELECT rating AS r, COUNT(*) AS c FROM orders GROUP BY 1 "
        "ORDER BY c DESC, r LIMIT 3) AS s ON rating = r GROUP BY rating",
        "SELECT region, COUNT(*) AS n FROM orders JOIN (SELECT region AS r FROM orders WHERE quantity > 4 GROUP BY "
        "region HAVING COUNT(*) > 2) AS s ON region = r GROUP BY region",
        f"SELECT region, COUNT(*) AS n FROM orders JOIN {TOP} ON (region = r) GROUP BY region",
        f"SELECT region, COUNT(*) AS n FROM orders WHERE region IN (SELECT r FROM {TOP}) AND paid GROUP BY 1",
        "SELECT region, COUNT(*) AS n FROM orders WHERE region NOT IN (SELECT region FROM orders GROUP BY region "
        "ORDER BY COUNT(*) DESC LIMIT 1) GROUP BY region HAVING COUNT(*) > 1",
    ],
)
def test_the_groups_are_those_that_duckdb_keeps(sql: str, session: Session, folder: Path) -> None:
    with duckdb.connect(str(folder / "shop.duckdb"), read_only=True) as plain:
        expected = plain.execute(sql).fetchall()
    answer = session.answer(sql)
    assert sorted(map(str, answer.rows)) == sorted(map(str, expected)) and expected
    assert 1 <= len(answer.released.releases) <= 2  # one, where rows and top groups ask the same


@pytest.mark.parametrize(
    "sql",
    [
        f"SELECT s.c, COUNT(*) FROM orders JOIN {TOP} ON region = r GROUP BY s.c",
        f"SELECT region, SUM(c) FROM orders JOIN {TOP} ON region = r GROUP BY region",
        f"SELECT COUNT(*) FROM orders JOIN {TOP} ON region = r",
        f"SELECT coupon, COUNT(*) FROM orders WHERE region IN (SELECT r FROM {TOP}) GROUP BY coupon",
        "SELECT region, COUNT(*) FROM orders WHERE region IN (SELECT region FROM regions) GROUP BY region",
        "SELECT region, COUNT(*) FROM orders WHERE region IN (SELECT r.region FROM regions r GROUP BY 1 HAVING "
        "MAX(r.country) < orders.region) GROUP BY region",
        f"SELECT region, COUNT(*) FROM orders WHERE paid OR region IN (SELECT r FROM {TOP}) GROUP BY region",
        f"SELECT region, COUNT(*) FROM orders WHERE region IN (SELECT r FROM {TOP}) GROUP BY ROLLUP (region)",
        f"SELECT coupon, COUNT(*) FROM orders JOIN {TOP} ON region = r GROUP BY coupon",
        f"SELECT region, COUNT(*) FROM orders LEFT JOIN {TOP} ON region = r GROUP BY region",
        f"SELECT region, COUNT(*) FROM orders JOIN {TOP} ON region > r GROUP BY region",
        f"SELECT region, COUNT(*) FROM orders JOIN {TOP} ON region = r WHERE c > 3 GROUP BY region",
        "SELECT region, COUNT(*) FROM orders JOIN (SELECT region AS r, rating AS x FROM orders GROUP BY 1, 2) AS s ON "
        "region = r GROUP BY region",
        "SELECT region, COUNT(*) FROM orders JOIN (SELECT lower(region) AS r FROM orders GROUP BY region) AS s ON "
        "region = r GROUP BY region",
        "SELECT region, COUNT(*) FROM orders JOIN (SELECT region AS r FROM orders GROUP BY ROLLUP (region)) AS s ON "
        "region = r GROUP BY region",
    ],
)
def test_a_join_that_does_more_is_left_as_it_is(sql: str) -> None:
    tree = sqlglot.parse_one(sql, read="duckdb")
    before = tree.copy()
    keep_groups_late(tree)
    assert tree == before
