"""DISTINCT of windows over all rows of a partition, which is an aggregation: each partition has one value."""

from __future__ import annotations

from sqlglot import exp

from dpsql.errors import QueryRefused
from dpsql.sql.ast.column_names import keep_names
from dpsql.sql.ast.positions import place_of
from dpsql.sql.normalize.whole_partitions import Partitioned, partitioned


def group_windows(node: exp.Select) -> None:
    """Changes SELECT DISTINCT a, SUM(b) OVER (PARTITION BY a) into SELECT a, SUM(b) ... GROUP BY a, in place.

    A window over a part of what the SELECT is grouped by adds up groups. Raises QueryRefused where a window is none of
    all rows of a partition: DISTINCT would be taken for an aggregation.
    """
    found = partitioned(node)
    if found is None:
        return
    if not found.adds_up:
        raise QueryRefused(
            "DISTINCT beside a window function over private rows is not supported",
            place=place_of(node),
            hint="Compute the window in a subquery, and take DISTINCT around it.",
        )
    _group(node, found)


def _group(node: exp.Select, found: Partitioned) -> None:
    keep_names(found.windows)
    if found.groups:
        node.set("group", exp.Group(expressions=[key.copy() for key in found.groups.values()]))
    if found.groups.keys() == found.shown.keys():
        node.set("distinct", None)
    for window in found.windows:
        if found.has_groups(window):
            window.replace(window.this)
            continue
        count = isinstance(window.find(exp.AggFunc), exp.Count)
        window.set("this", exp.Sum(this=window.this))
        if count:
            around = exp.Cast(to=exp.DataType(this=exp.DataType.Type.BIGINT))
            window.replace(around)
            around.set("this", window)
