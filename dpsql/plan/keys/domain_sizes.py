"""How many rows the sources of a domain query have together, found without running it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from dpsql.algebra.expressions import Column, Expr
from dpsql.algebra.relations import equalities
from dpsql.plan.keys.finite_values import MOST_GROUPS, FiniteDomain


def product_size(sources: Sequence[FiniteDomain]) -> int:
    """The number of rows of their product."""
    return prod(max(1, s.size) for s in sources)


def most_rows(
    sources: Sequence[FiniteDomain], conditions: tuple[Expr, ...], is_key: Callable[[Column], bool]
) -> int:
    """The most rows of the product that pass the conditions; `is_key`: no value but NULL stands twice in a column.

    Where the product is too large, sources are left out of which an equality with a column of another one picks a row
    at most. That other one is never left out before, so that no source is picked by itself, also through others.
    """
    size = product_size(sources)
    if size <= MOST_GROUPS:
        return size
    pairs = [(a, b) for a, b in equalities(conditions) if isinstance(a, Column) and isinstance(b, Column)]
    ties = [(a, b) for x, y in pairs for a, b in ((x, y), (y, x)) if is_key(a)]
    kept = sorted(sources, key=lambda s: -s.size)
    for source in tuple(kept):
        others = {c for s in kept if s is not source for c in s.columns}
        if any(a in source.columns and b in others for a, b in ties):
            kept.remove(source)
    return product_size(kept)
