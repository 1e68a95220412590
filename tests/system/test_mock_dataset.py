"""A made-up dataset keeps to every word of its policy, which runs on it; no private source is opened for it."""

from __future__ import annotations

from contextlib import closing
from datetime import date, datetime
from pathlib import Path

import duckdb
import pytest
from click.testing import CliRunner

import dpsql
from dpsql.engines.open_engines import open_engines
from dpsql.errors import PolicyError
from dpsql.interfaces.cli.tools_of_admins.mock_command import mock
from dpsql.policy.load import load_policy
from dpsql.session import check_data
from dpsql.stages.made_up.mock_dataset import write_mock_dataset

POLICY = """\
version: 1   # a comment
privacy: {unit: people.id, max_rows_per_unit: 20}
tables:
  people:
    source: nowhere.duckdb
    one_row_per_unit: true
    columns:
      id:     {type: text, max_length: 5}
      home:   {type: text, values: [south, north], partition: true}
      born:   {type: date, lower: 1950-01-01, upper: 1950-01-03}
      "yes":  {type: integer, hidden: true}
  visits:
    source: nowhere.csv
    format: {delimiter: ";", date: "%d.%m.%Y"}
    unit_key: id
    max_rows_per_unit: 3
    columns:
      id:     {type: text, max_length: 5}
      visit:  {type: text, max_length: 1}
      home:   {type: text, values: [north, south], partition: true}
      ward:   {type: text, references: wards.code, nullable: true}
      paid:   {type: float, lower: 0.4, upper: 2.6, step: 0.5, unit_total: 5}
      fee:    {type: float, lower: -1, upper: 1}
      spot:   {type: float, lower: 0.3, upper: 0.4, step: 0.1}
      weight: {type: integer, lower: -3, upper: 3, nullable: true}
      at:     {type: timestamp, lower: 2025-01-01 00:00:30, upper: 2025-01-01 00:02:00}
      seen:   {type: boolean}
      word:   {type: text, max_length: 2}
      free:   {type: text}
      when:   {type: timestamp}
  tests:
    source: nowhere.duckdb
    view: row_wise
    unit_path: {of_visit: visits.visit}
    columns:
      of_visit: {type: text, max_length: 1}
      level:    {type: integer, values: [1, 2, 3]}
      name:     {type: text, values: ["1", "no", "ü, \\"x\\""]}
  firsts:
    source: nowhere.parquet
    one_row_per_unit: true
    unit_path: {of_visit: visits.visit}
    columns: {of_visit: {type: text, max_length: 1}}
  wards: {source: wards.csv, public: true, columns: {code: {type: text}, beds: {type: integer}}}
budgets:
  dataset: {epsilon: 5, delta: 1e-6, name: clinic}
  default: {epsilon: 5, delta: 1e-7, per_query: 1}
engine: {seconds: 60, temp_directory: .}
admin_log: nowhere.log
"""
ROWS = """\
version: 1
privacy: {unit: events.*}
tables:
  events: {source: nowhere.parquet, columns: {kind: {type: text, values: [a, b]}, size: {type: float}}}
budgets: {dataset: {epsilon: 5}, default: {epsilon: 5, per_query: 1}}
"""


@pytest.fixture(name="made", scope="module")
def _made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("clinic")
    (folder / "wards.csv").write_text("code,beds\nA,3\nB,5\nC,8\n")
    (folder / "clinic.yaml").write_text(POLICY, encoding="utf-8")
    return write_mock_dataset(load_policy(folder / "clinic.yaml"), folder / "mock", 60)


def rows(made: Path, sql: str) -> list[tuple[object, ...]]:
    tables = {
        table: f"'{made.parent / table}.parquet'"
        for table in ("people", "visits", "tests", "firsts", "wards")
    }
    return duckdb.execute(sql.format(**tables)).fetchall()


def test_the_policy_is_the_same_over_other_sources(made: Path) -> None:
    before, after = load_policy(made.parents[1] / "clinic.yaml"), load_policy(made)
    assert [t.columns for t in after.tables] == [t.columns for t in before.tables]
    assert (after.privacy, after.default) == (before.privacy, before.default)
    assert after.engine.temp_directory is None and after.admin_log is None
    assert after.dataset.name == "clinic-mock"
    assert after.digest != before.digest
    assert {t.source.path.parent for t in after.tables} == {made.parent}


