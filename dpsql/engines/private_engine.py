"""The private engine: DuckDB with the private rows in its reach, and nobody's text but ours."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import lru_cache, partial
from time import monotonic
from typing import Any, TypeVar

import duckdb
import numpy as np
import numpy.typing as npt

from dpsql.algebra.catalog import TableInfo
from dpsql.algebra.scan import quoted
from dpsql.engines.base import ROWS_AT_ONCE, EngineFailed, EngineQuery, Exact, UnitList, UnitSets
from dpsql.engines.declared_facts import violations
from dpsql.engines.duckdb_settings import Limits, connect, lock, own_directory, remove
from dpsql.engines.lists.in_passes import execute
from dpsql.engines.prepared.attached import attach, begin_lists
from dpsql.engines.prepared.kept_answer import kept_answer
from dpsql.engines.prepared.manifest import PreparedFile
from dpsql.engines.sources.parquet import parquet_files
from dpsql.engines.sources.views import create, typed_tables
from dpsql.engines.sqlgen.relation import SOURCE
from dpsql.engines.watch import Watch, interrupted_after
from dpsql.errors import Problem, Uncopyable
from dpsql.policy.model import Policy

_BITS = 62
_SMALL = 2**61
# More lists of units are not kept: a query may name a limit of its own, and each limit has a list.
_MOST_LISTS = 16
# Parsed statements are kept of texts that dashboards ask again and again, and take some times as much memory.
_MOST_PARSED = 64
_LONGEST_PARSED = 20_000
# Of a list that does not say how many units it has.
_UNKNOWN = (-1, -1)
# How DuckDB says that memory is used up: of a database in memory whose checkpoint does not fit as of a file.
_USED_UP = (duckdb.OutOfMemoryException, duckdb.IOException)
# Of an engine that is given a connection.
_ALONE = Limits(600)
T = TypeVar("T")


def make_tables(
    connection: duckdb.DuckDBPyConnection, policy: Policy, prepared: PreparedFile | None = None
) -> None:
    """The policy's tables where the SQL that we write looks for them, the private ones in a prepared file if given.

    Raises PolicyError for what does not fit.
    """
    connection.execute(f"CREATE SCHEMA {SOURCE}")
    if prepared is None:
        begin_lists(connection)
    else:
        attach(connection, policy, prepared)
    for typed in typed_tables(connection, policy, (t for t in policy.tables if t.public or prepared is None)):
        create(connection, typed, f"{SOURCE}.{quoted(typed.table.name)}", stored=False)


class DuckEngine(Uncopyable):
    """A connection of its own to the policy's sources; see `PrivateEngine`.

    DuckDB fails to plan some queries, under an order of joins that follows from how many rows there are. That must not
    show, so that a second engine, opened at the first of them, answers these: it plans by their text alone.
    """

    __slots__ = (
        "_built",
        "_connection",
        "_counted",
        "_ends",
        "_limits",
        "_open_second",
        "_parsed",
        "_rows",
        "_second",
        "_stored",
        "_watch",
    )

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        limits: Limits = _ALONE,
        stored: frozenset[str] = frozenset(),
        open_second: Callable[[], DuckEngine] | None = None,
    ) -> None:
        self._connection = connection
        self._limits = limits
        self._built: dict[str, UnitList] = {}
        self._stored = stored  # lists that are in a prepared file
        self._counted: dict[str, tuple[int, int]] = {}  # the units of a list, and those that are big
        self._rows: dict[str, int] = {}
        self._ends: dict[str, tuple[int, int, int]] = {}  # how many rows, and their least and largest unit
        self._parsed = lru_cache(_MOST_PARSED)(connection.extract_statements)
        self._watch = Watch(connection)
        self._open_second = open_second
        self._second: DuckEngine | None = None

    @classmethod
    def open(
        cls,
        policy: Policy,
        limits: Limits | None = None,
        prepared: PreparedFile | None = None,
        *,
        by_text: bool = False,
    ) -> DuckEngine:
        """The engine over a policy's sources, or over tables that were prepared from them.

        Raises PolicyError where a source does not fit the policy, or the prepared file cannot be read.
        """
        given = limits if limits is not None else Limits(policy.engine.seconds)
        limits = own_directory(given)
        connection = connect(limits, by_text=by_text)
        try:
            make_tables(connection, policy, prepared)
            lock(connection, limits, parquet_files(policy))
        except BaseException:
            connection.close()
            remove(limits)
            raise
        stored = frozenset(prepared.lists) if prepared is not None else frozenset[str]()
        another = None if by_text else partial(cls.open, policy, given, prepared, by_text=True)
        return cls(connection, limits, stored, another)

    def run(self, query: EngineQuery, seconds: float | None = None) -> Exact:
        began = monotonic()
        try:
            try:
                return self._found_in_memory(query, seconds)
            except (duckdb.InternalException, duckdb.FatalException):
                # DuckDB gives up the whole database at an error of its own: later queries fail whatever they ask.
                if self._open_second is None:
                    raise
            if self._second is None:
                self._second = self._open_second()
            return self._second.run(query, _left(seconds, began))
        except EngineFailed:
            raise
        except Exception as error:
            raise EngineFailed(f"{type(error).__name__}: {error}") from None

    def _found_in_memory(self, query: EngineQuery, seconds: float | None) -> Exact:
        """What is found; where memory is used up, without the lists that are kept for other queries.

        All lists are given up then: DuckDB takes nothing more from their database once its checkpoint did not fit.
        """
        began, others = monotonic(), self._built.keys() - {units.name for units in query.lists}
        try:
            return self._found(query, seconds)
        except _USED_UP:
            self._forget_lists()
            if not others:
                raise
        try:
            return self._found(query, _left(seconds, began))
        except _USED_UP:
            self._forget_lists()
            raise

    def _forget_lists(self) -> None:
        self._built.clear()
        self._counted.clear()
        begin_lists(self._connection)

    def _found(self, query: EngineQuery, seconds: float | None) -> Exact:
        lists = tuple(units for units in query.lists if units.name not in self._stored)
        with self._within(seconds):
            if query.of_many and self._rows_of(query.counted) <= ROWS_AT_ONCE:
                return query.nothing()
            self._build(lists)
            values = {n: list(v) if isinstance(v, tuple) else v for n, v in query.values}
            rows = self._connection.execute(self._statement(self._sql(query)), values).fetchall()
            self._give_up([u.name for u in lists if u.most_rows is not None and len(rows) > u.most_rows])
        rows = _from_first(rows) if query.from_first else rows
        keys = tuple(row[: query.keys] for row in rows)
        return Exact(keys, _integers(rows, query.keys, query.terms))

    def _statement(self, sql: str) -> str | duckdb.Statement:
        """A query as DuckDB has parsed it: what is asked again is not parsed again, unless it is long."""
        if len(sql) > _LONGEST_PARSED:
            return sql
        (statement,) = self._parsed(sql)
        return statement

    def _within(self, seconds: float | None) -> AbstractContextManager[None]:
        """A block under the engine's own limit, or under a deadline, which is kept more exactly."""
        if seconds is None:
            return self._watch.within(self._limits.seconds)
        return interrupted_after(self._connection, min(seconds, self._limits.seconds))

    def _sql(self, query: EngineQuery) -> str:
        """Of the SQL that gives the same integers the one that counts units sooner, holds less, or is shorter."""
        if query.by_sets is not None and self._fit(query.by_sets):
            return query.by_sets.sql
        if query.in_parts and self._rows_of(query.counted) > ROWS_AT_ONCE:
            return query.in_parts
        sql = self._shortest(query.lists, query.sql, query.without_big, query.without_units)
        kept = kept_answer(sql)
        return kept.read if kept.name in self._stored else sql

    def _fit(self, sets: UnitSets) -> bool:
        """Whether units are counted by sets of bits, whose ends are read once and then known to the engine's SQL."""
        if sets.ends not in self._ends:
            ((rows, *ends),) = self._connection.execute(sets.ends).fetchall()
            least, largest = (0 if end is None else int(end) for end in ends)
            for name, end in zip(sets.variables, (least, largest), strict=True):
                self._connection.execute(f"SET VARIABLE {quoted(name)} = {end}")
            self._ends[sets.ends] = rows, least, largest
        return sets.fit(*self._ends[sets.ends])

    def _rows_of(self, counted: str) -> int:
        """The number of rows of a table, which is counted once."""
        if counted not in self._rows:
            ((self._rows[counted],),) = self._connection.execute(counted).fetchall()
        return self._rows[counted]

    def _shortest(self, lists: Iterable[UnitList], whole: T, without_big: T, without_units: T) -> T:
        counts = [self._counted.get(units.name, _UNKNOWN) for units in lists]
        if without_units and all(units == 0 for units, _ in counts):
            return without_units
        return without_big if without_big and all(big == 0 for _, big in counts) else whole

    def _build(self, lists: tuple[UnitList, ...]) -> None:
        """Builds what is missing; of more lists than are kept those that have been unused for longest are given up."""
        for units in lists:
            if self._built.pop(units.name, None) is None:
                if units.passing:
                    self._give_up([name for name, built in self._built.items() if built.passing])
                others = (other for other in lists if other is not units)
                ways = units.statements, units.without_big, units.without_units
                for statement in self._shortest(others, *ways):
                    execute(self._connection, statement)
                self._count(units)
            self._built[units.name] = units
        held = [name for name, built in self._built.items() if not built.lasting]
        self._give_up(held[: max(len(held) - max(_MOST_LISTS, len(lists)), 0)])

    def _count(self, units: UnitList) -> None:
        """Remembers how many units a new list has: the parts of queries that are for those alone may be left out."""
        if units.counts:
            ((every, big),) = self._connection.execute(units.counts).fetchall()
            self._counted[units.name] = every, big

    def _give_up(self, names: Sequence[str]) -> None:
        for name in names:
            self._counted.pop(name, None)
            for statement in self._built.pop(name).undone:
                self._connection.execute(statement)

    def violations(self, policy: Policy, tables: Mapping[str, TableInfo]) -> tuple[Problem, ...]:
        return violations(self._connection, policy, tables)

    def close(self) -> None:
        """Gives the engine up; a second call does nothing."""
        if self._second is not None:
            self._second.close()
        self._watch.close()
        self._connection.close()
        remove(self._limits)

    def __repr__(self) -> str:
        return "DuckEngine()"


