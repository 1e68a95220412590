"""FULL JOIN of public tables that stand before the private ones in FROM: one public query beside private rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from sqlglot import exp

from dpsql.algebra.catalog import TableInfo
from dpsql.algebra.expressions import Expr
from dpsql.sql.ast.column_names import unqualified
from dpsql.sql.ast.traversal import all_of
from dpsql.sql.bind.from_state import Joined
from dpsql.sql.bind.policy_tables import SystemTable
from dpsql.sql.bind.scope import Output, Scope, Source
from dpsql.sql.bind.selects import Ctes, is_private
from dpsql.sql.dialect import Node
from dpsql.sql.normalize.lateral_tables import is_lateral
from dpsql.sql.subqueries.cuts import Cuts, Resolved

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
