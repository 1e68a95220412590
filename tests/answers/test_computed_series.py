"""A series whose bounds are computed, also of the present moment, has the rows that DuckDB has at that moment."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime

import duckdb
import pytest

from answers.noiseless import Noiseless
from answers.shop import make_shop
from dpsql.errors import QueryRefused
from dpsql.policy.load import load_policy
from dpsql.session import Session, build_session

NOW = datetime(2025, 3, 31, 23, 59, 58, 250_000)
SERIES = (
    "generate_series(CURRENT_DATE - 30, CURRENT_DATE, '1 day'::interval)",
    "generate_series(CURRENT_DATE - 3, CURRENT_DATE, '1 day')",
    "generate_series(date_trunc('day', NOW() - interval '29 days'), date_trunc('day', NOW()), interval '1 day')",
    "generate_series(date_trunc('hour', NOW()) - interval '1 day', NOW(), interval '1 hour' * 6)",
    "generate_series(CURRENT_DATE, CURRENT_DATE + INTERVAL 5 MONTH, INTERVAL '1 month')",
    "generate_series(CURRENT_DATE, CURRENT_DATE - INTERVAL 5 MONTH, -INTERVAL '1 month 1 day')",
    "generate_series(NOW(), NOW() + INTERVAL '2 seconds', INTERVAL '1 second' - INTERVAL '250 milliseconds')",
    "generate_series('2025-03-29', CURRENT_DATE, '12 hours')",
    "generate_series(CAST('2025-03-30T10:00:00Z' AS TIMESTAMPTZ), NOW(), INTERVAL '6 hours')",
    "range(CURRENT_DATE - 3, CURRENT_DATE, INTERVAL 1 DAY)",
    "generate_series(CURRENT_DATE, CURRENT_DATE - 1, INTERVAL 1 DAY)",
    "generate_series(CURRENT_DATE, NULL, INTERVAL 1 DAY)",
    "generate_series(1 + 1, EXTRACT(DAY FROM CURRENT_DATE), 2 * 5)",
    "generate_series(-2 * 4, length('abc'))",
    "generate_series(5, 1)",
    "generate_series(CURRENT_DATE, CURRENT_DATE + INTERVAL 1 DAY, INTERVAL (2 * 3) HOUR)",
    "generate_series(CAST(1 AS UTINYINT), CAST(3 AS UINTEGER))",
    "range(0, year(CURRENT_DATE) - 2020)",
    "generate_series(EXTRACT(YEAR FROM NOW()) - 4, EXTRACT(YEAR FROM NOW()))",
)
COUNTED = (
    "WITH RECURSIVE x AS (SELECT CURRENT_DATE - 5 AS d UNION ALL SELECT d + 1 FROM x WHERE d < CURRENT_DATE) "
    "SELECT d FROM x ORDER BY d",
    "WITH RECURSIVE x(d) AS (SELECT CAST(date_trunc('month', NOW()) AS DATE) UNION ALL SELECT CAST(d - INTERVAL 1 "
    "MONTH AS DATE) FROM x WHERE d > CURRENT_DATE - INTERVAL '1 year') SELECT d FROM x ORDER BY d",
    "WITH RECURSIVE x(n) AS (SELECT 2 * 2 UNION ALL SELECT n + (1 + 1) FROM x WHERE n < 10 - 1) SELECT n FROM x "
    "ORDER BY n",
)


@pytest.fixture(name="session", scope="module")
def _session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    policy = load_policy(make_shop(tmp_path_factory.mktemp("series")) / "shop.yaml")
    with closing(build_session(policy, "alice", None, (None, None), Noiseless())) as session:
        session._state.clock = lambda: NOW
        yield session


def plainly(sql: str, params: object = None) -> list[tuple[object, ...]]:
    """What DuckDB answers at that moment."""
    sql = re.sub(r", ('\d+ \w+')\)", r", INTERVAL \1)", sql).replace("('2025-03-29'", "(DATE '2025-03-29'")
    sql = sql.replace("NOW()", f"CAST('{NOW}' AS TIMESTAMP)").replace("CURRENT_DATE", f"DATE '{NOW.date()}'")
    with duckdb.connect() as plain:
        return plain.execute(sql.replace("TIMESTAMPTZ", "TIMESTAMP"), params).fetchall()


@pytest.mark.parametrize("series", SERIES)
@pytest.mark.parametrize("form", ["SELECT * FROM {}", "SELECT x FROM {} AS t(x)", "SELECT UNNEST({}) AS x"])
def test_it_has_the_rows_of_duckdb(form: str, series: str, session: Session) -> None:
    sql = form.format(series)
    assert list(session.answer(sql).rows) == plainly(sql)


@pytest.mark.parametrize("sql", COUNTED)
def test_one_that_counts_itself_has_the_rows_of_duckdb(sql: str, session: Session) -> None:
    assert list(session.answer(sql).rows) == plainly(sql)


def test_its_bounds_may_be_bound(session: Session) -> None:
    sql = "SELECT * FROM generate_series(CAST(? AS DATE), CAST(? AS TIMESTAMP) + INTERVAL 1 DAY, INTERVAL 8 HOUR)"
    values = ["2025-03-01", datetime(2025, 3, 1)]
    assert list(session.answer(sql, values).rows) == plainly(sql, values)
    assert [c.name for c in session.describe(sql).columns] == ["generate_series"]


def test_days_without_rows_stand_beside_counts(session: Session) -> None:
    sql = (
        "WITH days AS (SELECT d FROM generate_series(CURRENT_DATE - 700, CURRENT_DATE, '1 day'::interval) AS t(d)), "
        "sold AS (SELECT day, COUNT(*) AS n FROM orders GROUP BY day) "
        "SELECT COUNT(*) AS days, COALESCE(SUM(n), 0) AS n FROM days LEFT JOIN sold ON sold.day = days.d"
    )
    counted = session.answer(
        "SELECT COUNT(*) FROM orders WHERE day BETWEEN CURRENT_DATE - 700 AND CURRENT_DATE"
    )
    assert session.answer(sql).rows == ((701, counted.rows[0][0]),) and counted.rows[0][0]


@pytest.mark.parametrize(
    "bounds",
    [
        "1, (SELECT COUNT(*) FROM orders)",
        "1, COUNT(*)",
        "1, ROW_NUMBER() OVER ()",
        "1, CAST(random() * 9 AS BIGINT)",
        "1, 1.5 * 2",
        "1, TRUE",
        "1, [2, 3]",
        "1, CAST('x' AS VARCHAR)",
        "CURRENT_DATE, DATE 'infinity', INTERVAL 1 DAY",
        "1, 3, 1 - 1",
        "CURRENT_DATE, CURRENT_DATE + 1, INTERVAL '0 days' * 2",
        "CURRENT_DATE, CURRENT_DATE + 1, 'often'",
        "1, length(getenv('HOME'))",
    ],
)
def test_what_is_no_constant_is_refused(bounds: str, session: Session) -> None:
    with pytest.raises(QueryRefused):
        session.answer(f"SELECT COUNT(*) FROM generate_series({bounds})")
