"""How many rows of a public table agree on columns is counted, unless one of them is known to tell all rows apart."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from itertools import combinations
from pathlib import Path

import duckdb
import pytest

from dpsql.engines.public_engine import FinishEngine
from dpsql.policy.load import load_policy

POLICY = """
version: 1
privacy: {unit: visits.patient, max_rows_per_unit: 3}
tables:
  visits: {source: rows.duckdb, unit_key: patient, columns: {patient: {type: integer}}}
  doctors: {source: rows.duckdb, public: true}
budgets:
  dataset: {epsilon: 1}
  default: {epsilon: 1, per_query: {epsilon: 1}}
"""
COLUMNS = ("id", "room", "wide", "ward", "gone")
DOCTORS = """CREATE TABLE doctors AS SELECT CASE WHEN range <> 5 THEN range END AS id, range % 4 AS room,
    range % 10 * 100 AS wide, 'w' || range % 3 AS ward, NULL::INTEGER AS gone FROM range(30)"""


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rows")
    with duckdb.connect(str(folder / "rows.duckdb")) as connection:
        connection.execute("CREATE TABLE visits AS SELECT range AS patient FROM range(3)")
        connection.execute(DOCTORS)
    (folder / "policy.yaml").write_text(POLICY, encoding="utf-8")
    return folder


@pytest.fixture
def engine(rows: Path) -> Iterator[FinishEngine]:
    with closing(FinishEngine.open(load_policy(rows / "policy.yaml"))) as opened:
        yield opened


class Recorded:
    """A connection that keeps what it executes."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self.connection = connection
        self.texts: list[str] = []

    def execute(self, text: str) -> duckdb.DuckDBPyConnection:
        self.texts.append(text)
        return self.connection.execute(text)


@pytest.mark.parametrize("size", range(len(COLUMNS) + 1))
def test_it_is_the_most_rows_that_agree_on_all_columns(engine: FinishEngine, rows: Path, size: int) -> None:
    with duckdb.connect(str(rows / "rows.duckdb"), read_only=True) as connection:
        for columns in combinations(COLUMNS, size):
            present = " AND ".join(f"{c} IS NOT NULL" for c in columns) or "true"
            alike = (
                f"SELECT count(*) AS n FROM doctors WHERE {present} GROUP BY {', '.join(columns) or 'ALL'}"
            )
            ((most,),) = connection.execute(f"SELECT coalesce(max(n), 0) FROM ({alike})").fetchall()
            assert engine.fan_out("doctors", columns) == most


def test_rows_are_not_grouped_by_more_than_what_tells_them_apart(engine: FinishEngine) -> None:
    assert engine.fan_out("doctors", ("id",)) == 1
    recorded = Recorded(engine._connection)
    engine._connection = recorded  # type: ignore[assignment]
    assert engine.fan_out("doctors", ("id", "room", "ward")) == 1
    assert not any("GROUP BY" in text and "ward" in text for text in recorded.texts)
    engine._connection = recorded.connection
