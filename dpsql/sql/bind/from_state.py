"""A FROM clause of private rows while it is put together, and what its parts need of the cutter."""

from __future__ import annotations

from typing import Protocol

from dpsql.algebra.catalog import Catalog
from dpsql.algebra.expressions import NULL, Column, Expr
from dpsql.algebra.functions import apply
from dpsql.algebra.relations import MARK, Relation
from dpsql.slotted import dataclass
from dpsql.sql.bind.row_owner import Owner
from dpsql.sql.bind.scope import Output, Scope, Source
from dpsql.sql.dialect import Node


class Cuts(Protocol):
    """What is needed of the cutter."""

    catalog: Catalog

    def next(self, node: Node) -> int:
        """The index of one more source."""

    def owner(self, relation: Relation) -> Owner:
        """The owner of a relation's rows."""


@dataclass(frozen=True, slots=True)
class Table:
    """A source of a FROM clause as typed rows; `private` rows have an owner."""

    relation: Relation
    source: Source
    private: bool


@dataclass(frozen=True, slots=True)
class Joined:
    """A FROM clause: its relation, what it lets a query name, and whether its rows have an owner.

    `outer_public` says that rows of the public side without a match belong to the result as well, although the
    relation leaves them out: it holds the private sources that must be matched, and the question must be one to which
    rows without them contribute nothing.
    """

    relation: Relation
    scope: Scope
    private: bool
    outer_public: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Merged:
    """A column that USING or NATURAL made of two: what is read of it, and the right side's, NULL if it is none."""

    kept: Output
    other: Expr


def where_matched(expr: Expr, there: Column) -> Expr:
    """What a side of an outer join computes: NULL where it has no match, in which `there` is NULL."""
    if (isinstance(expr, Column) and expr.name != MARK) or expr == NULL:
        return expr
    return apply("case", (apply("is_null", (there,)), NULL, expr))
