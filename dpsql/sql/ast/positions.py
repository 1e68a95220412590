"""Places of syntax in the analyst's text."""

from __future__ import annotations

from dpsql.errors import Place, QueryRefused, Refusal
from dpsql.sql.ast.traversal import every
from dpsql.sql.dialect import Node


def place_of(node: Node) -> Place | None:
    """Where the node's leftmost leaf begins in the analyst's text; None where nothing under it has a place.

    sqlglot keeps places only for names, literals, stars and calls; the gate has set their line and column
    to where the token begins, both from 1.
    """
    placed = [n.meta for n in every(node) if "start" in n.meta]
    if not placed:
        return None
    first = min(placed, key=lambda meta: int(meta["start"]))
    return Place(int(first["line"]), int(first["col"]))


def refuse_node(
    node: Node, reason: str, hint: str | None = None, kind: Refusal = Refusal.UNSUPPORTED
) -> QueryRefused:
    """The refusal of a node, at its place or at that of the nearest node around it that has one."""
    at: Node | None = node
    place = None
    while at is not None and place is None:
        place, at = place_of(at), at.parent
    return QueryRefused(reason, place=place, hint=hint, kind=kind)
