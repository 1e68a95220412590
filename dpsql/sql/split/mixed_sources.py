"""The sources of a FROM clause with private rows in it, put together one after another."""

from __future__ import annotations

from sqlglot import exp

from dpsql.algebra.catalog import TableInfo
from dpsql.algebra.expressions import Expr
from dpsql.algebra.relations import Relation
from dpsql.errors import QueryRefused
from dpsql.sql.ast.positions import place_of
from dpsql.sql.bind.binder import Binder
from dpsql.sql.bind.from_state import Joined, Table
from dpsql.sql.bind.mark_joins import Beside
from dpsql.sql.bind.policy_tables import SystemTable, base_table
from dpsql.sql.bind.scope import Scope, Source
from dpsql.sql.bind.selects import Ctes, Private, renamed
from dpsql.sql.dialect import Node
from dpsql.sql.joins import from_clause
from dpsql.sql.normalize.join_syntax import check_commas
from dpsql.sql.normalize.lateral_tables import is_lateral
from dpsql.sql.split.public_full_join import leading, public_joined
from dpsql.sql.subqueries.cuts import Cuts, Resolved
from dpsql.sql.subqueries.lateral import Lateral
from dpsql.sql.subqueries.nested_queries import Inside


def joined(
    cutter: Cuts,
    items: list[Node],
    joins: list[exp.Join],
    tables: Resolved,
    ctes: Ctes,
    outer: Scope | None = None,
) -> Joined:
    """The FROM clause of these sources, inside of the scope `outer`."""
    check_commas(joins)
    at = leading(items, joins, tables)
    if at:
        every = [_source(cutter, i, t, ctes).source for i, t in zip(items[:at], tables[:at], strict=True)]
        rows = public_joined(cutter, items[:at], joins[: at - 1], tables[:at], ctes, every, outer)
    else:
        at, rows = 1, from_clause.first(_source(cutter, items[0], tables[0], ctes), outer)
    for node, item, table in zip(joins[at - 1 :], items[at:], tables[at:], strict=True):
        condition = _condition(cutter, ctes, node)
        if is_lateral(item):
            rows = Lateral(cutter, rows, node, item, ctes).joined(condition)
        else:
            rows = from_clause.join(rows, node, _source(cutter, item, table, ctes), condition, cutter)
    return rows


def _condition(cutter: Cuts, ctes: Ctes, join: Node) -> from_clause.Predicate:
    def bound(node: Node, scope: Scope, around: Relation) -> tuple[Expr, tuple[Beside, ...]]:
        marks = Inside(cutter, around, ctes, join).marks()
        condition = Binder(scope, cutter.params, cutter.now, marks=marks).predicate(node)
        return condition, tuple(marks.pending)

    return bound


def _source(cutter: Cuts, item: Node, table: Private | TableInfo | SystemTable | None, ctes: Ctes) -> Table:
    if isinstance(table, SystemTable):
        raise QueryRefused(
            f"a join of private rows with the system table {table.name} is not supported",
            place=place_of(item),
            hint="Join after aggregating.",
        )
    if isinstance(table, TableInfo):
        return base_table(item, table, cutter.next(item))
    rows = renamed(table if table is not None else cutter.released_input(item, ctes), item)
    return Table(rows.relation, Source(item.alias_or_name, rows.outputs), table is not None)
