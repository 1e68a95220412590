"""Equalities that hold of two NULLs, as tools write them between the sides of a join: x IS NOT DISTINCT FROM y.

Where one side is never NULL they are plain equalities, which say who owns a row and which of them meet.
"""

from __future__ import annotations

from dpsql.algebra.catalog import Catalog
from dpsql.algebra.expressions import Call, Expr
from dpsql.algebra.functions import apply
from dpsql.algebra.relations import Relation
from dpsql.sql.bind.ownership import never_empty

Pair = tuple[Expr, Expr]


def plain_equalities(on: tuple[Expr, ...], relation: Relation, catalog: Catalog) -> tuple[Expr, ...]:
    """The conjuncts of a join's condition, whose rows are those of `relation`; the same rows meet."""
    pairs = [_null_safe(conjunct) for conjunct in on]
    if not any(pairs):
        return on
    full = never_empty(relation, catalog)
    return tuple(
        apply("eq", pair) if pair is not None and any(e in full for e in pair) else conjunct
        for conjunct, pair in zip(on, pairs, strict=True)
    )


def _null_safe(conjunct: Expr) -> Pair | None:
    """The two sides of x IS NOT DISTINCT FROM y, or of x = y OR (x IS NULL AND y IS NULL)."""
    if not isinstance(conjunct, Call):
        return None
    if conjunct.op == "is_not_distinct":
        return conjunct.args[0], conjunct.args[1]
    if conjunct.op != "or" or len(conjunct.args) != 2:
        return None
    for same, nulls in (conjunct.args, conjunct.args[::-1]):
        if isinstance(same, Call) and same.op == "eq" and _both_null(nulls, same.args):
            return same.args[0], same.args[1]
    return None


def _both_null(condition: Expr, sides: tuple[Expr, ...]) -> bool:
    return (
        isinstance(condition, Call)
        and condition.op == "and"
        and set(condition.args) == {apply("is_null", (side,)) for side in sides}
    )
