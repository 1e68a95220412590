"""What BI tools send, by what they want of it: each answer is DuckDB's own, or free and without a row."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import duckdb
import pytest
from fuzz.compare import NoNoise, same

from bi.store import TABLES, make_store
from dpsql.policy.load import load_policy
from dpsql.session import Session, build_session

CASES = Path(__file__).parents[1] / "cases" / "bi"


def statements(kind: str) -> list[str]:
    """The statements of a file, one a paragraph."""
    return (CASES / f"{kind}.sql").read_text(encoding="utf-8").strip().split("\n\n")


@pytest.fixture(name="tool", scope="module")
def _tool(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    policy = load_policy(make_store(tmp_path_factory.mktemp("store")))
    with closing(build_session(policy, "tool", None, (None, None), NoNoise(), "empty")) as session:
        yield session


@pytest.fixture(name="plain", scope="module")
def _plain() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        connection.execute("SET error_on_division_by_zero = false")
        connection.execute(TABLES)
        connection.execute("CREATE SCHEMA public")
        for table in ("orders", "customers", "products"):  # as PostgreSQL's clients name them
            connection.execute(f"CREATE VIEW public.{table} AS FROM main.{table}")
        yield connection


def described(cursor: duckdb.DuckDBPyConnection) -> list[tuple[str, str]]:
    return [(str(d[0]), str(d[1])) for d in cursor.description]


def is_empty(row: tuple[object, ...]) -> bool:
    """Whether a row may be a group that nobody is in."""
    return any(v is None or (v == 0 and not isinstance(v, bool)) for v in row)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("sql", statements("aggregates"))
def test_an_aggregate_is_what_duckdb_says(sql: str, tool: Session, plain: duckdb.DuckDBPyConnection) -> None:
    answer = tool.answer(sql)
    cursor = plain.execute(sql)
    assert [(c.name, c.type) for c in answer.columns] == described(cursor)
    left = list(answer.rows)
    for wanted in cursor.fetchall():
        found = next((r for r in left if all(map(near, r, wanted))), None)
        assert found is not None, f"{wanted} is not among {left[:20]}"
        left.remove(found)
    assert all(map(is_empty, left))


def near(a: object, b: object) -> bool:
    return same(a, b, 1e-3)


@pytest.mark.parametrize("sql", statements("probes"))
def test_a_probe_is_free_and_has_no_row(sql: str, tool: Session, plain: duckdb.DuckDBPyConnection) -> None:
    before = tool.budget().spent
    answer = tool.answer(sql)
    assert answer.rows == () and tool.budget().spent == before
    assert [(c.name, c.type) for c in answer.columns] == described(plain.execute(sql))


@pytest.mark.parametrize("sql", statements("domains"))
def test_the_values_of_a_filter_box_are_free(
    sql: str, tool: Session, plain: duckdb.DuckDBPyConnection
) -> None:
    before = tool.budget().spent
    assert set(tool.answer(sql).rows) == set(plain.execute(sql).fetchall())
    assert tool.budget().spent == before
