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
from dpsql.sql.trace import level_selects, measured_in, released_source, source_of
from dpsql.sql.walk import all_of

LOW: Final = "dp_interval_low"
HIGH: Final = "dp_interval_high"
BOUND_NAMES: Final = frozenset({LOW, HIGH})


def bounds(tree: Node) -> tuple[Bounds, ...]:
    """Replaces every call in a cut tree by a column of a released table, and says what these columns hold.

    Raises QueryRefused for a call that does not stand where aggregates of private rows do.
    """
    found: dict[tuple[str, Formula], Bounds] = {}
    for call in all_of(tree, exp.Anonymous):
        name = str(call.this).lower()
        if name in BOUND_NAMES:
            table, selects, asked = _asked(call, name)
            tables = [source_of(s) for s in selects] or [table]
            for each in tables:
                found.setdefault((each, asked), Bounds(each, asked, f"l{len(found)}", f"h{len(found)}"))
            made = [found[each, asked] for each in tables]
            columns = [b.low if name == LOW else b.high for b in made]
            for select, column in zip(selects, columns, strict=False):
                _passed_on(select, column, columns[0])
            call.replace(exp.column(columns[0], table=table, quoted=True))
    return tuple(found.values())


def _passed_on(level: exp.Select, column: str, name: str) -> None:
    """The SELECT of a level has a column of its table under a name, once."""
    if all(e.alias != name for e in level.expressions):
        found = exp.column(column, table=source_of(level), quoted=True)
        level.append("expressions", exp.alias_(found, name, quoted=True))


def _asked(call: exp.Anonymous, name: str) -> tuple[str, tuple[exp.Select, ...], Formula]:
    """The released table that a call reads, or the SELECTs of the levels that it reads, and what it asks about."""
    if len(call.expressions) != 1:
        raise QueryRefused(f"{name.upper()} takes one argument", place=place_of(call))
    select = call.find_ancestor(exp.Select)
    source = released_source(select) if select is not None else None
    selects = level_selects(select) if select is not None else ()
    if select is None or (source is None and not selects):
        raise QueryRefused(
            f"{name.upper()} stands in the SELECT that aggregates private rows",
            place=place_of(call),
            hint=f"Write {name.upper()}(COUNT(*)) beside COUNT(*), or give it the name of such a column.",
        )
    table = source.name if source is not None else select.args["from_"].this.alias
    asked = formula(call.expressions[0], measured_in(table))
    if asked is None or not measures_of(asked):
        raise QueryRefused(
            f"{name.upper()} takes an aggregate of private rows, or arithmetic on such aggregates",
            place=place_of(call),
            hint="A key has no noise; windows, texts and dates have no interval.",
        )
    return table, selects, asked
