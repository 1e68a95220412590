"""Generated databases satisfy what the policy declares, and hold the values at which something ends."""

from __future__ import annotations

import math
import random
from contextlib import closing
from dataclasses import replace
from datetime import date
from fractions import Fraction
from pathlib import Path

import duckdb
import pytest
from fuzz.worlds import TOTALS, World, subjects

from audit.odd_policies import POLICIES, audited
from dpsql.audit.databases.random_database import Database, neighbour, random_database, stored
from dpsql.audit.databases.values import fits, key_pool, pool, source_types
from dpsql.audit.sensitivity import Subject
from dpsql.engines.generated.source_files import engine_with, write_source
from dpsql.engines.private_engine import DuckEngine
from dpsql.engines.sources.text_files import load_text
from dpsql.policy.model import Column, ColumnType, Table
from dpsql.policy.table_sources import CsvFormat, Source, SourceKind
from dpsql.privacy import Neighbours
from dpsql.session import check_data

INTEGER = Column("x", ColumnType.INTEGER, 3, 9)


def made(subject: Subject, seed: int) -> Database:
    return random_database(subject.policy, subject.view, subject.style, random.Random(seed))


@pytest.mark.one_in(12)
@pytest.mark.parametrize("name", POLICIES)
def test_declared_facts_hold_in_a_generated_database_and_in_its_neighbour(name: str, tmp_path: Path) -> None:
    subject = audited(name, tmp_path)
    for seed in range(3):
        database = made(subject, seed)
        for i, one in enumerate((database, neighbour(database, random.Random(seed)))):
            assert check_data(stored(one, tmp_path / f"{seed}-{i}")) == ()


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", POLICIES)
def test_a_seed_gives_the_same_database_for_good(name: str, tmp_path: Path) -> None:
    subject = audited(name, tmp_path)
    assert made(subject, 3) == made(subject, 3) != made(subject, 4)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", POLICIES)
def test_neighbours_differ_in_the_rows_of_one_unit_alone(name: str, tmp_path: Path) -> None:
    subject = audited(name, tmp_path)
    substitute = subject.policy.privacy.neighbours is Neighbours.SUBSTITUTE
    for seed in range(20):
        database = made(subject, seed)
        other = neighbour(database, random.Random(seed))
        differing = {
            u
            for a, b in zip(database.tables, other.tables, strict=True)
            for u, row in {*a.rows} ^ {*b.rows}
        }  # fmt: skip
        assert len(differing) <= 1 and None not in differing
        if not substitute:
            assert len(other.units) == len(database.units) - 1
            assert other.size < database.size
        if subject.policy.tables[0].row_is_unit and substitute:
            assert other.size == database.size


def test_values_lie_at_the_bounds_and_just_outside_them() -> None:
    edges = pool(INTEGER).edges
    assert {"3", "9", "2", "10", str(2**63 - 1), str(-(2**63)), str(2**53)} <= set(edges)
    assert all(3 <= int(v) <= 9 for v in pool(INTEGER).plain)
    floats = pool(Column("x", ColumnType.FLOAT, Fraction(0), Fraction(1, 2), step=Fraction(1, 10))).edges
    assert {"0.0", "0.5", "-5e-324", "0.5000000000000001", "nan", "inf", "-inf", "-0.0", "0.6"} <= set(floats)
    days = pool(Column("x", ColumnType.DATE, date(2024, 2, 28), date(2024, 3, 1))).edges
    assert {"2024-02-28", "2024-02-27", "2024-03-02", "infinity", "0001-01-01"} <= set(days)
    texts = pool(Column("x", ColumnType.TEXT, values=("a", ""))).edges
    assert {"a", "", "A", "a ", "y" * 4000} <= set(texts)


def test_a_list_of_values_is_also_what_plain_rows_hold() -> None:
    assert pool(Column("x", ColumnType.INTEGER, values=(1, 5))).plain == ("1", "5")


@pytest.mark.one_in(18)
@pytest.mark.parametrize("kind", SourceKind)
@pytest.mark.parametrize("column", ColumnType)
def test_a_source_of_every_type_that_is_drawn_can_be_read(
    kind: SourceKind, column: ColumnType, tmp_path: Path
) -> None:
    x = Column("x", column)
    table = Table("t", Source(kind, Path("never"), "t"), row_is_unit=True, columns=(x,))
    policy = replace(audited("one_text", tmp_path).policy, tables=(table,))
    for raw in source_types(x, pool(x), kind):
        rows = [[v] for v in pool(x).fitting(raw).edges]
        source = write_source(table.source, tmp_path / raw, [("x", raw)], rows)
        with closing(DuckEngine.open(replace(policy, tables=(replace(table, source=source),)))):
            pass


def test_a_range_without_a_whole_number_of_steps_still_has_values() -> None:
    narrow = Column("x", ColumnType.FLOAT, Fraction(4, 10), Fraction(26, 10), step=Fraction(5))
    assert pool(narrow).plain == ("0.4", "2.6")


