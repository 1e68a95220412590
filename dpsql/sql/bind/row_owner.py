"""Whether the rows of a FROM clause belong to one unit, by which columns, and in how many steps they are made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import assert_never

from dpsql.algebra.catalog import Catalog
from dpsql.algebra.expressions import Column, Expr, nodes
from dpsql.algebra.ownership import (
    NotOneUnit,
    Ties,
    private_sources,
    references,
    ties,
    unit_columns,
    unmatched,
)
from dpsql.algebra.relations import (
    Filter,
    Join,
    Mark,
    PerUnit,
    Relation,
    Released,
    Scan,
    Source,
    Union,
    Windows,
    sources,
)
from dpsql.algebra.shape import shape
from dpsql.errors import QueryRefused
from dpsql.slotted import dataclass
from dpsql.sql.ast.positions import place_of
from dpsql.sql.dialect import Node


@dataclass(frozen=True, slots=True)
class Owner:
    """The private source that owns the rows of a relation, and what is tied to it.

    `absent` are columns that are NULL where an outer join or the table itself leaves them empty: NULL is many units.
    """

    source: Source
    private: tuple[Source, ...]
    tied: Ties
    absent: frozenset[Column] = frozenset()

    def is_unit(self, expr: Expr | None) -> bool:
        """Whether an expression is the key of the unit that owns the row."""
        return isinstance(expr, Column) and expr not in self.absent and self.tied.own(self.source, expr)

    def leads_to_unit(self, expr: Expr) -> bool:
        """Whether rows with one value of the expression belong to one unit."""
        if not isinstance(expr, Column) or expr in self.absent:
            return False
        leading = (c for s in self.private for c, _ in references(s, self.tied.catalog))
        return self.is_unit(expr) or any(self.tied.root(c) == self.tied.root(expr) for c in leading)


def owner_of(relation: Relation, catalog: Catalog, places: Mapping[int, Node]) -> Owner:
    """The owner of a relation's rows. Refuses rows that would belong to two units; `places` are where sources stand."""
    check_steps(relation)
    check_copies(relation)
    try:
        tied = ties(relation, catalog)
    except NotOneUnit as problem:
        place = places.get(problem.index)
        raise QueryRefused(
            "the query would put rows of different units side by side",
            place=place_of(place) if place is not None else None,
            hint="Join private tables on the key of the unit that owns their rows, or along a unit_path.",
        ) from None
    private = private_sources(relation, catalog)
    return Owner(private[0], tuple(private), tied, _absent(relation, catalog))


def never_empty(relation: Relation, catalog: Catalog) -> frozenset[Column]:
    """Columns that are NULL in no row; the key of a table's own unit is in no row that is read."""
    columns = shape(relation, catalog).columns
    return frozenset(columns) - _absent(relation, catalog)


def _absent(relation: Relation, catalog: Catalog) -> frozenset[Column]:
    """Columns that can be NULL; the key of a table's own unit is in no row that is read."""
    outer = frozenset(unmatched(relation))
    own = {
        c
        for s in private_sources(relation, catalog)
        if s.index not in outer
        for c in unit_columns(s, catalog)
    }
    return frozenset(
        c for c, fact in shape(relation, catalog).columns.items() if fact.nullable and c not in own
    )


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


MOST_COPIES = 2_000
"""Of how many columns one is computed at most: DuckDB's optimiser takes 0.6 ms for each, and no time limit stops it.

It puts an expression in the place of its name, in a condition that it moves behind the step that computes it.
"""


def check_copies(relation: Relation) -> None:
    """Refuses a column that mentions others so often, step by step, that they are too many. Raises QueryRefused."""
    copies: dict[Column, int] = {}
    _count(relation, copies)
    if max(copies.values(), default=0) > MOST_COPIES:
        raise QueryRefused(
            f"a column is computed of more than {MOST_COPIES} others, each mention in a step counted again in the next",
            hint="Compute it in fewer steps, or mention the column of the step before less often.",
        )


def _count(relation: Relation, copies: dict[Column, int]) -> None:
    for source in sources(relation):
        for before in _before(source):
            _count(before, copies)
        copies |= {c: max(_mentioned(e, copies) for e in made) for c, made in _computed(source)}


def _mentioned(expr: Expr, copies: Mapping[Column, int]) -> int:
    return sum(copies.get(node, 1) for node in nodes(expr) if isinstance(node, Column))


def _computed(source: Source) -> Iterator[tuple[Column, tuple[Expr, ...]]]:
    """The columns that a source computes row by row, each with what it is in each branch."""
    if isinstance(source, PerUnit):
        yield from ((source.key(i), (key,)) for i, key in enumerate(source.keys))
    elif isinstance(source, Windows):
        yield from ((source.column(i), (output,)) for i, output in enumerate(source.outputs))
    elif isinstance(source, Union):
        yield from ((c, tuple(b.outputs[i] for b in source.branches)) for i, c in enumerate(source.columns))


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
