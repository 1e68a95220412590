"""Queries whose result is rows of private tables, told by their form alone; BI tools send them to see the columns."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from dpsql.algebra.catalog import Catalog
from dpsql.sql.bind.selects import is_release
from dpsql.sql.bind.tables import SystemTable, find_table
from dpsql.sql.dialect import Node
from dpsql.sql.subqueries.nested_queries import sources_of

# Whether a name of WITH stands for rows of private tables.
_Known = Mapping[str, bool]


def returns_rows(node: Node, catalog: Catalog, known: _Known | None = None) -> bool:
    """Whether a query returns rows of a private table rather than aggregates of them.

    Refuses tables that do not exist.
    """
    names = _with(node, catalog, known or {})
    if isinstance(node, exp.Subquery):
        return returns_rows(node.this, catalog, names)
    if isinstance(node, exp.SetOperation):
        return any(returns_rows(side, catalog, names) for side in (node.this, node.expression))
    if not isinstance(node, exp.Select) or is_release(node):
        return False
    items, _ = sources_of(node)
    return any(_is_private(item, catalog, names) for item in items)


def _with(node: Node, catalog: Catalog, known: _Known) -> _Known:
    clause = node.args.get("with_")
    names = dict(known)
    for cte in clause.expressions if clause is not None else ():
        names[cte.alias.lower()] = returns_rows(cte.this, catalog, names)
    return names


def _is_private(item: Node, catalog: Catalog, known: _Known) -> bool:
    if isinstance(item, exp.Subquery):
        return returns_rows(item, catalog, known)
    if not isinstance(item, exp.Table) or not isinstance(item.this, exp.Identifier):
        return False
    if item.args.get("db") is None and item.name.lower() in known:
        return known[item.name.lower()]
    table = find_table(item, catalog)
    return not isinstance(table, SystemTable) and not table.public
