"""How many rows the tables of a query make side by side: what nothing ties together is multiplied."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import prod

from sqlglot import exp

from dpsql.algebra.catalog import Catalog
from dpsql.errors import QueryRefused
from dpsql.sql.ast.aggregate_calls import is_aggregate
from dpsql.sql.ast.literals import whole
from dpsql.sql.ast.positions import place_of
from dpsql.sql.ast.traversal import all_of, from_items_within, named_queries, outermost
from dpsql.sql.dialect import Node
from dpsql.sql.public.render import SCHEMA

# How many rows a table has; None for a name of WITH.
Rows = Callable[[exp.Table], int | None]
_COMPARED = (exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NEQ, exp.Between, exp.Not)


MOST_BESIDE = 1_000_000_000
"""The most rows that public tables may make side by side, where nothing ties them together."""


def check_room(tree: Node, rows: Rows, most: int) -> None:
    """Refuses a SELECT whose sources make more than `most` rows where no equality ties one of them to another.

    Sources that are tied count as the largest of them: this is a first look, and the engine's limit of time the last.
    Raises QueryRefused at the SELECT.
    """
    _Room(rows, most).query(tree, {})


def check_public_room(tree: Node, catalog: Catalog) -> None:
    """The same of public tables, whose numbers of rows are public as well; a released one is not counted."""
    check_room(tree, lambda table: _rows(table, catalog), MOST_BESIDE)


def _rows(table: exp.Table, catalog: Catalog) -> int | None:
    info = catalog.table(table.name) if table.db != SCHEMA else None
    return catalog.public.fan_out(info.name, ()) if info is not None and info.public else None


class _Room:
    def __init__(self, rows: Rows, most: int) -> None:
        self._rows = rows
        self._most = most

    def query(self, node: Node, around: Mapping[str, int]) -> int:
        """How many rows a query is taken to have."""
        names = dict(around)
        for cte in named_queries(node):
            names[cte.alias.lower()] = self.query(cte.this, names)
        if isinstance(node, exp.Subquery):
            return self.query(node.this, names)
        if isinstance(node, exp.SetOperation):
            return self.query(node.this, names) + self.query(node.expression, names)
        if isinstance(node, exp.Select):
            return self._select(node, names)
        return len(node.expressions)

    def _select(self, node: exp.Select, names: Mapping[str, int]) -> int:
        sources = list(from_items_within(node))
        sizes = [self._source(source, names) for source in sources]
        others = [value for name, value in node.args.items() if name != "with_"]
        for inner in outermost(others, frozenset(id(s) for s in sources)):
            self.query(inner, names)
        rows = prod(max(sizes[at] for at in part) for part in _tied(node, sources))
        if rows > self._most:
            raise QueryRefused(
                f"the tables of the query make more than {self._most} rows side by side",
                place=place_of(node),
                hint="Join them where columns of both are equal.",
            )
        is_one = node.args.get("group") is None and any(is_aggregate(e.unalias()) for e in node.expressions)
        return 1 if is_one else rows

    def _source(self, item: Node, names: Mapping[str, int]) -> int:
        if isinstance(item, exp.Table):
            named = names.get(item.name.lower()) if not item.db else None
            size = named if named is not None else self._rows(item)
            return max(size if size is not None else 1, 1)
        if isinstance(item, exp.Lateral):
            item = item.this
        if isinstance(item, exp.Query | exp.Values):
            return max(self.query(item, names), 1)
        numbers = (whole(n.this) or 0 for n in all_of(item, exp.Literal) if not n.is_string)
        return max(1, len(all_of(item, exp.Literal)), *numbers)


def _tied(node: Node, sources: list[Node]) -> list[set[int]]:
    """The sources in groups, each tied to another of its group by a condition that is no mere comparison."""
    at = {source.alias_or_name.lower(): i for i, source in enumerate(sources)}
    parts = [{i} for i in range(len(sources))]
    for part in filter(None, _ties(node, at)):
        met = [p for p in parts if p & part]
        parts = [p for p in parts if not p & part] + [set().union(*met)]
    return parts


def _ties(node: Node, at: Mapping[str, int]) -> Iterator[set[int]]:
    everything = set(at.values())
    joins = [j for item in (node, *from_items_within(node)) for j in item.args.get("joins") or ()]
    if any(j.args.get("using") or j.args.get("method") for j in joins):
        yield everything
    where = node.args.get("where")
    conditions = [where.this if where is not None else None, *(j.args.get("on") for j in joins)]
    for condition in conditions:
        for part in _conditions(condition):
            columns = [c.table.lower() for c in all_of(part, exp.Column)]
            yield everything if len(columns) > 1 and "" in columns else {at[c] for c in columns if c in at}


def _conditions(node: Node | None) -> Iterator[Node]:
    """What must all hold, without the comparisons that many rows pass."""
    if isinstance(node, exp.And):
        yield from _conditions(node.this)
        yield from _conditions(node.expression)
    elif isinstance(node, exp.Paren):
        yield from _conditions(node.this)
    elif node is not None and not isinstance(node, _COMPARED) and node.find(exp.Column):
        yield node
