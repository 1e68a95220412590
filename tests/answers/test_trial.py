"""What fails on released results whatever they are is refused before it is paid for; what may succeed is not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from answers.noiseless import Noiseless
from answers.shop import make_shop
from dpsql.errors import QueryRefused
from dpsql.policy.load import load_policy
from dpsql.session import Session, build_session


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    folder = make_shop(tmp_path_factory.mktemp("trial"))
    opened = build_session(load_policy(folder / "table_cap.yaml"), "alice", None, (None, None), Noiseless())
    yield opened
    opened.close()


BY = "SELECT region, COUNT(*) AS n{} FROM orders GROUP BY region"
HOPELESS = [
    "SELECT CAST(COUNT(*) AS DATE) FROM orders",
    "SELECT CAST('x' || COUNT(*) AS INTEGER) FROM orders",
    "SELECT region, CAST(SUM(quantity) AS TIMESTAMP) FROM orders GROUP BY ROLLUP (region)",
    "SELECT COUNT(*), CAST('x' AS INTEGER) FROM orders",
    "SELECT COUNT(*), DATE '2025-13-01' FROM orders",
    "SELECT COUNT(*), make_date(2025, 13, 1) FROM orders",
    "SELECT COUNT(*), 9223372036854775807 + 1 + 9223372036854775807 FROM orders ORDER BY CAST('x' AS INTEGER)",
    BY.format(", ntile(0) OVER (ORDER BY COUNT(*))"),
    BY.format(", SUM(COUNT(*)) OVER (ORDER BY region ROWS BETWEEN -1 PRECEDING AND CURRENT ROW)"),
    BY.format(", CAST(region AS INTEGER)"),
    BY.format("") + " HAVING COUNT(*) > '12x'",
    BY.format("") + " HAVING region LIKE 'a' ESCAPE 'ab'",
    BY.format("") + " ORDER BY CAST('x' AS INTEGER)",
    "SELECT region, paid, COUNT(*), CAST(region AS DATE) FROM orders GROUP BY ROLLUP (region, paid)",
    "SELECT product, COUNT(*), DATE '2025-02-30' FROM orders GROUP BY product",
    "SELECT n, region FROM (SELECT COUNT(*) AS n FROM orders) CROSS JOIN regions WHERE CAST(region AS INTEGER) > 0",
    "SELECT region, DATE '2025-13-01' FROM orders GROUP BY region ORDER BY COUNT(*) DESC LIMIT 1",
    "SELECT COUNT(*) FROM orders JOIN (SELECT region, CAST('x' AS INTEGER) AS y, COUNT(*) AS n FROM orders "
    "GROUP BY region) AS v USING (region)",
    "SELECT COUNT(*) FROM orders WHERE region IN (SELECT region FROM orders GROUP BY region HAVING COUNT(*) > '12x')",
    "SELECT day, COUNT(*) FROM orders GROUP BY day UNION ALL SELECT paid, COUNT(*) FROM orders GROUP BY paid",
]


@pytest.mark.one_in(6)
@pytest.mark.parametrize("sql", HOPELESS)
def test_what_can_never_be_finished_is_refused_and_free(session: Session, sql: str) -> None:
    before = session.budget().spent
    for asked in (sql, f"EXPLAIN {sql}"):
        with pytest.raises(QueryRefused, match="fails whatever the results are"):
            session.answer(asked)
    assert session.budget().spent == before


HOPEFUL = [
    "SELECT LN(COUNT(*) - 5), SQRT(COUNT(*) - 5) FROM orders",
    "SELECT CASE WHEN COUNT(*) < 10 THEN CAST('x' AS INTEGER) END FROM orders",
    "SELECT CASE WHEN n < 0 THEN CAST('x' AS INTEGER) ELSE n END FROM (SELECT COUNT(*) AS n FROM orders)",
    "SELECT CAST(n AS TINYINT) FROM (SELECT COUNT(*) AS n FROM orders)",
    "SELECT 100 // (n - 1), COALESCE(n, CAST('x' AS INTEGER)) FROM (SELECT COUNT(*) AS n FROM orders)",
    "SELECT (SELECT region FROM orders GROUP BY region ORDER BY COUNT(*) DESC LIMIT 1), COUNT(*) FROM orders",
    "SELECT COUNT(*) // 0, COUNT(*) % 0 FROM orders",
]


@pytest.mark.parametrize("sql", HOPEFUL)
def test_what_may_be_finished_is_answered(session: Session, sql: str) -> None:
    assert session.answer(sql).rows


def test_what_released_counts_are_divided_by_may_be_0(session: Session) -> None:
    answer = session.answer(
        "SELECT COUNT(*) // COUNT_IF(quantity > 100), COUNT(*) % COUNT_IF(quantity > 100) FROM orders"
    )
    assert answer.rows == ((None, None),)
