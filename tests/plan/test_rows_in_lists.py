"""A row in parentheses among the rows of a public table: few are compared one by one, many as lists, alike."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from dpsql.session import Session
from dpsql.sql.subqueries import predicates
from plan.opened import Table

COLUMNS = {
    "a": "integer, lower: 0, upper: 90, nullable: true",
    "b": "integer, lower: 0, upper: 9, nullable: true",
}
ROWS = [(u, u % 91 if u % 7 else None, u * 3 % 10 if u % 11 else None) for u in range(300)]
CODES = (
    "CREATE TABLE codes AS SELECT i % 89 AS x, CASE WHEN i % 13 > 0 THEN i % 8 END AS y FROM range(640) r(i)"
)
TESTS = ("(a, b) IN ({})", "(a, b) NOT IN ({})", "(b, a + 1) IN (SELECT y, x FROM codes WHERE y > 1)")


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    table = Table(COLUMNS, ROWS, public=("codes", CODES), privacy="max_rows_per_unit: 1")
    with closing(table.open(tmp_path_factory.mktemp("rows"))) as opened:
        yield opened


@pytest.mark.one_in(4)
@pytest.mark.parametrize("test", TESTS)
def test_they_are_alike_and_what_duckdb_finds(
    session: Session, test: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = test.format("SELECT x, y FROM codes")
    with duckdb.connect() as plain:
        plain.execute(CODES)
        plain.execute("CREATE TABLE t (u BIGINT, a BIGINT, b BIGINT)")
        plain.executemany("INSERT INTO t VALUES (?, ?, ?)", ROWS)
        expected = plain.execute(f"SELECT COUNT(*) FROM t WHERE {where}").fetchall()
    found = []
    for most in (500, 5_000):
        monkeypatch.setattr(predicates, "MOST_ROWS", most)
        found.append(list(session.answer(f"SELECT COUNT(*) FROM t WHERE {where} AND {most} > 0").rows))
    assert found == [expected, expected]
