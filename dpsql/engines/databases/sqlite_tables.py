"""Tables of a SQLite file, read in one transaction by Python's own sqlite3.

Values are read as types of a policy by the storage class that each of them has: a column of SQLite has no type that
binds its values, so nothing is taken from how it is declared, or from other rows. What is no value of the type is NULL.
SQLite passes on what has the right storage class, and DuckDB reads texts as dates and moments; both do it by
expressions that have a value for every value. No two values of a key become one, but those that SQLite itself takes for
equal, as 12 and 12.0.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import duckdb

from dpsql.algebra.scan import quoted
from dpsql.engines.databases.snapshots import UnfitDatabase, database_of
from dpsql.engines.sources.column_types import ENGINE_TYPE
from dpsql.engines.sources.fields import value_sql
from dpsql.engines.sources.lines import LONGEST
from dpsql.policy.model import Column, ColumnType, Table
from dpsql.policy.table_sources import CsvFormat
from dpsql.progress import Phase, Progress
from dpsql.slotted import dataclass

_ROWS, _CHARACTERS, _FETCHED = 20_000, 16_000_000, 100
_WAIT_SECONDS = 30
_RELATION = """SELECT name, type, rootpage FROM main.sqlite_master
WHERE name = ? COLLATE NOCASE AND type IN ('table', 'view')"""
_COLUMNS = "SELECT name, hidden FROM pragma_table_xinfo(?, 'main')"
_GENERATED = (2, 3)
_OWN = "sqlite_"


@dataclass(frozen=True, slots=True)
class SqliteSnapshot:
    """One read transaction on a file."""

    database: sqlite3.Connection

    def copy_into(
        self,
        connection: duckdb.DuckDBPyConnection,
        name: str,
        table: Table,
        keys: frozenset[str],
        progress: Progress,
    ) -> tuple[str, ...]:
        """Copies a table as `snapshots.Snapshot` says; `keys` need nothing, by how values are read.

        A row that has no value in a column that is not nullable is left out, as in text files.
        """
        columns = table.source_columns
        found, there = self._columns(database_of(table).table, columns)
        total, *stored = self._counted(found, there)
        made = ", ".join(f"{quoted(c.name)} {ENGINE_TYPE[c.type]}" for c in columns)
        connection.execute(f"CREATE TABLE {name} ({made})")
        insert, done = _insert_sql(name, columns), 0
        for block in self._blocks(found, there, columns):
            progress(Phase(f"{table.name}: copying from the database", done, total, "rows"))
            connection.execute(insert, list(map(list, zip(*block, strict=True))))
            done += len(block)
        counted = ", ".join(f"count({quoted(c.name)})" for c in columns)
        copied, *read = connection.execute(f"SELECT count(*), {counted} FROM {name}").fetchall()[0]
        return tuple(_unread(table, total - copied, stored, read))

    def _columns(self, wanted: str, columns: Sequence[Column]) -> tuple[str, tuple[str, ...]]:
        """The table's name and those of its columns, as the file has them."""
        relations = self.database.execute(_RELATION, [wanted]).fetchall()
        if not relations:
            raise UnfitDatabase(f"there is no table {wanted} in the file")
        ((found, kind, page),) = relations
        if kind == "view":
            raise UnfitDatabase(f"{wanted} is a view, which may mix rows of several people; name a table")
        if not page or found.lower().startswith(_OWN):
            what = "SQLite's own" if page else "a virtual table"
            raise UnfitDatabase(f"{wanted} is {what}, whose rows may be made of other rows; name a table")
        there = self.database.execute(_COLUMNS, [found]).fetchall()
        return found, tuple(_named(column.name, there) for column in columns)

    def _counted(self, table: str, columns: Sequence[str]) -> list[int]:
        """How many rows the table has, and of each column how many values."""
        counts = ", ".join(f"count({quoted(c)})" for c in columns)
        return list(self.database.execute(f"SELECT count(*), {counts} FROM main.{quoted(table)}").fetchone())

    def _blocks(
        self, table: str, there: Sequence[str], columns: Sequence[Column]
    ) -> Iterator[list[tuple[object, ...]]]:
        listed = ", ".join(stored_sql(name, c.type) for name, c in zip(there, columns, strict=True))
        with closing(self.database.execute(f"SELECT {listed} FROM main.{quoted(table)}")) as cursor:
            yield from _joined(iter(lambda: cursor.fetchmany(_FETCHED), []))


@contextmanager
def sqlite_snapshot(file: Path) -> Iterator[SqliteSnapshot]:
    """A snapshot of a file, which is opened for reading alone.

    Raises UnfitDatabase where there is none, it is no SQLite file, or another process does not let it be read.
    """
    if not file.is_file():
        raise UnfitDatabase(f"{file.name}: there is no such file")
    try:
        with closing(
            sqlite3.connect(f"{file.as_uri()}?mode=ro", timeout=_WAIT_SECONDS, isolation_level=None, uri=True)
        ) as database:
            database.text_factory = text_of
            database.execute("BEGIN")
            (encoding,) = database.execute("PRAGMA main.encoding").fetchone()
            # Half a surrogate pair has no UTF-8: SQLite would make one text of several.
            if encoding != "UTF-8":
                raise UnfitDatabase(
                    f"{file.name} keeps its text as {encoding}; only files in UTF-8 are read. Write one with "
                    "`sqlite3 old.db .dump | sqlite3 new.db`"
                )
            yield SqliteSnapshot(database)
    except sqlite3.Error as error:
        raise UnfitDatabase(f"{file.name} cannot be read: {error}") from None


