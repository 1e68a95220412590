"""GENERATE_SERIES, RANGE and UNNEST over constants have the rows, names and types that DuckDB gives them."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest
from answers.noiseless import Noiseless
from answers.shop import make_shop

from dpsql.policy.load import load_policy
from dpsql.session import Session, build_session

TABLES = (
    "range(4)",
    "range(2, 7) AS r",
    "range(7, 2, -2) AS r(n)",
    "range(-3, -1)",
    "generate_series(0)",
    "generate_series(2, 2)",
    "generate_series(1, 10, 4) AS g",
    "generate_series(5, -5, -5) AS g(n)",
    "generate_series(DATE '2024-01-31', DATE '2024-06-30', INTERVAL 1 MONTH) AS g(n)",
    "generate_series(DATE '2024-02-29', DATE '2020-01-01', INTERVAL '-1 year') AS g(n)",
    "generate_series(DATE '2024-02-28', DATE '2024-02-20', -INTERVAL 3 DAY) AS g(n)",
    "generate_series('2024-12-30'::DATE, '2025-01-02'::TIMESTAMP, '12 hours'::INTERVAL) AS g(n)",
    "range(TIMESTAMP '2024-01-01 00:00:00.5', TIMESTAMP '2024-01-01T00:00:02', INTERVAL 500 MILLISECONDS)",
    "range(DATE '2024-01-01', DATE '2024-03-04', INTERVAL '1 month 1 day 1 hour') AS g(n)",
    "range(DATE '2024-01-01', DATE '2024-01-05', INTERVAL 2 DAY)",
    "unnest([3, 1, 2, 1])",
    "unnest(['a', 'b']) AS u",
    "unnest([0.5, NULL, 2]) AS u(x)",
    "unnest(range(2)) AS u(x), unnest([DATE '2024-01-01']) AS v(y)",
    "(SELECT unnest([1, 2]) AS x) AS v",
    "(SELECT CAST(unnest(range(DATE '2024-01-01', DATE '2024-01-03', INTERVAL 1 DAY)) AS DATE) AS d) AS v",
)


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    folder = make_shop(tmp_path_factory.mktemp("series"))
    opened = build_session(load_policy(folder / "shop.yaml"), "alice", None, (None, None), Noiseless())
    yield opened
    opened.close()


@pytest.mark.parametrize("table", TABLES)
def test_a_list_of_constants_is_the_table_that_duckdb_makes_of_it(table: str, session: Session) -> None:
    sql = f"SELECT * FROM {table}"
    plain = duckdb.sql(sql)
    answer = session.answer(sql)
    assert [c.name for c in answer.columns] == plain.columns
    assert [c.type for c in answer.columns] == [str(t) for t in plain.types]
    assert sorted(map(repr, answer.rows)) == sorted(map(repr, plain.fetchall()))
    assert answer.released.epsilon == 0
