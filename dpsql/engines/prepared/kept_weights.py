"""The weights of private groups that prepared tables have from the start: of all rows of a table, by one column.

They are made by the statement that the engine would run for a query that needs them, and found again by the name that
stands for that statement: a query of other rows, by other keys or under other limits has another one. Columns with more
groups than an engine keeps have none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

import duckdb

from dpsql.algebra.catalog import Catalog
from dpsql.algebra.expressions import Column
from dpsql.algebra.question import Question
from dpsql.algebra.relations import Scan
from dpsql.algebra.scan import quoted
from dpsql.engines.base import UnitList
from dpsql.engines.prepared.attached import show, stored_name, stored_weights
from dpsql.engines.sqlgen.bounding import added_weights
from dpsql.engines.sqlgen.engine_query import engine_queries
from dpsql.engines.sqlgen.in_passes import execute
from dpsql.errors import QueryRefused
from dpsql.plan.analyzed_question import PlanContext
from dpsql.plan.releases import plan_releases
from dpsql.privacy import Cost

_ANY_COST = Cost(Fraction(1), Fraction(1, 10**6))
# Estimates of numbers of groups are off by a few per cent.
_ROOM = 2


@dataclass(frozen=True, slots=True)
class ColumnWeights:
    """The groups by one column of a private table, and the list that their weights are."""

    table: str
    column: str
    units: UnitList

    @property
    def most(self) -> int:
        """How many groups are kept at most."""
        return self.units.most_rows or 0


def weights_of_columns(context: PlanContext) -> tuple[ColumnWeights, ...]:
    """What is kept for a policy whose tables are prepared: for each column whose groups are selected by weights."""
    private = [t for t in context.catalog.tables.values() if not t.public]
    return tuple(
        ColumnWeights(t.name, c.name, units)
        for t in private
        for c in t.columns
        if not c.hidden
        for units in _lists(Question(Scan(t.name, 0), (Column(0, c.name, c.type),), ()), context)
    )


def _lists(question: Question, context: PlanContext) -> Iterator[UnitList]:
    """None where the question is refused, its groups are public, or they are selected by their numbers of units."""
    try:
        plan = plan_releases((question,), "", _ANY_COST, context)
    except QueryRefused:
        return
    for release in plan.releases:
        for query in engine_queries(release, context.policy, context.catalog):
            yield from (units for units in query.lists if units.most_rows is not None)


def keep_weights(
    connection: duckdb.DuckDBPyConnection,
    catalog: Catalog,
    wanted: tuple[ColumnWeights, ...],
    told: Callable[[ColumnWeights], None],
) -> tuple[str, ...]:
    """Writes weights beside the prepared tables, which are full; the names of what was written."""
    for table in catalog.tables.values():
        if not table.public:
            show(connection, table.name)
    kept = []
    for weights in wanted:
        told(weights)
        if _write(connection, weights):
            kept.append(weights.units.name)
    return tuple(kept)


def _write(connection: duckdb.DuckDBPyConnection, weights: ColumnWeights) -> bool:
    groups = f"approx_count_distinct({quoted(weights.column)})"
    if _number(connection, f"SELECT {groups} FROM {stored_name(weights.table)}") > _ROOM * weights.most:
        return False
    units = weights.units
    for statement in units.statements:
        execute(connection, statement)
    added = added_weights(1, units.name)
    few = _number(connection, f"SELECT count(*) FROM ({added})") <= weights.most
    if few:
        connection.execute(f"CREATE TABLE {stored_weights(units.name)} AS {added}")
    for statement in units.undone:
        connection.execute(statement)
    return few


def _number(connection: duckdb.DuckDBPyConnection, sql: str) -> int:
    return int(connection.execute(sql).fetchall()[0][0])
