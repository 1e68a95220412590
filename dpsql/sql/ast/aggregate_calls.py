"""Which calls are aggregates."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from dpsql.algebra.functions.aggregates import BY_NAME
from dpsql.sql.dialect import Node

# Aggregates of DuckDB that sqlglot knows only by name: they must be seen as aggregates to be refused as such.
_OTHER_NAMES: Final = frozenset(
    {
        "approx_top_k", "arbitrary", "bit_and", "bit_or", "bit_xor", "bitstring_agg", "entropy", "favg",
        "first", "fsum", "geomean", "geometric_mean", "histogram", "histogram_exact", "kahan_sum", "kurtosis",
        "kurtosis_pop", "last", "mad", "map", "product", "reservoir_quantile", "sem", "skewness",
        "sum_no_overflow", "sumkahan", "wavg", "weighted_avg",
    }
)  # fmt: skip


def is_aggregate(node: Node) -> bool:
    """Whether the node itself is an aggregate call, supported or not."""
    if isinstance(node, exp.Anonymous):
        name = str(node.this).lower()
        return name.upper() in BY_NAME or name in _OTHER_NAMES
    return isinstance(node, exp.AggFunc | exp.CountIf) and not isinstance(node, exp.Grouping | exp.GroupingId)
