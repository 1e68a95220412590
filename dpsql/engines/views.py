"""The policy's tables as views over their sources, every column in the type that the policy gives it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import duckdb

from dpsql.engines.csv import LOADED, CsvMistake, load_csv
from dpsql.errors import PolicyError, Problem
from dpsql.policy.model import ColumnType, Policy, SourceKind, Table
from dpsql.scan import quoted

_SMALL_INTEGERS = frozenset({"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"})
_WIDE_INTEGERS = frozenset({"UBIGINT", "HUGEINT", "UHUGEINT"})
_TIMESTAMPS = frozenset({"TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "DATE"})
_ACCEPTED = {
    ColumnType.INTEGER: _SMALL_INTEGERS | _WIDE_INTEGERS,
    ColumnType.FLOAT: _SMALL_INTEGERS | _WIDE_INTEGERS | {"FLOAT", "DOUBLE", "DECIMAL"},
    ColumnType.TEXT: frozenset({"VARCHAR", "ENUM", "UUID"}),
    ColumnType.BOOLEAN: frozenset({"BOOLEAN"}),
    ColumnType.DATE: frozenset({"DATE"}),
    ColumnType.TIMESTAMP: _TIMESTAMPS,
}
# Types whose values a column's type does not keep apart: as keys they would make one unit of two.
_MERGED = {
    **dict.fromkeys(ColumnType, frozenset[str]()),
    ColumnType.INTEGER: _WIDE_INTEGERS,
    ColumnType.FLOAT: _SMALL_INTEGERS | _WIDE_INTEGERS | {"DECIMAL"},
    ColumnType.TIMESTAMP: frozenset({"TIMESTAMP_NS"}),
}
# What a column without bounds is clamped to. A key is not: clamping would make one unit of several.
_NAMED = {
    ColumnType.FLOAT: "isfinite({0})",
    ColumnType.DATE: "{0} BETWEEN DATE '0001-01-01' AND DATE '9999-12-31'",
    ColumnType.TIMESTAMP: "{0} BETWEEN TIMESTAMP '0001-01-01' AND TIMESTAMP '9999-12-31 23:59:59.999999'",
}
ENGINE_TYPE = {
    ColumnType.INTEGER: "BIGINT",
    ColumnType.FLOAT: "DOUBLE",
    ColumnType.TEXT: "VARCHAR",
    ColumnType.BOOLEAN: "BOOLEAN",
    ColumnType.DATE: "DATE",
    ColumnType.TIMESTAMP: "TIMESTAMP",
}


@dataclass(frozen=True, slots=True)
class Raw:
    """A table as its source has it: SQL that names it, and its columns with their DuckDB types."""

    sql: str
    columns: tuple[tuple[str, str], ...]

    def column(self, name: str) -> tuple[str, str] | None:
        """The source's spelling and type of a column, or None."""
        return next(((n, t) for n, t in self.columns if n.lower() == name.lower()), None)


def base_type(raw: str) -> str:
    """A DuckDB type without its parameters: DECIMAL(10,2) is DECIMAL."""
    return raw.partition("(")[0].strip().upper()


def open_sources(
    connection: duckdb.DuckDBPyConnection, policy: Policy, tables: Iterable[Table]
) -> dict[str, Raw]:
    """Makes the tables' sources readable on a connection. Raises PolicyError with every source that is not."""
    problems: list[Problem] = []
    attached: dict[Path, str] = {}
    found: dict[str, Raw] = {}
    for table in tables:
        try:
            found[table.name] = _open(connection, table, attached)
        except (duckdb.Error, OSError, CsvMistake) as error:
            reason = str(error).partition("\n")[0]
            message = _reason(table, reason)
            problems.append(Problem(str(policy.path), None, f"tables.{table.name}.source", message))
    if problems:
        raise PolicyError(tuple(problems))
    return found


def detach_sources(connection: duckdb.DuckDBPyConnection) -> None:
    """Gives up every database file, which may hold private tables beside a public one, and what was read from text."""
    connection.execute(f"DROP SCHEMA IF EXISTS {LOADED} CASCADE")
    files = "SELECT database_name FROM duckdb_databases() WHERE path IS NOT NULL AND NOT internal"
    for (name,) in connection.execute(files).fetchall():
        connection.execute(f"DETACH {quoted(name)}")


