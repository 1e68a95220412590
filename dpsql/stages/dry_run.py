"""The public query is tried on released tables as they might be, before anything is charged.

Where it fails on released results whatever they are, such as on a date that is none or on a text that is compared with
a number, it would be paid for and never answered. Policy and text alone decide what stands in these tables.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import TypeVar

from dpsql.algebra.question import Aggregate
from dpsql.algebra.released_values import input_query
from dpsql.engines.base import FinishFailed, FinishStopped, PublicEngine, ReleasedTable
from dpsql.errors import QueryRefused
from dpsql.plan.types import Key, Release
from dpsql.release.prepared_query import PreparedQuery
from dpsql.slotted import dataclass
from dpsql.sql.system_tables.declarations import columns_of_system_table
from dpsql.stages.released_tables import bounds_of, level_table, released_table

T = TypeVar("T")
# So many public groups stand in a table.
_MOST_GROUPS = 20
_NEVER_NULL = frozenset(
    {
        Aggregate.COUNT_ROWS,
        Aggregate.COUNT,
        Aggregate.COUNT_DISTINCT,
        Aggregate.COUNT_UNITS,
        Aggregate.SUM,
        Aggregate.SUM_DISTINCT,
    }
)
# What may stand where a released value or a private key is, other than NULL.
_SOME = {"VARCHAR": "1", "BOOLEAN": True, "DATE": date(2025, 1, 1), "TIMESTAMP": datetime(2025, 1, 1)}


def try_public_query(query: PreparedQuery, public: PublicEngine) -> tuple[str, ...]:
    """The types of its columns. What will run on released tables is tried before anything is charged."""
    cut, releases = query.cut, query.plan.releases
    released = [
        _Trial(
            released_table(i, r, (), bounds_of(cut, f"r{i}")), _keys_of(r) if r.parts else (), _numbers_of(r)
        )
        for i, r in enumerate(releases)
    ]
    for node in dict.fromkeys(node for parts in query.queries for q in parts for node in q.tables):
        _tried(input_query(node), [released[i] for i in node.reads], public)
    if cut.plain is not None:
        types = cut.plain.types(released[cut.plain.release].table.columns)
        if types is not None:
            return types
    tables = list(released)
    for level in cut.levels:
        release = releases[level.release]
        table = level_table(level, release, (), bounds_of(cut, level.name))
        keys = tuple(dict.fromkeys(tuple(key[i] for i in level.kept) for key in _keys_of(release)))
        tables.append(_Trial(table, keys, _numbers_of(release)))
    tables += [_Trial(ReleasedTable(name, columns_of_system_table(name), ())) for name in cut.system]
    return _tried(cut.public_query, tables, public)


def accepted(work: Callable[[], T], refusal: QueryRefused) -> T:
    """What the public engine says, or else the refusal. Raises FinishStopped for what takes too much."""
    try:
        return work()
    except FinishStopped:
        raise
    except FinishFailed:
        pass
    raise refusal


def described(sql: str, tables: Sequence[ReleasedTable], public: PublicEngine) -> list[tuple[str, str]]:
    """The names and types of the columns of a query on these tables. Raises FinishFailed."""
    rows = public.finish(f"SELECT column_name, column_type FROM (DESCRIBE {sql})", tables)
    return [(str(name), str(kind)) for name, kind in rows]


def _tried(sql: str, tables: list[_Trial], public: PublicEngine) -> tuple[str, ...]:
    """The types of the columns of a query on results as they might be. Refused if it fails on NULLs and on values."""
    for null, number in ((True, 1), (False, 1), (True, 1000)):
        try:
            return public.check(sql, [t.filled(null=null, number=number) for t in tables])
        except FinishStopped:
            raise
        except FinishFailed:
            pass
    raise QueryRefused(
        "what is left of the query on the released results is not accepted by DuckDB",
        hint="Give every computed column of a subquery an alias, and refer to it by that; check casts, and constants "
        "such as dates and numbers that are written as text: it fails whatever the results are.",
    )


def _keys_of(release: Release) -> tuple[Key, ...]:
    """Some groups that the release may have: of public ones no more than it has."""
    if release.keys.domain is None or release.local is not None:
        return ((),)
    top = release.question.top
    return release.keys.domain[: _MOST_GROUPS if top is None else min(top.count, _MOST_GROUPS)]


def _numbers_of(release: Release) -> frozenset[str]:
    """The columns of its table that are never NULL: counts and sums, which over no rows are 0 with noise."""
    return frozenset(f"a{i}" for i, e in enumerate(release.estimators) if e.measure.aggregate in _NEVER_NULL)


@dataclass(frozen=True, slots=True)
class _Trial:
    """A released table without rows, some groups that it may have, and its columns that are never NULL."""

    table: ReleasedTable
    keys: tuple[Key, ...] = ()
    numbers: frozenset[str] = frozenset()

    def filled(self, *, null: bool, number: int = 1) -> ReleasedTable:
        """The table with a row for each group: its number, its keys, and NULL or some value in all other columns.

        What is never NULL has a value in either case; `number` is that of all numbers.
        """
        rows = [(i, *key, *self._rest(key, null, number)) for i, key in enumerate(self.keys)]
        return replace(self.table, rows=rows)

    def _rest(self, key: Key, null: bool, number: int) -> list[object]:
        columns = self.table.columns[1 + len(key) :]
        return [
            None if null and name not in self.numbers else _SOME.get(kind, number) for name, kind in columns
        ]
