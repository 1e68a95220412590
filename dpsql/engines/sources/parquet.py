"""Parquet files as one table: all of the same columns and types, with what their folders' names say beside them."""

from __future__ import annotations

import re
from itertools import groupby
from operator import itemgetter
from pathlib import Path

import duckdb

from dpsql.algebra.scan import quoted, text_literal
from dpsql.algebra.types import sql_type
from dpsql.engines.sources.column_types import SourceColumn, columns_of
from dpsql.engines.sources.fields import value_sql
from dpsql.engines.sources.file_sets import FolderValue, files_of, folder_values
from dpsql.policy.model import Column, Policy, Table
from dpsql.policy.table_sources import CsvFormat, SourceKind

_AS_WRITTEN = (
    "hive_partitioning := false, union_by_name := false, file_row_number := false, binary_as_string := false"
)
# A file's own statistics leave out NaN, which is greater than every number: rows of it would be passed over or not by
# what values the others in their part of the file have.
_WITH_NAN = "can_have_nan := true"
# One text that is no UTF-8 would fail every query that reads its column. Each byte of it is REPLACED.
_REPLACING = "utf8_validation := 'replace'"
# So would one moment of twelve bytes that is none of DuckDB's: it is the nearest end of time, as is all that
# nanoseconds cannot count to.
_NEAREST = "int96_as := 'timestamp_ns'"
_FILE = "dpsql file"
# Types whose former statistics are in the order of their values.
_ORDERED = frozenset({"tinyint", "smallint", "integer", "bigint", "boolean", "date", "timestamp"})
_ISO = CsvFormat()


class ParquetMistake(Exception):
    """Files do not make one table; the text is for the admin."""


def pattern(path: Path) -> str:
    """The pattern that meets this file alone, whatever brackets or stars are in its name."""
    return re.sub(r"([*?\[])", r"[\1]", str(path))


def parquet_files(policy: Policy) -> tuple[Path, ...]:
    """The files that a connection goes on reading once it is locked, and the patterns that it knows them by.

    Raises Unresolved.
    """
    kinds = (SourceKind.PARQUET, SourceKind.FRAME)
    files = [file for t in policy.tables if t.source.kind in kinds for file in files_of(t.source)]
    return (*files, *(Path(pattern(file)) for file in files))


def parquet_sql(connection: duckdb.DuckDBPyConnection, table: Table) -> str:
    """SQL that names the rows of a table's files.

    Raises ParquetMistake where a file has other columns or types than the first one, Unresolved, and duckdb.Error.
    """
    source = table.source
    files = files_of(source)
    if not table.public:
        _require_ordered(connection, table, files)
        _require_readable(connection, table, files)
    if not source.parts:
        return _read(files, "", public=table.public)
    values = [(file, folder_values(source, file, table.source_columns)) for file in files]
    folders = [value.column for value in values[0][1]]
    _require_alike(connection, table, files, {column.name.lower() for column in folders})
    if not folders:
        return _read(files, "", public=table.public)
    named = ", ".join(_folder_sql(i, column, values) for i, column in enumerate(folders))
    return f"(SELECT * EXCLUDE ({quoted(_FILE)}), {named} FROM {_read(files, _FILE, public=table.public)})"


def folder_value_sql(value: FolderValue) -> str:
    """The value of a folder's name in its column's type: NULL where it is none, as a field of a CSV file."""
    if value.text is None or "\0" in value.text:
        return f"NULL::{sql_type(value.column.type).value}"
    return value_sql(_ISO, text_literal(value.text), value.column.type)


def _read(files: tuple[Path, ...], named: str, *, public: bool = False) -> str:
    named = text_literal(named) if named else "false"
    how = (_AS_WRITTEN, _WITH_NAN, _REPLACING, *(() if public else (_NEAREST,)))
    return f"read_parquet({_listed(files)}, {', '.join(how)}, filename := {named})"


def _listed(files: tuple[Path, ...]) -> str:
    return f"[{', '.join(text_literal(pattern(file)) for file in files)}]"