def _reason(table: Table, reason: str) -> str:
    name = table.source.path.name
    if not table.source.path.exists():
        return f"{name}: there is no such file"
    if table.source.kind is SourceKind.DUCKDB and "lock" in reason.lower():
        return f"{name} is open for writing in another process; close it there"
    return f"{name} cannot be read: {reason}"


def _open(connection: duckdb.DuckDBPyConnection, table: Table, attached: dict[Path, str]) -> Raw:
    source = table.source
    path = str(source.path).replace("'", "''")
    if source.kind is SourceKind.DUCKDB:
        if source.path not in attached:
            alias = f"source{len(attached)}"
            connection.execute(f"ATTACH '{path}' AS {alias} (READ_ONLY)")
            attached[source.path] = alias
        sql = f"{attached[source.path]}.main.{quoted(source.table)}"
    elif source.kind is SourceKind.CSV:
        return Raw(*load_csv(connection, table.name, source, table.columns))
    else:
        sql = f"read_parquet('{path}')"
    described = connection.execute(f"DESCRIBE SELECT * FROM {sql}").fetchall()
    return Raw(sql, tuple((str(row[0]), str(row[1])) for row in described))


def typed_select(policy: Policy, table: Table, raw: Raw) -> str:
    """A SELECT of the table's listed columns in their policy's types. Raises PolicyError for what does not fit."""
    problems, listed = [], []
    keys = _keys(policy, table)
    for column in table.columns:
        at = f"tables.{table.name}.columns.{column.name}"
        found = raw.column(column.name)
        if found is None:
            problems.append(Problem(str(policy.path), None, at, "the source has no such column"))
        elif base_type(found[1]) not in _ACCEPTED[column.type]:
            message = f"the source has {found[1]}, which cannot be read as {column.type}"
            problems.append(Problem(str(policy.path), None, at, message))
        elif column.name in keys and base_type(found[1]) in _MERGED[column.type]:
            message = (
                f"the source has {found[1]}, of which two values could become one key; cast it in the source"
            )
            problems.append(Problem(str(policy.path), None, at, message))
        else:
            value = _converted(*found, column.type)
            value = _named(value, column.type) if column.name in keys else value
            listed.append(f"{value} AS {quoted(column.name)}")
    if problems:
        raise PolicyError(tuple(problems))
    return f"SELECT {', '.join(listed)} FROM {raw.sql}"


def _keys(policy: Policy, table: Table) -> frozenset[str]:
    """The columns of a private table that say who owns a row, here or in another table."""
    own = {table.unit_key, table.unit_path.column if table.unit_path is not None else None}
    led_to = {p.key for t in policy.tables if (p := t.unit_path) is not None and p.table == table.name}
    return frozenset(name for name in own | led_to if name is not None)


def _converted(name: str, raw: str, wanted: ColumnType) -> str:
    """A column in its policy's type; what that cannot hold moves to its nearest end or is NULL, and no cast can raise.

    Text is compared byte by byte: under a collation of the source, one key could be equal to the keys of two units.
    """
    value, engine_type = quoted(name), ENGINE_TYPE[wanted]
    if base_type(raw) == "VARCHAR" == engine_type:
        return f"{value} COLLATE C"
    if base_type(raw) == engine_type:
        return value
    if wanted is ColumnType.INTEGER and base_type(raw) in _WIDE_INTEGERS:
        return _as_bigint(value, base_type(raw))
    if wanted is ColumnType.TIMESTAMP and base_type(raw) == "DATE":
        inside = f"LEAST(GREATEST({value}, DATE '0000-01-01'), DATE '10000-01-01')"
        return f"CASE WHEN {value} IS NOT NULL THEN CAST({inside} AS TIMESTAMP) END"
    if wanted is ColumnType.TIMESTAMP:
        return f"TRY_CAST({value} AS TIMESTAMP)"
    return f"CAST({value} AS {engine_type})"


def _named(value: str, wanted: ColumnType) -> str:
    """A key that is none of the values that its column is clamped to: beyond them a row has no owner."""
    inside = _NAMED.get(wanted)
    return f"CASE WHEN {inside.format(value)} THEN {value} END" if inside is not None else value


def _as_bigint(value: str, raw: str) -> str:
    """A wide integer, compared in its own type: no other one holds all of its values."""
    lowest, highest = "(-9223372036854775808)::HUGEINT", f"9223372036854775807::{raw}"
    below = f"WHEN {value} < {lowest} THEN {lowest} " if raw == "HUGEINT" else ""
    return f"CAST(CASE {below}WHEN {value} > {highest} THEN {highest} ELSE {value} END AS BIGINT)"
