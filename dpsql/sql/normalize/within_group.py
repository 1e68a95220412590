"""WITHIN GROUP behind PERCENTILE_CONT, PERCENTILE_DISC and MODE, and quantiles at a list of levels."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from sqlglot import exp

from dpsql.sql.ast.column_names import keep_names
from dpsql.sql.ast.descriptions import name_of
from dpsql.sql.ast.positions import refuse_node
from dpsql.sql.ast.traversal import all_of, every, is_number
from dpsql.sql.dialect import Node

MOST_LEVELS: Final = 100
"""The most quantiles of one list."""
MOST_COPIED: Final = 30_000
"""The most nodes that are written for the quantiles of one list."""
# The argument that holds the level, where there is no WITHIN GROUP.
_LEVELS: Final = MappingProxyType[type[Node], str](
    {
        **dict.fromkeys((exp.PercentileCont, exp.PercentileDisc), "expression"),
        **dict.fromkeys((exp.Quantile, exp.ApproxQuantile), "quantile"),
    }
)
KINDS: Final[tuple[type[Node], ...]] = (exp.WithinGroup, *_LEVELS)
"""What may be changed here."""


def complaint_of_group(node: Node) -> str | None:
    """What is wrong with a WITHIN GROUP, or None."""
    call, order = node.this, node.expression
    is_mode = isinstance(call, exp.Mode) and call.args.get("this") is None
    if not is_mode and (
        not isinstance(call, exp.PercentileCont | exp.PercentileDisc) or call.args.get("expression")
    ):
        return "WITHIN GROUP stands only behind PERCENTILE_CONT(q), PERCENTILE_DISC(q) and MODE()"
    if not isinstance(order, exp.Order) or len(order.expressions) != 1:
        return "WITHIN GROUP takes one ORDER BY of one expression"
    backwards = order.expressions[0].args.get("desc")
    if is_mode:
        return "MODE() WITHIN GROUP takes no DESC" if backwards else None
    if backwards and not is_number(call.this):
        return "DESC in WITHIN GROUP needs a fraction that is written as a number"
    return None


def complaint_of_percentile(node: Node) -> str | None:
    """What is wrong with a PERCENTILE_CONT, PERCENTILE_DISC or QUANTILE, or None."""
    written = str(node.meta.get("written", "")).startswith("PERCENTILE")
    if written and not isinstance(node.parent, exp.WithinGroup):
        return f"{name_of(node)} needs WITHIN GROUP (ORDER BY ...)"
    return None


def without_within_group(tree: Node) -> None:
    """Changes WITHIN GROUP into arguments, with -q for DESC, as in DuckDB, and a list of levels into one of quantiles.

    Raises QueryRefused for too many of them.

    >>> after(without_within_group, "SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY x DESC)")
    SELECT QUANTILE_CONT(x, -0.5)
    >>> after(without_within_group, "SELECT MODE() WITHIN GROUP (ORDER BY x), QUANTILE_CONT(x, [0.1, 0.2])")
    SELECT MODE(x), [QUANTILE_CONT(x, 0.1), QUANTILE_CONT(x, 0.2)]
    """
    for node in all_of(tree, exp.WithinGroup):
        _replace_group(node)
    for call in reversed(all_of(tree, *_LEVELS)):
        if isinstance(call.args.get(_LEVELS[type(call)]), exp.Array):
            _one_by_one(call)


def without_groups_in_windows(tree: Node) -> bool:
    """The same where OVER stands behind it, which DuckDB does not take. Says whether there was one.

    >>> after(without_groups_in_windows, "SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY x) OVER () AS m")
    SELECT QUANTILE_CONT(x, 0.5) OVER () AS m
    """
    windows = [w for w in all_of(tree, exp.Window) if isinstance(w.this, exp.WithinGroup)]
    keep_names(windows)
    for window in windows:
        _replace_group(window.this)
    return bool(windows)


def without_written_groups(tree: Node) -> None:
    """The same in a tree that DuckDB gets: sqlglot writes WITHIN GROUP in another way than it stands.

    >>> after(without_written_groups, "SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY x)")
    SELECT QUANTILE_CONT(x, 0.5) AS "quantile_cont(x, 0.5 ORDER BY x)"
    """
    keep_names(all_of(tree, exp.WithinGroup))
    without_within_group(tree)


def _replace_group(node: Node) -> None:
    call, (by,) = node.this, node.expression.expressions
    if not isinstance(call, exp.Mode):
        level = call.this
        if by.args.get("desc"):
            level = exp.Literal.number("1") if float(level.this) == 0 else exp.Neg(this=level)
        call.set("expression", level)
    call.set("this", by.this)
    node.replace(call)


def is_list_of_levels(node: Node) -> bool:
    """Whether a list holds the constants of several quantiles."""
    call = node.parent
    if isinstance(call, exp.PercentileCont | exp.PercentileDisc) and isinstance(call.parent, exp.WithinGroup):
        return node.arg_key == "this" and not call.parent.expression.expressions[0].args.get("desc")
    return call is not None and _LEVELS.get(type(call)) == node.arg_key


def _one_by_one(call: Node) -> None:
    key = _LEVELS[type(call)]
    levels, around = call.args[key].expressions, call.parent if isinstance(call.parent, exp.Filter) else call
    if len(levels) > MOST_LEVELS or len(levels) * len(every(around)) > MOST_COPIED:
        reason = f"a list of more than {MOST_LEVELS} quantiles, or of a long expression, is not supported"
        raise refuse_node(call, reason)
    around.replace(exp.Array(expressions=[_at(around, key, level) for level in levels]))


def _at(around: Node, key: str, level: Node) -> Node:
    """The call, or it with its FILTER, at one level."""
    made: Node = around.copy()
    (made.this if isinstance(made, exp.Filter) else made).set(key, level.copy())
    return made
