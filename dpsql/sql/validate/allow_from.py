"""The allow-lists over what stands in FROM, and over windows: what stands behind OVER and before it."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from dpsql.sql.ast.descriptions import name_of
from dpsql.sql.dialect import Node
from dpsql.sql.normalize.join_syntax import complaint_of_joins, complaint_of_parentheses, is_table
from dpsql.sql.validate.function_names import AGGREGATES, WINDOWS

_SIDES: Final = frozenset({"", "LEFT", "RIGHT", "FULL"})
_KINDS: Final = frozenset({"", "INNER", "OUTER", "CROSS", "SEMI", "ANTI"})
Complaint = str | None


def has_names(node: Node, *keys: str) -> bool:
    """Whether all that is set of these arguments are names."""
    values = [node.args.get(key) for key in keys]
    flat = [item for value in values for item in (value if isinstance(value, list) else [value])]
    return all(item is None or isinstance(item, exp.Identifier) for item in flat)


def complaint_of_join(node: Node) -> Complaint:
    """What is wrong with a join, or None."""
    method, side, kind = (str(node.args.get(part) or "").upper() for part in ("method", "side", "kind"))
    if not has_names(node, "using"):
        return "USING takes names of columns"
    usual = method in ("", "NATURAL") and side in _SIDES and kind in _KINDS
    plain = kind not in ("SEMI", "ANTI") or not (method or side)
    return (
        None if usual and plain else " ".join(w for w in (method, side, kind) if w) + " JOIN is not supported"
    )


_NO_TABLE: Final = (
    "a table function is not supported; tables, queries, UNNEST and GENERATE_SERIES stand behind FROM"
)


def complaint_of_table(node: Node) -> Complaint:
    """What is wrong with a table, or None."""
    if isinstance(node.this, exp.GenerateSeries):
        return "a series of constants stands in no parentheses" if node.args.get("joins") else None
    by_name = has_names(node, "this", "db", "catalog")
    return complaint_of_joins(node) if by_name else _NO_TABLE


def complaint_of_subquery(node: Node) -> Complaint:
    """What is wrong with a query in parentheses, or None."""
    if is_table(node):
        return complaint_of_parentheses(node)
    is_listed = isinstance(node.this, exp.Values) and isinstance(node.parent, exp.Any | exp.All | exp.Lateral)
    is_query = is_listed or isinstance(node.this, exp.Query | exp.Pivot)
    return (
        complaint_of_joins(node) if is_query else "only queries, tables and joins stand in parentheses here"
    )


_NO_QUERY: Final = (
    "LATERAL takes only queries in parentheses; UNNEST and GENERATE_SERIES of constants need none"
)


def complaint_of_lateral(node: Node) -> Complaint:
    """What is wrong with a LATERAL query, or None."""
    return None if isinstance(node.this, exp.Subquery) else _NO_QUERY


def complaint_of_cte(node: Node) -> Complaint:
    """What is wrong with a name of WITH, or None."""
    return None if isinstance(node.this, exp.Query | exp.Pivot) else "WITH takes only queries"


_FRAMES: Final = frozenset({"ROWS", "RANGE", "GROUPS"})


def is_aggregate(node: Node | None) -> bool:
    """Whether a call is that of an aggregate, or of a name that may be one."""
    kinds = (exp.Anonymous, exp.WithinGroup)
    return type(node) in kinds or type(node) in AGGREGATES.values()


def complaint_of_window(node: Node) -> Complaint:
    """What is wrong with a window, or None."""
    function = node.this
    while isinstance(function, (exp.Filter, exp.IgnoreNulls)):
        function = function.this
    is_definition = isinstance(function, exp.Identifier) and node.arg_key == "windows"
    is_window = is_aggregate(function) or type(function) in WINDOWS.values()
    if is_definition or (node.args.get("over") == "OVER" and is_window):
        return None
    return "OVER stands only behind an aggregate or a window function"


def complaint_of_frame(node: Node) -> Complaint:
    """What is wrong with a window's frame, or None."""
    supported = str(node.args.get("kind")).upper() in _FRAMES
    return None if supported else "the frame of a window begins with ROWS, RANGE or GROUPS"


def complaint_of_window_function(node: Node) -> Complaint:
    """What is wrong with the place of a window function, or None."""
    around = node.parent.parent if isinstance(node.parent, exp.IgnoreNulls) else node.parent
    return None if isinstance(around, exp.Window) else f"{name_of(node)} needs OVER (...)"


def complaint_of_nulls(node: Node) -> Complaint:
    """What is wrong with IGNORE NULLS, or None."""
    return (
        None
        if isinstance(node.this, exp.AnyValue) or isinstance(node.parent, exp.Window)
        else "IGNORE NULLS stands only in a window function"
    )
