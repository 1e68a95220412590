"""Whether the data satisfies what the policy declares of it, for the admin, before anybody is served."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import duckdb

from dpsql.algebra.catalog import TableInfo
from dpsql.algebra.scan import column_sql, quoted
from dpsql.engines.sqlgen.relation import SOURCE, owned_from, unit_sql
from dpsql.errors import Problem
from dpsql.policy.model import Policy, Table
from dpsql.policy.table_sources import SourceKind

Tables = Mapping[str, TableInfo]
# What counts the rows that do not satisfy a fact, where the policy declares it, and what to say of them.
_Check = tuple[str, str, str]


def violations(connection: duckdb.DuckDBPyConnection, policy: Policy, tables: Tables) -> tuple[Problem, ...]:
    """The declared facts that the data does not satisfy; those of the partition where all others hold."""
    private = [
        (t, i) for t in policy.tables if not t.public and (i := tables.get(t.name.lower())) is not None
    ]
    problems = tuple(p for t, i in private for p in _of_table(connection, policy, t, i, tables))
    return problems or _of_partition(connection, policy, tables)


def _problem(policy: Policy, at: str, message: str) -> Problem:
    return Problem(str(policy.path), None, f"tables.{at}", message)


def _reason(error: duckdb.Error) -> str:
    return str(error).partition("\n")[0]


def _of_table(
    connection: duckdb.DuckDBPyConnection, policy: Policy, table: Table, info: TableInfo, tables: Tables
) -> list[Problem]:
    unit = unit_sql(info, tables)
    checks = [*_checks(table, info, unit)]
    every = f"{SOURCE}.{quoted(table.name)} AS t"
    # Columns of a Parquet file that no other check reads: what cannot be decoded is found before a query.
    unread = [c for c in table.columns if c.nullable] if table.source.kind is SourceKind.PARQUET else []
    counted = [sql for sql, _, _ in checks]
    counted += [f"(SELECT count(t.{quoted(c.name)}) FROM {every})" for c in unread]
    if not counted:
        return []
    where = f" WHERE {unit} IS NOT NULL" if unit is not None else ""
    sql = f"SELECT {', '.join(counted)} {owned_from(info, tables)}{where}"
    try:
        counts = connection.execute(sql).fetchall()[0]
    except duckdb.Error as error:
        return [_problem(policy, table.name, f"the source cannot be read: {_reason(error)}")]
    return [
        _problem(policy, f"{table.name}{at}", message)
        for (_, at, message), count in zip(checks, counts, strict=False)
        if count
    ]


def _checks(table: Table, info: TableInfo, unit: str | None) -> Iterator[_Check]:
    for c in table.columns:
        if not c.nullable and c.name != table.unit_key:
            null = f"count_if(t.{quoted(c.name)} IS NULL)"
            yield null, f".columns.{c.path}", "the column has NULLs; declare it nullable"
    if table.one_row_per_unit and unit is not None:
        yield f"count(*) - count(DISTINCT {unit})", ".one_row_per_unit", "a unit owns more than one row"
    for name in sorted(info.unique - {table.unit_key}):
        key, every = f"t.{quoted(name)}", f"{SOURCE}.{quoted(table.name)} AS t"
        twice = f"(SELECT count({key}) - count(DISTINCT {key}) FROM {every})"
        message = "unit_path leads to this column, and two rows have one value of it"
        yield twice, f".columns.{name}", message


def _of_partition(
    connection: duckdb.DuckDBPyConnection, policy: Policy, tables: Tables
) -> tuple[Problem, ...]:
    at, sql = partition_check(tables)
    if sql is None:
        return ()
    message = f"a unit has more than one value of it, over all rows of {' and '.join(at)}"
    try:
        if not connection.execute(sql).fetchall()[0][0]:
            return ()
    except duckdb.Error as error:
        message = f"the sources of {' and '.join(at)} cannot be read: {_reason(error)}"
    table, _, column = at[0].rpartition(".")
    return (_problem(policy, f"{table}.columns.{column}.partition", message),)


def partition_check(tables: Tables) -> tuple[tuple[str, ...], str | None]:
    """The columns of the partition, and how many units have two values of it over all rows of all of them.

    Values are compared as queries see them: those that are not listed are NULL, and NULL is a value. None where there
    is nothing to count: rows that are units themselves have one value each.
    """
    names, rows = [], []
    for info in tables.values():
        unit = unit_sql(info, tables)
        for column in info.columns:
            if not column.partition or info.public:
                continue
            names.append(f"{info.name}.{column.name}")
            if unit is not None:
                value = column_sql(column, f"t.{quoted(column.name)}")
                rows.append(
                    f"SELECT {unit} AS u, {value} AS p {owned_from(info, tables)} WHERE {unit} IS NOT NULL"
                )
    if not rows:
        return tuple(names), None
    twice = "SELECT u FROM ({}) GROUP BY u HAVING count(DISTINCT p) + bool_or(p IS NULL)::INTEGER > 1"
    return tuple(names), f"SELECT count(*) FROM ({twice.format(' UNION ALL '.join(rows))})"
