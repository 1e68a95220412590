"""docs/csv-files.md says what is so: its policy reads a file as it says, its tables are those of the reader."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest
from engines.csv_files import values
from pages import fenced, text_of

from dpsql.engines.sources.unread_values import left_out
from dpsql.policy.load import load_policy
from dpsql.policy.model import ColumnType
from dpsql.policy.table_sources import CsvFormat

TEXT = text_of("csv-files.md")


def rows_of(first: str) -> list[list[str]]:
    """The rows of the table whose first row begins with these words, each cell with its words in backticks."""
    table = TEXT[TEXT.index(first) :].partition("\n\n")[0]
    return [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in table.splitlines()]


def test_the_policy_reads_a_file_as_the_page_says(tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_text(fenced(TEXT, "yaml")[0], encoding="utf-8")
    (tmp_path / "orders.csv").write_text(
        "customer;amount;day\na;5;31.12.2025\nb;NA;1.1.2025\nc;5;2025-01-01\nd\n"
    )
    assert left_out(load_policy(tmp_path / "policy.yaml")) == (
        "tables.orders: 2 lines are left out: 1 is not made of 3 fields, 1 has no value in `amount`"
        "; declare a column `nullable: true` to keep the lines that have no value in it",
        "tables.orders.columns.day: 1 value that is no date is read as NULL",
    )


def test_every_key_of_a_format_is_in_the_table() -> None:
    listed = [key for row in rows_of("| key of")[2:] for key in re.findall("`(.*?)`", row[0])]
    assert listed == [f.name for f in dataclasses.fields(CsvFormat)]


@pytest.mark.parametrize("row", rows_of("| type |")[2:], ids=lambda row: row[0])
def test_values_are_read_as_the_table_says(tmp_path: Path, row: list[str]) -> None:
    kind = ColumnType(row[0].strip("`"))
    read, unread = (re.findall("`(.*?)`", cell) for cell in row[1:3]) if len(row) > 2 else ([], [])
    apart = CsvFormat(delimiter=";")
    for texts, is_read in ((read, True), (unread, False)):
        found = [text for text in texts if text not in ("T", "Z", "+00:00")]
        assert [v is not None for v in values(tmp_path / "t.csv", kind, found, apart)] == [is_read] * len(
            found
        )
