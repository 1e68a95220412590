"""LATERAL queries as derived tables that are marked as such."""

from __future__ import annotations

from sqlglot import exp

from dpsql.sql.ast.traversal import all_of
from dpsql.sql.dialect import Node

_LATERAL = "lateral"


def without_lateral(tree: Node) -> None:
    """Changes LATERAL (SELECT ...) into a derived table that is marked as one: DuckDB reads both the same way."""
    for node in all_of(tree, exp.Lateral):
        table = node.this
        table.set("alias", node.args.get("alias"))
        table.meta[_LATERAL] = True
        node.replace(table)


def is_lateral(item: Node) -> bool:
    """Whether a source of FROM may name the sources before it."""
    return bool(item.meta.get(_LATERAL))


def without_mark(item: Node) -> None:
    """Makes a source one that names no other."""
    item.meta.pop(_LATERAL, None)
