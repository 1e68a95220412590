"""The private engine: DuckDB with the private rows in its reach, and nobody's text but ours."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt

from dpsql.algebra.catalog import TableInfo
from dpsql.algebra.scan import quoted
from dpsql.engines.base import EngineFailed, EngineQuery, Exact, Key, UnitList
from dpsql.engines.partition import partition_check
from dpsql.engines.settings import Limits, connect, lock, own_directory, remove
from dpsql.engines.sources.files import pattern
from dpsql.engines.sources.views import create, typed_tables
from dpsql.engines.sqlgen.bounding import LISTS
from dpsql.engines.sqlgen.relation import SOURCE, owned_from, unit_sql
from dpsql.engines.watch import interrupted_after
from dpsql.errors import Problem, Uncopyable
from dpsql.policy.model import Column, Policy, SourceKind, Table

_BITS = 62
_SMALL = 2**61


def make_tables(connection: duckdb.DuckDBPyConnection, policy: Policy) -> None:
    """The policy's tables where the SQL that we write looks for them. Raises PolicyError for what does not fit."""
    connection.execute(f"CREATE SCHEMA {SOURCE}")
    connection.execute(f"CREATE SCHEMA {LISTS}")
    for typed in typed_tables(connection, policy, policy.tables):
        create(connection, typed, f"{SOURCE}.{quoted(typed.table.name)}", stored=False)


class DuckEngine(Uncopyable):
    """A connection of its own to the policy's sources; see `PrivateEngine`."""

    __slots__ = ("_built", "_connection", "_seconds", "_spill")

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, seconds: float = 600, spill: Path | None = None
    ) -> None:
        self._connection = connection
        self._seconds = seconds
        self._spill = spill
        self._built: set[str] = set()

    @classmethod
    def open(cls, policy: Policy, limits: Limits | None = None) -> DuckEngine:
        """The engine over a policy's sources. Raises PolicyError where a source does not fit the policy."""
        limits = own_directory(limits if limits is not None else Limits(policy.engine.seconds))
        connection = connect(limits)
        try:
            make_tables(connection, policy)
            files = [t.source.path for t in policy.tables if t.source.kind is SourceKind.PARQUET]
            lock(connection, limits, [*files, *(Path(pattern(file)) for file in files)])
        except BaseException:
            connection.close()
            remove(limits.spill)
            raise
        return cls(connection, limits.seconds, limits.spill)

    def run(self, query: EngineQuery, seconds: float | None = None) -> Exact:
        """The exact answer of a query, fully read. Raises EngineFailed and nothing else."""
        limit = self._seconds if seconds is None else min(seconds, self._seconds)
        try:
            with interrupted_after(self._connection, limit):
                for units in query.lists:
                    self._build(units)
                values = {n: list(v) if isinstance(v, tuple) else v for n, v in query.values}
                rows = self._connection.execute(query.sql, values).fetchall()
            return Exact(_keys(rows, query.keys), _integers(rows, query.keys, query.terms))
        except Exception as error:
            raise EngineFailed(f"{type(error).__name__}: {error}") from None

    def _build(self, units: UnitList) -> None:
        if units.name in self._built:
            return
        for statement in units.statements:
            self._connection.execute(statement)
        self._built.add(units.name)

    def violations(self, policy: Policy, tables: Mapping[str, TableInfo]) -> tuple[Problem, ...]:
        """The declared facts that the data does not satisfy, for the admin."""
        found: list[Problem] = []
        for table in policy.tables:
            info = tables.get(table.name.lower())
            if not table.public and info is not None:
                found += self._table_violations(policy, table, info, tables)
        return tuple(found) or self._partition_violations(policy, tables)

    def _partition_violations(self, policy: Policy, tables: Mapping[str, TableInfo]) -> tuple[Problem, ...]:
        at, sql = partition_check(tables)
        if sql is None:
            return ()
        message = f"a unit has more than one value of it, over all rows of {' and '.join(at)}"
        try:
            if not self._connection.execute(sql).fetchall()[0][0]:
                return ()
        except duckdb.Error as error:
            reason = str(error).partition("\n")[0]
            message = f"the sources of {' and '.join(at)} cannot be read: {reason}"
        table, _, column = at[0].rpartition(".")
        return (Problem(str(policy.path), None, f"tables.{table}.columns.{column}.partition", message),)

    def _table_violations(
        self, policy: Policy, table: Table, info: TableInfo, tables: Mapping[str, TableInfo]
    ) -> list[Problem]:
        unit = unit_sql(info, tables)
        strict = [c for c in table.columns if not c.nullable and c.name != table.unit_key]
        checks = [f"count_if(t.{quoted(c.name)} IS NULL)" for c in strict]
        if table.one_row_per_unit and unit is not None:
            checks.append(f"count(*) - count(DISTINCT {unit})")
        keys = sorted(info.unique - {table.unit_key})
        unique = [f"t.{quoted(k)}" for k in keys]
        every = f"{SOURCE}.{quoted(table.name)} AS t"
        checks += [f"(SELECT count({k}) - count(DISTINCT {k}) FROM {every})" for k in unique]
        told = len(checks)
        checks += [f"(SELECT count(t.{quoted(c.name)}) FROM {every})" for c in _unread(table)]
        if not checks:
            return []
        where = f" WHERE {unit} IS NOT NULL" if unit is not None else ""
        sql = f"SELECT {', '.join(checks)} {owned_from(info, tables)}{where}"
        try:
            counts = self._connection.execute(sql).fetchall()[0]
        except duckdb.Error as error:
            reason = str(error).partition("\n")[0]
            return [
                Problem(
                    str(policy.path), None, f"tables.{table.name}", f"the source cannot be read: {reason}"
                )
            ]
        messages = [(f".columns.{c.name}", "the column has NULLs; declare it nullable") for c in strict]
        if table.one_row_per_unit and unit is not None:
            messages.append((".one_row_per_unit", "a unit owns more than one row"))
        messages += [
            (f".columns.{k}", "unit_path leads to this column, and two rows have one value of it")
            for k in keys
        ]
        return [
            Problem(str(policy.path), None, f"tables.{table.name}{at}", message)
            for (at, message), count in zip(messages, counts[:told], strict=True)
            if count
        ]

    def close(self) -> None:
        """Gives the engine up; a second call does nothing."""
        self._connection.close()
        remove(self._spill)

    def __repr__(self) -> str:
        return "DuckEngine()"


def _unread(table: Table) -> list[Column]:
    """Columns of a Parquet file that no other check reads: what cannot be decoded is found before a query."""
    return [c for c in table.columns if c.nullable] if table.source.kind is SourceKind.PARQUET else []


def _keys(rows: list[tuple[Any, ...]], count: int) -> tuple[Key, ...]:
    return tuple(row[:count] for row in rows)


def _integers(rows: list[tuple[Any, ...]], keys: int, terms: int) -> npt.NDArray[np.generic]:
    """high * 2**62 + low for each term; 64-bit integers where they all fit with room for sums, else Python integers."""
    halves = np.array([row[keys:] for row in rows], dtype=np.int64).reshape(len(rows), 2 * terms)
    high, low = halves[:, 0::2], halves[:, 1::2]
    if bool(np.all(high == 0)) and bool(np.all(low < _SMALL)):
        return low
    exact: npt.NDArray[np.generic] = high.astype(object) * 2**_BITS + low.astype(object)
    return exact
