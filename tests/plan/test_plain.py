"""A rest that only lists released columns is written and typed at once, as sqlglot and DuckDB would."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from dpsql.release.prepared_query import PreparedQuery
from dpsql.session import Session
from dpsql.stages.prepare import prepare
from plan.opened import Table

_TABLE = Table(
    {
        "n": "integer, lower: 0, upper: 9",
        "x": "float, lower: 0, upper: 1",
        "g": "text, values: [a, b]",
        "b": "boolean",
        "d": "date, lower: 2025-01-01, upper: 2025-03-31",
        "t": "timestamp, lower: 2025-01-01 00:00:00, upper: 2025-01-02 00:00:00",
    },
    privacy="max_rows_per_unit: 2",
)
PLAIN = (
    "SELECT COUNT(*) FROM t",
    'SELECT COUNT(*) AS "a ""b""", SUM(n) "N", AVG(x), MIN(n), MEDIAN(d), COUNT(DISTINCT u) FROM t',
    "SELECT g, n, b, COUNT(*) FROM t GROUP BY ALL",
    "SELECT SUM(x) FROM t WHERE g = 'a' LIMIT 3 OFFSET 1",
    "SELECT g AS k0, COUNT(*) AS a0 FROM t GROUP BY g ORDER BY a0 DESC NULLS FIRST, K0 ASC NULLS LAST",
    'SELECT g AS "Z", AVG(x) FROM t GROUP BY g ORDER BY "Z", 2 DESC, AVG(x), COUNT(*) LIMIT 1',
    "SELECT date_trunc('month', d) AS m, COUNT(*) FROM t GROUP BY 1 ORDER BY 1",
    "SELECT b, n FROM t GROUP BY b, n",
    "SELECT g FROM t GROUP BY g ORDER BY COUNT(*) DESC LIMIT 1",
    "SELECT AVG(s) FROM (SELECT u, SUM(LEAST(x, 1)) AS s FROM t GROUP BY u)",
    "SELECT MODE(g), BOOL_OR(b), COUNT(*) FILTER (b) FROM t",
)
OTHERS = (
    "SELECT 1 AS one",
    "SELECT (SELECT COUNT(*) FROM t), (SELECT SUM(n) FROM t)",
    "SELECT COUNT(*) + 1 FROM t",
    "SELECT g, COUNT(*) AS c, SUM(n) AS C FROM t GROUP BY g ORDER BY c",
    "SELECT g, COUNT(*) FROM t GROUP BY g ORDER BY COUNT(*) + 1",
    "SELECT g, COUNT(*) FROM t GROUP BY g HAVING COUNT(*) > 2",
    "SELECT CAST(AVG(x) AS INTEGER) FROM t",
    'SELECT COUNT(*) AS "#released row" FROM t',
    "SELECT g, COUNT(*), RANK() OVER (ORDER BY COUNT(*)) FROM t GROUP BY g",
    "SELECT g, COUNT(*) FROM t GROUP BY ROLLUP (g)",
    "SELECT * FROM (SELECT COUNT(*) AS c FROM t)",
    "WITH w AS (SELECT 1 AS one) SELECT COUNT(*), (SELECT one FROM w) FROM t",
    "SELECT DISTINCT COUNT(*) FROM t GROUP BY g",
    "SELECT COUNT(*) FROM t UNION ALL SELECT SUM(n) FROM t",
)


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    opened = _TABLE.open(tmp_path_factory.mktemp("plain"))
    yield opened
    opened.close()


def _ready(session: Session, sql: str) -> PreparedQuery:
    return prepare(sql, None, session._state)


@pytest.mark.parametrize("sql", PLAIN)
def test_a_plain_rest_is_written_and_typed_as_without_the_short_way(
    sql: str, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    public = type(session._state.public)
    with monkeypatch.context() as untried:
        untried.setattr(public, "check", lambda *_: pytest.fail("a plain rest was tried"))
        at_once = _ready(session, sql)
    monkeypatch.setattr("dpsql.sql.split.cut.plain", lambda tree: None)
    tried = _ready(session, f"EXPLAIN {sql}")
    assert at_once.cut.plain is not None and tried.cut.plain is None
    assert (at_once.plan, at_once.columns) == (tried.plan, tried.columns)
    assert at_once.cut.trace == tried.cut.trace


@pytest.mark.parametrize("sql", OTHERS)
def test_a_rest_that_does_more_is_tried(sql: str, session: Session) -> None:
    query = _ready(session, sql).cut
    assert query is not None and query.plain is None
