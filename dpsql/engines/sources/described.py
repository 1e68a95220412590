"""What a source is made of, for a policy that is being written: the names and types of its tables.

How a CSV file is written is guessed here, and nowhere else; no session comes here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import duckdb

from dpsql.algebra.types import base_name
from dpsql.engines.sources.csv import open_csv
from dpsql.engines.sources.fields import first_kind
from dpsql.engines.sources.file_sets import Unresolved, files_of
from dpsql.engines.sources.json_rows import JSON, sampled_fields
from dpsql.engines.sources.lines import TextMistake
from dpsql.errors import PolicyError, Problem
from dpsql.policy.date_formats import check_format
from dpsql.policy.model import Column, ColumnType, Table
from dpsql.policy.rules.sources import SUFFIXES
from dpsql.policy.skeleton import SourceColumn, SourceTable
from dpsql.policy.table_sources import CsvFormat, Source, SourceKind

_INTEGERS = [
    "TINYINT",
    "SMALLINT",
    "INTEGER",
    "BIGINT",
    "HUGEINT",
    "UTINYINT",
    "USMALLINT",
    "UINTEGER",
    "UBIGINT",
]
_TYPES = {
    **dict.fromkeys(_INTEGERS, ColumnType.INTEGER),
    **dict.fromkeys(("FLOAT", "DOUBLE", "DECIMAL"), ColumnType.FLOAT),
    **dict.fromkeys(("VARCHAR", "ENUM", "UUID", "JSON"), ColumnType.TEXT),
    "BOOLEAN": ColumnType.BOOLEAN,
    "DATE": ColumnType.DATE,
    **dict.fromkeys(("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"), ColumnType.TIMESTAMP),
    **dict.fromkeys(("TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ_NS"), ColumnType.TIMESTAMP),
}
_SAMPLE = 1_000
_NOTHING = "(empty)"
_TABLES = """
SELECT table_name, column_name, data_type FROM duckdb_columns()
WHERE database_name = current_database() AND schema_name = 'main' AND NOT internal
ORDER BY table_name, column_index"""


def describe_source(path: str | Path) -> tuple[SourceTable, ...]:
    """The tables of a DuckDB file (its main schema), or the one table of a Parquet, CSV or JSON file.

    How a CSV file is written, and the types of its columns, are guessed from its first lines: a policy then fixes both.
    `source_text` is the path as given. Raises PolicyError where the file is missing, of an unknown kind, or cannot be
    read.
    """
    file = Path(path)
    suffix, kind = _kind_of(file)
    if not file.is_file():
        raise _mistake(file, "there is no such file")
    try:
        if kind is SourceKind.DUCKDB:
            return _tables_of_database(file, str(path))
        name = file.name[: -len(suffix)]
        if kind is SourceKind.CSV:
            return (_csv_table(name, file, str(path)),)
        if kind in JSON:
            return (SourceTable(name, str(path), _json_columns(Source(kind, file, name))),)
        return (SourceTable(name, str(path), _columns(_read_header(file))),)
    except (duckdb.Error, OSError, TextMistake) as error:
        reason = str(error).partition("\n")[0]
        raise _mistake(file, f"cannot be read as a {kind} file: {reason}") from None


def _kind_of(file: Path) -> tuple[str, SourceKind]:
    fitting = [(s, kind) for s, kind in SUFFIXES if file.name.lower().endswith(s)]
    if not fitting:
        endings = ", ".join(suffix for suffix, _ in SUFFIXES)
        raise _mistake(file, f"unknown kind of file; its name must end in one of {endings}")
    return fitting[0]


def _tables_of_database(file: Path, written: str) -> tuple[SourceTable, ...]:
    with duckdb.connect(str(file), read_only=True) as connection:
        rows = connection.execute(_TABLES).fetchall()
    names = dict.fromkeys(table for table, _, _ in rows)
    return tuple(
        SourceTable(name, written, _columns((column, raw) for table, column, raw in rows if table == name))
        for name in names
    )


def column_names(table: Table) -> tuple[str, ...] | None:
    """The names of the columns of a table's source, None where its database has no such table. Raises PolicyError.

    Of several files these are the first one's, beside those of their folders. A JSON file may have any.
    """
    if table.source.kind in JSON:
        return tuple(column.name for column in table.source_columns)
    try:
        source = replace(table.source, path=files_of(table.source)[0], parts=())
    except Unresolved as error:
        raise _mistake(table.source.path, str(error)) from None
    names = _names_in(source, table)
    return (*names, *table.source.folder_columns) if names is not None else None


def _names_in(source: Source, table: Table) -> tuple[str, ...] | None:
    if source.kind is SourceKind.CSV:
        try:
            with duckdb.connect() as connection:
                return open_csv(connection, source, _in_files(table)).names
        except (OSError, TextMistake) as error:
            raise _mistake(source.path, f"cannot be read as a csv file: {error}") from None
    if source.kind is SourceKind.DUCKDB and not source.path.stat().st_size:
        return None
    tables = describe_source(source.path)
    wanted = source.table.lower() if source.kind is SourceKind.DUCKDB else tables[0].name.lower()
    return next((tuple(c.name for c in t.columns) for t in tables if t.name.lower() == wanted), None)


def _in_files(table: Table) -> tuple[Column, ...]:
    folders = {name.lower() for name in table.source.folder_columns}
    return tuple(c for c in table.source_columns if c.name.lower() not in folders)


def _csv_table(name: str, file: Path, written: str) -> SourceTable:
    form, listed = _sniffed(file)
    source = Source(SourceKind.CSV, file, name, form)
    with duckdb.connect() as connection:
        names = open_csv(connection, source, ()).names
    if form.header and names != tuple(column.name.strip() for column in listed):
        raise TextMistake("its first line does not name the columns; remove what stands above them")
    return SourceTable(name, written, listed, form.beside(CsvFormat.of_file(file)))


def _sniffed(file: Path) -> tuple[CsvFormat, tuple[SourceColumn, ...]]:
    """The format of a file, and its columns, by its first lines. Raises duckdb.Error."""
    sniffed = "Delimiter, Quote, Escape, HasHeader, DateFormat, TimestampFormat, Columns"
    with duckdb.connect() as connection:
        rows = connection.execute(f"SELECT {sniffed} FROM sniff_csv(?)", [str(file)]).fetchall()
    delimiter, quote, escape, header, date, moment, columns = rows[0]
    plain = CsvFormat.of_file(file)
    quoted, escaped = quote not in (_NOTHING, ""), escape not in (_NOTHING, "", None)
    form = CsvFormat(
        str(delimiter) if len(columns) > 1 else plain.delimiter,
        str(quote) if quoted else plain.quote,
        (str(escape) if escaped else str(quote)) if quoted else plain.quote,
        bool(header),
        plain.null,
        _format(date, "%Y-%m-%d", clock=False),
        _format(moment, "%Y-%m-%d", clock=True),
    )
    return form, tuple(_csv_column(str(c["name"]), str(c["type"])) for c in columns)


def _csv_column(name: str, raw: str) -> SourceColumn:
    """Every field is text at least."""
    moment = ColumnType.TIMESTAMP if raw == "TIMESTAMP WITH TIME ZONE" else ColumnType.TEXT
    return SourceColumn(name, _TYPES.get(base_name(raw), moment), raw)


def _format(written: object, usual: str, *, clock: bool) -> str | None:
    """A format that differs from the usual one and that a policy has; else None."""
    if not isinstance(written, str) or written.startswith(usual):
        return None
    try:
        check_format(written, clock=clock)
    except ValueError:
        return None
    return written


def _json_columns(source: Source) -> tuple[SourceColumn, ...]:
    """The fields of a file's first objects, each of the first type that all of its values have."""
    fields = sampled_fields(source, _SAMPLE)
    return tuple(
        SourceColumn(name, first_kind(kinds) if kinds else None, "nested") for name, kinds in fields.items()
    )


def _read_header(file: Path) -> list[tuple[str, str]]:
    with duckdb.connect() as connection:
        header = connection.execute("SELECT * FROM read_parquet(?) LIMIT 0", [str(file)])
        return [(str(column[0]), str(column[1])) for column in header.description or ()]


def _columns(pairs: Iterable[tuple[str, str]]) -> tuple[SourceColumn, ...]:
    return tuple(SourceColumn(name, _TYPES.get(base_name(raw)), raw) for name, raw in pairs)


def _mistake(file: Path, message: str) -> PolicyError:
    return PolicyError((Problem(str(file), None, "", message),))
