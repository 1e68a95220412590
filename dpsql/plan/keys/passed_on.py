"""What stands behind a column that a relation of each unit, or one with windows, passes on."""

from __future__ import annotations

from dpsql.algebra.expressions import Column, Expr
from dpsql.algebra.of_unit import Place
from dpsql.algebra.relations import PerUnit, Source, Windows


def behind_column(source: Source | None, column: Column) -> tuple[Expr | None, bool]:
    """The expression over the rows inside a source whose values a column of it has; and whether NULL is one more."""
    if isinstance(source, PerUnit):
        return next((k for i, k in enumerate(source.keys) if source.key(i) == column), None), False
    if not isinstance(source, Windows):
        return None, False
    moved = next((w for i, w in enumerate(source.windows) if source.window(i) == column), None)
    if moved is not None and isinstance(moved.value, Place):
        return moved.value.arg, moved.may_miss
    return next((e for i, e in enumerate(source.outputs) if source.column(i) == column), None), False
