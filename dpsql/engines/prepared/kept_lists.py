"""Lists that prepared tables have from the start: numbers of rows, weights of private groups, the largest units' rows.

They are made by the statements that the engine would run for a query that needs them, and found again by the names that
stand for these statements: a query of other rows, by other keys or under other limits has others. Weights are those of
all rows of a table, by one column; columns with more groups than an engine keeps have none. So are numbers of rows, in
all and by each column.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

import duckdb

from dpsql.algebra.catalog import ColumnInfo
from dpsql.algebra.expressions import Column
from dpsql.algebra.question import Aggregate, Measure, Question
from dpsql.algebra.relations import Scan
from dpsql.algebra.scan import quoted
from dpsql.engines.base import ROWS_AT_ONCE, EngineQuery, UnitList
from dpsql.engines.lists.in_passes import execute
from dpsql.engines.prepared.attached import stored_list
from dpsql.engines.prepared.kept_answer import kept_answer
from dpsql.engines.sqlgen.bounding import Ranked, largest, rows_table, units_table
from dpsql.engines.sqlgen.engine_query import engine_queries
from dpsql.engines.sqlgen.key_weights import MOST_KEPT, added_weights
from dpsql.engines.sqlgen.read import salted
from dpsql.engines.sqlgen.relation import prepared_of
from dpsql.errors import QueryRefused
from dpsql.plan.analyzed_question import PlanContext
from dpsql.plan.releases import plan_releases
from dpsql.plan.types import Presence, Sums
from dpsql.policy.model import ClippingMode
from dpsql.privacy import Cost
from dpsql.slotted import dataclass

_ANY_COST = Cost(Fraction(1), Fraction(1, 10**6))
_COUNT = (Measure(Aggregate.COUNT_ROWS),)
# Estimates of numbers of groups are off by a few per cent.
_ROOM = 2


@dataclass(frozen=True, slots=True)
class KeptList:
    """A list that a prepared file gets, and what its tables are made of: a SELECT for each.

    `told` says what is made, to the admin. `worth` and `fits` are conditions as queries, asked before the list is made
    and of what was made: without them it is not kept.
    """

    told: str
    units: UnitList
    tables: tuple[tuple[str, str], ...]
    worth: str
    fits: str = "SELECT TRUE"


def lists_of(context: PlanContext) -> tuple[KeptList, ...]:
    """What is kept for a policy whose tables are prepared."""
    return *_weights_of_columns(context), *_largest_units(context), *_numbers_of_rows(context)


def _largest_units(context: PlanContext) -> Iterator[KeptList]:
    """The rows of the units that own most, of each table that limits may be found for and that has many rows."""
    if context.clipping is ClippingMode.FIXED:
        return
    for table in context.catalog.tables.values():
        if not table.public and not table.row_is_unit:
            units = largest(salted(table, context.policy, context.catalog.tables))
            tables = ((t, f"FROM {t}") for t in (units_table(units.name), rows_table(units.name)))
            worth = f"SELECT count(*) > {ROWS_AT_ONCE} FROM {prepared_of(table.name)}"
            yield KeptList(
                f"{table.name}: listing the rows of its largest units", units, tuple(tables), worth
            )


def _numbers_of_rows(context: PlanContext) -> Iterator[KeptList]:
    """How many rows of large tables are kept under the policy's limits, in all and by each column of few values."""
    for table in context.catalog.tables.values():
        rows = prepared_of(table.name)
        for keys in () if table.public else ((), *((_key(c),) for c in table.columns if not c.hidden)):
            told = " and ".join([f"{table.name}: counting its rows", *(f"those by {k.name}" for k in keys)])
            few = " AND ".join([f"count(*) > {ROWS_AT_ONCE}", *(_few(k.name, MOST_KEPT) for k in keys)])
            for query in _asked(Question(Scan(table.name, 0), keys, _COUNT), context):
                if all(isinstance(units, Ranked) for units in query.lists):
                    kept = kept_answer(query.sql)
                    made = units_table(kept.name)
                    fits = f"SELECT count(*) <= {MOST_KEPT} FROM {made}"
                    yield KeptList(told, kept, ((made, kept.read),), f"SELECT {few} FROM {rows}", fits)


def _weights_of_columns(context: PlanContext) -> Iterator[KeptList]:
    """The weights of all groups by a column, for each column whose groups are selected by them."""
    for table in context.catalog.tables.values():
        for column in () if table.public else table.columns:
            if column.hidden:
                continue
            for units in _weights(Question(Scan(table.name, 0), (_key(column),), ()), context):
                told = f"{table.name}: weighing its groups by {column.name}"
                added, most = added_weights(1, units.name), units.most_rows or 0
                worth = f"SELECT {_few(column.name, most)} FROM {prepared_of(table.name)}"
                fits = f"SELECT count(*) <= {most} FROM ({added})"
                yield KeptList(told, units, ((units_table(units.name), added),), worth, fits)


def _key(column: ColumnInfo) -> Column:
    return Column(0, column.name, column.type)


def _few(column: str, most: int) -> str:
    """The condition that a column has about so many values, or fewer."""
    return f"approx_count_distinct({quoted(column)}) <= {_ROOM * most}"


def _weights(question: Question, context: PlanContext) -> Iterator[UnitList]:
    """None where the question is refused, its groups are public, or they are selected by their numbers of units."""
    for query in _asked(question, context):
        yield from (units for units in query.lists if units.most_rows is not None)


def _asked(question: Question, context: PlanContext) -> Iterator[EngineQuery]:
    """What the engine is asked for a question; nothing where it is refused, or limits have to be found before."""
    try:
        plan = plan_releases((question,), "", _ANY_COST, context)
    except QueryRefused:
        return
    for release in plan.releases:
        if all(isinstance(part, Sums | Presence) for part in release.parts):
            yield from engine_queries(release, context.policy, context.catalog)


def keep_lists(
    connection: duckdb.DuckDBPyConnection,
    wanted: tuple[KeptList, ...],
    told: Callable[[str], None],
) -> tuple[str, ...]:
    """Writes lists beside the prepared tables, which are full; the names of what was written."""
    kept = []
    for one in wanted:
        told(one.told)
        if _write(connection, one):
            kept.append(one.units.name)
    return tuple(kept)


def _write(connection: duckdb.DuckDBPyConnection, kept: KeptList) -> bool:
    if not _holds(connection, kept.worth):
        return False
    for statement in kept.units.statements:
        execute(connection, statement)
    fits = _holds(connection, kept.fits)
    for table, rows in kept.tables if fits else ():
        connection.execute(f"CREATE TABLE {stored_list(table)} AS {rows}")
    for statement in kept.units.undone:
        connection.execute(statement)
    return fits


def _holds(connection: duckdb.DuckDBPyConnection, condition: str) -> bool:
    return bool(connection.execute(condition).fetchall()[0][0])
