"""Which calls are aggregates."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from dpsql.algebra.functions.aggregates import BY_NAME
from dpsql.sql.dialect import Node

# Aggregates of DuckDB that sqlglot knows only by name: they must be seen as aggregates to be refused as such.
_OTHER_NAMES: Final = frozenset(
    {
        "any_value", "arbitrary", "arg_max", "arg_min", "argmax", "argmin", "array_agg", "bit_and", "bit_or",
        "bit_xor", "bitstring_agg", "bool_and", "bool_or", "corr", "covar_pop", "covar_samp", "entropy",
        "favg", "first", "fsum", "geomean", "geometric_mean", "group_concat", "histogram", "histogram_exact",
        "kahan_sum", "kurtosis", "kurtosis_pop", "last", "list", "listagg", "mad", "map", "max", "max_by",
        "median", "min", "min_by", "mode", "product", "quantile", "quantile_cont", "quantile_disc",
        "regr_avgx", "regr_avgy", "regr_count", "regr_intercept", "regr_r2", "regr_slope", "regr_sxx",
        "regr_sxy", "regr_syy", "reservoir_quantile", "sem", "skewness", "string_agg", "sumkahan", "sum_no_overflow",
        "approx_count_distinct", "approx_quantile", "approx_top_k", "weighted_avg", "wavg",
    }
)  # fmt: skip


def is_aggregate(node: Node) -> bool:
    """Whether the node itself is an aggregate call, supported or not."""
    if isinstance(node, exp.Anonymous):
        name = str(node.this).lower()
        return name.upper() in BY_NAME or name in _OTHER_NAMES
    return isinstance(node, exp.AggFunc | exp.CountIf) and not isinstance(node, exp.Grouping | exp.GroupingId)
