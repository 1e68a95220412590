"""Whether the rows of a FROM clause belong to one unit, and which of their columns say to which."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dpsql.algebra.catalog import Catalog
from dpsql.algebra.expressions import Column, Expr
from dpsql.algebra.ownership import (
    NotOneUnit,
    Ties,
    private_sources,
    references,
    ties,
    unit_columns,
    unmatched,
)
from dpsql.algebra.relations import Relation, Source
from dpsql.algebra.shape import shape
from dpsql.errors import QueryRefused
from dpsql.sql.ast.positions import place_of
from dpsql.sql.bind.relation_depth import check_steps
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
        known = (c for s in self.private for c, _ in references(s, self.tied.catalog))
        return self.is_unit(expr) or any(self.tied.root(c) == self.tied.root(expr) for c in known)


def owner_of(relation: Relation, catalog: Catalog, places: Mapping[int, Node]) -> Owner:
    """The owner of a relation's rows. Refuses rows that would belong to two units; `places` are where sources stand."""
    check_steps(relation)
    try:
        tied = ties(relation, catalog)
    except NotOneUnit as found:
        place = places.get(found.index)
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
