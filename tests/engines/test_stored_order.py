"""The order of prepared rows: blocks of time, in each equal values or units side by side, and no row lost."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

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
CUT = {"unit": "orders.person", "owner": "unit_key: person\n    max_rows_per_unit: 3"}
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


def blocks_of(rows: list[Row], order: Callable[[Row], tuple[object, ...]] | None = None) -> list[list[Row]]:
    """Rows with a day, cut wherever the order begins anew."""
    order = (lambda row: (key(row), row[5])) if order is None else order
    blocks: list[list[Row]] = []
    before: Any = None
    for row in (r for r in rows if r[5] is not None):
        here = order(row)
        if before is None or here < before:
            blocks.append([])
        blocks[-1].append(row)
        before = here
    return blocks


def by_units(rows: list[Row]) -> Callable[[Row], tuple[object, ...]]:
    """The order of ranked rows in a block: by the least values of their units, by units, and by places."""
    keys: dict[object, list[tuple[int, int, int]]] = defaultdict(list)
    for row in rows:
        keys[row[0]].append(key(row))
    least = {unit: tuple(map(min, zip(*found, strict=True))) for unit, found in keys.items()}
    return lambda row: (least[row[0]], row[0], row[7])


def follow_in_time(blocks: list[list[Row]]) -> bool:
    """Whether no block begins before the one before it ends."""
    spans = [(min(str(r[5]) for r in b), max(str(r[5]) for r in b)) for b in blocks]
    return all(last <= first for (_, last), (first, _) in pairwise(spans))


@pytest.mark.parametrize("words", [OWNED, ALONE], ids=["owned", "alone"])
def test_rows_stand_in_blocks_of_time_and_there_by_few_values(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: dict[str, object]
) -> None:
    monkeypatch.setattr(stored_order, "_BLOCK_ROWS", 500)
    rows = list(made_up(10_000))
    found = stored(tmp_path, rows, **words)
    assert Counter(r[:7] for r in found) == Counter(rows)
    blocks = blocks_of(found)
    assert 8 <= len(blocks) <= 60  # twenty, but of few rows a sample says little
    assert follow_in_time(blocks)


def test_rows_with_a_place_stand_unit_by_unit_in_blocks_of_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_order, "_BLOCK_ROWS", 500)
    ranked = list(made_up(5_000))
    alone = [(10_000 + i, *row[1:]) for i, row in enumerate(made_up(5_000))]
    found = stored(tmp_path, [*ranked, *alone], **FEW)
    assert Counter(r[:7] for r in found) == Counter([*ranked, *alone])
    assert {r[7] for r in found[:5_000]} == {0}
    blocks = blocks_of(found[5_000:], by_units(found[5_000:]))
    # Ten: half of the rows have a place, so that their blocks are twice as long.
    assert 4 <= len(blocks) <= 30
    assert follow_in_time(blocks)
    least, most = (len(blocks_of(rows)) for rows in (found[:5_000], found[5_000:]))
    assert least <= 100 < 1_000 < most


def test_few_rows_with_a_place_have_blocks_as_large_as_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_order, "_BLOCK_ROWS", 500)
    ranked = [(i % 7, *row[1:]) for i, row in enumerate(made_up(500))]
    alone = [(10_000 + i, *row[1:]) for i, row in enumerate(made_up(9_500))]
    found = stored(tmp_path, [*ranked, *alone], **FEW)
    # One or two, and one of the last day of all.
    assert len(blocks_of(found[9_500:], by_units(found[9_500:]))) <= 6


def test_rows_that_the_cap_of_the_table_keeps_stand_before_those_that_it_drops(tmp_path: Path) -> None:
    rows = [(i % 7, *row[1:]) for i, row in enumerate(made_up(2_000))]
    found = stored(tmp_path, [*rows, (9_999, 1, None, "east", True, date(2025, 1, 1), 1.0)], **CUT)
    places = [int(str(r[7])) for r in found]
    assert places[0] == 0
    assert Counter(places[1:22]) == {1: 7, 2: 7, 3: 7}
    assert min(places[22:]) == 4
    for part in (found[1:22], found[22:]):
        assert len(blocks_of(part, by_units(found[1:]))) <= 4  # one or two, and one of the last day of all


@pytest.mark.one_in(3)
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
