"""APPROX_QUANTILES(x, 100)[91], as BigQuery has it, is the 0.9-quantile: the list of all of them never stands alone."""

from __future__ import annotations

from fractions import Fraction

from sqlglot import exp

from dpsql.sql.ast.column_names import keep_names
from dpsql.sql.ast.traversal import all_of, is_number
from dpsql.sql.dialect import Node
from dpsql.sql.normalize.templates import filled

NAME = "APPROX_QUANTILES"


def is_of_quantiles(node: Node) -> bool:
    """Whether a subscript takes one of these quantiles."""
    return _level(node) is not None


def without_quantile_lists(tree: Node) -> bool:
    """Changes each place in such a list into the call of its level. Says whether there was one.

    >>> after(without_quantile_lists, "SELECT APPROX_QUANTILES(a, 4)[4] AS b")
    SELECT APPROX_QUANTILE(a, 0.75) AS b
    """
    found = [(node, level) for node in all_of(tree, exp.Bracket) if (level := _level(node)) is not None]
    keep_names(node for node, _ in found)
    for node, level in found:
        call = node.this.unnest()
        made = filled(
            "APPROX_QUANTILE(x, q)", {"x": call.expressions[0], "q": exp.Literal.number(str(float(level)))}
        )
        made.meta.update({k: v for k, v in call.meta.items() if k != "written"})
        node.replace(made)
    return bool(found)


def _level(node: Node) -> Fraction | None:
    """The level of a quantile, of a list of n + 1 that begins with the least value."""
    call = node.this.unnest()
    if not isinstance(call, exp.Anonymous) or str(call.this).upper() != NAME or len(call.expressions) != 2:
        return None
    numbers = [call.expressions[1], *node.expressions]
    if len(numbers) != 2 or not all(is_number(n) and n.name.isdigit() for n in numbers):
        return None
    pieces, place = (int(n.name) for n in numbers)
    return Fraction(place - 1, pieces) if 0 < place <= pieces + 1 and pieces < 1_000_000 else None