def _named(name: str, there: Sequence[tuple[str | None, int]]) -> str:
    """The column of that name in any case, as SQLite compares names."""
    found = [(c, hidden) for c, hidden in there if c is not None and c.lower() == name.lower()]
    exact = [pair for pair in found if pair[0] == name] or found
    if len(exact) != 1:
        raise UnfitDatabase(f"the table has {'several columns' if found else 'no column'} {name}")
    ((column, hidden),) = exact
    if hidden in _GENERATED:
        raise UnfitDatabase(f"{name} is a generated column, which may fail on a row; name a stored one")
    return column


def _joined(fetched: Iterator[list[tuple[object, ...]]]) -> Iterator[list[tuple[object, ...]]]:
    """Blocks of many rows, or of few that have long texts: what is held does not grow with what a row holds."""
    block: list[tuple[object, ...]] = []
    size = 0
    for rows in fetched:
        block += rows
        size += sum(len(value) for row in rows for value in row if isinstance(value, str))
        if len(block) >= _ROWS or size >= _CHARACTERS:
            yield block
            block, size = [], 0
    if block:
        yield block


def _insert_sql(name: str, columns: Sequence[Column]) -> str:
    """Adds a block, a list of stored values for each column, to a table; rows that lack a value are left out."""
    kinds = [column.type for column in columns]
    lists = ", ".join(
        f"unnest(CAST(${i} AS {carried_type(kind)}[])) AS t{i}" for i, kind in enumerate(kinds, 1)
    )
    values = ", ".join(f"{read_sql(f't{i}', kind)} AS c{i}" for i, kind in enumerate(kinds, 1))
    needed = [f"c{i} IS NOT NULL" for i, column in enumerate(columns, 1) if not column.nullable]
    # Materialised, else every value is computed once more for the filter.
    return (
        f"INSERT INTO {name} WITH v AS MATERIALIZED (SELECT {values} FROM (SELECT {lists})) "
        f"SELECT * FROM v WHERE {' AND '.join(needed) or 'true'}"
    )


def _unread(table: Table, left_out: int, stored: Sequence[int], read: Sequence[int]) -> Iterator[str]:
    """What the copy lacks, for the admin."""
    if left_out:
        yield (
            f"tables.{table.name}: {left_out} rows have no value in a column that is not declared `nullable: true`, "
            "and are left out"
        )
    for column, there, kept in zip(table.source_columns, stored, read, strict=True):
        if there > kept:
            yield (
                f"tables.{table.name}.columns.{column.name}: {there - kept} of {there} values are not copied: a value "
                f"that is no {READS[column.type]} is read as NULL, and rows may be left out"
            )


_DAY = len("2025-01-31")
_ISO = CsvFormat()

READS = {
    ColumnType.INTEGER: "integer",
    ColumnType.FLOAT: "number",
    ColumnType.TEXT: "text of UTF-8",
    ColumnType.BOOLEAN: "integer 0 or 1",
    ColumnType.DATE: "text such as 2025-01-31",
    ColumnType.TIMESTAMP: "text such as 2025-01-31 10:00:00",
}
"""What a column of a type is read from, in words."""


def stored_sql(name: str, wanted: ColumnType) -> str:
    """For SQLite: the value of a column where its storage class is one that the type is read from, else NULL."""
    value = quoted(name)
    match wanted:
        case ColumnType.INTEGER:
            return f"CASE typeof({value}) WHEN 'integer' THEN {value} WHEN 'real' THEN {_whole(value)} END"
        case ColumnType.FLOAT:
            return f"CASE WHEN typeof({value}) IN ('integer', 'real') THEN CAST({value} AS REAL) END"
        case ColumnType.TEXT | ColumnType.TIMESTAMP:
            # The length as a text would end at the first NUL.
            short = f"length(CAST({value} AS BLOB)) <= {LONGEST}"
            return f"CASE WHEN typeof({value}) = 'text' AND {short} THEN {value} END"
        case ColumnType.BOOLEAN:
            return f"CASE WHEN typeof({value}) = 'integer' AND {value} IN (0, 1) THEN {value} END"
        case ColumnType.DATE:
            # Without blanks around it: two texts would be one day, which may be a key.
            short = f"length(CAST({value} AS BLOB)) = {_DAY}"
            return f"CASE WHEN typeof({value}) = 'text' AND {short} THEN {value} END"


def _whole(value: str) -> str:
    """A REAL as an integer where it is one of 64 bits: SQLite casts others to one near by, and compares exactly."""
    return f"CASE WHEN {value} = CAST({value} AS INTEGER) THEN CAST({value} AS INTEGER) END"


def carried_type(wanted: ColumnType) -> str:
    """The type in DuckDB by which a block of stored values comes."""
    match wanted:
        case ColumnType.INTEGER | ColumnType.BOOLEAN:
            return "BIGINT"
        case ColumnType.FLOAT:
            return "DOUBLE"
        case ColumnType.TEXT | ColumnType.DATE | ColumnType.TIMESTAMP:
            return "VARCHAR"


def read_sql(carried: str, wanted: ColumnType) -> str:
    """For DuckDB: a stored value as one of the type, NULL where it is none."""
    match wanted:
        case ColumnType.DATE | ColumnType.TIMESTAMP:
            return value_sql(_ISO, carried, wanted)
        case ColumnType.BOOLEAN:
            return f"{carried} = 1"
        case ColumnType.INTEGER | ColumnType.FLOAT | ColumnType.TEXT:
            return carried


def text_of(stored: bytes) -> str | None:
    """A TEXT of SQLite, which may be any bytes: None where it is no UTF-8, or has NUL."""
    try:
        text = stored.decode()
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text
