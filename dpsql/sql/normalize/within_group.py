"""Quantiles in the forms of the standard, and several at once: which are read, and what they are without.

PERCENTILE_CONT(q), PERCENTILE_DISC(q) and MODE() stand before WITHIN GROUP; a list of constants makes a list of
quantiles.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from sqlglot import exp

from dpsql.sql.ast.descriptions import name_of
from dpsql.sql.ast.positions import refuse_node
from dpsql.sql.ast.traversal import all_of
from dpsql.sql.dialect import Node

MOST_LEVELS = 100
"""The most quantiles of one list."""
MOST_COPIED = 30_000
# The argument that holds the level, where there is no WITHIN GROUP.
_LEVELS: Mapping[type[Node], str] = MappingProxyType(
    {
        exp.PercentileCont: "expression",
        exp.PercentileDisc: "expression",
        exp.Quantile: "quantile",
        exp.ApproxQuantile: "quantile",
    }
)

KINDS: tuple[type[Node], ...] = (exp.WithinGroup, *_LEVELS)
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
    if backwards and not (isinstance(call.this, exp.Literal) and not call.this.is_string):
        return "DESC in WITHIN GROUP needs a fraction that is written as a number"
    return None


def complaint_of_percentile(node: Node) -> str | None:
    """What is wrong with a PERCENTILE_CONT, PERCENTILE_DISC or QUANTILE, or None."""
    written = str(node.meta.get("written", "")).startswith("PERCENTILE")
    if written and not isinstance(node.parent, exp.WithinGroup):
        return f"{name_of(node)} needs WITHIN GROUP (ORDER BY ...)"
    return None


def without_within_group(tree: Node) -> None:
    """Changes PERCENTILE_CONT(q) WITHIN GROUP (ORDER BY x) into QUANTILE_CONT(x, q), with -q for DESC, as in DuckDB.

    MODE() WITHIN GROUP (ORDER BY x) becomes MODE(x), and QUANTILE_CONT(x, [q, r]) becomes
    [QUANTILE_CONT(x, q), QUANTILE_CONT(x, r)]. Raises QueryRefused for too many of them.
    """
    for node in all_of(tree, exp.WithinGroup):
        call, (by,) = node.this, node.expression.expressions
        if isinstance(call, exp.Mode):
            call.set("this", by.this)
            node.replace(call)
            continue
        level = call.this
        if by.args.get("desc"):
            level = exp.Literal.number("1") if float(level.this) == 0 else exp.Neg(this=level)
        call.set("this", by.this)
        call.set("expression", level)
        node.replace(call)
    for call in reversed(all_of(tree, *_LEVELS)):
        if isinstance(call.args.get(_LEVELS[type(call)]), exp.Array):
            _one_by_one(call)


def levels_of(node: Node) -> bool:
    """Whether a list holds the constants of several quantiles."""
    call = node.parent
    if isinstance(call, exp.PercentileCont | exp.PercentileDisc) and isinstance(call.parent, exp.WithinGroup):
        return node.arg_key == "this" and not call.parent.expression.expressions[0].args.get("desc")
    return call is not None and _LEVELS.get(type(call)) == node.arg_key


def _one_by_one(call: Node) -> None:
    key = _LEVELS[type(call)]
    levels, around = call.args[key].expressions, call.parent if isinstance(call.parent, exp.Filter) else call
    if len(levels) > MOST_LEVELS or len(levels) * sum(1 for _ in around.walk()) > MOST_COPIED:
        raise refuse_node(
            call, f"a list of more than {MOST_LEVELS} quantiles, or of a long expression, is not supported"
        )
    found = exp.Array(expressions=[_at(around, key, level) for level in levels])
    around.replace(found)


def _at(around: Node, key: str, level: Node) -> Node:
    """The call, or it with its FILTER, at one level."""
    made: Node = around.copy()
    (made.this if isinstance(made, exp.Filter) else made).set(key, level.copy())
    return made
