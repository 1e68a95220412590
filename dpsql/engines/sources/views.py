"""The policy's tables in an engine: one typed view of each source, the same for every engine that reads it.

What an engine computes with is what was proven: six types, text compared by its bytes, one zero, and nothing of the
source's own types behind a column.
"""

from __future__ import annotations

from collections.abc import Iterable

import duckdb

from dpsql.algebra.scan import quoted
from dpsql.engines.sources.column_types import (
    ENGINE_TYPE,
    WIDE_INTEGERS,
    SourceColumn,
    columns_of,
    key_sql,
    merges,
    natural_type,
    private_sql,
    public_sql,
    reads_as,
    stored_integer,
)
from dpsql.engines.sources.files import Raw, open_sources
from dpsql.engines.sources.json_text import mistake_of_text, with_fields
from dpsql.engines.sqlgen.relation import stored_beside
from dpsql.errors import InternalError, PolicyError, Problem
from dpsql.policy.model import Column, ColumnType, Policy, Table
from dpsql.policy.table_sources import SourceKind
from dpsql.slotted import dataclass

_FITS = "coalesce(min({0}) >= -9223372036854775808::HUGEINT AND max({0}) <= 9223372036854775807, true)"


@dataclass(frozen=True, slots=True)
class TypedTable:
    """A table as every engine reads it: its columns in types of the policy, and the SELECT that gives them.

    Behind the columns of a private table stand its integers once more, as they are stored.
    `stored` says that an engine has to keep its rows: their reading is not to be mixed with what is asked of them.
    """

    table: Table
    columns: tuple[tuple[str, ColumnType], ...]
    select: str
    stored: bool


def typed_tables(
    connection: duckdb.DuckDBPyConnection, policy: Policy, tables: Iterable[Table]
) -> tuple[TypedTable, ...]:
    """The tables over their sources, opened on a connection. Raises PolicyError for all that does not fit."""
    tables = tuple(tables)
    raw = open_sources(connection, policy, tables)
    problems: list[Problem] = []
    typed = [_typed(connection, policy, table, raw[table.name], problems) for table in tables]
    if problems:
        raise PolicyError(tuple(problems))
    return tuple(typed)


def create(connection: duckdb.DuckDBPyConnection, typed: TypedTable, name: str, *, stored: bool) -> None:
    """Makes the table on a connection, under a name as SQL writes it; its rows are read at once if they are stored.

    Raises InternalError where a column has another type than the policy's.
    """
    kind = "TABLE" if stored or typed.stored else "VIEW"
    connection.execute(f"CREATE {kind} {name} AS {typed.select}")
    wanted = [(column, ENGINE_TYPE[type_]) for column, type_ in typed.columns]
    if wanted and [(c.name, c.written) for c in columns_of(connection, name)][: len(wanted)] != wanted:
        raise InternalError(f"the view of {typed.table.name} has other types than the policy")


def _typed(
    connection: duckdb.DuckDBPyConnection, policy: Policy, table: Table, raw: Raw, problems: list[Problem]
) -> TypedTable:
    if table.columns:
        raw = with_fields(table, raw)
        columns = _listed(policy, table, raw, problems)
    else:
        kinds = ((c, _natural(connection, raw, c)) for c in raw.columns)
        columns = [(c.name, c, k) for c, k in kinds if k is not None]
    keys = key_columns(policy, table)
    parts = [f"{_sql(table, keys, name, c, k)} AS {quoted(name)}" for name, c, k in columns]
    if not table.public:
        integers = ((name, c) for name, c, k in columns if k is ColumnType.INTEGER)
        parts += [f"{stored_integer(c)} AS {quoted(stored_beside(name))}" for name, c in integers]
    rendered = table.public and any(k is ColumnType.TEXT and c.kind != "varchar" for _, c, k in columns)
    return TypedTable(
        table,
        tuple((name, k) for name, _, k in columns),
        f"SELECT {', '.join(parts) or '1 AS nothing'} FROM {raw.sql}",
        rendered,
    )


def _natural(connection: duckdb.DuckDBPyConnection, raw: Raw, column: SourceColumn) -> ColumnType | None:
    """The type of a public column that the policy does not list; public values may be looked at for it."""
    fits = True
    if column.kind in WIDE_INTEGERS:
        counted = f"SELECT {_FITS.format(quoted(column.name))} FROM {raw.sql}"
        fits = bool(connection.execute(counted).fetchall()[0][0])
    return natural_type(column, fits)


def _listed(
    policy: Policy, table: Table, raw: Raw, problems: list[Problem]
) -> list[tuple[str, SourceColumn, ColumnType]]:
    keys, columns = key_columns(policy, table), []
    for column in table.columns:
        source = raw.column(column.name)
        message = _mistake(column, source, column.name in keys, table.public)
        if column.field is not None:
            message = mistake_of_text(raw.column(column.field.column), column.field.column)
        if message is not None:
            at = f"tables.{table.name}.columns.{column.path}"
            problems.append(Problem(str(policy.path), None, at, message))
        elif source is not None:
            columns.append((column.name, source, column.type))
    return columns


def _mistake(column: Column, source: SourceColumn | None, is_key: bool, public: bool) -> str | None:
    if source is None:
        return "the source has no such column"
    if not reads_as(source, column.type, public=public):
        return f"the source has {source.written}, which cannot be read as {column.type}"
    if is_key and merges(source, column.type):
        return f"the source has {source.written}, of which two values could become one key; cast it in the source"
    return None


def _sql(table: Table, keys: frozenset[str], name: str, source: SourceColumn, wanted: ColumnType) -> str:
    if table.public:
        return public_sql(source, wanted)
    column = table.column(name)
    assert column is not None, "a private table has listed columns only"
    if name in keys:
        replaced = table.source.kind in (SourceKind.PARQUET, SourceKind.FRAME)
        return key_sql(source, wanted, column.longest, replaced=replaced)
    return private_sql(source, wanted, None if column.is_listed else column.longest)


def key_columns(policy: Policy, table: Table) -> frozenset[str]:
    """The columns of a private table that say who owns a row, here or in another table."""
    own = {table.unit_key, table.unit_path.column if table.unit_path is not None else None}
    led_to = {p.key for t in policy.tables if (p := t.unit_path) is not None and p.table == table.name}
    return frozenset(name for name in own | led_to if name is not None)
