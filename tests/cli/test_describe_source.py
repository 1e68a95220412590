"""A source is described by the names and types of its tables, and by nothing of its rows."""

from __future__ import annotations

import gzip
from pathlib import Path

import duckdb
import pytest

from dpsql.engines.sources.described import SUFFIXES, describe_source
from dpsql.errors import PolicyError
from dpsql.policy.load import load_policy
from dpsql.policy.model import ColumnType
from dpsql.policy.skeleton import SourceColumn, SourceTable

POLICY = """\
version: 1
privacy: {{unit: t.*}}
tables:
  t:
    source: data{suffix}
    columns: {{a: {{type: integer}}}}
budgets:
  dataset: {{epsilon: 1}}
  default: {{epsilon: 1}}
"""
TYPES = {
    "TINYINT": ColumnType.INTEGER,
    "UBIGINT": ColumnType.INTEGER,
    "HUGEINT": ColumnType.INTEGER,
    "DOUBLE": ColumnType.FLOAT,
    "DECIMAL(10,2)": ColumnType.FLOAT,
    "VARCHAR": ColumnType.TEXT,
    "ENUM('a', 'b')": ColumnType.TEXT,
    "UUID": ColumnType.TEXT,
    "BOOLEAN": ColumnType.BOOLEAN,
    "DATE": ColumnType.DATE,
    "TIMESTAMP": ColumnType.TIMESTAMP,
    "TIMESTAMP_NS": ColumnType.TIMESTAMP,
    "TIMESTAMP WITH TIME ZONE": ColumnType.TIMESTAMP,
    "BLOB": None,
    "INTEGER[]": None,
    "DECIMAL(4,1)[]": None,
    "STRUCT(a INTEGER)": None,
}


def make(path: Path, *statements: str) -> Path:
    with duckdb.connect(str(path)) as connection:
        for statement in statements:
            connection.execute(statement)
    return path


def test_a_database_gives_its_tables_and_views_in_order_of_name(tmp_path):
    path = make(
        tmp_path / "shop.duckdb",
        "CREATE TABLE orders (id BIGINT, amount DOUBLE)",
        "CREATE VIEW big AS SELECT amount FROM orders",
        "CREATE SCHEMA other",
        "CREATE TABLE other.hidden (x INT)",
    )
    assert describe_source(path) == (
        SourceTable("big", str(path), (SourceColumn("amount", ColumnType.FLOAT, "DOUBLE"),)),
        SourceTable(
            "orders",
            str(path),
            (
                SourceColumn("id", ColumnType.INTEGER, "BIGINT"),
                SourceColumn("amount", ColumnType.FLOAT, "DOUBLE"),
            ),
        ),
    )


@pytest.mark.one_in(6)
@pytest.mark.parametrize("raw", TYPES)
def test_every_type_of_a_source_has_a_type_in_a_policy_or_none(tmp_path, raw):
    path = make(tmp_path / "t.duckdb", f"CREATE TABLE t (x {raw})")
    (table,) = describe_source(path)
    assert table.columns == (SourceColumn("x", TYPES[raw], raw),)


def test_a_parquet_file_is_one_table_named_like_the_file(tmp_path):
    path = tmp_path / "it's.parquet"
    duckdb.execute(
        f"COPY (SELECT 1 AS a, DATE '2025-01-01' AS b) TO '{str(path).replace(chr(39), chr(39) * 2)}'"
    )
    assert describe_source(str(path)) == (
        SourceTable(
            "it's",
            str(path),
            (SourceColumn("a", ColumnType.INTEGER, "INTEGER"), SourceColumn("b", ColumnType.DATE, "DATE")),
        ),
    )


def test_a_csv_file_is_one_table_also_when_it_is_packed(tmp_path):
    text = "id,name\n1,x\n2,y\n"
    (tmp_path / "a.csv").write_text(text)
    (tmp_path / "b.csv.gz").write_bytes(gzip.compress(text.encode()))
    columns = (
        SourceColumn("id", ColumnType.INTEGER, "BIGINT"),
        SourceColumn("name", ColumnType.TEXT, "VARCHAR"),
    )
    for file, name in (("a.csv", "a"), ("b.csv.gz", "b")):
        assert describe_source(tmp_path / file) == (SourceTable(name, str(tmp_path / file), columns),)


@pytest.mark.parametrize(("suffix", "kind"), SUFFIXES)
def test_a_policy_takes_the_same_kinds_of_files(tmp_path, suffix, kind):
    (tmp_path / "p.yaml").write_text(POLICY.format(suffix=suffix))
    assert load_policy(tmp_path / "p.yaml").tables[0].source.kind is kind


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("none.csv", None, "there is no such file"),
        ("notes.txt", b"x", "must end in one of .duckdb, .db"),
        ("bad.parquet", b"not parquet", "cannot be read as a parquet file"),
        ("bad.duckdb", b"not a database" * 1000, "cannot be read as a duckdb file"),
    ],
)
def test_a_file_that_cannot_be_described_is_a_policy_error_of_one_line(tmp_path, name, content, message):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(PolicyError, match=message) as caught:
        describe_source(tmp_path / name)
    assert str(caught.value).startswith(str(tmp_path / name)) and "\n" not in str(caught.value)


def test_a_description_changes_no_database(tmp_path):
    path = make(tmp_path / "t.duckdb", "CREATE TABLE t (x INT)")
    before = path.read_bytes()
    describe_source(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["t.duckdb"]
