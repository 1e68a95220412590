"""What rows can be grouped by: values of which equal ones cannot be told apart, here and in DuckDB."""

from __future__ import annotations

from dpsql.algebra.expressions import Call, Expr
from dpsql.algebra.functions.dates.parts import is_of_day
from dpsql.algebra.functions.table import Mistyped
from dpsql.algebra.types import SqlType
from dpsql.errors import QueryRefused
from dpsql.sql.ast.comparisons import check_decimals
from dpsql.sql.ast.positions import place_of
from dpsql.sql.dialect import Node


def check_keys(keys: tuple[Expr, ...], node: Node) -> None:
    """Refuses keys that are decimals here and doubles there, and intervals, of which 30 days and a month are equal."""
    if any(key.type is SqlType.INTERVAL for key in keys):
        raise QueryRefused(
            "rows cannot be grouped by an INTERVAL",
            place=place_of(node),
            hint="Leave it out of GROUP BY, or group by a number, as date_diff('day', x, y).",
        )
    try:
        check_decimals("eq", keys)
    except Mistyped as problem:
        raise QueryRefused(str(problem), place=place_of(node)) from None


def start_of(key: Expr) -> Expr:
    """The moment behind CAST(date_trunc('month', x) AS DATE), which is the same key in another type; else the key."""
    inner = key.args[0] if isinstance(key, Call) and key.op == "cast" and key.type is SqlType.DATE else None
    return inner if isinstance(inner, Call) and inner.op == "date_trunc" and is_of_day(inner) else key
