"""Years and months of AGE(x, y), as PostgreSQL's clients ask for whole years between two days."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from sqlglot import exp

from dpsql.sql.ast.traversal import all_of
from dpsql.sql.dialect import Node
from dpsql.sql.normalize.templates import filled, grouped

# The months that have passed: the boundaries between months, but for one that is not complete.
_MONTHS: Final = (
    "CASE WHEN x >= y "
    "THEN DATE_DIFF('month', y, x) - CASE WHEN STRFTIME(x, f) < STRFTIME(y, f) THEN 1 ELSE 0 END "
    "ELSE DATE_DIFF('month', y, x) + CASE WHEN STRFTIME(x, f) > STRFTIME(y, f) THEN 1 ELSE 0 END END"
)
_PARTS: Final = MappingProxyType({"YEAR": f"(({_MONTHS}) // 12)", "MONTH": f"(({_MONTHS}) % 12)"})
_WITHIN_A_MONTH: Final = "%d%H%M%S%f"


def without_ages(tree: Node) -> None:
    """Changes the years and months of AGE into what they are, which private rows have.

    >>> after(without_ages, "SELECT EXTRACT(YEAR FROM AGE(a, b)) > 17")
    SELECT ((CASE WHEN a >= b
    THEN DATE_DIFF('MONTH', b, a) - CASE WHEN STRFTIME(a, '%d%H%M%S%f') < STRFTIME(b, '%d%H%M%S%f') THEN 1 ELSE 0 END
    ELSE DATE_DIFF('MONTH', b, a) + CASE WHEN STRFTIME(a, '%d%H%M%S%f') > STRFTIME(b, '%d%H%M%S%f') THEN 1 ELSE 0 END
    END) // 12) > 17
    """
    found = [(node, *_part_of(node)) for node in all_of(tree, exp.Extract, exp.Anonymous)]
    # Chosen before any is written out, for one within another would be written again and again.
    chosen = [(node, part, age) for node, part, age in found if part in _PARTS and _is_age(age)]
    for node, part, age in reversed(chosen):
        x, y = age.expressions if age.expressions[1:] else (exp.CurrentDate(), age.expressions[0])
        values = {"x": _moment(x), "y": _moment(y), "f": exp.Literal.string(_WITHIN_A_MONTH)}
        node.replace(filled(_PARTS[part], values))


def _part_of(node: Node) -> tuple[str, Node]:
    """The part of a moment in capitals, and the moment, of EXTRACT and DATE_PART; no part of any other call."""
    if isinstance(node, exp.Extract):
        return node.this.name.upper(), node.expression
    is_part = str(node.this).upper() in ("DATE_PART", "DATEPART") and len(node.expressions) == 2
    return (node.expressions[0].name.upper(), node.expressions[1]) if is_part else ("", node)


def _moment(node: Node) -> Node:
    return filled("CAST(x AS TIMESTAMP)", {"x": node}) if node.is_string else grouped(node)


def _is_age(node: Node) -> bool:
    """Whether this is a call of AGE without another in it: its moments are written several times."""
    calls = [str(c.this).upper() for c in all_of(node, exp.Anonymous)]
    return (
        isinstance(node, exp.Anonymous)
        and calls.count("AGE") == 1
        and calls[0] == "AGE"
        and 0 < len(node.expressions) < 3
    )
