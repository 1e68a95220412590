"""Counts of different values, and of different rows of values, for random queries."""

from __future__ import annotations

import random

from dpsql.audit.queries.expressions import Expressions
from dpsql.audit.queries.schema_view import KINDS
from dpsql.audit.queries.two_dialects import either


def different(e: Expressions, draw: random.Random, exact: bool) -> tuple[str, bool]:
    """A call without its FILTER, and whether DuckDB does not know it; `exact` ones have DuckDB's own answer."""
    plain = [r.sql for r in e.scope if r.kind in KINDS.values()]
    few = [r.sql for r in e.scope if r.kind in ("int", "text", "bool")]
    form = draw.choice(("value", "value", "value", "row", "row", "list", "estimate"))
    if form == "list" and len(few) > 1:
        a, b = draw.sample(few, 2)
        # As other databases have it: a row with a NULL counts for nothing.
        known = f"CASE WHEN {a} IS NOT NULL AND {b} IS NOT NULL THEN ({a}, {b}) END"
        return f"COUNT(DISTINCT {either(f'{a}, {b}', known)})", True
    value = e.of(draw.choice(("int", "text", "bool", "date")), 1)
    if form == "row":  # of many columns hardly another unit has the same: then each of a unit's rows counts
        others = draw.sample(plain, min(draw.choice((1, 4)), len(plain))) or ["1"]
        return f"COUNT(DISTINCT ({', '.join((value, *others))}))", False
    name = "APPROX_COUNT_DISTINCT(" if form == "estimate" and not exact else "COUNT(DISTINCT "
    return f"{name}{value})", False
