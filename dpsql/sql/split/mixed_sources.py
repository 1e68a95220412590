"""The sources of a FROM clause with private rows in it, put together one after another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice

from sqlglot import exp

from dpsql.algebra.catalog import TableInfo
from dpsql.algebra.expressions import Expr
from dpsql.algebra.relations import Relation
from dpsql.errors import QueryRefused
from dpsql.sql.ast.column_names import unqualified
from dpsql.sql.ast.positions import place_of
from dpsql.sql.ast.traversal import all_of
from dpsql.sql.bind.binder import Binder
from dpsql.sql.bind.from_state import Joined, Table
from dpsql.sql.bind.mark_joins import Beside
from dpsql.sql.bind.policy_tables import SystemTable, base_table
from dpsql.sql.bind.scope import Output, Scope, Source
from dpsql.sql.bind.selects import Ctes, Private, is_private, renamed
from dpsql.sql.dialect import Node
from dpsql.sql.joins import from_clause
from dpsql.sql.normalize.join_syntax import check_commas
from dpsql.sql.normalize.lateral_tables import is_lateral
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


def public_sources(cutter: Cuts, items: Sequence[Node], tables: Resolved, ctes: Ctes) -> list[Table]:
    """The sources of a public query as typed rows, without those that have none."""
    found = []
    for item, table in zip(items, tables, strict=True):
        if isinstance(table, TableInfo) or (table is None and not is_lateral(item)):
            with suppress(QueryRefused):
                found.append(_source(cutter, item, table, ctes))
    return found


_KINDS = frozenset({"", "INNER", "OUTER", "CROSS"})


def leading(items: Sequence[Node], joins: Sequence[exp.Join], tables: Resolved) -> int:
    """How many of the first sources are public ones up to the last FULL JOIN of such; 0 where there is none."""
    last = 0
    for at, (item, table) in enumerate(zip(items, tables, strict=True)):
        join = joins[at - 1] if at else None
        if is_lateral(item) or is_private(table) or isinstance(table, SystemTable):
            break
        if join is not None and not _is_plain(join):
            break
        if join is not None and (join.side or "").upper() == "FULL":
            last = at + 1
    return last


def _is_plain(join: exp.Join) -> bool:
    """Whether a join compares columns of its sides alone, by names that stand there."""
    on = join.args.get("on")
    return (
        not join.method and (join.kind or "").upper() in _KINDS and (on is None or not all_of(on, exp.Query))
    )


def public_joined(
    cutter: Cuts,
    items: Sequence[Node],
    joins: Sequence[exp.Join],
    tables: Resolved,
    ctes: Ctes,
    sources: Sequence[Source],
    outer: Scope | None,
) -> Joined:
    """The rows of these public sources as those of a query, by the names that the sources have."""
    merged = {n.name.lower(): n.name for j in joins for n in j.args.get("using") or ()}
    columns = [(s.alias, o.name) for s in sources for o in s.outputs] + [("", n) for n in merged.values()]
    select = exp.Select(expressions=[])
    for at, (alias, name) in enumerate(columns):
        column = exp.column(name, table=alias or None, quoted=True)
        select.append("expressions", exp.alias_(column, f"c{at}"))
    select.set("from_", exp.From(this=_copied(items[0], tables[0], ctes)))
    for join, item, table in zip(joins, items[1:], tables[1:], strict=True):
        copy = join.copy()
        copy.set("this", _copied(item, table, ctes))
        select.append("joins", copy)
    rows = cutter.released_input(exp.Subquery(this=select), ctes)
    exprs = {o.name: o.expr for o in rows.outputs}
    made = iter([(name, exprs.get(f"c{at}")) for at, (_, name) in enumerate(columns)])
    own = tuple(replace(s, outputs=_outputs(made, len(s.outputs))) for s in sources)
    return Joined(rows.relation, Scope(own, _outputs(made, len(merged)), outer), private=False)


def _outputs(made: Iterator[tuple[str, Expr | None]], count: int) -> tuple[Output, ...]:
    """The next columns, but those whose type no private expression has."""
    return tuple(Output(name, expr) for name, expr in islice(made, count) if expr is not None)


def _copied(item: Node, table: object, ctes: Ctes) -> Node:
    """A source as the engine of public tables knows it."""
    again = item.copy()
    if isinstance(table, TableInfo):
        unqualified(again, table.name, ctes)
    return again
