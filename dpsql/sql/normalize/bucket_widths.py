"""Widths of TIME_BUCKET that are written as texts, as in TIME_BUCKET('1 day', x): INTERVALs under another name."""

from __future__ import annotations

from sqlglot import exp

from dpsql.sql.ast.traversal import all_of
from dpsql.sql.dialect import Node


def with_widths(tree: Node) -> None:
    """Changes every such text in a tree into an INTERVAL, in place."""
    for call in all_of(tree, exp.Anonymous):
        width = call.expressions[0] if call.expressions else None
        if str(call.this).upper() == "TIME_BUCKET" and isinstance(width, exp.Literal) and width.is_string:
            width.replace(exp.Interval(this=width.copy()))
