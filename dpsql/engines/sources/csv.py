"""CSV files, read line by line: what one line holds changes how no other is read.

Nothing is guessed: the policy says how a line is split and what type a column has. A line that is malformed, or that
has no value in a column that is not nullable, is left out; a value that does not have its column's type is NULL.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import duckdb

from dpsql.algebra.scan import quoted
from dpsql.algebra.types import sql_type
from dpsql.engines.sources.fields import fields_sql, first_kind, unquoted_sql, value_sql, values_sql
from dpsql.engines.sources.lines import text_blocks
from dpsql.policy.model import Column, ColumnType, CsvFormat, Source
from dpsql.policy.names import name_mistake

LOADED = "loaded"
"""The schema of the tables that files were read into."""


class CsvMistake(Exception):
    """A file cannot be read as the policy says, whatever its rows hold; the text is for the admin."""


@dataclass(frozen=True, slots=True)
class OpenCsv:
    """A file whose header is read: the names of its fields in order, and the rest of its text."""

    form: CsvFormat
    names: tuple[str, ...]
    blocks: Iterator[str]

    def find(self, columns: Sequence[Column]) -> tuple[tuple[int, Column], ...]:
        """The columns that the file has, each with its place."""
        places = {name.lower(): i for i, name in enumerate(self.names)}
        return tuple((places[c.name.lower()], c) for c in columns if c.name.lower() in places)

    def values(self, columns: Sequence[tuple[int, Column]]) -> str:
        """`values_sql` of some of its columns."""
        return values_sql(self.form, len(self.names), [(at, c.type) for at, c in columns])


def open_csv(connection: duckdb.DuckDBPyConnection, source: Source, columns: Sequence[Column]) -> OpenCsv:
    """The file with its header read. Raises CsvMistake and OSError."""
    form, blocks = source.format, text_blocks(source.path)
    if not form.header:
        return OpenCsv(form, tuple(c.name for c in columns), blocks)
    head, _, rest = next(blocks, "").partition("\n")
    return OpenCsv(form, _header(connection, form, head), chain([rest], blocks))


def _header(connection: duckdb.DuckDBPyConnection, form: CsvFormat, line: str) -> tuple[str, ...]:
    names = f"list_transform(f, lambda raw: trim({unquoted_sql(form, 'raw')}))"
    read = connection.execute(f"SELECT {names} FROM ({fields_sql(form, None)})", [line]).fetchall()
    if not read or read[0][0] is None:
        raise CsvMistake("its first line does not name the columns; set `format` as the file is written")
    written = tuple(map(str, read[0][0]))
    folded = [name.lower() for name in written if name]
    twice = next((name for name in folded if folded.count(name) > 1), None)
    if twice is not None:
        raise CsvMistake(f"its first line names the column {twice} twice")
    return written


def load_csv(
    connection: duckdb.DuckDBPyConnection, name: str, source: Source, columns: Sequence[Column]
) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Reads a file into a table: SQL that names it, and its columns with their DuckDB types.

    These are the listed columns that the file has; where none is listed, all that a query can name, each of the
    narrowest type that all of its values have. Raises CsvMistake, OSError and duckdb.Error.
    """
    file = open_csv(connection, source, columns)
    connection.execute(f"CREATE SCHEMA IF NOT EXISTS {LOADED}")
    table = f"{LOADED}.{quoted(name)}"
    if columns:
        return table, _load(connection, table, file, file.find(columns))
    usable = [Column(n, ColumnType.TEXT, nullable=True) for n in file.names if not name_mistake(n)]
    texts = f"{LOADED}.{quoted(name + ' as text')}"
    _load(connection, texts, file, file.find(usable))
    kinds = _kinds(connection, source.format, texts, usable)
    listed = ", ".join(
        f"{value_sql(source.format, quoted(n), kind)} AS {quoted(n)}" for n, kind in kinds.items()
    )
    connection.execute(f"CREATE TABLE {table} AS SELECT {listed} FROM {texts}")
    connection.execute(f"DROP TABLE {texts}")
    return table, tuple((n, sql_type(kind).value) for n, kind in kinds.items())


def _load(
    connection: duckdb.DuckDBPyConnection, table: str, file: OpenCsv, columns: Sequence[tuple[int, Column]]
) -> tuple[tuple[str, str], ...]:
    if not columns:
        raise CsvMistake("it has none of the columns")
    made = tuple((c.name, sql_type(c.type).value) for _, c in columns)
    connection.execute(f"CREATE TABLE {table} ({', '.join(f'{quoted(n)} {kind}' for n, kind in made)})")
    listed = ", ".join(f"c{i}" for i in range(len(columns)))
    kept = ["sound", *(f"c{i} IS NOT NULL" for i, (_, c) in enumerate(columns) if not c.nullable)]
    # Materialised, else every value is computed once more for the filter.
    read = (
        f"WITH v AS MATERIALIZED ({file.values(columns)}) SELECT {listed} FROM v WHERE {' AND '.join(kept)}"
    )
    insert = f"INSERT INTO {table} {read}"
    for block in file.blocks:
        connection.execute(insert, [block])
    return made


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
