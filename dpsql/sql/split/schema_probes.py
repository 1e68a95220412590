"""Queries that tools send to see names and types: LIMIT 0, WHERE 1 = 0, and plain rows of private tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import eq, ge, gt, le, lt, ne
from types import MappingProxyType
from typing import Final

from sqlglot import exp

from dpsql.algebra.catalog import Catalog
from dpsql.errors import QueryRefused
from dpsql.sql.aggregation.local_model import LOCAL_NAMES, is_local
from dpsql.sql.ast.positions import place_of
from dpsql.sql.ast.traversal import all_of, named_queries, tables
from dpsql.sql.bind.policy_tables import SystemTable, find_table
from dpsql.sql.bind.selects import is_release
from dpsql.sql.dialect import Node
from dpsql.sql.public.render import check_public
from dpsql.sql.split.interval_functions import BOUND_NAMES
from dpsql.sql.subqueries.nested_queries import sources_of


def asks_for_no_row(tree: Node) -> bool:
    """Whether the query has no row whatever is in its tables: it ends in LIMIT 0, or its WHERE can hold for none.

    One that aggregates without keys has a row even where no row is aggregated.
    """
    limit = tree.args.get("limit")
    count = (
        limit.args.get("count") if isinstance(limit, exp.Fetch) else limit and limit.args.get("expression")
    )
    if isinstance(count, exp.Literal) and not count.is_string and count.this == "0":
        return True
    if not isinstance(tree, exp.Select):
        return False
    if _has_never(tree, "having"):
        return True
    if is_release(tree) and not _has_key(tree):
        return False
    return _has_never(tree, "where") or _reads_no_row(tree)


def _has_key(tree: exp.Select) -> bool:
    """Whether every group of the query has a key: ROLLUP and GROUP BY () have a row for no rows, too."""
    group = tree.args.get("group")
    keys = group.expressions if group is not None and not group.args.get("all") else []
    return any(not isinstance(key, exp.Rollup | exp.Cube | exp.GroupingSets | exp.Tuple) for key in keys)


def _reads_no_row(tree: exp.Select) -> bool:
    source = tree.args.get("from_")
    if source is None or tree.args.get("joins") or not isinstance(source.this, exp.Subquery):
        return False
    return asks_for_no_row(source.this.this)


def _has_never(tree: Node, clause: str) -> bool:
    condition = tree.args.get(clause)
    return condition is not None and _never(condition.this)


_COMPARISONS: Final = MappingProxyType[type[Node], Callable[[int, int], bool]](
    {exp.EQ: eq, exp.NEQ: ne, exp.LT: lt, exp.LTE: le, exp.GT: gt, exp.GTE: ge}
)


def _never(condition: Node) -> bool:
    """Whether a condition holds for no row by its constants alone, as tools write it: FALSE, 1 <> 1 AND x > 3."""
    match condition:
        case exp.Paren():
            return _never(condition.this)
        case exp.Null():
            return True
        case exp.Boolean():
            return not condition.this
        case exp.And():
            return _never(condition.left) or _never(condition.right)
        case exp.Or():
            return _never(condition.left) and _never(condition.right)
        case exp.Not():
            return isinstance(condition.this, exp.Boolean) and bool(condition.this.this)
    compare = _COMPARISONS.get(type(condition))
    if compare is None:
        return False
    left, right = _digit(condition.this), _digit(condition.expression)
    return left is not None and right is not None and not compare(left, right)


def _digit(node: Node) -> int | None:
    """The value of a constant of one digit, in quotes or without; None for anything else."""
    one_digit = isinstance(node, exp.Literal) and len(node.this) == 1 and node.this in "0123456789"
    return int(node.this) if one_digit else None


def check_probe(tree: Node, catalog: Catalog) -> None:
    """Refuses what may not even be described: table functions and tables that the policy does not name."""
    check_public(tree, catalog, also=LOCAL_NAMES | BOUND_NAMES)
    for table in tables(tree):
        if not isinstance(table.this, exp.Identifier) or table.args.get("catalog") is not None:
            raise QueryRefused(
                "a table function or another database cannot be read",
                place=place_of(table),
                hint="Name a table.",
            )
        find_table(table, catalog)


def asks_for_responses(tree: Node) -> bool:
    """Whether a query asks for the responses of rows, or for estimates from them: these are releases."""
    return any(is_local(select) for select in all_of(tree, exp.Select))


# Whether a name of WITH stands for rows of private tables.
_ReturnsRows = Mapping[str, bool]


def returns_rows(node: Node, catalog: Catalog, around: _ReturnsRows | None = None) -> bool:
    """Whether a query returns rows of a private table rather than aggregates of them.

    Refuses tables that do not exist.
    """
    names = _with(node, catalog, around or {})
    if isinstance(node, exp.Subquery):
        return returns_rows(node.this, catalog, names)
    if isinstance(node, exp.SetOperation):
        return any(returns_rows(side, catalog, names) for side in (node.this, node.expression))
    if not isinstance(node, exp.Select) or is_release(node):
        return False
    items, _ = sources_of(node)
    return any(_is_private(item, catalog, names) for item in items)


def _with(node: Node, catalog: Catalog, around: _ReturnsRows) -> _ReturnsRows:
    names = dict(around)
    for cte in named_queries(node):
        names[cte.alias.lower()] = returns_rows(cte.this, catalog, names)
    return names


def _is_private(item: Node, catalog: Catalog, names: _ReturnsRows) -> bool:
    if isinstance(item, exp.Subquery):
        return returns_rows(item, catalog, names)
    if not isinstance(item, exp.Table) or not isinstance(item.this, exp.Identifier):
        return False
    if item.args.get("db") is None and item.name.lower() in names:
        return names[item.name.lower()]
    table = find_table(item, catalog)
    return not isinstance(table, SystemTable) and not table.public
