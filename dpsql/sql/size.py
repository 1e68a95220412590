"""How much work a query can be to plan: its SELECTs and joins, with every name of WITH in the place where it stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlglot import exp

from dpsql.errors import QueryRefused
from dpsql.sql.dialect import Node
from dpsql.sql.walk import outermost, shallow

MOST_QUERIES = 250
"""The most SELECTs that may be written in one query."""
MOST_EXPANDED = 1_000
"""The most SELECTs of a query once every name of WITH is replaced by what it stands for."""
MOST_JOINS = 60
"""The most joins of a query, counted in the same way: the time to order them grows faster than their number."""


@dataclass(frozen=True, slots=True)
class _Size:
    queries: int
    joins: int

    def __add__(self, other: _Size) -> _Size:
        return _Size(self.queries + other.queries, self.joins + other.joins)


def check_size(tree: Node) -> None:
    """Refuse a query of too many SELECTs or joins, naming the limit. Raises QueryRefused."""
    written = sum(1 for _ in tree.find_all(exp.Select))
    if written > MOST_QUERIES:
        raise QueryRefused(
            f"the query has {written} SELECTs; {MOST_QUERIES} are the most", hint="Send several queries."
        )
    size = _size(tree, {})
    if size.queries > MOST_EXPANDED:
        raise QueryRefused(
            f"with every name of WITH put in its place the query has more than {MOST_EXPANDED} SELECTs",
            hint="Refer to each name less often.",
        )
    if size.joins > MOST_JOINS:
        raise QueryRefused(
            f"with every name of WITH put in its place the query has more than {MOST_JOINS} joins",
            hint="Join fewer tables, or aggregate in steps of their own.",
        )


def _size(node: Node, known: Mapping[str, _Size]) -> _Size:
    """The size of a query; `known` are the sizes behind the names of WITH."""
    names = dict(known)
    clause = node.args.get("with_")
    for cte in clause.expressions if clause is not None else ():
        names[cte.alias.lower()] = _size(cte.this, names)
    total = _Size(int(isinstance(node, exp.Select)), len(node.args.get("joins") or ()))
    apart = frozenset({id(clause)})
    for table in shallow(node):
        if isinstance(table, exp.Table) and not table.db:
            total += names.get(table.name.lower(), _Size(0, 0))
    for inner in outermost(list(node.args.values()), apart):
        total += _size(inner, names)
    return total
