"""Values that no answer can give as they are: intervals with months, infinite days and moments.

They would be given as 30 days for each month, and as the last day that Python has. Which there may be is seen by the
text: no column of a table holds intervals, and what stands in public tables is the admin's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from sqlglot import exp

from dpsql.errors import QueryRefused
from dpsql.sql.ast.positions import refuse_node
from dpsql.sql.ast.traversal import of_kinds
from dpsql.sql.dialect import Node

_INTERVAL: Final = "INTERVAL"
_INFINITE: Final = re.compile(r"\s*[-+]?inf(?:inity)?\s*", re.IGNORECASE)
_MONTHS: Final = re.compile(r"(?:\d|^)\s*(?:mon|y|quarter|dec|cent|c\b|millen|mil\b)", re.IGNORECASE)
# Calls that make months, or may.
_OF_MONTHS: Final = frozenset(
    {"age", "to_months", "to_quarters", "to_years", "to_decades", "to_centuries", "to_millennia"}
)
_COMPARED: Final = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Between, exp.In)
Ungiven = tuple[str, QueryRefused]
"""The type of the columns that could have a value which cannot be given, and the refusal of what makes it."""


def ungiven_values(nodes: Iterable[Node]) -> tuple[Ungiven, ...]:
    """What of a query makes such values."""
    return tuple(_ungiven(nodes))


def check_given(ungiven: Sequence[Ungiven], types: Sequence[str]) -> None:
    """Raises the refusal of the first that a column of these types could have."""
    for kind, refusal in ungiven:
        if any(given.startswith(kind) for given in types):
            raise refusal


def _ungiven(nodes: Iterable[Node]) -> Iterator[Ungiven]:
    for node in of_kinds(nodes, exp.Interval, exp.Cast, exp.Anonymous, exp.Literal):
        if _has_months(node):
            reason = "an interval with months has no fixed length, and cannot be given as one"
            yield _INTERVAL, refuse_node(node, reason, "CAST it to VARCHAR.")
        elif isinstance(node, exp.Literal) and _is_infinite(node):
            reason = "an infinite day or moment cannot be given"
            for kind in ("DATE", "TIMESTAMP"):
                yield kind, refuse_node(node, reason, "CAST it to VARCHAR, or compare with it alone.")


def _has_months(node: Node) -> bool:
    if isinstance(node, exp.Interval):
        unit = node.args.get("unit") or node  # False is none, before sqlglot 29
        return bool(_MONTHS.search(unit.name))
    if isinstance(node, exp.Anonymous):
        return str(node.this).lower() in _OF_MONTHS
    is_interval = isinstance(node, exp.Cast) and node.to.is_type(exp.DataType.Type.INTERVAL)
    return is_interval and node.this.is_string and bool(_MONTHS.search(node.name))


def _is_infinite(text: exp.Literal) -> bool:
    """Whether it may become an infinite day that is not just compared, or written as a text again."""
    if not text.is_string or not _INFINITE.fullmatch(text.name):
        return False
    around = text.parent
    while isinstance(around, exp.Paren) or (isinstance(around, exp.Cast) and not _is_of_text(around)):
        if isinstance(around, exp.Cast) and around.to.is_type(*exp.DataType.REAL_TYPES):
            return False
        around = around.parent
    return not isinstance(around, (exp.Cast, *_COMPARED))


def _is_of_text(cast: exp.Cast) -> bool:
    return bool(cast.to.is_type(*exp.DataType.TEXT_TYPES))
