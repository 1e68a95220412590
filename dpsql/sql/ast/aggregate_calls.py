"""Which calls are aggregates."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from dpsql.algebra.functions.aggregates import BY_NAME
from dpsql.algebra.functions.released import RELEASED_NAMES
from dpsql.sql.dialect import Node

# Aggregates of DuckDB that are read by name: those of released results, and others, to be refused as what they are.
_OTHER_NAMES: Final = frozenset(
    {"approx_top_k", "bitstring_agg", "histogram", "histogram_exact", "map", "reservoir_quantile"}
    | {name for name, function in RELEASED_NAMES.items() if function.aggregates}
)


def is_aggregate(node: Node) -> bool:
    """Whether the node itself is an aggregate call, supported or not."""
    if isinstance(node, exp.Anonymous):
        name = str(node.this).lower()
        return name.upper() in BY_NAME or name in _OTHER_NAMES
    return isinstance(node, exp.AggFunc | exp.CountIf) and not isinstance(node, exp.Grouping | exp.GroupingId)
