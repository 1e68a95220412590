"""Commas between the sources of FROM bind looser than joins: FROM a, b RIGHT JOIN c is a beside (b RIGHT JOIN c).

Sources are put together from left to right. For JOIN, LEFT JOIN, SEMI and ANTI JOIN that is the same, but not for joins
that keep rows of the right side, or that look for the columns which both sides have.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlglot import exp

from dpsql.sql.ast.positions import refuse_node

_OTHERS: Final = frozenset({"RIGHT", "FULL", "NATURAL"})


def check_commas(joins: Sequence[exp.Join]) -> None:
    """Refuses joins behind a comma that would mean something else from left to right. Raises QueryRefused."""
    behind = False
    for join in joins:
        kind = next((k for k in (join.side or "", join.method or "") if k.upper() in _OTHERS), "")
        if behind and kind:
            raise refuse_node(
                join.this,
                f"a {kind.upper()} JOIN behind a comma is not supported beside private rows",
                "A comma binds looser than a join: write the joined tables first, and the others behind commas.",
            )
        behind = behind or _is_comma(join)


def _is_comma(join: exp.Join) -> bool:
    return not any(join.args.get(key) for key in ("side", "kind", "method", "on", "using"))
