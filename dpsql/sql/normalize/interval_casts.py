"""Texts that are cast to INTERVAL, as PostgreSQL's clients write them: '90 days'::interval is INTERVAL '90 days'."""

from __future__ import annotations

from sqlglot import exp

from dpsql.sql.ast.traversal import all_of
from dpsql.sql.dialect import DType, Node


def is_interval(node: Node) -> bool:
    """Whether a type is the INTERVAL to which a text with a unit is cast."""
    cast = node.parent
    if (
        node.args.get("this") is not DType.INTERVAL
        or node.args.get("expressions")
        or type(cast) is not exp.Cast
    ):
        return False
    text = cast.this
    return isinstance(text, exp.Literal) and text.is_string and any(map(str.isalpha, text.name))


def without_interval_casts(tree: Node) -> None:
    """Changes CAST('1 day' AS INTERVAL) into INTERVAL '1 day'."""
    for cast in all_of(tree, exp.Cast):
        if cast.args["to"].this is DType.INTERVAL:
            cast.replace(exp.Interval(this=cast.this))
