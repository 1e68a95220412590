"""The refusal of a query that would return rows of a private table."""

from __future__ import annotations

from dpsql.errors import QueryRefused, Refusal
from dpsql.sql.ast.positions import place_of
from dpsql.sql.dialect import Node


def rows_refused(tree: Node) -> QueryRefused:
    """Why the rows of this query are not given, where they stand, and what works instead."""
    return QueryRefused(
        "the query would return rows of a private table",
        place=place_of(tree),
        hint="Aggregate them: COUNT, SUM, AVG, with or without GROUP BY.",
        kind=Refusal.PRIVATE_ROWS,
    )