def sizes(database: Database, column: str) -> list[float]:
    """Of each unit that has rows, what its absolute values of a column with a total add up to, in totals."""
    (filled,) = (f for f in database.tables if f.plan.table.column(column) is not None)
    at = [c.name for c in filled.plan.columns].index(column)
    known = filled.plan.columns[at]
    assert known.unit_total is not None and known.lower is not None and known.upper is not None
    found: dict[str, float] = {}
    for unit, row in filled.rows:
        value = row[at]
        if unit is not None and value is not None and not math.isnan(float(value)):
            size = abs(min(max(float(value), float(known.lower)), float(known.upper)))  # type: ignore[arg-type]
            found[unit] = found.get(unit, 0) + size / float(known.unit_total)
    return list(found.values())


@pytest.mark.one_in(18)
@pytest.mark.parametrize("column", ["amount", "quantity", "price"])
def test_many_units_are_a_little_above_their_totals_and_some_far_above(column: str, tmp_path: Path) -> None:
    subject = subjects([World("totals", totals=TOTALS)], tmp_path)[0]
    found = [size for seed in range(40) for size in sizes(made(subject, seed), column)]
    assert sum(1 < size <= 2 for size in found) > 0.3 * len(found)
    assert sum(size > 2.5 for size in found) > 0.1 * len(found)
    assert sum(size <= 1 for size in found) > 0.1 * len(found)


@pytest.mark.parametrize("kind", ColumnType)
def test_unit_keys_are_different_units(kind: ColumnType) -> None:
    keys = key_pool(Column("id", kind))
    assert len(set(keys)) == len(keys) >= 2


@pytest.mark.parametrize(
    ("value", "raw", "held"),
    [
        ("127", "TINYINT", True),
        ("128", "TINYINT", False),
        ("-1", "UBIGINT", False),
        ("nan", "DECIMAL(12,3)", False),
        ("1e300", "FLOAT", False),
        ("inf", "FLOAT", True),
        ("infinity", "TIMESTAMP_NS", False),
        ("2262-01-01", "TIMESTAMP_NS", True),
        ("-1", "UHUGEINT", False),
        ("2025-01-01 06:30:00", "DATE", False),
        ("x", "VARCHAR", True),
    ],
)
def test_a_source_holds_the_values_of_its_type(value: str, raw: str, held: bool) -> None:
    assert fits(value, raw) is held


@pytest.mark.parametrize(
    ("rows", "kind"),
    [
        ([["a", "1"], ["b", None]], SourceKind.CSV),
        ([["12", "1"], ["", "1"], ["2025-01-01", None], [None, "2"], ["é ", "3"]], SourceKind.CSV),
        ([['a, "b"', str(-(2**63))]], SourceKind.CSV),
        ([["two\nlines", "1"]], SourceKind.PARQUET),
        ([["\r", "1"]], SourceKind.PARQUET),
        ([["y" * 2**20, "1"]], SourceKind.PARQUET),
    ],
)
def test_rows_that_a_csv_file_cannot_hold_are_written_as_parquet(
    rows: list[list[str | None]], kind: SourceKind, tmp_path: Path
) -> None:
    csv = Source(SourceKind.CSV, Path("never.csv"), "t")
    found = write_source(csv, tmp_path / "t", [("name", "VARCHAR"), ("n", "BIGINT")], rows)
    assert found.kind is kind and found.path.parent == tmp_path
    columns = (Column("name", ColumnType.TEXT, nullable=True), Column("n", ColumnType.INTEGER, nullable=True))
    with duckdb.connect() as connection:
        sql = load_text(connection, "t", found, columns)[0] if kind is SourceKind.CSV else f"'{found.path}'"
        read = connection.execute(f"SELECT name, CAST(n AS VARCHAR) FROM {sql}").fetchall()
    assert sorted(map(str, read)) == sorted(str(tuple(row)) for row in rows)


@pytest.mark.parametrize("form", [CsvFormat(";", "'", "'", True, "NA"), CsvFormat("\t", "", "", False)])
def test_a_csv_file_is_written_in_the_format_of_its_source(form: CsvFormat, tmp_path: Path) -> None:
    csv = Source(SourceKind.CSV, Path("never.csv"), "t", form)
    rows: list[list[str | None]] = [["a", "1"], ["b c", None]]
    found = write_source(csv, tmp_path / "t", [("name", "VARCHAR"), ("n", "BIGINT")], rows)
    assert (found.kind, found.format) == (SourceKind.CSV, form)


def test_the_policy_of_a_stored_database_is_the_same_but_for_its_private_sources(tmp_path: Path) -> None:
    subject = audited("fair", tmp_path)
    policy = stored(made(subject, 1), tmp_path / "stored")
    assert policy.digest == subject.policy.digest
    assert policy.table("occupations") == subject.policy.table("occupations")
    fair, original = policy.table("fair"), subject.policy.table("fair")
    assert fair is not None and original is not None
    assert fair.source.path.parent == tmp_path / "stored" and policy.path.parent == tmp_path / "stored"
    assert replace(fair, source=original.source) == original


def test_an_engine_of_the_audit_rewrites_nothing_by_stored_values_as_the_one_that_it_stands_for(
    tmp_path: Path,
) -> None:
    subject = audited("one_text", tmp_path)
    policy = stored(made(subject, 3), tmp_path / "one")
    with closing(engine_with(policy, "SET threads = 1")) as engine:
        engine._connection.execute("CREATE TABLE nothing AS SELECT NULL::VARCHAR AS x FROM range(3)")
        counted = engine._connection.execute("SELECT count(*) FROM nothing WHERE split_part(x, 'o', 1) = 'a'")
        assert counted.fetchall() == [(0,)]
