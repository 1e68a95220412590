"""Set operations on private rows: every row keeps its owner, and rows that meet belong to one unit."""

from __future__ import annotations

from typing import Protocol

from sqlglot import exp

from dpsql.algebra.relation import Relation, Union
from dpsql.errors import QueryRefused
from dpsql.sql.dialect import Node
from dpsql.sql.owner import Owner
from dpsql.sql.place import place_of
from dpsql.sql.scope import Output
from dpsql.sql.selects import Private, branches, set_name


class Cuts(Protocol):
    """What is needed of the cutter."""

    def next(self, node: Node) -> int:
        """The index of one more source."""

    def owner(self, relation: Relation) -> Owner:
        """The owner of a relation's rows."""


def public_side(node: Node, private: Node) -> QueryRefused:
    """The refusal of a set operation of which one side is private."""
    return QueryRefused(
        f"{set_name(node)} of private rows is not supported",
        place=place_of(private),
        hint="UNION ALL of rows of the same unit is; else aggregate each side, then combine the results.",
    )


def combined(cutter: Cuts, node: Node, left: Private, right: Private) -> Private:
    """The rows of both sides as the operation combines them."""
    if not isinstance(node, exp.Union) or node.args.get("distinct"):
        raise public_side(node, node.this)
    return _stacked(cutter, node, left, right)


def _stacked(cutter: Cuts, node: Node, left: Private, right: Private) -> Private:
    """UNION ALL: every row of both sides."""
    pairs = list(zip(left.outputs, right.outputs, strict=False))
    if len(left.outputs) != len(right.outputs) or any(a.expr.type is not b.expr.type for a, b in pairs):
        raise QueryRefused(
            "both sides of UNION ALL need the same number of columns, of the same types",
            place=place_of(node),
            hint="Cast the columns that differ.",
        )
    for side in (left, right):
        cutter.owner(side.relation)
    union = Union(cutter.next(node), (*branches(left), *branches(right)))
    return Private(union, tuple(Output(o.name, union.column(i)) for i, o in enumerate(left.outputs)))
