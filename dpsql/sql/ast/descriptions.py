"""What syntax is called in a refusal."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from sqlglot import exp

from dpsql.sql.dialect import Node

_ARGUMENTS: Final = MappingProxyType(
    {
        "by_name": "UNION BY NAME",
        "connect": "CONNECT BY",
        "cross_apply": "APPLY",
        "count": "a count of values in MIN and MAX",
        "cube": "GROUP BY CUBE",
        "field": "IN without parentheses",
        "grouping_sets": "GROUP BY GROUPING SETS",
        "hint": "an optimiser hint",
        "into": "SELECT ... INTO",
        "laterals": "LATERAL",
        "locks": "FOR UPDATE",
        "match": "MATCH_RECOGNIZE",
        "method": "this kind of join",
        "on": "DISTINCT ON",
        "ordinality": "WITH ORDINALITY",
        "pivots": "PIVOT",
        **dict.fromkeys(("limit_options", "percent"), "LIMIT in percent"),
        "unpivot": "UNPIVOT",
        "rollup": "WITH ROLLUP",
        "sample": "TABLESAMPLE",
        "totals": "GROUP BY ... WITH TOTALS",
        "version": "AT (VERSION ...)",
        "with_ties": "WITH TIES",
    }
)
_NODES: Final = MappingProxyType(
    {
        "All": "a comparison with ALL",
        "Aliases": "a list of names behind an expression",
        "Any": "a comparison with ANY",
        "Array": "a list",
        "Cube": "GROUP BY CUBE",
        "GroupingSets": "GROUP BY GROUPING SETS",
        "Rollup": "GROUP BY ROLLUP",
        "AtTimeZone": "AT TIME ZONE",
        "BitwiseAnd": "the operator &",
        "BitwiseLeftShift": "the operator <<",
        "BitwiseOr": "the operator |",
        "BitwiseRightShift": "the operator >>",
        "Bracket": "a subscript",
        "Collate": "COLLATE",
        "Columns": "COLUMNS",
        "Dot": "a call or field behind a dot",
        "GenerateSeries": "RANGE or GENERATE_SERIES",
        "IntervalSpan": "INTERVAL ... TO ...",
        **dict.fromkeys(("Kwarg", "PropertyEQ"), "a named argument"),
        "RespectNulls": "RESPECT NULLS",
        "Search": "~",
        "SearchAnyCase": "~*",
        "SimilarTo": "SIMILAR TO",
        "Struct": "a struct",
        **dict.fromkeys(("Explode", "Unnest"), "UNNEST"),
        "WithinGroup": "WITHIN GROUP",
    }
)

_ONE_ROW: Final = frozenset(
    {"ANY_VALUE", "ARBITRARY", "ARG_MAX", "ARG_MIN", "ARGMAX", "ARGMIN", "FIRST", "LAST", "MAX_BY", "MIN_BY"}
)
_EVERY_ROW: Final = frozenset(
    {"ARRAY_AGG", "GROUP_CONCAT", "HISTOGRAM", "LIST", "LISTAGG", "RESERVOIR_QUANTILE", "STRING_AGG"}
)
# What to write instead of a function by its name, and of a construct by the argument that it sets.
_INSTEAD: Final = MappingProxyType(
    {
        **dict.fromkeys(
            _ONE_ROW,
            "It gives the value of one row. MODE is the most frequent value, MEDIAN one in the middle.",
        ),
        **dict.fromkeys(_EVERY_ROW, "It gives the values of rows one by one. GROUP BY the value, and COUNT."),
        **dict.fromkeys(
            ("STRPTIME", "TRY_STRPTIME"),
            "CAST(x AS DATE) reads 2025-12-31; put parts of another order together: "
            "CAST(RIGHT(x, 4) || '-' || SUBSTRING(x, 4, 2) || '-' || LEFT(x, 2) AS DATE) reads 31.12.2025.",
        ),
        "MAP": "Structs and maps are supported nowhere: a row for each key, or a list, is.",
        "AGE": "Write CURRENT_DATE - x for days, or EXTRACT(YEAR FROM AGE(x)) for whole years.",
        "AT_TIMEZONE": "Write x AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Berlin'.",
        "RATIO_TO_REPORT": "Write RATIO_TO_REPORT(x) OVER ().",
        "IEEE_DIVIDE": "Write x / NULLIF(y, 0), or x / y, which is NULL for y = 0 on private rows.",
        "CONVERT": "Write CAST(x AS DATE), and LEFT(CAST(x AS VARCHAR), 7) for VARCHAR(7).",
        **dict.fromkeys(
            ("MD5", "STRTOL"),
            "Looker writes it where a join repeats rows: sum before the join, or set symmetric_aggregates: no.",
        ),
        "RANDOM": "Rows are not drawn by chance here: aggregate all of them.",
        "INITCAP": "Write UPPER(LEFT(x, 1)) || LOWER(SUBSTRING(x, 2)) for a single word.",
    }
)
_INSTEAD_OF: Final = MappingProxyType(
    {
        "by_name": "Write UNION, with the columns in the same order on both sides.",
        "cross_apply": "Write CROSS JOIN LATERAL (...), and LEFT JOIN LATERAL (...) ON TRUE for OUTER APPLY.",
        "field": "Write IN ('a', 'b').",
        "rollup": "Write GROUP BY ROLLUP (a, b).",
        "sample": "Aggregate all of the rows.",
        "with_ties": "Write ORDER BY ... LIMIT n.",
    }
)
INSTEAD_OF_UNPIVOT: Final = "Write UNION ALL of a SELECT for each column, over a name of WITH."


def reason_against(name: str) -> tuple[str, str] | None:
    """The refusal of a function that no private answer fits, and what to use instead; None for any other."""
    if name == _NODES["Aliases"]:
        return (
            f"{name} is not supported",
            "Write an alias as AS name, and quantiles as QUANTILE(x, 0.5), QUANTILE(x, 0.9).",
        )
    instead = _INSTEAD.get(name.upper())
    return None if instead is None else (f"{name.upper()} is not supported", instead)


def name_of(node: Node) -> str:
    """The construct that a node is, in the analyst's words; a function by the name it was written with."""
    return _NODES.get(type(node).__name__) or str(node.meta.get("written") or node.key.upper())