def test_every_declared_fact_holds_and_every_key_leads_somewhere(made: Path) -> None:
    policy = load_policy(made)
    assert check_data(policy) == ()
    with closing(open_engines(policy)):
        pass
    assert rows(made, "SELECT count(*), count(DISTINCT id), max(length(id)) FROM {people}") == [(60, 60, 5)]
    assert rows(made, "SELECT count(*), count(DISTINCT visit) FROM {visits}") == [(26, 26)]
    assert rows(made, "SELECT count(*) FROM {visits} ANTI JOIN {people} USING (id)") == [(0,)]
    assert rows(made, "SELECT count(*) FROM {tests} ANTI JOIN {visits} ON of_visit = visit") == [(0,)]
    assert rows(
        made, "SELECT max(n), min(n) < max(n) FROM (SELECT count(*) n FROM {visits} GROUP BY id)"
    ) == [(3, True)]
    firsts = "SELECT count(*) = count(DISTINCT id) FROM {firsts} JOIN {visits} ON of_visit = visit"
    assert rows(made, firsts) == [(True,)]
    assert rows(
        made, "SELECT count(*) FROM {visits} v JOIN {people} p USING (id) WHERE v.home <> p.home"
    ) == [(0,)]


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT DISTINCT ward FROM {visits} ORDER BY ALL", ["A", "B", "C", None]),
        ("SELECT DISTINCT home FROM {people} ORDER BY ALL", ["north", "south"]),
        ("SELECT DISTINCT born FROM {people} ORDER BY ALL", [date(1950, 1, d) for d in (1, 2, 3)]),
        ("SELECT DISTINCT paid FROM {visits} ORDER BY ALL", [0.5, 1.0, 1.5, 2.0, 2.5]),
        ("SELECT DISTINCT spot FROM {visits} ORDER BY ALL", [0.3, 0.4]),
        ("SELECT min(fee) >= -1 AND max(fee) <= 1 AND count(DISTINCT fee) > 20 FROM {visits}", [True]),
        ("SELECT DISTINCT weight FROM {visits} ORDER BY ALL", [*range(-3, 4), None]),
        ('SELECT DISTINCT "at" FROM {visits} ORDER BY ALL', [datetime(2025, 1, 1, 0, m, 30) for m in (0, 1)]),
        ("SELECT DISTINCT seen FROM {visits} ORDER BY ALL", [False, True]),
        ("SELECT max(length(word)) FROM {visits}", [2]),
        ("SELECT count(free) FROM {visits}", [26]),
        ("SELECT DISTINCT level FROM {tests} ORDER BY ALL", [1, 2, 3]),
        ("SELECT DISTINCT name FROM {tests} ORDER BY ALL", ["1", "no", 'ü, "x"']),
        ("SELECT beds FROM {wards} ORDER BY ALL", [3, 5, 8]),
    ],
)
def test_values_are_those_that_the_policy_allows(sql: str, expected: list[object], made: Path) -> None:
    assert [row[0] for row in rows(made, sql)] == expected


def test_queries_run_on_it(made: Path) -> None:
    with dpsql.connect(made, analyst="anyone") as connection:
        sql = "SELECT home, count(*), avg(paid) FROM visits JOIN wards ON ward = code GROUP BY home"
        assert len(connection.execute(sql).fetchall()) == 2
        assert connection.execute("SELECT sum(beds) FROM wards").fetchall() == [(16,)]


def test_the_same_policy_has_the_same_rows(made: Path) -> None:
    again = write_mock_dataset(load_policy(made.parents[1] / "clinic.yaml"), made.parents[1] / "again", 60)
    for table in ("people", "visits", "tests", "firsts"):
        sql = f"FROM {{{table}}} ORDER BY ALL"
        assert rows(made, sql) == rows(again, sql)


def test_rows_that_are_units_need_no_key(tmp_path: Path) -> None:
    (tmp_path / "events.yaml").write_text(ROWS)
    made = write_mock_dataset(load_policy(tmp_path / "events.yaml"), tmp_path / "mock", 7)
    assert duckdb.execute(f"SELECT count(*) FROM '{made.parent}/events.parquet'").fetchall() == [(7,)]
    assert check_data(load_policy(made)) == ()


def test_fields_of_json_are_made_up_under_their_own_names(tmp_path: Path) -> None:
    fields = "fields: {query.term: {type: text}, n: {type: integer, lower: 0, upper: 5}}"
    (tmp_path / "e.yaml").write_text(
        ROWS.replace("kind: {type: text, values: [a, b]}", f"pl: {{type: json, {fields}}}")
    )
    made = write_mock_dataset(load_policy(tmp_path / "e.yaml"), tmp_path / "mock", 30)
    term = f"SELECT DISTINCT regexp_matches(pl->>'$.query.term', '^term_[0-9]+$') FROM '{made.parent}/events.parquet'"
    assert {row[0] for row in duckdb.execute(term).fetchall()} - {None} == {True}
    with dpsql.connect(made, analyst="ann", rows="mock") as connection:
        (shown,) = connection.execute("SELECT pl->'query'->>'term' FROM events LIMIT 1").fetchall()
    assert shown[0] is None or shown[0].startswith("term_")


def test_a_mistake_in_a_public_table_is_told(tmp_path: Path) -> None:
    (tmp_path / "clinic.yaml").write_text(POLICY, encoding="utf-8")
    with pytest.raises(PolicyError, match="wards"):
        write_mock_dataset(load_policy(tmp_path / "clinic.yaml"), tmp_path / "mock", 7)
    assert not (tmp_path / "mock").exists()


def test_the_command_writes_it_once(tmp_path: Path) -> None:
    (tmp_path / "events.yaml").write_text(ROWS)
    arguments = [str(tmp_path / "events.yaml"), "--rows", "5", "--to", str(tmp_path / "mock")]
    first, second = (CliRunner().invoke(mock, arguments) for _ in range(2))
    assert (first.exit_code, second.exit_code) == (0, 2)
    assert "no answer about them means anything" in first.output
    assert "name a new folder" in second.output