def _left(seconds: float | None, began: float) -> float | None:
    """What is left of a number of seconds."""
    return None if seconds is None else max(seconds - (monotonic() - began), 0)


def _from_first(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """The rows that count by the one whose key is NULL; none where there is no such row."""
    first = next((row[1] for row in rows if row[0] is None), None)
    if first is None:
        return []
    counted = [row for row in rows if row[0] is not None and row[0] >= first]
    found = any(row[0] == first for row in counted)
    return counted if found else [(first, *(0 for _ in rows[0][1:])), *counted]


def _integers(rows: list[tuple[Any, ...]], keys: int, terms: int) -> npt.NDArray[np.generic]:
    """The terms, whole or in halves; 64-bit integers where they all fit with room for sums, else Python integers."""
    found, size = [row[keys:] for row in rows], len(rows)
    if rows and len(found[0]) == terms:
        try:
            whole = np.array(found, dtype=np.int64).reshape(size, terms)
        except OverflowError:
            return np.array(found, dtype=object).reshape(size, terms)
        return whole if bool(np.all((whole >= 0) & (whole < _SMALL))) else whole.astype(object)
    halves = np.array(found, dtype=np.int64).reshape(size, 2 * terms)
    high, low = halves[:, 0::2], halves[:, 1::2]
    if bool(np.all(high == 0)) and bool(np.all(low < _SMALL)):
        return low
    exact: npt.NDArray[np.generic] = high.astype(object) * 2**_BITS + low.astype(object)
    return exact
