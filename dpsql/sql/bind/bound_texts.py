"""Texts that are bound to a placeholder which is cast, as in CAST(? AS DATE): they are read as if they stood there.

Whatever is told of a constant text that is cast, as that it is no such date or names a time zone, is told of these too.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from dpsql.sql.ast.traversal import all_of
from dpsql.sql.dialect import Node
from dpsql.sql.normalize.zoned_moments import in_utc, is_zoned_cast


def write_bound_texts(tree: Node, values: Mapping[str, object]) -> None:
    """Writes the texts among the values in the place of their placeholders. Raises QueryRefused for no moment."""
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
