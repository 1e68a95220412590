"""Several files as one source: which ones is part of the version, and none has a say in how others are read."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

import duckdb
import pytest
from answers.noiseless import Noiseless

from dpsql.algebra.scan import text_literal
from dpsql.engines.private_engine import make_tables
from dpsql.engines.sources.fingerprints import sources_of
from dpsql.engines.sources.unread_values import left_out
from dpsql.engines.sqlgen.relation import SOURCE
from dpsql.errors import OperationalError, PolicyError
from dpsql.policy.load import load_policy
from dpsql.policy.model import Policy
from dpsql.session import Session, accept_sources, build_session, refresh_sources

POLICY = """version: 1
privacy: {{unit: orders.customer, max_rows_per_unit: 9}}
accountant: pure
tables:
  orders:
    source: "{source}"
    unit_key: customer
    columns:
      customer: {{type: integer}}
      amount: {{type: float, lower: 0, upper: 100, step: 0.5, nullable: true}}
      year: {{type: {year}, nullable: {nullable}}}
engine: {{isolation: {isolation}}}
budgets: {{dataset: {{epsilon: 1000}}, default: {{epsilon: 1000, per_query: 1}}}}
"""
FORMS = {
    "parquet": "FORMAT parquet",
    "csv": "FORMAT csv, HEADER",
    "json": "FORMAT json, ARRAY true",
    "jsonl": "FORMAT json, ARRAY false",
    "csv.gz": "FORMAT csv, HEADER, COMPRESSION gzip",
    "json.gz": "FORMAT json, ARRAY true, COMPRESSION gzip",
}
ASKED = "SELECT COUNT(*), SUM(amount) FROM orders"


def write(path: Path, select: str = "1 AS customer, 2.5::DOUBLE AS amount", form: str = "parquet") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT {select}) TO {text_literal(path)} ({FORMS[form]})")


def policy_in(
    folder: Path, source: str, year: str = "integer", isolation: str = "inline", **more: str
) -> Policy:
    nullable = more.get("nullable", "true")
    text = POLICY.format(source=source, year=year, isolation=isolation, nullable=nullable)
    (folder / "policy.yaml").write_text(text, encoding="utf-8")
    return load_policy(folder / "policy.yaml")


def opened(policy: Policy) -> Session:
    return build_session(policy, "a", None, (None, None), Noiseless())


def answer(policy: Policy, sql: str = ASKED) -> tuple[object, ...]:
    with closing(opened(policy)) as session:
        return session.answer(sql).rows[0]


BY_YEAR = "SELECT COUNT(*), SUM(amount) FILTER (WHERE year = 2024), COUNT(*) FILTER (WHERE year IS NULL) FROM orders"


@pytest.mark.one_in(12)
@pytest.mark.parametrize("isolation", ["inline", "process"])
@pytest.mark.parametrize("form", FORMS)
def test_folders_give_the_columns_that_the_policy_lists(form: str, isolation: str, tmp_path: Path) -> None:
    base = tmp_path / "with [brackets] and * in it"
    for n, folder in enumerate(("year=2024/m=1", "year=2025/m=2", "year=__HIVE_DEFAULT_PARTITION__/m=2")):
        write(base / "orders" / folder / f"part-{n}.{form}", f"{n} AS customer, 2.5::DOUBLE AS amount", form)
    write(base / "orders" / "year=2024" / "m=2" / f".hidden.{form}", form=form)
    policy = policy_in(base, f"orders/year=*/m=*/part-*.{form}", isolation=isolation)
    assert answer(policy, BY_YEAR) == (3, 2.5, 1)


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("name", "year", "found"),
    [
        ("x2024", "integer", None),
        ("2024.5", "integer", None),
        ("99999999999999999999", "integer", None),
        ("02024", "integer", 2024),
        ("%32024", "integer", 2024),
        ("%ff", "text", None),
        ("a%2Fb%25", "text", "a/b%"),
        ("1; DROP", "text", "1; DROP"),
        ("it's", "text", "it's"),
        ("2025-01-31", "date", "2025-01-31"),
        ("31.1.2025", "date", None),
        ("TRUE", "boolean", "true"),
    ],
)
@pytest.mark.parametrize("form", ["parquet", "csv", "jsonl"])
def test_a_folders_value_is_parsed_by_the_declared_type_alone(
    name: str, year: str, found: object, form: str, tmp_path: Path
) -> None:
    write(tmp_path / "orders" / "year=2024" / f"a.{form}", form=form)
    write(tmp_path / "orders" / f"year={name}" / f"b.{form}", "7 AS customer, 1::DOUBLE AS amount", form)
    policy = policy_in(tmp_path, f"orders/year=*/*.{form}", year)
    with duckdb.connect() as connection:
        make_tables(connection, policy)
        read = connection.execute(f"SELECT year::VARCHAR FROM {SOURCE}.orders WHERE customer = 7").fetchall()
    assert read == [(str(found) if found is not None else None,)]


def test_rows_of_a_folder_without_a_value_are_left_out_of_text_where_one_is_needed(tmp_path: Path) -> None:
    write(tmp_path / "orders" / "year=2024" / "a.csv", form="csv")
    write(tmp_path / "orders" / "year=x" / "b.csv", form="csv")
    policy = policy_in(tmp_path, "orders/year=*/*.csv", nullable="false")
    assert answer(policy) == (1, 2.5)
    assert "1 line is left out: 1 has no value in `year`" in left_out(policy)[0]


def test_rows_of_a_folder_without_a_value_break_the_fact_in_parquet(tmp_path: Path) -> None:
    write(tmp_path / "orders" / "year=x" / "b.parquet")
    with pytest.raises(PolicyError, match="the data does not satisfy the policy"):
        opened(policy_in(tmp_path, "orders/year=*/*.parquet", nullable="false"))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("form", ["parquet", "csv", "json"])
def test_a_file_that_is_added_removed_or_renamed_is_another_version(form: str, tmp_path: Path) -> None:
    first, second = tmp_path / "o" / "year=2024" / f"a.{form}", tmp_path / "o" / "year=2025" / f"b.{form}"
    write(first, form=form)
    policy = policy_in(tmp_path, f"o/year=*/*.{form}")
    assert answer(policy) == (1, 2.5)
    with closing(opened(policy)) as session:
        write(second, form=form)
        with pytest.raises(OperationalError, match="the data is being changed"):
            session.answer("SELECT COUNT(*) FROM orders WHERE amount > 1")
    with pytest.raises(OperationalError, match="the data has changed"):
        opened(policy)
    refresh_sources(policy.path, None, "admin")
    assert answer(policy) == (2, 5.0)
    second.unlink()
    with pytest.raises(OperationalError, match="the data has changed"):
        opened(policy)
    write(second, form=form)
    refresh_sources(policy.path, None, "admin")
    second.rename(first.with_name(f"b.{form}"))
    with pytest.raises(OperationalError, match="the data has changed"):
        opened(policy)


def test_files_that_changed_places_are_no_copies(tmp_path: Path) -> None:
    first, second = tmp_path / "o" / "year=2024" / "a.parquet", tmp_path / "o" / "year=2025" / "a.parquet"
    write(first)
    write(second, "1 AS customer, 3.5::DOUBLE AS amount")
    policy = policy_in(tmp_path, "o/year=*/*.parquet")
    opened(policy).close()
    os.utime(first, (1, 1))
    assert accept_sources(policy.path, None, "admin") == 1
    first.rename(tmp_path / "kept")
    second.rename(first)
    (tmp_path / "kept").rename(second)
    with pytest.raises(PolicyError, match="is not a copy"):
        accept_sources(policy.path, None, "admin")


def test_a_moved_folder_is_accepted_as_the_same(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    for year in (2024, 2025):
        write(
            tmp_path / "one" / "o" / f"year={year}" / "a.parquet",
            f"{year} AS customer, 2.5::DOUBLE AS amount",
        )
    policy = policy_in(tmp_path / "one", "o/year=*/*.parquet")
    opened(policy).close()
    (tmp_path / "one").rename(tmp_path / "two")
    moved = load_policy(tmp_path / "two" / "policy.yaml")
    with pytest.raises(OperationalError, match="the data has changed"):
        opened(moved)
    assert accept_sources(moved.path, None, "admin") == 3
    assert answer(moved) == (2, 5.0)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("second", "message"),
    [
        ("1 AS customer, 2.5::FLOAT AS amount", "in b.parquet the column amount is FLOAT, in the first file"),
        ("'1' AS customer, 2.5::DOUBLE AS amount", "the column customer is VARCHAR"),
        ("1 AS customer", "b.parquet has no column amount, which the first file has"),
        ("1 AS customer, 2.5::DOUBLE AS amount, 7 AS year", "has a column year, which the first file has not"),
    ],
)  # fmt: skip
def test_parquet_files_have_one_shape(second: str, message: str, tmp_path: Path) -> None:
    write(tmp_path / "orders" / "a.parquet")
    write(tmp_path / "orders" / "b.parquet", second)
    with pytest.raises(PolicyError, match=message):
        opened(policy_in(tmp_path, "orders/*.parquet"))


def test_columns_in_another_order_are_the_same_columns(tmp_path: Path) -> None:
    write(tmp_path / "orders" / "year=1" / "a.parquet")
    write(tmp_path / "orders" / "year=1" / "b.parquet", "4.5::DOUBLE AS amount, 1 AS unlisted, 2 AS customer")
    assert answer(policy_in(tmp_path, "orders/year=*/*.parquet")) == (2, 7.0)


@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_a_column_of_a_file_is_not_replaced_by_a_folders_name(form: str, tmp_path: Path) -> None:
    write(
        tmp_path / "orders" / "year=2024" / f"a.{form}",
        "1 AS customer, 2.5::DOUBLE AS amount, 7 AS year",
        form,
    )
    with pytest.raises(PolicyError, match="has a column year, which a folder's name gives as well"):
        opened(policy_in(tmp_path, f"orders/year=*/*.{form}"))


def test_csv_files_have_one_shape(tmp_path: Path) -> None:
    write(tmp_path / "orders" / "a.csv", form="csv")
    write(tmp_path / "orders" / "b.csv", "1 AS customer, 2 AS amounts", form="csv")
    with pytest.raises(PolicyError, match=r"b.csv has no column amount, which the first file has"):
        opened(policy_in(tmp_path, "orders/*.csv"))


def test_a_value_in_one_file_changes_no_other(tmp_path: Path) -> None:
    write(tmp_path / "o" / "a.csv", "1 AS customer, 2.5 AS amount, 1 AS year", form="csv")
    write(tmp_path / "o" / "b.csv", "'x' AS customer, 'many' AS amount, 'y' AS year", form="csv")
    assert answer(policy_in(tmp_path, "o/*.csv")) == (1, 2.5)


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (lambda folder: (folder / "b.parquet").symlink_to(folder / "a.parquet"), "b.parquet is a link"),
        (lambda folder: (folder / "b.parquet").mkdir(), "b.parquet is no file"),
        (
            lambda folder: (folder / "b\u202e.parquet").write_bytes(b""),
            "holds control or invisible characters",
        ),
        (lambda folder: (folder / "a.parquet").unlink(), r"no file is met by \*.parquet in o"),
        (lambda folder: (folder / "b.parquet").write_bytes(b"PAR1"), "cannot be read"),
    ],
    ids=["a link", "a folder", "an invisible name", "nothing", "no parquet"],
)
def test_a_pattern_meets_plain_files_alone(made, message: str, tmp_path: Path) -> None:
    write(tmp_path / "o" / "a.parquet")
    made(tmp_path / "o")
    with pytest.raises(PolicyError, match=message):
        opened(policy_in(tmp_path, "o/*.parquet"))


def test_a_linked_folder_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "o" / "year=1" / "a.parquet")
    (tmp_path / "o" / "year=2").symlink_to(tmp_path / "o" / "year=1")
    with pytest.raises(PolicyError, match="year=2 is a link"):
        sources_of(policy_in(tmp_path, "o/year=*/*.parquet"))


def test_a_pattern_reads_a_public_table_of_all_columns(tmp_path: Path) -> None:
    text = POLICY.format(source="o.parquet", year="integer", nullable="true", isolation="inline")
    text = text.replace("engine:", "  names: {source: 'n/*.parquet', public: true}\nengine:")
    write(tmp_path / "o.parquet", "1 AS customer, 2.5::DOUBLE AS amount, 2024 AS year")
    write(tmp_path / "n" / "a.parquet", "2024 AS year, 'x' AS name")
    write(tmp_path / "n" / "b.parquet", "2025 AS year, 'y' AS name")
    (tmp_path / "policy.yaml").write_text(text, encoding="utf-8")
    policy = load_policy(tmp_path / "policy.yaml")
    assert answer(policy, "SELECT COUNT(*) FROM orders JOIN names USING (year) WHERE name = 'x'") == (1,)
    write(tmp_path / "n" / "c.parquet", "2026 AS year")
    with duckdb.connect() as connection, pytest.raises(PolicyError, match=r"c\.parquet has no column name"):
        make_tables(connection, policy)


@pytest.mark.parametrize("form", ["parquet", "csv", "duckdb"])
def test_a_folder_in_the_place_of_a_file_is_refused_with_a_pattern(form: str, tmp_path: Path) -> None:
    """So Spark writes what it calls a file."""
    write(tmp_path / f"orders.{form}" / "part-0.parquet")
    hint = "" if form == "duckdb" else rf"; name its files by a pattern, such as orders\.{form}/\*\.{form}"
    with pytest.raises(PolicyError, match=rf"orders\.{form}: it is a folder{hint}$"):
        opened(policy_in(tmp_path, f"orders.{form}"))
