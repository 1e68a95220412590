"""docs/sources.md says what is so: its list is the refusal's, its policies load, its tables and program are true."""

from __future__ import annotations

import re
from pathlib import Path

import duckdb
import pytest
from engines.test_json_rows import TYPES, values
from engines.test_sqlite_copies import copied, filled, policy_in, read
from pages import fenced, text_of

from dpsql.engines.private_engine import make_tables
from dpsql.engines.sqlgen.relation import SOURCE
from dpsql.errors import PolicyError
from dpsql.policy.load import load_policy
from dpsql.policy.model import ColumnType
from dpsql.policy.rules.sources import FRAME, SUFFIXES

TEXT = text_of("sources.md")
SEVERAL, HANDED = fenced(TEXT, "yaml")
COLUMN_OF = {kind: name for name, kind in TYPES.items()}


def rows_of(first: str) -> list[list[str]]:
    table = TEXT[TEXT.index(first) :].partition("\n\n")[0]
    return [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in table.splitlines()][2:]


def test_the_list_names_every_ending_and_the_refusal_names_the_list(tmp_path: Path) -> None:
    listed = set(re.findall(r"`([^`]*)`", "\n".join(" ".join(row) for row in rows_of("| `source` |"))))
    endings = {suffix for suffix, _ in SUFFIXES}
    assert endings - {".jsonl.gz", ".ndjson.gz"} <= listed and FRAME in listed
    (tmp_path / "policy.yaml").write_text(HANDED.replace("source: frame", "source: visits.xlsx"))
    with pytest.raises(PolicyError) as refused:
        load_policy(tmp_path / "policy.yaml")
    databases = "postgresql://host/database", "sqlite:///shop.db"
    assert set(databases) <= listed
    assert all(word in str(refused.value) for word in (*endings, *databases, "pattern", f"`{FRAME}`"))


def test_the_policy_of_several_files_reads_them(tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_text(SEVERAL, encoding="utf-8")
    for year, month in ((2024, "1"), (2025, "x")):
        folder = tmp_path / "orders" / f"year={year}" / f"month={month}"
        folder.mkdir(parents=True)
        with duckdb.connect() as connection:
            connection.execute(
                f"COPY (SELECT 1 AS customer, {year}::DOUBLE AS amount) TO '{folder}/a.parquet'"
            )
    with duckdb.connect() as connection:
        make_tables(connection, load_policy(tmp_path / "policy.yaml"))
        assert connection.execute(f"SELECT year, amount FROM {SOURCE}.orders ORDER BY 1").fetchall() == [
            (2024, 2024.0),
            (2025, 2025.0),
        ]


@pytest.mark.parametrize("row", rows_of("| type |"), ids=lambda row: row[0])
def test_values_are_read_as_the_table_says(row: list[str], tmp_path: Path) -> None:
    column = COLUMN_OF[ColumnType(row[0].strip("`"))]
    for cell, is_read in ((row[1], True), (row[2], False)):
        texts = re.findall("`(.*?)`", cell)
        assert texts and [v is not None for v in values(tmp_path, column, texts)] == [is_read] * len(texts)


@pytest.mark.parametrize("row", rows_of("| read as |"), ids=lambda row: row[0])
def test_values_of_sqlite_are_read_as_the_table_says(row: list[str], tmp_path: Path) -> None:
    kind = row[0].strip("`")
    for number, (cell, is_read) in enumerate(((row[1], True), (row[2], False))):
        folder = tmp_path / str(number)
        folder.mkdir()
        texts = re.findall("`(.*?)`", cell)
        filled(folder / "shop.db", texts)
        policy = policy_in(folder, f"x: {{type: {kind}, nullable: true}}")
        copied(policy)
        found = [value is not None for (value,) in read(policy, "SELECT x FROM t")]
        assert texts and found == [is_read] * len(texts)


def test_the_program_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "policy.yaml").write_text(HANDED, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    (program,) = fenced(TEXT, "python")
    exec(compile(program, "sources.md", "exec"), {})
    first, version, total = capsys.readouterr().out.splitlines()
    assert first.startswith("[('north', ") and version == "2" and total.startswith("[(")
