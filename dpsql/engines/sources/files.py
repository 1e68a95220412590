"""The files behind a policy's tables, opened for reading: what they hold, and nothing guessed.

A source is a base table or files. What an engine reads of one row depends on that row alone: no view that looks
further, no column computed by the clock, no folder's name in the place of a column that the files have.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import duckdb

from dpsql.algebra.scan import quoted, text_literal
from dpsql.engines.sources.column_types import SourceColumn, columns_of
from dpsql.engines.sources.file_sets import Unresolved
from dpsql.engines.sources.lines import TextMistake
from dpsql.engines.sources.parquet import ParquetMistake, parquet_sql
from dpsql.engines.sources.row_wise import not_row_wise
from dpsql.engines.sources.text_files import LOADED, load_text
from dpsql.errors import PolicyError, Problem
from dpsql.policy.model import Policy, Table
from dpsql.policy.names import OWN
from dpsql.policy.table_sources import SourceKind
from dpsql.slotted import dataclass

_SQLITE = b"SQLite format 3\0"


class Unfit(Exception):
    """A source is not what it may be; the text is for the admin."""


@dataclass(frozen=True, slots=True)
class Raw:
    """A table as its source has it: SQL that names it, and its columns with their DuckDB types."""

    sql: str
    columns: tuple[SourceColumn, ...]

    def column(self, name: str) -> SourceColumn | None:
        """The source's column of that name, or else of that name in any case, or None."""
        found = [c for c in self.columns if c.name.lower() == name.lower()]
        return next((c for c in found if c.name == name), found[0] if found else None)


def open_sources(
    connection: duckdb.DuckDBPyConnection, policy: Policy, tables: Iterable[Table]
) -> dict[str, Raw]:
    """Makes the tables' sources readable on a connection. Raises PolicyError with every source that is not."""
    problems: list[Problem] = []
    attached: dict[Path, str] = {}
    raw: dict[str, Raw] = {}
    for table in tables:
        try:
            raw[table.name] = _open(connection, table, attached)
        except (duckdb.Error, OSError, TextMistake, ParquetMistake, Unresolved, Unfit) as error:
            message = _reason(table, error)
            problems.append(Problem(str(policy.path), None, f"tables.{table.name}.source", message))
    if problems:
        raise PolicyError(tuple(problems))
    return raw


def is_sqlite(file: Path) -> bool:
    """Whether a file begins as SQLite's files do, whatever its name is. Raises OSError."""
    if not file.is_file():
        return False
    with file.open("rb") as opened:
        return opened.read(len(_SQLITE)) == _SQLITE


def detach_sources(connection: duckdb.DuckDBPyConnection) -> None:
    """Gives up every database file, which may hold private tables beside a public one, and what was read from text."""
    connection.execute(f"DROP SCHEMA IF EXISTS {LOADED} CASCADE")
    files = "SELECT database_name FROM duckdb_databases() WHERE path IS NOT NULL AND NOT internal"
    for (name,) in connection.execute(files).fetchall():
        connection.execute(f"DETACH {quoted(name)}")


def _reason(table: Table, error: Exception) -> str:
    name, reason = table.source.path.name, str(error).partition("\n")[0]
    if isinstance(error, Unresolved):
        return reason
    if not table.source.parts and not table.source.path.exists():
        if table.source.database is not None:
            return "the database is read from a copy, and there is none yet; run `dpsql prepare`"
        return f"{name}: there is no such file"
    if isinstance(error, Unfit):
        return f"{name}: {reason}"
    if table.source.kind is SourceKind.DUCKDB and "lock" in reason.lower():
        return f"{name} is open for writing in another process; close it there, or read a copy that it writes"
    if table.source.kind is SourceKind.DUCKDB and is_sqlite(table.source.path):
        return f"{name} is a SQLite file; write `source: sqlite:///{name}`, and run `dpsql prepare`"
    return f"{name} cannot be read: {reason}"


def _open(connection: duckdb.DuckDBPyConnection, table: Table, attached: dict[Path, str]) -> Raw:
    path = table.source.path
    if path.is_dir() and not table.source.parts:  # DuckDB would read all that is somewhere in it
        pattern = f"; name its files by a pattern, such as {path.name}/*{path.suffix}"
        raise Unfit(f"it is a folder{pattern if table.source.kind is not SourceKind.DUCKDB else ''}")
    if table.source.kind is SourceKind.DUCKDB:
        return _in_database(connection, table, attached)
    if table.source.kind in (SourceKind.PARQUET, SourceKind.FRAME):
        sql = parquet_sql(connection, table)
    else:
        sql, _ = load_text(connection, table.name, table.source, table.source_columns)
    return Raw(sql, columns_of(connection, sql))


def _in_database(connection: duckdb.DuckDBPyConnection, table: Table, attached: dict[Path, str]) -> Raw:
    source = table.source
    if source.path not in attached:
        alias = f"{OWN}source{len(attached)}"
        connection.execute(f"ATTACH {text_literal(source.path)} AS {quoted(alias)} (READ_ONLY, TYPE duckdb)")
        attached[source.path] = alias
    database = attached[source.path]
    name = _name_in(connection, database, table)
    sql = f"{quoted(database)}.main.{quoted(name)}"
    raw = Raw(sql, columns_of(connection, sql))
    read = [raw.column(c.name) for c in table.source_columns] if table.columns else raw.columns
    listed = ", ".join(quoted(c.name) for c in read if c is not None) or "1"
    beyond = not_row_wise(connection, f"SELECT {listed} FROM {raw.sql}", database)
    if beyond is not None:
        raise Unfit(
            f"reading {table.name} is more than a projection and a filter of one table, by functions of a row that "
            f"cannot fail: {beyond}. Store it as a table"
        )
    return raw


def _name_in(connection: duckdb.DuckDBPyConnection, database: str, table: Table) -> str:
    """The name of the table in its file. Raises Unfit for none, and for a view that the policy does not speak of."""
    wanted = [database, table.source.table.lower()]
    for kind in ("table", "view"):
        rows = connection.execute(
            f"SELECT {kind}_name FROM duckdb_{kind}s() "
            f"WHERE database_name = $1 AND schema_name = 'main' AND lower({kind}_name) = $2",
            wanted,
        ).fetchall()
        if not rows:
            continue
        if kind == "view" and table.view is None:
            raise Unfit(
                f"{table.source.table} is a view: its definition may let one person's rows decide about another's, "
                "or change with the clock. Store it as a table, or, where it is a projection and a filter of one "
                "table, write `view: row_wise`"
            )
        return str(rows[0][0])
    raise Unfit(f"there is no table {table.source.table} in it")
