"""DuckDB for generated databases: writes them as sources, and reads them with settings of the caller's.

Nothing here is for private rows: the engine of an analyst's session locks its settings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import duckdb

from dpsql.engines.duckdb import DuckEngine, make_tables
from dpsql.engines.settings import Limits, connect
from dpsql.policy.model import Policy, Source, SourceKind
from dpsql.scan import quoted

Columns = Sequence[tuple[str, str]]
_LONG = 600.0
_SUFFIX = {SourceKind.DUCKDB: "duckdb", SourceKind.PARQUET: "parquet", SourceKind.CSV: "csv"}


def reserved_words() -> frozenset[str]:
    """The words that DuckDB takes for a name only in quotes."""
    with duckdb.connect(":memory:") as connection:
        rows = connection.execute(
            "SELECT keyword_name FROM duckdb_keywords() WHERE keyword_category <> 'unreserved'"
        )
        return frozenset(str(row[0]).lower() for row in rows.fetchall())  # fmt: skip


def write_source(
    source: Source, stem: Path, columns: Columns, rows: Sequence[Sequence[str | None]]
) -> Source:
    """Writes rows to `stem` with the suffix of the source's kind; where they are now.

    `columns` are names and DuckDB types, text with a collation among them; each value is text that its type can be cast
    from, or None for NULL. A CSV file has no types: where DuckDB would guess others from these rows, or read other
    values, they become Parquet.
    """
    path = stem.with_name(f"{stem.name}.{_SUFFIX[source.kind]}")
    in_file = source.kind is SourceKind.DUCKDB
    table = quoted(source.table) if in_file else "t"
    with duckdb.connect(str(path) if in_file else ":memory:") as connection:
        _fill(connection, table, columns, rows)
        if source.kind is SourceKind.CSV and not _written_as_csv(connection, path, columns):
            path = stem.with_name(f"{stem.name}.parquet")
        if path.suffix == ".parquet":
            connection.execute(f"COPY t TO {_text(path)} (FORMAT parquet)")
    return replace(source, kind=_kind_of(path), path=path)


def _kind_of(path: Path) -> SourceKind:
    return next(kind for kind, suffix in _SUFFIX.items() if path.suffix == f".{suffix}")


def _fill(
    connection: duckdb.DuckDBPyConnection,
    table: str,
    columns: Columns,
    rows: Sequence[Sequence[str | None]],
) -> None:
    made = ", ".join(f"{quoted(name)} {kind}" for name, kind in columns)
    connection.execute(f"CREATE TABLE {table} ({made})")
    if rows:
        parts = ", ".join(
            f"CAST(unnest(${i + 1}::VARCHAR[]) AS {kind.partition(' COLLATE ')[0]})"
            for i, (_, kind) in enumerate(columns)
        )
        values = [[row[i] for row in rows] for i in range(len(columns))]
        connection.execute(f"INSERT INTO {table} SELECT {parts}", values)


def _written_as_csv(connection: duckdb.DuckDBPyConnection, path: Path, columns: Columns) -> bool:
    """Whether the rows of `t` were written to a CSV file that DuckDB reads as the same rows."""
    connection.execute(f"COPY t TO {_text(path)} (FORMAT csv, HEADER)")
    try:
        described = connection.execute(f"DESCRIBE FROM read_csv({_text(path)})").fetchall()
        if [(str(row[0]), str(row[1])) for row in described] != list(columns):
            return False
        differing = connection.execute(
            f"SELECT count(*) FROM ((FROM t EXCEPT ALL FROM read_csv({_text(path)})) UNION ALL "
            f"(FROM read_csv({_text(path)}) EXCEPT ALL FROM t))"
        ).fetchall()
    except duckdb.Error:
        return False
    return bool(differing[0][0] == 0)


def engine_with(policy: Policy, *settings: str) -> DuckEngine:
    """The private engine under DuckDB settings that an analyst's session does not offer; else it has that one's."""
    connection = connect(Limits(seconds=_LONG))
    try:
        for setting in settings:
            connection.execute(setting)
        make_tables(connection, policy)
    except BaseException:
        connection.close()
        raise
    return DuckEngine(connection)


def _text(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"
