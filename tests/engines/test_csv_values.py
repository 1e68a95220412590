"""What a text is as a value of each type: written down once, with no locale and no guess."""

from __future__ import annotations

from datetime import date, datetime
from math import inf
from pathlib import Path

import pytest

from dpsql.policy.model import ColumnType
from dpsql.policy.table_sources import CsvFormat
from engines.csv_files import kinds, values

INTEGERS = {
    "12": 12, "-3": -3, "+5": 5, " 5 ": 5, "007": 7, "5.0": 5, "5.": 5, "-0": 0, "9007199254740993.0": 9007199254740993,
    "9223372036854775807": 2**63 - 1, "-9223372036854775808": -(2**63), "9223372036854775808": None,
    "1e3": None, "1_000": None, "1 000": None, "5.5": None, ".0": None, "0x1F": None, "１": None, "": None, "-": None,
    "TRUE": None, "nan": None, "$5": None, "\t5": None,
}  # fmt: skip
FLOATS = {
    "12": 12.0, "-3.25": -3.25, "+.5": 0.5, "5.": 5.0, "1e3": 1000.0, "1E-2": 0.01, " 2 ": 2.0, "1e400": inf,
    "-1e400": -inf, "1e-400": 0.0, "inf": inf, "-Infinity": -inf, "9" * 400: inf,
    "1_0.5": None, "1e": None, "0x1p3": None, ".": None, "1.2.3": None, "": None, "one": None, "infinit": None,
}  # fmt: skip
BOOLEANS = {
    "true": True, "TRUE": True, "t": True, "T": True, "1": True, "False": False, "f": False, "0": False, " true ": True,
    "yes": None, "y": None, "on": None, "2": None, "1.0": None, "tru": None, "": None,
}  # fmt: skip
DATES = {
    "2025-01-31": date(2025, 1, 31), " 2025-01-31 ": date(2025, 1, 31), "0001-01-01": date(1, 1, 1),
    "9999-12-31": date(9999, 12, 31),
    "2025-02-29": None, "2025-1-1": None, "01/02/2025": None, "20250131": None, "2025-01-31 10:00:00": None,
    "99999-01-01": None, "infinity": None, "epoch": None, "today": None, "2025-01-31 (BC)": None, "": None,
}  # fmt: skip
MOMENTS = {
    "2025-01-31 10:20:30": datetime(2025, 1, 31, 10, 20, 30), "2025-01-31T10:20:30": datetime(2025, 1, 31, 10, 20, 30),
    "2025-01-31T10:20:30.5": datetime(2025, 1, 31, 10, 20, 30, 500_000),
    "2025-01-31 10:20:30.123456789": datetime(2025, 1, 31, 10, 20, 30, 123_456),
    "2025-01-31 10:20": datetime(2025, 1, 31, 10, 20), "2025-01-31": datetime(2025, 1, 31),
    "2025-01-31T10:20:30Z": datetime(2025, 1, 31, 10, 20, 30),
    "2025-01-31 10:20:30+00:00": datetime(2025, 1, 31, 10, 20, 30),
    "2025-01-31 10:20:30+02": None, "2025-01-31 10:20:30 Europe/Berlin": None, "2025-01-31 25:00:00": None,
    "2025-01-31 10": None, "infinity": None, "now": None, "1738318830": None, "": None,
}  # fmt: skip
GERMAN = CsvFormat(delimiter=",", date="%d.%m.%Y", timestamp="%d.%m.%Y %H:%M")
FORMATTED = {
    "31.01.2025": date(2025, 1, 31), "1.2.2025": date(2025, 2, 1), "29.02.2025": None, "2025-01-31": None,
    "31.01.25": None, "31.13.2025": None, "infinity": None, "epoch": None, "31.01.2025 10:00": None, "": None,
}  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "table"),
    [
        (ColumnType.INTEGER, INTEGERS),
        (ColumnType.FLOAT, FLOATS),
        (ColumnType.BOOLEAN, BOOLEANS),
        (ColumnType.DATE, DATES),
        (ColumnType.TIMESTAMP, MOMENTS),
    ],
)
def test_a_text_is_one_value_of_a_type_or_none(
    tmp_path: Path, kind: ColumnType, table: dict[str, object]
) -> None:
    assert values(tmp_path / "t.csv", kind, list(table)) == list(table.values())


def test_a_policys_format_of_dates_is_the_only_one(tmp_path: Path) -> None:
    found = values(tmp_path / "t.csv", ColumnType.DATE, list(FORMATTED), GERMAN)
    assert found == list(FORMATTED.values())
    moments = values(
        tmp_path / "t.csv", ColumnType.TIMESTAMP, ["31.01.2025 10:20", "2025-01-31 10:20:00"], GERMAN
    )
    assert moments == [datetime(2025, 1, 31, 10, 20), None]


def test_texts_are_kept_as_they_are_and_only_the_null_text_is_null(tmp_path: Path) -> None:
    texts = ["a", " a ", "", "NULL", "\t", "é"]
    assert values(tmp_path / "t.csv", ColumnType.TEXT, texts) == ["a", " a ", None, "NULL", "\t", "é"]
    form = CsvFormat(null="NULL")
    assert values(tmp_path / "t.csv", ColumnType.TEXT, texts, form) == ["a", " a ", "", None, "\t", "é"]


@pytest.mark.parametrize(
    ("field", "form", "read"),
    [
        ('"a""b"', CsvFormat(), 'a"b'),
        ('""""', CsvFormat(), '"'),
        ('"NULL"', CsvFormat(null="NULL"), "NULL"),
        (r'"a\"b\\c\n"', CsvFormat(escape="\\"), r'a"b\c\n'),
        (r'"a\\"', CsvFormat(escape="\\"), "a\\"),
        (r"a\b", CsvFormat(escape="\\"), r"a\b"),
        ("'it''s, \"so\"'", CsvFormat(quote="'", escape="'"), 'it\'s, "so"'),
        ('"a"', CsvFormat(quote="", escape=""), '"a"'),
    ],
)
def test_quotes_and_escapes_are_undone(tmp_path: Path, field: str, form: CsvFormat, read: str) -> None:
    assert values(tmp_path / "t.csv", ColumnType.TEXT, [field], form) == [read]


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        (["1", "2.0", ""], "BIGINT"),
        (["1", "2.5"], "DOUBLE"),
        (["9223372036854775808"], "DOUBLE"),
        (["0", "1"], "BIGINT"),
        (["true", "F"], "BOOLEAN"),
        (["0", "f"], "BOOLEAN"),
        (["2025-01-31"], "DATE"),
        (["2025-01-31", "2025-01-31 10:00"], "TIMESTAMP"),
        (["1", "x"], "VARCHAR"),
        (["2025-01-31", "1"], "VARCHAR"),
        (["", ""], "VARCHAR"),
        ([], "VARCHAR"),
    ],
)
def test_an_unlisted_column_has_the_narrowest_type_of_all_its_values(
    tmp_path: Path, texts: list[str], kind: str
) -> None:
    late = [f"{n},{text}\n" for n, text in enumerate([*texts[:1] * 50_000, *texts])]
    (tmp_path / "t.csv").write_text("n,v\n" + "".join(late))
    assert kinds(tmp_path / "t.csv")["v"] == kind
