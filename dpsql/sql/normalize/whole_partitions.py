"""SELECT DISTINCT with windows over whole partitions: what it shows, what its windows are of, and what it groups by."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from sqlglot import exp

from dpsql.slotted import dataclass
from dpsql.sql.ast.aggregate_calls import is_aggregate
from dpsql.sql.ast.traversal import in_window, is_star, shallow
from dpsql.sql.dialect import Node

_OTHERS: Final = ("qualify", "windows")
_RANKED: Final = (
    exp.CumeDist, exp.DenseRank, exp.FirstValue, exp.Lag, exp.LastValue, exp.Lead, exp.NthValue, exp.Ntile,
    exp.PercentRank, exp.Rank, exp.RowNumber,
)  # fmt: skip
Keys = dict[str, Node]
"""Expressions by their text."""


@dataclass(frozen=True, slots=True)
class Partitioned:
    """The windows of a SELECT DISTINCT; the `groups` are all that is `shown` or that a window is partitioned by."""

    windows: list[exp.Window]
    shown: Keys
    groups: Keys
    plain: bool

    @property
    def is_grouping(self) -> bool:
        """Whether each window is an aggregate of just the rows of a group."""
        return self.plain and all(is_whole(w) and self.has_groups(w) for w in self.windows)

    @property
    def adds_up(self) -> bool:
        """Whether each window is such an aggregate, or the sum of some of groups."""
        return self.plain and all(is_whole(w) and (self.has_groups(w) or _adds_up(w)) for w in self.windows)

    def has_groups(self, window: exp.Window) -> bool:
        """Whether a window is partitioned by all that the SELECT is grouped by."""
        return _keys(window.args.get("partition_by") or []).keys() == self.groups.keys()


def partitioned(node: exp.Select) -> Partitioned | None:
    """The windows of a SELECT DISTINCT that does not aggregate besides; None for any other SELECT."""
    distinct = node.args.get("distinct")
    if distinct is None or distinct.args.get("on") or node.args.get("group") or node.args.get("having"):
        return None
    items = [item.unalias() for item in node.expressions]
    inside = [n for item in items for n in shallow(item)]
    windows = [n for n in inside if isinstance(n, exp.Window)]
    if not windows or any(is_aggregate(n) and not in_window(n) for n in inside):
        return None
    shown = _keys(i for i in items if not i.find(exp.Window))
    groups = shown | _keys(key for w in windows for key in w.args.get("partition_by") or [])
    plain = not any(node.args.get(clause) for clause in _OTHERS) and not any(map(is_star, items))
    return Partitioned(windows, shown, groups, plain)


def _keys(expressions: Iterable[Node]) -> Keys:
    return {e.sql(dialect="duckdb"): e for e in expressions if e.find(exp.Column) is not None}


def is_whole(window: exp.Window) -> bool:
    """Whether a window has one value for each partition: an aggregate, of rows in no order."""
    call = _call(window)
    plain = not any(window.args.get(key) for key in ("order", "spec", "alias"))
    return plain and is_aggregate(call) and not isinstance(call, _RANKED)


def _adds_up(window: exp.Window) -> bool:
    """Whether the value of a partition is the sum of those of its groups."""
    call = _call(window)
    return isinstance(call, exp.Sum | exp.Count) and not isinstance(call.this, exp.Distinct)


def _call(window: exp.Window) -> Node:
    call: Node = window.this
    return call.this if isinstance(call, exp.Filter) else call
