"""The allow-list over windows: what stands behind OVER and before it."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from dpsql.sql.ast.descriptions import name_of
from dpsql.sql.dialect import Node
from dpsql.sql.validate.function_names import AGGREGATES, WINDOWS

_FRAMES: Final = frozenset({"ROWS", "RANGE", "GROUPS"})
Complaint = str | None


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
    known = str(node.args.get("kind")).upper() in _FRAMES
    return None if known else "the frame of a window begins with ROWS, RANGE or GROUPS"


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
