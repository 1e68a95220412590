"""DuckDB for generated databases: writes them as sources, and reads them with settings of the caller's.

Nothing here is for private rows: the engine of an analyst's session locks its settings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import duckdb

from dpsql.algebra.scan import quoted, text_literal
from dpsql.algebra.types import sql_type
from dpsql.engines.duckdb_settings import Limits, connect
from dpsql.engines.generated.json_texts import as_stored
from dpsql.engines.prepared.manifest import PreparedFile
from dpsql.engines.private_engine import DuckEngine, make_tables
from dpsql.engines.sources.lines import TextMistake
from dpsql.engines.sources.text_files import load_text
from dpsql.engines.sources.views import TypedTable, typed_tables
from dpsql.policy.model import Column, ColumnType, Policy
from dpsql.policy.table_sources import CsvFormat, Source, SourceKind

Columns = Sequence[tuple[str, str]]
_LONG = 600.0
_KINDS = {sql_type(kind).value: kind for kind in ColumnType}
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
    from, or None for NULL. A CSV file has neither types nor line breaks: where these rows would be read as others, they
    become Parquet, and so does a source of any other kind.
    """
    source = replace(source, parts=(), content="", database=None)
    path = stem.with_name(f"{stem.name}.{_SUFFIX.get(source.kind, 'parquet')}")
    in_file = source.kind is SourceKind.DUCKDB
    table = quoted(source.table) if in_file else "t"
    with duckdb.connect(str(path) if in_file else ":memory:") as connection:
        _fill(connection, table, columns, rows)
        if source.kind is SourceKind.CSV and not _written_as_csv(connection, source, path, columns):
            path = stem.with_name(f"{stem.name}.parquet")
        if path.suffix == ".parquet":
            connection.execute(f"COPY t TO {text_literal(path)} (FORMAT parquet)")
    kind = next(kind for kind, suffix in _SUFFIX.items() if path.suffix == f".{suffix}")
    return replace(source, kind=kind, path=path)


def copy_public_tables(policy: Policy, paths: Mapping[str, Path]) -> None:
    """Writes each public table, by name, to a Parquet file, as the engines read it. Raises PolicyError."""
    with closing(connect(Limits(seconds=_LONG))) as connection:
        for typed in typed_tables(connection, policy, [t for t in policy.tables if t.public]):
            path = paths[typed.table.name]
            if any(column.field for column in typed.table.columns):
                _copy_texts(connection, typed, path)
            else:
                connection.execute(f"COPY ({typed.select}) TO {text_literal(path)} (FORMAT parquet)")


def _copy_texts(connection: duckdb.DuckDBPyConnection, typed: TypedTable, path: Path) -> None:
    """Writes a public table with fields of JSON, which stand in text again."""
    columns = [(name, sql_type(kind).value) for name, kind in typed.columns]
    texts = ", ".join(f"CAST({quoted(name)} AS VARCHAR)" for name, _ in columns)
    rows = connection.execute(f"SELECT {texts} FROM ({typed.select})").fetchall()
    source = Source(SourceKind.PARQUET, path, typed.table.name)
    write_source(source, path.with_suffix(""), *as_stored(typed.table, columns, rows))


def _fill(
    connection: duckdb.DuckDBPyConnection, table: str, columns: Columns, rows: Sequence[Sequence[str | None]]
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


def _written_as_csv(
    connection: duckdb.DuckDBPyConnection, source: Source, path: Path, columns: Columns
) -> bool:
    """Whether the rows of `t` were written to a CSV file that is read as the same rows."""
    kinds = [(name, _KINDS.get(raw)) for name, raw in columns]
    listed = [Column(name, kind, nullable=True) for name, kind in kinds if kind is not None]
    if len(listed) < len(kinds):
        return False
    try:
        connection.execute(f"COPY t TO {text_literal(path)} ({_options(source.format)})")
        read, _ = load_text(connection, "t", replace(source, path=path), tuple(listed))
    except (TextMistake, duckdb.Error):
        return False
    differing = connection.execute(
        f"SELECT count(*) FROM ((FROM t EXCEPT ALL FROM {read}) UNION ALL (FROM {read} EXCEPT ALL FROM t))"
    ).fetchall()
    return bool(differing[0][0] == 0)


def _options(form: CsvFormat) -> str:
    """What makes DuckDB write a file in a format; moments are always ISO 8601."""
    texts = {"DELIMITER": form.delimiter, "QUOTE": form.quote, "ESCAPE": form.escape, "NULLSTR": form.null}
    given = ", ".join(f"{key} {text_literal(value)}" for key, value in texts.items())
    return f"FORMAT csv, HEADER {str(form.header).lower()}, {given}"


def engine_with(policy: Policy, *settings: str, prepared: PreparedFile | None = None) -> DuckEngine:
    """The private engine under DuckDB settings that an analyst's session does not offer; else it has that one's.

    Its private tables are those of a prepared file if one is given.
    """
    connection = connect(Limits(seconds=_LONG))
    try:
        for setting in settings:
            connection.execute(setting)
        make_tables(connection, policy, prepared)
    except BaseException:
        connection.close()
        raise
    return DuckEngine(connection, stored=frozenset(prepared.lists if prepared is not None else ()))
