"""CSV and JSON files read into a table, row by row: what one row holds changes how no other is read.

A row that is malformed, or that has no value in a column that is not nullable, is left out; a value that does not have
its column's type is NULL.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import duckdb

from dpsql.algebra.scan import quoted
from dpsql.algebra.types import sql_type
from dpsql.engines.sources.csv import open_csv
from dpsql.engines.sources.fields import first_kind, value_sql
from dpsql.engines.sources.file_sets import FolderValue, files_of, folder_values
from dpsql.engines.sources.json_rows import open_json
from dpsql.engines.sources.lines import TextMistake
from dpsql.engines.sources.parquet import folder_value_sql
from dpsql.policy.model import Column, ColumnType
from dpsql.policy.names import name_mistake
from dpsql.policy.table_sources import CsvFormat, Source, SourceKind
from dpsql.slotted import dataclass

LOADED = "loaded"
"""The schema of the tables that files were read into."""
TEXT = (SourceKind.CSV, SourceKind.JSON, SourceKind.JSON_LINES)
"""The kinds of files that are read here."""


class OpenText(Protocol):
    """A file that is open: the rows of each block are what `values`, SQL with the block as its parameter, gives."""

    @property
    def shape(self) -> str:
        """What a sound row is made of, in words."""

    @property
    def blocks(self) -> Iterator[object]:
        """The rest of the file, in pieces."""

    def find(self, columns: Sequence[Column]) -> tuple[tuple[int, Column], ...]:
        """The columns that the file has, each with its place."""

    def values(self, columns: Sequence[tuple[int, Column]]) -> str:
        """Of every row `sound`, and for each column its text `t<i>` and its value `c<i>`."""


@dataclass(frozen=True, slots=True)
class TextPart:
    """One file of a source: its columns with their places in it, and those that the names of its folders give."""

    path: Path
    file: OpenText
    columns: tuple[tuple[int, Column], ...]
    folders: tuple[FolderValue, ...]


def open_parts(
    connection: duckdb.DuckDBPyConnection, source: Source, columns: tuple[Column, ...]
) -> Iterator[TextPart]:
    """The files of a source, one after another.

    Raises TextMistake where a file has other columns than the first one, Unresolved, OSError and duckdb.Error.
    """
    first: tuple[Column, ...] | None = None
    for path in files_of(source):
        folders = folder_values(source, path, columns)
        named = {value.column.name for value in folders}
        inside = tuple(c for c in columns if c.name not in named)
        file = _open(connection, replace(source, path=path, parts=()), inside)
        part = TextPart(path, file, file.find(inside), folders)
        found = tuple(column for _, column in part.columns)
        first = found if first is None else first
        _require_same(part, first, found, columns)
        yield part


def load_text(
    connection: duckdb.DuckDBPyConnection, name: str, source: Source, columns: tuple[Column, ...]
) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Reads the files of a source into a table: SQL that names it, and its columns with their DuckDB types.

    These are the listed columns that the files have; where none is listed, all that a query can name, each of the
    narrowest type that all of its values have. Raises TextMistake, Unresolved, OSError and duckdb.Error.
    """
    connection.execute(f"CREATE SCHEMA IF NOT EXISTS {LOADED}")
    table = f"{LOADED}.{quoted(name)}"
    if columns:
        return table, _load(connection, table, source, columns)
    usable = _usable(connection, source)
    texts = f"{LOADED}.{quoted(name + ' as text')}"
    _load(connection, texts, source, usable)
    kinds = _kinds(connection, source.format, texts, usable)
    listed = ", ".join(
        f"{value_sql(source.format, quoted(n), kind)} AS {quoted(n)}" for n, kind in kinds.items()
    )
    connection.execute(f"CREATE TABLE {table} AS SELECT {listed} FROM {texts}")
    connection.execute(f"DROP TABLE {texts}")
    return table, tuple((n, sql_type(kind).value) for n, kind in kinds.items())


def _open(connection: duckdb.DuckDBPyConnection, source: Source, columns: tuple[Column, ...]) -> OpenText:
    return (
        open_csv(connection, source, columns) if source.kind is SourceKind.CSV else open_json(source, columns)
    )


def _usable(connection: duckdb.DuckDBPyConnection, source: Source) -> tuple[Column, ...]:
    """As texts the columns of a file with a header that a query can name."""
    first = replace(source, path=files_of(source)[0], parts=())
    names = open_csv(connection, first, ()).names
    return tuple(Column(n, ColumnType.TEXT, nullable=True) for n in names if not name_mistake(n))


def _require_same(
    part: TextPart, first: tuple[Column, ...], found: tuple[Column, ...], columns: tuple[Column, ...]
) -> None:
    lacking = next((c.name for c in first if c not in found), None)
    if lacking is not None:
        raise TextMistake(f"{part.path.name} has no column {lacking}, which the first file has")
    more = next((c.name for c in found if c not in first), None)
    if more is not None:
        raise TextMistake(f"{part.path.name} has a column {more}, which the first file has not")
    doubled = next((v.column.name for v in part.folders if part.file.find((v.column,))), None)
    if doubled is not None and columns:
        raise TextMistake(f"{part.path.name} has a column {doubled}, which a folder's name gives as well")


def _load(
    connection: duckdb.DuckDBPyConnection, table: str, source: Source, columns: tuple[Column, ...]
) -> tuple[tuple[str, str], ...]:
    made: tuple[tuple[str, str], ...] = ()
    for part in open_parts(connection, source, columns):
        there = [*(c for _, c in part.columns), *(v.column for v in part.folders)]
        if not there:
            raise TextMistake("it has none of the columns")
        if not made:
            made = tuple((c.name, sql_type(c.type).value) for c in there)
            listed = ", ".join(f"{quoted(n)} {kind}" for n, kind in made)
            connection.execute(f"CREATE TABLE {table} ({listed})")
        insert = f"INSERT INTO {table} {_rows_sql(part)}"
        for block in part.file.blocks:
            connection.execute(insert, [block])
    return made


def _rows_sql(part: TextPart) -> str:
    """The rows of a block that are sound and complete."""
    named = [(folder_value_sql(value), value.column) for value in part.folders]
    values = [(f"c{i}", column) for i, (_, column) in enumerate(part.columns)] + named
    kept = ["sound", *(f"({value}) IS NOT NULL" for value, column in values if not column.nullable)]
    # Materialised, else every value is computed once more for the filter.
    return (
        f"WITH v AS MATERIALIZED ({part.file.values(part.columns)}) "
        f"SELECT {', '.join(value for value, _ in values)} FROM v WHERE {' AND '.join(kept)}"
    )


def _kinds(
    connection: duckdb.DuckDBPyConnection, form: CsvFormat, texts: str, columns: Sequence[Column]
) -> dict[str, ColumnType]:
    """The narrowest type of each column of texts; text where there is no value."""
    tried = [(c.name, kind) for c in columns for kind in ColumnType if kind is not ColumnType.TEXT]
    counted = ", ".join(
        f"count({quoted(n)}) > 0 AND count({quoted(n)}) = count({value_sql(form, quoted(n), kind)})"
        for n, kind in tried
    )
    fits = connection.execute(f"SELECT {counted} FROM {texts}").fetchall()[0]
    fitting = [pair for pair, fit in zip(tried, fits, strict=True) if fit]
    return {c.name: first_kind(kind for n, kind in fitting if n == c.name) for c in columns}
