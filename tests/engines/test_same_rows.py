"""One dataset has the same answers through every source."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import duckdb
import pytest
from answers.noiseless import Noiseless

from dpsql.engines.databases.copies import copy_databases
from dpsql.engines.sources.described import describe_source
from dpsql.engines.sources.frames import HandedFrames
from dpsql.errors import PolicyError
from dpsql.policy.load import load_policy
from dpsql.policy.model import ColumnType
from dpsql.progress import untold
from dpsql.session import build_session

POLICY = """version: 1
privacy: {{unit: visits.patient, max_rows_per_unit: 6}}
accountant: pure
tables:
  visits:
    source: "{source}"
    unit_key: patient
    columns:
      patient: {{type: integer}}
      ward: {{type: text, values: [north, "so\\"uth", 'wést'], nullable: true}}
      cost: {{type: float, lower: 0, upper: 50, step: 0.01, nullable: true}}
      day: {{type: date, lower: 2025-01-01, upper: 2025-12-31, nullable: true}}
      at_time: {{type: timestamp, nullable: true}}
      paid: {{type: boolean, nullable: true}}
budgets: {{dataset: {{epsilon: 1000}}, default: {{epsilon: 1000, per_query: 1}}}}
"""
ROWS = """SELECT range % 23 AS patient, ['north', 'so"uth', 'wést', NULL, 'other'][1 + range % 5] AS ward,
    CASE WHEN range % 11 <> 0 THEN range * 1.37 END AS cost, DATE '2025-01-01' + (range * 7 % 400)::INTEGER AS day,
    TIMESTAMP '2025-03-01 10:00:00' + INTERVAL (range * 100003) SECOND AS at_time,
    CASE range % 3 WHEN 0 THEN true WHEN 1 THEN false END AS paid FROM range(120)"""
ASKED = (
    "SELECT ward, COUNT(*), SUM(cost) FROM visits GROUP BY ward ORDER BY ward",
    "SELECT COUNT(DISTINCT patient), COUNT(paid) FROM visits WHERE day >= DATE '2025-06-01'",
    "SELECT SUM(cost) FROM visits WHERE at_time < TIMESTAMP '2025-03-20' AND NOT paid",
)


def _copied(name: str, options: str) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        with duckdb.connect() as connection:
            connection.execute(f"COPY ({ROWS}) TO '{folder / name}' ({options})")

    return make


def _database(folder: Path) -> None:
    with duckdb.connect(str(folder / "v.duckdb")) as connection:
        connection.execute(f"CREATE TABLE visits AS {ROWS}")


def _halves(ending: str, options: str) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        with duckdb.connect() as connection:
            for part in (0, 1):
                (folder / f"paid={part}").mkdir()
                every = f"SELECT * FROM ({ROWS}) WHERE patient % 2 = {part}"
                connection.execute(f"COPY ({every}) TO '{folder}/paid={part}/v.{ending}' ({options})")

    return make


def _sqlite(folder: Path) -> None:
    with duckdb.connect() as connection:
        texts = "* REPLACE (CAST(day AS VARCHAR) AS day, CAST(at_time AS VARCHAR) AS at_time, cost::DOUBLE AS cost)"
        rows = connection.execute(f"SELECT {texts} FROM ({ROWS})").fetchall()
    with closing(sqlite3.connect(folder / "v.db")) as database:
        database.execute("CREATE TABLE visits (patient, ward, cost, day, at_time, paid)")
        database.executemany("INSERT INTO visits VALUES (?, ?, ?, ?, ?, ?)", rows)
        database.commit()


WRITTEN = {
    "v.duckdb": _database,
    "v.parquet": _copied("v.parquet", "FORMAT parquet"),
    "v.csv": _copied("v.csv", "FORMAT csv, HEADER"),
    "v.json": _copied("v.json", "FORMAT json, ARRAY true"),
    "v.jsonl": _copied("v.jsonl", "FORMAT json"),
    "*/v.parquet": _halves("parquet", "FORMAT parquet"),
    "*/v.csv": _halves("csv", "FORMAT csv, HEADER"),
    "*/v.json": _halves("json", "FORMAT json, ARRAY true"),
    "sqlite:///v.db": _sqlite,
}


def answers(folder: Path, source: str, frame: object = None) -> list[object]:
    (folder / "policy.yaml").write_text(POLICY.format(source=source), encoding="utf-8")
    policy = load_policy(folder / "policy.yaml")
    copy_databases(policy, untold)
    frames = HandedFrames(policy, {} if frame is None else {"visits": frame})
    session = build_session(frames.policy, "a", None, (None, None), Noiseless(), frames=frames)
    with closing(session):
        return [session.answer(sql).rows for sql in ASKED]


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> list[object]:
    folder = tmp_path_factory.mktemp("expected")
    _database(folder)
    found = answers(folder, "v.duckdb")
    assert len(found[0]) == 4 and all(value for row in found for value in row[0][1:])
    return found


@pytest.mark.one_in(4)
@pytest.mark.parametrize("source", list(WRITTEN)[1:])
def test_a_dataset_has_the_same_answers_through_every_source(
    source: str, expected: list[object], tmp_path: Path
) -> None:
    WRITTEN[source](tmp_path)
    assert answers(tmp_path, source) == expected


@pytest.mark.parametrize("library", ["arrow", "df", "pl"])
def test_a_frame_has_the_same_answers(library: str, expected: list[object], tmp_path: Path) -> None:
    with duckdb.connect() as connection:
        found = connection.sql(ROWS)
        frame = found.to_arrow_table() if library == "arrow" else getattr(found, library)()
    if library == "df":
        frame["day"] = frame["day"].dt.date  # datetime64 is a timestamp
    assert answers(tmp_path, "frame", frame) == expected


def test_a_database_that_another_process_writes_to_says_what_to_do(tmp_path: Path) -> None:
    _database(tmp_path)
    opens = f"c = duckdb.connect({str(tmp_path / 'v.duckdb')!r})"
    program = f"import duckdb, sys; {opens}; print('open', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as writer:
        assert writer.stdout is not None and writer.stdout.readline() == b"open\n"
        with pytest.raises(
            PolicyError, match="open for writing in another process; close it there, or read a copy"
        ):
            answers(tmp_path, "v.duckdb")
        writer.communicate()
    assert answers(tmp_path, "v.duckdb")


def test_init_describes_json_by_its_first_objects(tmp_path: Path) -> None:
    objects = [
        {
            "id": 1,
            "x": 1,
            "s": "a",
            "d": "2025-01-01",
            "t": "2025-01-01 10:00",
            "b": True,
            "n": {"a": 1},
            "e": None,
        },
        {"id": 2, "x": 1.5, "s": "2025-01-01", "d": "2025-01-02", "t": "2025-01-01", "b": False, "n": [1]},
    ]
    (tmp_path / "t.json").write_text(json.dumps(objects))
    (table,) = describe_source(tmp_path / "t.json")
    integer, number, text, day, moment, truth = (
        ColumnType.INTEGER, ColumnType.FLOAT, ColumnType.TEXT, ColumnType.DATE, ColumnType.TIMESTAMP, ColumnType.BOOLEAN
    )  # fmt: skip
    kinds = {"id": integer, "x": number, "s": text, "d": day, "t": moment, "b": truth, "n": None}
    assert {c.name: c.type for c in table.columns if c.name != "e"} == kinds
