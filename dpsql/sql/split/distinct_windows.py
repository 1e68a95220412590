"""DISTINCT of windows over all rows of a partition, which is an aggregation: each partition has one value."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from sqlglot import exp

from dpsql.errors import QueryRefused
from dpsql.sql.ast.aggregate_calls import is_aggregate
from dpsql.sql.ast.column_names import keep_names
from dpsql.sql.ast.positions import place_of
from dpsql.sql.ast.traversal import in_window, is_star, shallow
from dpsql.sql.dialect import Node
from dpsql.sql.validate.function_names import WINDOWS

_OTHERS: Final = ("qualify", "windows")
Keys = dict[str, Node]
"""Expressions by their text."""


def group_windows(node: exp.Select) -> None:
    """Changes SELECT DISTINCT a, SUM(b) OVER (PARTITION BY a) into SELECT a, SUM(b) ... GROUP BY a, in place.

    The groups are all that is shown or that a window is partitioned by. A window over a part of that adds up groups.
    Raises QueryRefused where a window is none of all rows of a partition: DISTINCT would be taken for an aggregation.
    """
    windows = _windows(node)
    if not windows:
        return
    items = [item.unalias() for item in node.expressions]
    shown = _keys(i for i in items if not i.find(exp.Window))
    groups = shown | _keys(key for w in windows for key in w.args.get("partition_by") or [])
    named = any(node.args.get(clause) for clause in _OTHERS) or any(map(is_star, items))
    if named or not all(_is_whole(w) and (_is_of(w, groups) or _adds_up(w)) for w in windows):
        raise QueryRefused(
            "DISTINCT beside a window function over private rows is not supported",
            place=place_of(node),
            hint="Compute the window in a subquery, and take DISTINCT around it.",
        )
    _group(node, windows, shown, groups)


def _windows(node: exp.Select) -> list[exp.Window]:
    """The windows of a SELECT DISTINCT that does not aggregate besides."""
    if node.args.get("distinct") is None or node.args.get("group") or node.args.get("having"):
        return []
    inside = [n for item in node.expressions for n in shallow(item)]
    alone = any(is_aggregate(n) and not in_window(n) for n in inside)
    return [] if alone else [n for n in inside if isinstance(n, exp.Window)]


def _keys(expressions: Iterable[Node]) -> Keys:
    return {e.sql(dialect="duckdb"): e for e in expressions if e.find(exp.Column) is not None}


def _is_whole(window: exp.Window) -> bool:
    """Whether a window has one value for each partition: an aggregate, of rows in no order."""
    call = window.this.this if isinstance(window.this, exp.Filter) else window.this
    plain = not any(window.args.get(key) for key in ("order", "spec", "alias"))
    return plain and is_aggregate(call) and type(call) not in WINDOWS.values()


def _is_of(window: exp.Window, groups: Keys) -> bool:
    return _keys(window.args.get("partition_by") or []).keys() == groups.keys()


def _adds_up(window: exp.Window) -> bool:
    """Whether the value of a partition is the sum of those of its groups."""
    call = window.this.this if isinstance(window.this, exp.Filter) else window.this
    return isinstance(call, exp.Sum | exp.Count) and not isinstance(call.this, exp.Distinct)


def _group(node: exp.Select, windows: list[exp.Window], shown: Keys, groups: Keys) -> None:
    keep_names(windows)
    if groups:
        node.set("group", exp.Group(expressions=[key.copy() for key in groups.values()]))
    if groups.keys() == shown.keys():
        node.set("distinct", None)
    for window in windows:
        if _is_of(window, groups):
            window.replace(window.this)
            continue
        count = isinstance(window.find(exp.AggFunc), exp.Count)
        window.set("this", exp.Sum(this=window.this))
        if count:
            around = exp.Cast(to=exp.DataType(this=exp.DataType.Type.BIGINT))
            window.replace(around)
            around.set("this", window)
