"""DP_INTERVAL_LOW(x) and DP_INTERVAL_HIGH(x): the ends of the 95 % interval of what a SELECT computes on a release."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from dpsql.errors import QueryRefused
from dpsql.formula import Formula, measures_of
from dpsql.sql.dialect import Node
from dpsql.sql.formulas import formula
from dpsql.sql.place import place_of
from dpsql.sql.query import Bounds
from dpsql.sql.trace import measured_in, released_source

LOW: Final = "dp_interval_low"
HIGH: Final = "dp_interval_high"
BOUND_NAMES: Final = frozenset({LOW, HIGH})


def bounds(tree: Node) -> tuple[Bounds, ...]:
    """Replaces every call in a cut tree by a column of a released table, and says what these columns hold.

    Raises QueryRefused for a call that does not stand where aggregates of private rows do.
    """
    found: dict[tuple[int, Formula], Bounds] = {}
    for call in list(tree.find_all(exp.Anonymous)):
        name = str(call.this).lower()
        if name in BOUND_NAMES:
            table, asked = _asked(call, name)
            at = int(table.name[1:]), asked
            made = found.setdefault(at, Bounds(*at, f"l{len(found)}", f"h{len(found)}"))
            column = made.low if name == LOW else made.high
            call.replace(exp.column(column, table=table.name, quoted=True))
    return tuple(found.values())


def _asked(call: exp.Anonymous, name: str) -> tuple[exp.Table, Formula]:
    """The released table that a call reads, and what it asks about."""
    if len(call.expressions) != 1:
        raise QueryRefused(f"{name.upper()} takes one argument", place=place_of(call))
    select = call.find_ancestor(exp.Select)
    table = released_source(select) if select is not None else None
    if table is None:
        raise QueryRefused(
            f"{name.upper()} stands in the SELECT that aggregates private rows",
            place=place_of(call),
            hint=f"Write {name.upper()}(COUNT(*)) beside COUNT(*), or give it the name of such a column.",
        )
    asked = formula(call.expressions[0], measured_in(table))
    if asked is None or not measures_of(asked):
        raise QueryRefused(
            f"{name.upper()} takes an aggregate of private rows, or arithmetic on such aggregates",
            place=place_of(call),
            hint="A key has no noise; windows, texts and dates have no interval.",
        )
    return table, asked
