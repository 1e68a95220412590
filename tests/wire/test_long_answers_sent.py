"""A long public table through a driver, in every way of fetching: the rows that an embedded connection has."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import psycopg
import pytest

import dpsql
from dpsql.engines.base import Row
from dpsql.engines.column_rows import ColumnRows
from wire.openings import Shop
from wire.trust_server import TrustServer, trusting

ROWS = 5_000
QUERY = "SELECT id, label, price, day, moment FROM items"
POLICY = """
version: 1
privacy: {{unit: visits.person, max_rows_per_unit: 1}}
engine: {{isolation: {isolation}}}
tables:
  visits: {{source: items.duckdb, unit_key: person, columns: {{person: {{type: integer}}}}}}
  items: {{source: items.duckdb, public: true}}
budgets:
  dataset: {{epsilon: 10, delta: 1e-3}}
  default: {{epsilon: 10, delta: 1e-3, per_query: {{epsilon: 1, delta: 1e-6}}}}
"""
TABLE = (
    "CREATE TABLE items AS SELECT r AS id, CASE WHEN r % 3 > 0 THEN 'name ' || r END AS label, r / 8 AS price, "
    "DATE '2024-01-01' + CAST(r % 365 AS INTEGER) AS day, "
    "TIMESTAMP '2024-01-01 12:00:00' + to_milliseconds(r) AS moment "
    f"FROM range({ROWS}) AS t(r)"
)


@pytest.fixture(scope="module", params=["inline", "process"])
def policy(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("items")
    with duckdb.connect(str(folder / "items.duckdb")) as data:
        data.execute(TABLE)
        data.execute("CREATE TABLE visits AS SELECT 1 AS person")
    file = folder / "items.yaml"
    file.write_text(POLICY.format(isolation=request.param), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def rows(policy: Path) -> list[Row]:
    with duckdb.connect(str(policy.parent / "items.duckdb"), read_only=True) as data:
        return data.execute(QUERY).fetchall()


@pytest.fixture(scope="module")
def items(policy: Path) -> Iterator[TrustServer]:
    with trusting(Shop(policy, policy.parent / "items.ledger").of_start_up) as running:
        yield running


def test_drivers_have_all_rows_however_they_fetch_them(items: TrustServer, rows: list[Row]) -> None:
    with psycopg.connect(items.url()) as db:
        assert db.execute(QUERY).fetchall() == rows
        assert db.execute(QUERY, binary=True).fetchall() == rows
        assert db.execute(QUERY, prepare=True).fetchall() == rows
        for size in (7, 1000, 2 * ROWS):
            with db.cursor("held", binary=size > 1000) as held:
                held.itersize = size
                assert list(held.execute(QUERY)) == rows
        with db.cursor() as cursor, cursor.copy(f"COPY ({QUERY}) TO STDOUT") as copied:
            copied.set_types(["int8", "text", "float8", "date", "timestamp"])
            assert list(copied.rows()) == rows


def test_an_embedded_connection_has_them_as_rows(policy: Path, rows: list[Row]) -> None:
    with dpsql.connect(policy, analyst="alice", ledger=policy.parent / "other.ledger") as db:
        cursor = db.execute(QUERY)
        assert isinstance(cursor.rows, ColumnRows) and cursor.rows == tuple(rows)
        assert cursor.rowcount == ROWS and len(cursor.release.intervals) == ROWS
        assert cursor.fetchone() == rows[0] and cursor.fetchmany(3) == rows[1:4]
        assert cursor.fetchall() == rows[4:] and cursor.fetchone() is None
        assert list(db.execute(QUERY)) == rows
        table = db.execute(QUERY).to_arrow_table()
        assert [tuple(row.values()) for row in table.to_pylist()] == rows
        frame = db.execute(QUERY).df()
        assert (
            frame["label"].isna().sum() == len(range(0, ROWS, 3))
            and frame["price"].sum() == sum(range(ROWS)) / 8
        )


def test_the_last_answer_gives_way_to_the_next(policy: Path, rows: list[Row]) -> None:
    with dpsql.connect(policy, analyst="alice", ledger=policy.parent / "next.ledger") as db:
        cursor = db.execute(QUERY)
        assert cursor.fetchone() == rows[0]
        assert cursor.execute(QUERY + " ORDER BY id DESC").fetchone() == rows[-1]
        assert cursor.execute("SELECT 7").fetchall() == [(7,)]
