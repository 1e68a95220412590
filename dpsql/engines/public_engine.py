"""The public engine: DuckDB that has never seen a private row, for everything that happens to released tables.

It holds the public tables, the released tables of the query at hand, and, in a database apart, empty tables with the
policy's columns: a query described there has the names and types that DuckDB gives it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, TypeVar

import duckdb

from dpsql.algebra.catalog import ColumnInfo
from dpsql.algebra.expressions import LiteralValue
from dpsql.algebra.facts import NATURAL, Fact, number_of
from dpsql.algebra.scan import column_sql, quoted
from dpsql.algebra.types import SqlType, sql_type
from dpsql.engines.base import (
    PLANNING_SECONDS,
    PUBLIC_SECONDS,
    FinishFailed,
    FinishLost,
    FinishStopped,
    OutputColumn,
    ReleasedTable,
    Row,
)
from dpsql.engines.duckdb_settings import Limits, connect, lock, own_directory, remove
from dpsql.engines.empty_tables import EmptyTables
from dpsql.engines.fetched_columns import FEW, fetched
from dpsql.engines.sources.column_types import ENGINE_TYPE
from dpsql.engines.sources.files import detach_sources
from dpsql.engines.sources.views import create, typed_tables
from dpsql.engines.watch import Watch
from dpsql.errors import Uncopyable
from dpsql.policy.model import Policy
from dpsql.privacy import Interval

MEMORY = 4 * 10**9
# More rows than this are not read into an answer.
MOST_ROWS = 5_000_000
# So many rows of a dry run are read.
_MOST_TRIED = 10_000
# So many answers about public values are kept, each of so many rows and characters at most.
_MOST_KEPT, _MOST_KEPT_ROWS, _LONGEST_KEPT = 64, 1_000, 20_000
RELEASED = "released"
_TYPES = {engine_type: sql_type(type_) for type_, engine_type in ENGINE_TYPE.items()}
_STOPPED = (duckdb.InterruptException, duckdb.OutOfMemoryException, MemoryError)
# DuckDB gives up the whole database at such an error.
_LOST = (duckdb.InternalException, duckdb.FatalException)
_TOO_MUCH = "the query takes more time or memory than it may"
# A column of a public table: its name and type, its least and greatest value, and whether it has NULLs.
PublicFact = tuple[str, SqlType, object, object, bool]
Found = TypeVar("Found")


class FinishEngine(Uncopyable):
    """One long-lived public engine of a connection, also the source of facts about public tables."""

    __slots__ = (
        "_connection",
        "_described",
        "_describing",
        "_evaluated",
        "_fan_outs",
        "_infos",
        "_limits",
        "_long_names",
        "_parsed",
        "_standing",
        "_working",
    )

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        described: EmptyTables,
        limits: Limits,
        long_names: tuple[str, ...],
    ) -> None:
        self._connection = connection
        self._described = described
        self._limits = limits
        self._long_names = long_names  # public tables with many rows
        self._working, self._describing = Watch(connection), Watch(described.cursor)
        self._infos: dict[str, tuple[ColumnInfo, ...]] = {}
        self._fan_outs: dict[tuple[str, tuple[str, ...]], int] = {}
        self._evaluated: dict[str, tuple[tuple[LiteralValue, ...], ...]] = {}
        # The last text that was parsed: it is described next.
        self._parsed: tuple[str, duckdb.Statement] | None = None
        # What stands in the tables of the last dry runs: a query with the same shape of results is tried on the same.
        self._standing: dict[str, str] = {}

    @classmethod
    def open(cls, policy: Policy, limits: Limits | None = None) -> FinishEngine:
        """The engine with a policy's public tables loaded. Raises PolicyError where one cannot be read."""
        limits = own_directory(limits if limits is not None else Limits(PUBLIC_SECONDS, MEMORY))
        connection = connect(limits)
        try:
            public = typed_tables(connection, policy, [t for t in policy.tables if t.public])
            for typed in public:
                create(connection, typed, quoted(typed.table.name), stored=True)
            connection.execute(f"CREATE SCHEMA {RELEASED}")
            described = EmptyTables.beside(connection, policy, public)
            detach_sources(connection)
            long_names = _long_names(connection, [t.table.name for t in public])
            # A divisor may be a noisy count: on private rows what is divided by 0 is NULL as well.
            connection.execute("SET error_on_division_by_zero = false")
            lock(connection, limits)
        except BaseException:
            connection.close()
            remove(limits)
            raise
        return cls(connection, described, limits, long_names)

    def columns(self, table: str) -> tuple[ColumnInfo, ...]:
        if table not in self._infos:
            self._infos[table] = column_infos(self.facts(table))
        return self._infos[table]

    def facts(self, table: str) -> tuple[PublicFact, ...]:
        """What `columns` is made of, as plain values."""
        described = self._connection.execute(f"DESCRIBE {quoted(table)}").fetchall()
        kinds = {str(r[0]): _TYPES[str(r[1])] for r in described if str(r[1]) in _TYPES}
        bare = [ColumnInfo(n, k, Fact(k, True, NATURAL.get(k))) for n, k in kinds.items()]
        if not bare:
            return ()
        counted = ", ".join(
            f"min({c}), max({c}), count_if({c} IS NULL) > 0"
            for c in (column_sql(b, f"t.{quoted(b.name)}") for b in bare)
        )
        ends = self._connection.execute(f"SELECT {counted} FROM {quoted(table)} AS t").fetchall()[0]
        return tuple((b.name, b.type, *ends[3 * i : 3 * i + 3]) for i, b in enumerate(bare))

    def fan_out(self, table: str, columns: tuple[str, ...]) -> int:
        key = (table, columns)
        if key not in self._fan_outs:
            infos = {c.name: c for c in self.columns(table)}
            keys = [column_sql(infos[name], f"t.{quoted(name)}") for name in columns]
            present = " AND ".join(f"({k}) IS NOT NULL" for k in keys) or "true"
            counted = f"SELECT count(*) AS n FROM {quoted(table)} AS t WHERE {present}"
            if keys:
                counted += f" GROUP BY {', '.join(keys)}"
            if self._holds_key(table, columns):  # then it takes far less time to see whether there is any row
                counted = f"SELECT 1 AS n FROM {quoted(table)} AS t WHERE {present} LIMIT 1"
            most = self._connection.execute(f"SELECT coalesce(max(n), 0) FROM ({counted})").fetchall()
            self._fan_outs[key] = int(most[0][0])
        return self._fan_outs[key]

    def _holds_key(self, table: str, columns: tuple[str, ...]) -> bool:
        """Whether one of several columns is known to tell all rows apart: of integers that have as many values."""
        if not columns[1:]:
            return False
        rows = self.fan_out(table, ())
        known = ((c.name, c.fact.interval) for c in self.columns(table) if c.type is SqlType.INTEGER)
        wide = (name for name, ends in known if ends is not None and ends.width + 1 >= rows)
        return any(self.fan_out(table, (name,)) <= 1 for name in wide if name in columns)

    def evaluate(self, sql: str) -> list[tuple[LiteralValue, ...]]:
        """The rows of a query on public values that we wrote. Raises FinishFailed.

        Public tables stay as they were loaded: short answers are kept for the next query over the same groups.
        """
        rows = self._evaluated.pop(sql, None)
        if rows is None:
            with self._within(PLANNING_SECONDS):
                rows = tuple(self._run(sql))
        if len(sql) <= _LONGEST_KEPT and _is_short(rows):
            self._evaluated[sql] = rows
            if len(self._evaluated) > _MOST_KEPT:
                del self._evaluated[next(iter(self._evaluated))]
        return list(rows)

    def select_statements(self, text: str) -> int:
        self._parsed = None
        try:
            statements = self._described.cursor.extract_statements(text)
        except duckdb.Error:
            raise ValueError("the text does not parse") from None
        if any(s.type is not duckdb.StatementType.SELECT for s in statements):
            raise ValueError("the text is not a SELECT")
        if len(statements) == 1:
            self._parsed = (text, statements[0])
        return len(statements)

    def describe(
        self, text: str, params: Sequence[object] | Mapping[str, object]
    ) -> tuple[OutputColumn, ...]:
        bound = dict(params) if isinstance(params, Mapping) else list(params)
        with self._describing.within(min(PLANNING_SECONDS, self._limits.seconds)):
            cursor = _guarded(lambda: self._described.naming(text))
            if not bound:
                return self._bound(cursor, text)
            rows = _read(cursor, f"DESCRIBE {text}", bound)
        return tuple(OutputColumn(str(r[0]), str(r[1])) for r in rows)

    def _bound(self, cursor: duckdb.DuckDBPyConnection, text: str) -> tuple[OutputColumn, ...]:
        """The same for a query without parameters, which need not run for it."""
        parsed = self._parsed
        relation = _relation(cursor, parsed[1] if parsed is not None and parsed[0] == text else text)
        return tuple(
            OutputColumn(name, str(t)) for name, t in zip(relation.columns, relation.types, strict=True)
        )

    def check(self, public_query: str, tables: Iterable[ReleasedTable]) -> tuple[str, ...]:
        """The types of the finished query's columns. It is run where tables have rows. Raises FinishFailed.

        The tables are left for the next dry run, unless this one failed.
        """
        tables = tuple(tables)
        try:
            with self._within(PLANNING_SECONDS):
                return self._tried(public_query, tables)
        except BaseException:
            self._drop(tables)
            raise

    def _tried(self, public_query: str, tables: Sequence[ReleasedTable]) -> tuple[str, ...]:
        for table in tables:
            self._stand(table)
        if not any(len(table.rows) for table in tables):
            return tuple(str(t) for t in _relation(self._connection, public_query).types)
        # Rows are computed as they are fetched: what fails in a later one fails there.
        _read(self._connection, public_query, [], most=_MOST_TRIED)
        return tuple(str(column[1]) for column in self._connection.description or ())

    def _stand(self, table: ReleasedTable) -> None:
        """Makes a table for a dry run, unless the one before has left the very same."""
        text = repr((table.columns, [*map(tuple, table.rows)]))
        if self._standing.get(table.name) == text:
            return
        self._standing.pop(table.name, None)
        self._create((table,))
        self._standing[table.name] = text

    def finish(self, public_query: str, tables: Iterable[ReleasedTable]) -> Sequence[Row]:
        tables = tuple(tables)
        try:
            with self._within(PUBLIC_SECONDS):
                self._create(tables)
                return self._finished(public_query, tables)
        finally:
            self._drop(tables)

    def _finished(self, sql: str, tables: Sequence[ReleasedTable]) -> Sequence[Row]:
        """The rows of the query; as columns where it may have many, which its text and its tables tell."""
        if any(name in sql for name in self._long_names) or any(len(t.rows) >= FEW for t in tables):
            rows = _read_columns(self._connection, sql)
            if rows is not None:
                return rows
        return tuple(self._run(sql))

    def _within(self, seconds: float) -> AbstractContextManager[None]:
        return self._working.within(min(seconds, self._limits.seconds))

    def _create(self, tables: Iterable[ReleasedTable]) -> None:
        for table in tables:
            name = f"{RELEASED}.{quoted(table.name)}"
            if len(table.rows) == 0:
                columns = ", ".join(f"{quoted(c)} {kind}" for c, kind in table.columns)
                self._run(f"CREATE OR REPLACE TABLE {name} ({columns})")
                continue
            # One statement rather than two: a stored answer takes little more than its statements.
            lists = [list(column) for column in zip(*table.rows, strict=True)]
            parts = ", ".join(
                f"unnest(CAST(${i} AS {kind}[])) AS {quoted(c)}"
                for i, (c, kind) in enumerate(table.columns, 1)
            )
            self._run(f"CREATE OR REPLACE TABLE {name} AS SELECT {parts}", lists)

    def _drop(self, tables: Iterable[ReleasedTable]) -> None:
        for table in tables:
            self._standing.pop(table.name, None)
            self._run(f"DROP TABLE IF EXISTS {RELEASED}.{quoted(table.name)}")

    def _run(self, sql: str, params: list[Any] | None = None) -> list[tuple[Any, ...]]:
        return _read(self._connection, sql, params if params is not None else [])

    def close(self) -> None:
        """Gives the engine up; a second call does nothing."""
        self._parsed = None
        self._working.close()
        self._describing.close()
        self._described.cursor.close()
        self._connection.close()
        remove(self._limits)

    def __repr__(self) -> str:
        return "FinishEngine()"


