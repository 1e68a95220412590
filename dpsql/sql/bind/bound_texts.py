"""Values that are bound where it matters what is written there: they are read as if they stood there.

They are texts behind a CAST, of which is told what is told of any constant, as that it is no such date or names a time
zone; and 0 in the place of what is NULL, as in COALESCE(SUM(x), ?).
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from sqlglot import exp

from dpsql.sql.ast.traversal import all_of
from dpsql.sql.dialect import Node
from dpsql.sql.normalize.zoned_moments import in_utc, is_zoned_cast


def write_bound_texts(tree: Node, values: Mapping[str, object]) -> None:
    """Writes such values in the place of their placeholders. Raises QueryRefused for no moment."""
    for call in all_of(tree, exp.Coalesce) if values else ():
        for mark in map(_uncast, call.expressions):
            value = values.get(mark.name) if isinstance(mark, exp.Placeholder) else None
            if isinstance(value, int | float | Decimal) and not isinstance(value, bool) and not value:
                zero = "0" if isinstance(value, int) else "0e0"  # a double stays one
                mark.replace(exp.Literal.number(zero))
    for cast in all_of(tree, exp.Cast) if values else ():
        mark = cast.this
        value = values.get(mark.name) if isinstance(mark, exp.Placeholder) else None
        if not isinstance(value, str) or "\0" in value:  # no constant: refused where it is bound
            continue
        text = exp.Literal.string(str.__str__(value))
        text.meta.update(mark.meta)
        cast.set("this", text)
        if is_zoned_cast(cast):
            cast.set("this", in_utc(cast))


def _uncast(node: Node) -> Node:
    while isinstance(node, exp.Cast | exp.Paren):
        node = node.this
    return node
