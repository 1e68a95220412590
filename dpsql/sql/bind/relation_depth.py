"""How many steps a query takes one after another: aggregates for each unit, windows, unions of such."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from dpsql.algebra.relations import Filter, Join, Mark, PerUnit, Relation, Released, Scan, Union, Windows
from dpsql.errors import QueryRefused

MOST_STEPS = 50
"""The most steps inside one another: the time to see to whom the rows of the last one belong grows with their cube."""


def check_steps(relation: Relation) -> None:
    """Refuses a relation that is made in more than MOST_STEPS steps. Raises QueryRefused."""
    step: dict[int, Relation] = {id(relation): relation}
    for _ in range(MOST_STEPS + 1):
        step = {id(inner): inner for outer in step.values() for inner in _before(outer)}
        if not step:
            return
    raise QueryRefused(
        f"the query computes private rows in more than {MOST_STEPS} steps, one after another",
        hint="Use fewer names of WITH that aggregate, number or merge the rows of the one before.",
    )


def _before(relation: Relation) -> Iterator[Relation]:
    """The relations that the sources of a relation are made of."""
    stack = [relation]
    while stack:
        relation = stack.pop()
        match relation:
            case Filter(source=source):
                stack.append(source)
            case Join(left=left, right=right):
                stack += [left, right]
            case Mark(source=source, inner=inner):
                stack += [source, inner]
            case PerUnit(source=source) | Windows(source=source):
                yield source
            case Union(branches=branches):
                yield from (b.relation for b in branches)
            case Scan() | Released():
                pass
            case _:
                assert_never(relation)