def _guarded(run: Callable[[], Found]) -> Found:
    """What the engine gives; a failure carries nothing of the engine's, not even as its context."""
    result, failed = None, FinishFailed("the public engine refused the query")
    try:
        result = run()
    except Exception as error:
        if isinstance(error, _STOPPED):
            failed = FinishStopped(_TOO_MUCH)
        if isinstance(error, _LOST):
            failed = FinishLost("the public engine is lost")
    if result is None:
        raise failed
    return result


def _read(
    connection: duckdb.DuckDBPyConnection,
    sql: str,
    params: list[Any] | dict[str, Any],
    most: int = MOST_ROWS + 1,
) -> list[tuple[Any, ...]]:
    """The rows, fully read up to `most`."""
    rows = _guarded(lambda: connection.execute(sql, params).fetchmany(most))
    if len(rows) > MOST_ROWS:
        raise FinishStopped(_TOO_MUCH)
    return rows


def _read_columns(connection: duckdb.DuckDBPyConnection, sql: str) -> Sequence[Row] | None:
    """The same rows, as columns where they are many; None where columns do not hold their values."""
    bounded = f"FROM ({sql}) LIMIT {MOST_ROWS + 1}"  # columns are read whole; the order of the rows stays
    rows = _guarded(lambda: fetched(connection.execute(bounded), MOST_ROWS + 1)).rows
    if rows is not None and len(rows) > MOST_ROWS:
        raise FinishStopped(_TOO_MUCH)
    return tuple(rows) if isinstance(rows, list) else rows


