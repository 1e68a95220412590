"""Keys of owners that may be NULL: rows without an owner are left out, so that no key that a query reads is NULL."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import duckdb
import pytest

from answers.noiseless import Noiseless
from dpsql.policy.load import load_policy
from dpsql.session import Session, build_session

POLICY = """\
version: 1
privacy: {unit: users.user_id, max_rows_per_unit: 20}
tables:
  users:
    source: web.duckdb
    one_row_per_unit: true
    columns: {user_id: {type: integer}, country: {type: text, values: [DE, FR]}}
  sessions:
    source: web.duckdb
    unit_key: user_id
    columns:
      session_id: {type: integer}
      user_id: {type: integer, nullable: true}
      device: {type: text, values: [mobile, desktop]}
  views:
    source: web.duckdb
    unit_path: {session_id: sessions.session_id}
    columns:
      session_id: {type: integer, nullable: true}
      seconds: {type: integer, lower: 0, upper: 60, nullable: true}
budgets: {dataset: {epsilon: 100}, default: {epsilon: 100, per_query: 1}}
"""
TABLES = (
    "CREATE TABLE users AS SELECT range AS user_id, ['DE', 'FR'][1 + range % 2] AS country FROM range(9)",
    "CREATE TABLE sessions AS SELECT range AS session_id, CASE WHEN range % 5 < 4 THEN range % 7 END AS user_id, "
    "['mobile', 'desktop'][1 + range % 3 // 2] AS device FROM range(40)",
    "CREATE TABLE views AS SELECT CASE WHEN range % 3 < 2 THEN range % 45 END AS session_id, "
    "CASE WHEN range % 7 > 0 THEN range % 60 END AS seconds "
    "FROM range(90)",
)
OWNED = (
    "DELETE FROM sessions WHERE user_id IS NULL",
    "DELETE FROM views WHERE session_id IS NULL OR session_id NOT IN (SELECT session_id FROM sessions)",
)


@pytest.fixture(scope="module", name="owned")
def _owned() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    for statement in (*TABLES, *OWNED):
        connection.execute(statement)
    return connection


@pytest.fixture(scope="module", name="session")
def _session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    folder = tmp_path_factory.mktemp("web")
    with duckdb.connect(str(folder / "web.duckdb")) as connection:
        for statement in TABLES:
            connection.execute(statement)
    (folder / "web.yaml").write_text(POLICY, encoding="utf-8")
    policy = load_policy(folder / "web.yaml")
    with closing(build_session(policy, "eve", None, (None, None), Noiseless())) as opened:
        yield opened


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT COUNT(*) FROM users WHERE user_id IN (SELECT user_id FROM sessions)",
        "SELECT COUNT(*) FROM users WHERE user_id NOT IN (SELECT user_id FROM sessions WHERE device = 'desktop')",
        "SELECT COUNT(*) FROM sessions WHERE user_id IN (SELECT user_id FROM users WHERE country = 'DE')",
        "SELECT COUNT(*) FROM sessions WHERE session_id NOT IN (SELECT session_id FROM views WHERE seconds > 9)",
        "SELECT COUNT(*) FROM users WHERE user_id IN (SELECT s.user_id FROM sessions s JOIN views USING (session_id))",
        "SELECT COUNT(*), COUNT(user_id), COUNT(DISTINCT user_id), COUNT_IF(user_id IS NULL) FROM sessions",
        "SELECT COUNT(*), COUNT(session_id), COUNT(seconds), SUM(seconds) FROM views",
        "SELECT country, COUNT(s.user_id) FROM users LEFT JOIN sessions s USING (user_id) GROUP BY country ORDER BY 1",
    ],
)
def test_answers_are_those_about_the_rows_that_have_owners(
    sql: str, session: Session, owned: duckdb.DuckDBPyConnection
) -> None:
    assert [tuple(map(float_or_text, r)) for r in session.answer(sql).rows] == [
        tuple(map(float_or_text, r)) for r in owned.execute(sql).fetchall()
    ]


def float_or_text(value: object) -> object:
    return value if isinstance(value, str) else float(value)  # type: ignore[arg-type]
