"""What cannot stand in an aggregating SELECT over private rows, seen from its text alone."""

from __future__ import annotations

from sqlglot import exp

from dpsql.errors import QueryRefused
from dpsql.sql.ast.positions import place_of


def check_stars(node: exp.Select) -> None:
    """Refuses stars in the SELECT list. Raises QueryRefused at the star."""
    for item in node.expressions:
        if isinstance(item, exp.Star) or (isinstance(item, exp.Column) and isinstance(item.this, exp.Star)):
            raise QueryRefused(
                "a star cannot stand in an aggregating SELECT over private rows",
                place=place_of(item),
                hint="Name the columns to group by.",
            )


def check_qualify(node: exp.Select, has_keys: bool) -> None:
    """Refuses QUALIFY where there is always one row. Raises QueryRefused."""
    qualify = node.args.get("qualify")
    if qualify is not None and not has_keys:
        raise QueryRefused(
            "QUALIFY needs groups: without GROUP BY there is always exactly one row",
            place=place_of(qualify),
            hint="Add GROUP BY, or leave QUALIFY out.",
        )