def _long_names(connection: duckdb.DuckDBPyConnection, names: Iterable[str]) -> tuple[str, ...]:
    """Those of the stored tables that have many rows. DuckDB's own list of tables takes ten times as long to ask."""
    counted = (
        (name, connection.execute(f"SELECT count(*) FROM {quoted(name)}").fetchall()) for name in names
    )
    return tuple(name for name, ((rows,),) in counted if rows >= FEW)


def _relation(
    connection: duckdb.DuckDBPyConnection, query: str | duckdb.Statement
) -> duckdb.DuckDBPyRelation:
    """A query that is bound and not run."""
    return _guarded(lambda: connection.sql(query))


def _is_short(rows: Sequence[tuple[object, ...]]) -> bool:
    texts = (len(v) for row in rows for v in row if isinstance(v, str | bytes))
    return len(rows) <= _MOST_KEPT_ROWS and sum(texts) <= _LONGEST_KEPT


def column_infos(facts: Iterable[PublicFact]) -> tuple[ColumnInfo, ...]:
    """The columns of a public table from what is known of each."""
    return tuple(_column_info(*fact) for fact in facts)


def _column_info(name: str, kind: SqlType, least: object, most: object, null: bool) -> ColumnInfo:
    interval = NATURAL.get(kind)
    if interval is not None:
        lo, hi = number_of(least), number_of(most)
        interval = Interval(lo, hi) if lo is not None and hi is not None else interval
    return ColumnInfo(name, kind, Fact(kind, null, interval), None, null)
