"""One part of a split text, STRING_SPLIT(x, ',')[n], under all the names that DuckDB has for it.

The list of the parts never stands alone: there is no list of private rows, and none in an answer.
"""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from dpsql.sql.ast.traversal import all_of
from dpsql.sql.dialect import Node
from dpsql.sql.normalize.foreign.quantile_lists import is_of_quantiles

SPLITS: Final = frozenset({"SPLIT", "STR_SPLIT", "STRING_SPLIT", "STRING_TO_ARRAY"})
"""What DuckDB calls the list of the parts of a text."""
TAKING: Final = frozenset({"ARRAY_EXTRACT", "LIST_ELEMENT", "LIST_EXTRACT"})
"""What DuckDB calls the value at a place of a list."""


def complaint_of_subscript(node: Node) -> str | None:
    """What is wrong with a subscript, or None."""
    at = node.expressions[0] if len(node.expressions) == 1 else None
    if is_of_quantiles(node):
        return None
    if at is not None and (_is_split(node.this.unnest()) or not (at.is_string or isinstance(at, exp.Slice))):
        return None
    return "a subscript is one number, as in STRING_SPLIT(x, ',')[1]; LIST_SLICE(x, 1, 2) is a part of a released list"


def complaint_of_call(node: Node) -> str | None:
    """What is wrong with a call by name, which may make a list of a text; or None."""
    if not isinstance(node.this, str):
        return "the name of a function is written without quotes"
    if not _is_split(node):
        return None
    outer = node.parent
    while isinstance(outer, exp.Paren):
        outer = outer.parent
    is_taken = isinstance(outer, exp.Bracket) or (outer is not None and part_of(outer) is not None)
    return (
        None
        if is_taken
        else f"{node.this.upper()} gives a list; take one of its parts, as in STRING_SPLIT(x, ',')[1]"
    )


def without_subscripts(tree: Node) -> None:
    """Changes the subscripts of split texts into calls, which sqlglot writes as they are.

    >>> after(without_subscripts, "SELECT SPLIT(a, ',')[-1]")
    SELECT LIST_EXTRACT(SPLIT(a, ','), -1)
    """
    for node in reversed(all_of(tree, exp.Bracket)):
        place = {k: v for k, v in node.this.unnest().meta.items() if k != "written"}
        call = exp.Anonymous(this="LIST_EXTRACT", expressions=[node.this.unnest(), *node.expressions])
        call.meta.update({**place, "written": "LIST_EXTRACT"})
        node.replace(call)


def part_of(node: Node) -> tuple[Node, Node, Node] | None:
    """The text, the separator and the number of a call that takes one part; None for any other."""
    if not isinstance(node, exp.Anonymous) or str(node.this).upper() not in TAKING:
        return None
    if len(node.expressions) != 2 or not _is_split(split := node.expressions[0].unnest()):
        return None
    text, separator = split.expressions
    return text, separator, node.expressions[1]


def _is_split(node: Node) -> bool:
    is_call = isinstance(node, exp.Anonymous) and str(node.this).upper() in SPLITS
    return is_call and len(node.expressions) == 2
