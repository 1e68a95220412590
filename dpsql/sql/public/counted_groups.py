"""Which releases have groups that the query around them counts or averages: groups without rows are among these."""

from __future__ import annotations

import re
from typing import Final

from sqlglot import exp

from dpsql.sql.ast.traversal import all_of, from_items, named_query
from dpsql.sql.dialect import Node
from dpsql.sql.public.render import SCHEMA

_RELEASED: Final = re.compile(r"r(\d+)")
# What a group without rows changes, where SUM and MAX of counts stay as they are.
_MOVED: Final = (
    exp.Count,
    exp.Avg,
    exp.Min,
    exp.Median,
    exp.Quantile,
    exp.PercentileCont,
    exp.PercentileDisc,
)
_CHOOSING: Final = ("where", "having", "qualify", "limit", "group", "distinct")


def counted_groups(tree: Node) -> frozenset[int]:
    """The releases, by number, of which a query that has been cut counts or averages all rows as they are."""
    selects = {
        id(s): s for call in all_of(tree, *_MOVED) if (s := call.find_ancestor(exp.Select)) is not None
    }
    return frozenset(
        n for s in selects.values() if s.args.get("where") is None for n in _read(s, frozenset())
    )


def _read(select: Node, inside: frozenset[int]) -> frozenset[int]:
    """The releases that a SELECT reads, itself or in queries that choose none of their rows."""
    found: frozenset[int] = frozenset()
    for item in from_items(select):
        released = (
            _RELEASED.fullmatch(item.name) if isinstance(item, exp.Table) and item.db == SCHEMA else None
        )
        if released is not None:
            found |= {int(released[1])}
        inner = named_query(item) if isinstance(item, exp.Table) and not item.db else item
        while isinstance(inner, exp.Subquery):
            inner = inner.this
        is_plain = isinstance(inner, exp.Select) and not any(inner.args.get(c) for c in _CHOOSING)
        if inner is not None and is_plain and id(inner) not in inside:
            found |= _read(inner, inside | {id(inner)})
    return found
