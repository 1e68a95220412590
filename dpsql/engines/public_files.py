"""Plain DuckDB without any privacy, for files of public data. Nothing that serves an analyst imports this module."""

from __future__ import annotations

from pathlib import Path

import duckdb

from dpsql.algebra.scan import quoted, text_literal
from dpsql.engines.base import Row


def exact_rows(files: tuple[tuple[str, Path], ...], sql: str) -> tuple[Row, ...]:
    """The exact answer to `sql` over (table name, Parquet or CSV file) pairs, unprotected."""
    with duckdb.connect() as connection:
        for name, path in files:
            connection.execute(f"CREATE VIEW {quoted(name)} AS FROM {text_literal(path)}")
        return tuple(connection.execute(sql).fetchall())


def csv_to_parquet(source: Path, target: Path, columns: tuple[tuple[str, str], ...], date_format: str) -> int:
    """Write the rows of a CSV file with a header as Parquet, and return how many there are.

    `columns` are (name, DuckDB type) in the file's order, none guessed; the header's own names are not used.
    `date_format` is the strptime format of DATE columns. Raises duckdb.Error where a value does not have its column's
    type.
    """
    types = ", ".join(f"{text_literal(name)}: {text_literal(kind)}" for name, kind in columns)
    read = (
        f"read_csv({text_literal(source)}, header=true, auto_detect=false, delim=',', quote='\"', "
        f"dateformat={text_literal(date_format)}, columns={{{types}}})"
    )
    with duckdb.connect() as connection:
        connection.execute(f"COPY (FROM {read}) TO {text_literal(target)} (FORMAT parquet)")
        counted = connection.execute("SELECT count(*) FROM read_parquet(?)", [str(target)]).fetchone()
    return int(counted[0]) if counted else 0
