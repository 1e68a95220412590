"""A series that counts itself has the values that DuckDB counts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import duckdb
import pytest

from answers.noiseless import Noiseless
from answers.shop import make_shop
from dpsql.policy.load import load_policy
from dpsql.session import Session, build_session

DATE = "SELECT DATE '2024-02-27' AS d UNION ALL SELECT"
MOMENT = "SELECT TIMESTAMP '2024-01-31 10:00:00' AS d UNION ALL SELECT"
SERIES = (
    "x(d) AS (SELECT 1 UNION ALL SELECT d + 1 FROM x WHERE d < 5)",
    "x(d) AS (SELECT 1 UNION ALL SELECT d + 3 FROM x WHERE d <= 7)",
    "x(d) AS (SELECT -4 UNION ALL SELECT 2 + d FROM x WHERE 3 > d)",
    "x AS (SELECT 9 AS d UNION SELECT d - 4 FROM x WHERE d >= -1)",
    "x AS (SELECT 9 AS d UNION ALL SELECT x.d + 1 FROM x WHERE x.d <> 12)",
    "x AS (SELECT 9 AS d UNION ALL SELECT y.d + 1 FROM x AS y WHERE (y.d + 1) <= 12 AND y.d < 11)",
    "x AS (SELECT 9 AS d UNION ALL SELECT d + 1 FROM x WHERE d < 3)",
    f"x AS ({DATE} d + 1 FROM x WHERE d < DATE '2024-03-02')",
    f"x AS ({DATE} d + INTERVAL 1 DAY FROM x WHERE d < TIMESTAMP '2024-03-01 12:00:00')",
    f"x AS ({DATE} CAST(d + INTERVAL 1 MONTH AS DATE) FROM x WHERE d + INTERVAL 1 MONTH < DATE '2024-07-01')",
    f"x AS ({DATE} d - INTERVAL '1 week' FROM x WHERE d > DATE '2024-01-01')",
    f"x AS ({DATE} d + INTERVAL 36 HOUR FROM x WHERE d < DATE '2024-03-02')",
    f"x AS ({MOMENT} d + INTERVAL 1 MONTH FROM x WHERE d < DATE '2024-06-01')",
    f"x AS ({MOMENT} d + INTERVAL '90 minutes' FROM x WHERE d < TIMESTAMP '2024-01-31 16:00:00')",
)


@pytest.fixture(name="session", scope="module")
def _session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    policy = load_policy(make_shop(tmp_path_factory.mktemp("series")) / "shop.yaml")
    with closing(build_session(policy, "alice", None, (None, None), Noiseless())) as session:
        yield session


@pytest.mark.parametrize("series", SERIES)
def test_it_counts_as_duckdb_does(series: str, session: Session) -> None:
    sql = f"WITH RECURSIVE {series} SELECT d FROM x ORDER BY d"
    with duckdb.connect() as plain:
        expected = plain.execute(sql)
        assert session.answer(sql).rows == tuple(expected.fetchall())
