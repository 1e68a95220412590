"""What stands for the present moment in a query."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from dpsql.sql.ast.traversal import all_of
from dpsql.sql.dialect import Node

PRESENT: Final = frozenset({"now", "current_timestamp", "get_current_timestamp", "today", "current_date"})
"""Calls without arguments."""
_NODES: Final = (exp.CurrentDate, exp.CurrentTime, exp.CurrentTimestamp, exp.Localtimestamp)


def reads_present(tree: Node) -> bool:
    """Whether what a query means depends on when it is asked."""
    return any(_is_present(node) for node in all_of(tree, *_NODES, exp.Anonymous))


def _is_present(node: Node) -> bool:
    if not isinstance(node, exp.Anonymous):
        return True
    name = str(node.this).lower()
    return name in PRESENT or (name == "age" and len(node.expressions) == 1)
