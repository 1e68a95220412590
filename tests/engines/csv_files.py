"""What the reader makes of a file's bytes."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

import duckdb

from dpsql.engines.sources.text_files import load_text
from dpsql.policy.model import Column, ColumnType
from dpsql.policy.table_sources import CsvFormat, Source, SourceKind

OF_EACH = (
    Column("i", ColumnType.INTEGER, nullable=True),
    Column("x", ColumnType.FLOAT, nullable=True),
    Column("s", ColumnType.TEXT, nullable=True),
    Column("b", ColumnType.BOOLEAN, nullable=True),
    Column("d", ColumnType.DATE, nullable=True),
    Column("t", ColumnType.TIMESTAMP, nullable=True),
)
PLAIN = CsvFormat()
HEAD = b"i,x,s,b,d,t\n"
GOOD = b"1,0.5,one,true,2025-01-31,2025-01-31 10:00:00"
READ = "(1, 0.5, 'one', True, datetime.date(2025, 1, 31), datetime.datetime(2025, 1, 31, 10, 0))"


def rows(
    path: Path, columns: tuple[Column, ...] = OF_EACH, form: CsvFormat = PLAIN, threads: int = 2
) -> Counter[str]:
    """The rows as Python spells them, each with how often it is there."""
    connection = _connection(threads)
    table, _ = load_text(connection, "t", Source(SourceKind.CSV, path, "t", form), columns)
    found = Counter(map(repr, connection.execute(f"FROM {table}").fetchall()))
    connection.execute(f"DROP TABLE {table}")
    return found


@cache
def _connection(threads: int) -> duckdb.DuckDBPyConnection:
    """One for all files: to make one takes longer than to read a line."""
    connection = duckdb.connect()
    connection.execute(f"SET threads = {threads}")
    return connection


def kinds(path: Path, form: CsvFormat = PLAIN) -> dict[str, str]:
    """The types of a file of which no column is listed."""
    with duckdb.connect() as connection:
        return dict(load_text(connection, "t", Source(SourceKind.CSV, path, "t", form), ())[1])


def values(path: Path, kind: ColumnType, texts: list[str], form: CsvFormat = PLAIN) -> list[object]:
    """Each text as a value of a type, in order; the texts hold neither delimiters nor quotes."""
    lines = [f"{n}{form.delimiter}{text}\n" for n, text in enumerate(("v", *texts))]
    path.write_text("n" + "".join(lines)[1:], encoding="utf-8")
    columns = (Column("n", ColumnType.INTEGER), Column("v", kind, nullable=True))
    with duckdb.connect() as connection:
        table, _ = load_text(connection, "t", Source(SourceKind.CSV, path, "t", form), columns)
        return [row[0] for row in connection.execute(f"SELECT v FROM {table} ORDER BY n").fetchall()]
