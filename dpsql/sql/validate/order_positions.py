"""ORDER BY 2 names a column of the SELECT list: one that it has."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from dpsql.errors import QueryRefused
from dpsql.sql.ast.literals import whole
from dpsql.sql.ast.positions import place_of
from dpsql.sql.ast.traversal import is_star
from dpsql.sql.dialect import Node


def check_positions(nodes: Iterable[Node]) -> None:
    """Refuses a number in ORDER BY that is no place of its SELECT list, where a list says how many there are."""
    for node in nodes:
        order = node.args.get("order") if isinstance(node, exp.Select | exp.SetOperation) else None
        most = _columns(node) if order is not None else None
        for term in order.expressions if order is not None and most is not None else ():
            at = (
                whole(term.this.this)
                if isinstance(term.this, exp.Literal) and not term.this.is_string
                else None
            )
            if at is not None and most is not None and not 1 <= at <= most:
                raise QueryRefused(
                    f"ORDER BY {at} is not a position of the SELECT list",
                    place=place_of(term.this),
                    hint=f"Its positions are 1 to {most}." if most > 1 else "Its one position is 1.",
                )


def _columns(query: Node) -> int | None:
    """How many columns a query lists; None where a star may stand for any number of them."""
    while isinstance(query, exp.SetOperation | exp.Subquery):
        query = query.this
    if not isinstance(query, exp.Select) or any(is_star(e.unalias()) for e in query.expressions):
        return None
    return len(query.expressions)
