"""Walking a tree without entering the queries inside it."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from dpsql.sql.dialect import Node


def outermost(value: object, skip: frozenset[int] = frozenset()) -> Iterator[Node]:
    """The queries that stand inside an argument of a node and inside no other query; `skip` are left out by id."""
    stack = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, list):
            stack.extend(reversed(node))
        elif isinstance(node, Node) and id(node) not in skip:
            if isinstance(node, exp.Query):
                yield node
            else:
                stack.extend(reversed(list(node.args.values())))


def shallow(node: Node) -> Iterator[Node]:
    """Every node of an expression that does not belong to a query inside it, the node itself first."""
    stack: list[object] = [node]
    while stack:
        current = stack.pop()
        if isinstance(current, list):
            stack.extend(reversed(current))
        elif isinstance(current, Node) and (current is node or not isinstance(current, exp.Query)):
            yield current
            stack.extend(reversed(list(current.args.values())))


def in_window(node: Node) -> bool:
    """Whether a call is the function of a window: SUM(...) OVER (...)."""
    parent = node.parent
    while isinstance(parent, exp.Filter | exp.IgnoreNulls | exp.RespectNulls):
        node, parent = parent, parent.parent
    return isinstance(parent, exp.Window) and parent.this is node
