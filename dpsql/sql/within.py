"""PERCENTILE_CONT and PERCENTILE_DISC with WITHIN GROUP: which forms are read, and what they are without it."""

from __future__ import annotations

from sqlglot import exp

from dpsql.sql.dialect import Node
from dpsql.sql.walk import all_of
from dpsql.sql.wording import name_of


def complaint_of_group(node: Node) -> str | None:
    """What is wrong with a WITHIN GROUP, or None."""
    call, order = node.this, node.expression
    if not isinstance(call, exp.PercentileCont | exp.PercentileDisc) or call.args.get("expression"):
        return "WITHIN GROUP stands only behind PERCENTILE_CONT(q) and PERCENTILE_DISC(q)"
    if not isinstance(order, exp.Order) or len(order.expressions) != 1:
        return "WITHIN GROUP takes one ORDER BY of one expression"
    backwards = order.expressions[0].args.get("desc")
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
    """Changes PERCENTILE_CONT(q) WITHIN GROUP (ORDER BY x) into QUANTILE_CONT(x, q), with -q for DESC, as in DuckDB."""
    for node in all_of(tree, exp.WithinGroup):
        call, (by,) = node.this, node.expression.expressions
        level = call.this
        if by.args.get("desc"):
            level = exp.Literal.number("1") if float(level.this) == 0 else exp.Neg(this=level)
        call.set("this", by.this)
        call.set("expression", level)
        node.replace(call)
