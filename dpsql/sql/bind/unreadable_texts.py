"""Casts of constant texts that are no such value: told before anything is spent, by the text alone.

On private rows a cast is total, so that `day >= DATE '2025-02-30'` would be a comparison with NULL, which is true of no
row, and be charged. TRY_CAST says that NULL is meant. Elsewhere than in a comparison, as in COALESCE, a cast may stand
for what is never reached.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from sqlglot import exp

from dpsql.algebra.functions import Mistyped
from dpsql.algebra.functions.coerce import read_text, sql_name
from dpsql.algebra.scan import text_literal
from dpsql.algebra.types import NUMERIC, TEMPORAL, SqlType
from dpsql.errors import QueryRefused
from dpsql.sql.ast.positions import place_of
from dpsql.sql.ast.traversal import of_kinds
from dpsql.sql.bind.binder import CAST_TYPES
from dpsql.sql.dialect import Node

_READ = NUMERIC | TEMPORAL | {SqlType.BOOLEAN}
_COMPARED = (
    *(exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Between, exp.In),
    *(exp.Add, exp.Sub),  # as in day > DATE '...' - 7
    *(exp.And, exp.Or, exp.Where, exp.Filter),
)
# What has no value where what is in it has none, and is always computed.
_STRICT = (exp.Paren, exp.Cast, exp.Neg, exp.Not, exp.TimestampTrunc)


def check_texts(nodes: Iterable[Node], evaluate: Callable[[str], Sequence[Sequence[object]]]) -> None:
    """Refuses a comparison with a cast of a constant text that DuckDB, which `evaluate` asks, gives NULL for."""
    for node in of_kinds(nodes, exp.Cast):
        to = CAST_TYPES.get(node.to.this)
        if not _is_compared(node) or to is None or to not in _READ or not node.this.is_string:
            continue
        try:
            read_text(node.this.this, to)
        except Mistyped as unread:
            if _is_null(node.this.this, to, evaluate):
                raise QueryRefused(str(unread), place=place_of(node)) from None


def _is_compared(node: Node | None) -> bool:
    """Whether a cast, or what is computed of it alone, stands in a comparison: NULL is no value to compare with."""
    while isinstance(node, _STRICT) and not isinstance(node, exp.TryCast):
        node = node.parent
    return isinstance(node, _COMPARED)


def _is_null(text: str, to: SqlType, evaluate: Callable[[str], Sequence[Sequence[object]]]) -> bool:
    """Whether DuckDB, which reads more spellings than are read here, reads no value either."""
    ((missing,),) = evaluate(f"SELECT TRY_CAST({text_literal(text)} AS {sql_name(to)}) IS NULL")
    return bool(missing)
