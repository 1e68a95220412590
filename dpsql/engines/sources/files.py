"""The files behind a policy's tables, opened for reading: what they hold, and nothing guessed.

A source is a base table or a file. What an engine reads of one row depends on that row alone: no view that looks
further, no column computed by the clock, no folder's name in the place of a column, no pattern that meets other files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import duckdb

from dpsql.algebra.scan import quoted, text_literal
from dpsql.engines.sources.column_types import SourceColumn
from dpsql.engines.sources.csv import LOADED, CsvMistake, load_csv
from dpsql.engines.sources.row_wise import not_row_wise
from dpsql.errors import PolicyError, Problem
from dpsql.policy.model import Policy, SourceKind, Table

_AS_WRITTEN = (
    "hive_partitioning := false, union_by_name := false, filename := false, file_row_number := false, "
    "binary_as_string := false"
)


class Unfit(Exception):
    """A source is not what it may be; the text is for the admin."""


@dataclass(frozen=True, slots=True)
class Raw:
    """A table as its source has it: SQL that names it, and its columns with their DuckDB types."""

    sql: str
    columns: tuple[SourceColumn, ...]

    def column(self, name: str) -> SourceColumn | None:
        """The source's column of that name in any case, or None."""
        return next((c for c in self.columns if c.name.lower() == name.lower()), None)


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
        except (duckdb.Error, OSError, CsvMistake, Unfit) as error:
            message = _reason(table, error)
            problems.append(Problem(str(policy.path), None, f"tables.{table.name}.source", message))
    if problems:
        raise PolicyError(tuple(problems))
    return raw


def detach_sources(connection: duckdb.DuckDBPyConnection) -> None:
    """Gives up every database file, which may hold private tables beside a public one, and what was read from text."""
    connection.execute(f"DROP SCHEMA IF EXISTS {LOADED} CASCADE")
    files = "SELECT database_name FROM duckdb_databases() WHERE path IS NOT NULL AND NOT internal"
    for (name,) in connection.execute(files).fetchall():
        connection.execute(f"DETACH {quoted(name)}")


def columns_of(connection: duckdb.DuckDBPyConnection, sql: str) -> tuple[SourceColumn, ...]:
    """The columns of a table or table function, with the types that DuckDB itself says they have."""
    relation = connection.sql(f"SELECT * FROM {sql}")
    pairs = zip(relation.columns, relation.types, strict=True)
    return tuple(SourceColumn(name, str(kind.id), str(kind)) for name, kind in pairs)


def pattern(path: Path) -> str:
    """The pattern that meets this file alone, whatever brackets or stars are in its name."""
    return re.sub(r"([*?\[])", r"[\1]", str(path))


def _reason(table: Table, error: Exception) -> str:
    name, reason = table.source.path.name, str(error).partition("\n")[0]
    if not table.source.path.exists():
        return f"{name}: there is no such file"
    if isinstance(error, Unfit):
        return f"{name}: {reason}"
    if table.source.kind is SourceKind.DUCKDB and "lock" in reason.lower():
        return f"{name} is open for writing in another process; close it there"
    return f"{name} cannot be read: {reason}"


def _open(connection: duckdb.DuckDBPyConnection, table: Table, attached: dict[Path, str]) -> Raw:
    if table.source.kind is SourceKind.DUCKDB:
        return _in_database(connection, table, attached)
    if table.source.kind is SourceKind.CSV:
        sql, _ = load_csv(connection, table.name, table.source, table.source_columns)
    else:
        sql = f"read_parquet({text_literal(pattern(table.source.path))}, {_AS_WRITTEN})"
    return Raw(sql, columns_of(connection, sql))


def _in_database(connection: duckdb.DuckDBPyConnection, table: Table, attached: dict[Path, str]) -> Raw:
    source = table.source
    if source.path not in attached:
        alias = f"source{len(attached)}"
        connection.execute(f"ATTACH {text_literal(source.path)} AS {alias} (READ_ONLY, TYPE duckdb)")
        attached[source.path] = alias
    database = attached[source.path]
    name = _name_in(connection, database, table)
    raw = Raw(f"{database}.main.{quoted(name)}", columns_of(connection, f"{database}.main.{quoted(name)}"))
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
