"""Plain DuckDB without any privacy, for data that is public: what an exact answer would have been.

Nothing that serves an analyst imports this module.
"""

from __future__ import annotations

from pathlib import Path

import duckdb

from dpsql.engines.base import Row


def exact_rows(files: tuple[tuple[str, Path], ...], sql: str) -> tuple[Row, ...]:
    """The exact answer to `sql` over (table name, Parquet or CSV file) pairs, unprotected."""
    with duckdb.connect() as connection:
        for name, path in files:
            source = str(path).replace("'", "''")
            connection.execute(f"CREATE VIEW \"{name}\" AS FROM '{source}'")
        return tuple(connection.execute(sql).fetchall())
