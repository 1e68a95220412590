"""The order of prepared rows: blocks of time, in each equal values side by side, and no row lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path

import duckdb
import pytest

from dpsql.engines.prepare_tables import prepare_tables
from dpsql.engines.prepared import stored_order
from dpsql.engines.prepared.folder import PreparedFolder
from dpsql.policy.load import load_policy

LEAST = -(2**62)
REGIONS = ("west", "east", "north")
POLICY = """\
version: 1
privacy: {{unit: {unit}}}
tables:
  orders:
    source: orders.duckdb
    {owner}
    columns:
      person: {{type: integer}}
      wide: {{type: integer, lower: 0, upper: 5000}}
      level: {{type: integer, lower: {least}, upper: {most}, nullable: true}}
      region: {{type: text, values: [west, east, north], nullable: true}}
      sure: {{type: boolean, nullable: true}}
      day: {{type: date, lower: 2020-01-01, upper: 9999-12-31, nullable: true}}
      price: {{type: float, lower: 0, upper: 100, nullable: true}}
budgets: {{dataset: {{epsilon: 10}}, default: {{epsilon: 2}}}}
accountant: pure
"""
OWNED = {"unit": "orders.person, max_rows_per_unit: 100", "owner": "unit_key: person"}
FEW = {"unit": "orders.person, max_rows_per_unit: 3", "owner": "unit_key: person"}
ALONE = {"unit": "orders.*", "owner": ""}
LEVELS = {"least": LEAST, "most": LEAST + 3}

MANY = "".join(f"      c{i}: {{{{type: text, values: [x]}}}}\n" for i in range(70))

Row = tuple[object, ...]


def made_up(count: int) -> Iterator[Row]:
    """Rows of a year, in no order; some values are missing, and a hundredth of the days is the last of all."""
    for i in range(count):
        day = date(9999, 12, 31) if i % 100 == 7 else date(2025, 1, 1) + timedelta(days=i * 7919 % 365)
        missing = i % 11 == 0
        region = None if missing else REGIONS[i % 3]
        sure = None if missing else i % 2 == 0
        level = None if missing else LEAST + i % 4
        yield i % 997, i % 5001, level, region, sure, None if i % 13 == 0 else day, float(i % 101)


def stored(folder: Path, rows: list[Row], **words: object) -> list[Row]:
    """The rows of a prepared table as they stand in its file, each with its place in its unit's order."""
    with duckdb.connect(str(folder / "orders.duckdb")) as source:
        columns = (
            "person BIGINT, wide INTEGER, level BIGINT, region VARCHAR, sure BOOLEAN, day DATE, price DOUBLE"
        )
        source.execute(f"CREATE TABLE orders ({columns})")
        if rows:
            lists = [list(column) for column in zip(*rows, strict=True)]
            source.execute(f"INSERT INTO orders SELECT {', '.join(['unnest(?)'] * len(lists))}", lists)
    path = folder / "policy.yaml"
    path.write_text(POLICY.format(**words, **LEVELS))
    policy, copy = load_policy(path), folder / "copy"
    prepare_tables(policy, copy)
    place = PreparedFolder.of(policy, copy)
    with duckdb.connect(str(copy / place.read().file), read_only=True) as file:
        place_of = '"#place"' if words["owner"] else "0"
        names = f"person, wide, level, region, sure, day, price, {place_of}"
        return file.execute(f"SELECT {names} FROM orders ORDER BY rowid").fetchall()


def key(row: Row) -> tuple[int, int, int]:
    """By which rows of a block are ordered: listed values as the policy lists them, then the fewest; NULL last."""
    _, _, level, region, sure, _, _, _ = row
    listed = REGIONS.index(str(region)) if region is not None else len(REGIONS)
    assert level is None or isinstance(level, int)
    return listed, 2 if sure is None else int(bool(sure)), 4 if level is None else level - LEAST


def blocks_of(rows: list[Row]) -> list[list[Row]]:
    """Rows with a day, cut wherever the order begins anew."""
    blocks: list[list[Row]] = []
    before = None
    for row in rows:
        here = (key(row), row[5])
        if before is None or here < before:
            blocks.append([])
        blocks[-1].append(row)
        before = here
    return blocks


@pytest.mark.parametrize("words", [OWNED, ALONE], ids=["owned", "alone"])
def test_rows_stand_in_blocks_of_time_and_there_by_few_values(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: dict[str, object]
) -> None:
    monkeypatch.setattr(stored_order, "_BLOCK_ROWS", 500)
    rows = list(made_up(10_000))
    found = stored(tmp_path, rows, **words)
    assert Counter(r[:7] for r in found) == Counter(rows)
    blocks = blocks_of([r for r in found if r[5] is not None])
    assert 8 <= len(blocks) <= 60  # twenty, but of few rows a sample says little
    spans = [(min(str(r[5]) for r in b), max(str(r[5]) for r in b)) for b in blocks]
    assert all(last <= first for (_, last), (first, _) in pairwise(spans))


def test_rows_that_a_cap_keeps_stand_before_those_that_it_drops(tmp_path: Path) -> None:
    rows = [(i % 7, *row[1:]) for i, row in enumerate(made_up(2_000))]
    found = stored(tmp_path, [*rows, (9_999, 1, None, "east", True, date(2025, 1, 1), 1.0)], **FEW)
    places = [int(str(r[7])) for r in found]
    assert places[0] == 0
    assert Counter(places[1:22]) == {1: 7, 2: 7, 3: 7}
    assert min(places[22:]) == 4
    for part in (found[1:22], found[22:]):
        blocks = blocks_of([r for r in part if r[5] is not None])
        assert len(blocks) <= 4  # of so few rows one or two, and one of the last day of all


@pytest.mark.parametrize("words", [OWNED, ALONE], ids=["owned", "alone"])
@pytest.mark.parametrize(
    "rows",
    [
        [],
        [(1, 0, None, None, None, None, None)],
        [(i, i, LEAST, "east", True, date(2025, 1, 1), 0.0) for i in range(3_000)],
    ],
    ids=["none", "missing", "one day"],
)
def test_whatever_the_times_are_no_row_is_lost(
    tmp_path: Path, rows: list[Row], words: dict[str, object]
) -> None:
    assert Counter(r[:7] for r in stored(tmp_path, rows, **words)) == Counter(rows)


def test_very_many_columns_of_one_value_make_no_number_too_large(tmp_path: Path) -> None:
    named = ", ".join(f"'x' AS c{i}" for i in range(70))
    with duckdb.connect(str(tmp_path / "wide.duckdb")) as source:
        day = "DATE '2025-01-01' + (range % 300)::INTEGER AS day"
        source.execute(
            f"CREATE TABLE orders AS SELECT range AS person, NULL::BOOLEAN AS sure, {day}, {named} FROM range(3000)"
        )
    kept = [line for line in POLICY.splitlines(keepends=True) if not line.startswith("      ")]
    columns = "      person: {{type: integer}}\n      sure: {{type: boolean, nullable: true}}\n"
    columns += "      day: {{type: date, lower: 2020-01-01, upper: 2026-01-01}}\n" + MANY
    at = kept.index("    columns:\n") + 1
    path = tmp_path / "policy.yaml"
    path.write_text(
        "".join([*kept[:at], columns, *kept[at:]]).format(**ALONE).replace("orders.duckdb", "wide.duckdb")
    )
    assert prepare_tables(load_policy(path), tmp_path / "copy").rows == 3_000
