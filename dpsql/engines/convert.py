"""Text files of public data to Parquet, with every type stated and none guessed."""

from __future__ import annotations

from pathlib import Path

import duckdb


def csv_to_parquet(source: Path, target: Path, columns: tuple[tuple[str, str], ...], date_format: str) -> int:
    """Write the rows of a CSV file with a header as Parquet, and return how many there are.

    `columns` are (name, DuckDB type) in the file's order; the header's own names are not used. `date_format`
    is the strptime format of DATE columns. Raises duckdb.Error where a value does not have its column's type.
    """
    types = ", ".join(f"{_text(name)}: {_text(kind)}" for name, kind in columns)
    read = (
        f"read_csv({_text(str(source))}, header=true, auto_detect=false, delim=',', quote='\"', "
        f"dateformat={_text(date_format)}, columns={{{types}}})"
    )
    with duckdb.connect() as connection:
        connection.execute(f"COPY (FROM {read}) TO {_text(str(target))} (FORMAT parquet)")
        counted = connection.execute("SELECT count(*) FROM read_parquet(?)", [str(target)]).fetchone()
    return int(counted[0]) if counted else 0


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
