"""The types that a query may name."""

from __future__ import annotations

from typing import Final

from dpsql.sql.dialect import DType, Node
from dpsql.sql.normalize.foreign.foreign_types import own_type, plain_type
from dpsql.sql.normalize.quantified_comparisons import is_list_type
from dpsql.sql.normalize.spellings import is_interval

TYPES: Final = frozenset(
    {
        DType.BOOLEAN, DType.TINYINT, DType.SMALLINT, DType.INT, DType.BIGINT, DType.INT128, DType.UTINYINT,
        DType.USMALLINT, DType.UINT, DType.UBIGINT, DType.FLOAT, DType.DOUBLE, DType.DECIMAL, DType.TEXT,
        DType.VARCHAR, DType.DATE, DType.TIME, DType.TIMESTAMP, DType.TIMESTAMPNTZ, DType.TIMESTAMPTZ,
    }
)  # fmt: skip
"""The types that CAST, TRY_CAST and :: may name."""

_MOMENTS: Final = frozenset({DType.TIMESTAMP, DType.TIMESTAMPNTZ, DType.TIMESTAMPTZ})


def complaint_of_type(node: Node) -> str | None:
    """What is wrong with a type, or None; in CONVERT, which is refused as such later, it may be a name."""
    if node.parent is not None and node.parent.meta.get("written") == "CONVERT":
        return None
    if is_interval(node) or is_list_type(node) or (own_type(node) or plain_type(node)) is not None:
        return None
    if node.expressions and node.this in _MOMENTS:
        return "a TIMESTAMP of fewer than six digits is rounded; use TIMESTAMP, and DATE_TRUNC where it has to be cut"
    sized = node.expressions and node.this is not DType.DECIMAL
    if node.this not in TYPES or node.args.get("nested") or sized:
        return "this type is not supported; use a number, text, BOOLEAN, DATE or TIMESTAMP type"
    return None
