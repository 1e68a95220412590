"""Dates that are moved by a number of a type that DuckDB does not add to them: it takes an INTEGER alone."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from dpsql.algebra.catalog import Catalog
from dpsql.algebra.types import SqlType
from dpsql.errors import QueryRefused
from dpsql.sql.ast.positions import place_of
from dpsql.sql.ast.traversal import all_of
from dpsql.sql.dialect import DType, Node

Kinds = Mapping[str, SqlType]
_COMPUTED = (exp.Add, exp.Sub, exp.Mul, exp.Neg, exp.Mod, exp.IntDiv, exp.Abs)


def date_moved_by_bigint(tree: exp.Query, catalog: Catalog) -> QueryRefused | None:
    """The refusal of the first date that a whole number made of columns is added to or taken from; None without one."""
    tables = (catalog.named(item.db, item.name) for item in all_of(tree, exp.Table))
    kinds = {c.name.lower(): c.type for table in tables if table is not None for c in table.columns}
    moved = (node for node in all_of(tree, exp.Add, exp.Sub) if _is_moved(node, kinds))
    node = next(moved, None)
    if node is None:
        return None
    return QueryRefused(
        "a date is moved by an INTEGER, and this number is a BIGINT",
        place=place_of(node),
        hint="Write CAST(n AS INTEGER), or n * INTERVAL '1 day'.",
    )


def _is_moved(node: Node, kinds: Kinds) -> bool:
    left, right = _kind(node.this, kinds), _kind(node.expression, kinds)
    whole = SqlType.INTEGER
    return (left, right) == (SqlType.DATE, whole) or (
        isinstance(node, exp.Add) and (left, right) == (whole, SqlType.DATE)
    )


def _kind(node: Node, kinds: Kinds) -> SqlType | None:
    """DATE, or INTEGER for a number made of a column; None for what is neither or not known."""
    node = node.unnest()
    if isinstance(node, exp.Column):
        return kinds.get(node.name.lower())
    if isinstance(node, exp.Cast):
        return SqlType.DATE if node.to.this is DType.DATE else None
    if isinstance(node, _COMPUTED):
        parts = {_kind(part, kinds) for part in node.iter_expressions()}
        return SqlType.INTEGER if SqlType.INTEGER in parts and parts <= {SqlType.INTEGER, None} else None
    return None