def instead_of_argument(node: Node, key: str) -> str | None:
    """What to write instead of the construct that sets the argument `key` on a node, where there is such a thing."""
    if isinstance(node, exp.Count) and key == "expressions":
        return "Count one column; COUNT(DISTINCT (a, b)) counts different pairs."
    if key == "unpivot":
        return INSTEAD_OF_UNPIVOT
    return _INSTEAD_OF.get(_option(node, key))


def _option(node: Node, key: str) -> str:
    """The argument, or which option of LIMIT it is."""
    options = node.args[key] if key == "limit_options" else None
    return "with_ties" if options is not None and options.args.get("with_ties") else key


def name_of_argument(node: Node, key: str) -> str:
    """The construct that sets the argument `key` on a node, in the analyst's words."""
    if isinstance(node, exp.Order) and key == "this":
        return "ORDER BY inside a function"
    if isinstance(node, exp.Join) and key == "method":
        return f"{node.args[key]} JOIN"
    if isinstance(node, exp.Subquery) and key != "sample":
        return f"{key.rstrip('_').upper()} behind a closing parenthesis"
    if isinstance(node, exp.Count) and key == "expressions":
        return "COUNT of several columns"
    if isinstance(node, exp.Min | exp.Max) and key == "expressions":
        return _ARGUMENTS["count"]
    if isinstance(node, exp.Star) and key == "ilike":
        return "* LIKE"
    return _ARGUMENTS.get(_option(node, key), f"this form of {name_of(node)}")