def _require_alike(
    connection: duckdb.DuckDBPyConnection, table: Table, files: tuple[Path, ...], folders: set[str]
) -> None:
    """Every file has the columns that are read, of the types that the first one has, and none that a folder names."""
    first = _columns(connection, files[0])
    listed = [c.name.lower() for c in table.source_columns if c.name.lower() not in folders]
    for file in files:
        columns = first if file == files[0] else _columns(connection, file)
        here = "/".join(file.parts[-len(table.source.parts) :])
        doubled = next((name for name in folders if name in columns), None)
        if doubled is not None:
            raise ParquetMistake(f"{here} has a column {doubled}, which a folder's name gives as well")
        for name in listed if table.columns else sorted({*first, *columns}):
            _require_same(here, name, first.get(name), columns.get(name))


def _require_ordered(connection: duckdb.DuckDBPyConnection, table: Table, files: tuple[Path, ...]) -> None:
    """No column that is read has statistics of the former kind alone, but where these order values as DuckDB does.

    They compare texts by signed bytes, and floats in no order where one is NaN. DuckDB passes over rows by them, or
    takes all for what a condition asks: so one row's value would decide about others.
    """
    former = connection.execute(
        f"SELECT file_name, path_in_schema FROM parquet_metadata({_listed(files)}) "
        "WHERE coalesce(stats_min_value, stats_max_value) IS NULL AND coalesce(stats_min, stats_max) IS NOT NULL "
        "ORDER BY 1, 2"
    ).fetchall()
    if not former:
        return
    columns = {name: column.kind for file in files[:1] for name, column in _columns(connection, file).items()}
    read = {c.name.lower() for c in table.source_columns if columns.get(c.name.lower()) not in _ORDERED}
    for file, name in former:
        if name.lower() in read:
            raise ParquetMistake(
                f"{Path(file).name} has statistics of {name} that were written in a form that Parquet gave up since "
                "they order values otherwise; write the file again, as with COPY (FROM 'old.parquet') TO 'new.parquet'"
            )


def _require_readable(connection: duckdb.DuckDBPyConnection, table: Table, files: tuple[Path, ...]) -> None:
    """No column that is read counts moments in milliseconds.

    DuckDB counts them in microseconds, and one that is too far for these fails every query: nothing reads it in
    another way.
    """
    coarse = connection.execute(
        f"SELECT file_name, name FROM parquet_schema({_listed(files)}) "
        "WHERE converted_type = 'TIMESTAMP_MILLIS' OR contains(logical_type, 'MILLIS=MilliSeconds') ORDER BY 1, 2"
    ).fetchall()
    read = {column.name.lower() for column in table.source_columns}
    for file, name in coarse:
        if name.lower() in read:
            raise ParquetMistake(
                f"{Path(file).name} has {name} in milliseconds, of which one that is too far in time would fail every "
                "query; write the file again, as with COPY (FROM 'old.parquet') TO 'new.parquet'"
            )


def _require_same(here: str, name: str, first: SourceColumn | None, found: SourceColumn | None) -> None:
    if found is None and first is not None:
        raise ParquetMistake(f"{here} has no column {name}, which the first file has")
    if found is not None and first is None:
        raise ParquetMistake(f"{here} has a column {name}, which the first file has not")
    if found is not None and first is not None and (found.name, found.written) != (first.name, first.written):
        raise ParquetMistake(
            f"in {here} the column {found.name} is {found.written}, in the first file {first.name} is {first.written}"
        )


def _columns(connection: duckdb.DuckDBPyConnection, file: Path) -> dict[str, SourceColumn]:
    return {column.name.lower(): column for column in columns_of(connection, _read((file,), ""))}


def _folder_sql(at: int, column: Column, values: list[tuple[Path, tuple[FolderValue, ...]]]) -> str:
    """A column of folders' names: which file a row is from says which value it has."""
    pairs = sorted(((folder_value_sql(v[at]), text_literal(file)) for file, v in values), key=itemgetter(0))
    cases = (
        f"WHEN {quoted(_FILE)} IN ({', '.join(file for _, file in same)}) THEN {value}"
        for value, same in groupby(pairs, key=itemgetter(0))
    )
    return f"CASE {' '.join(cases)} END AS {quoted(column.name)}"
