"""Set operations on private rows: every row keeps its owner, and rows that meet belong to one unit."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from sqlglot import exp

from dpsql.algebra.expressions import Column, Expr
from dpsql.algebra.functions import apply
from dpsql.algebra.functions.coerce import coerce, is_text_literal, unified
from dpsql.algebra.functions.table import Mistyped
from dpsql.algebra.of_unit import EVERY_ROW, Place, Ranked, Window
from dpsql.algebra.ownership import unit_column
from dpsql.algebra.relations import Filter, Mark, PerUnit, Relation, Union, Windows, together
from dpsql.algebra.types import SqlType
from dpsql.errors import QueryRefused
from dpsql.sql.ast.positions import place_of
from dpsql.sql.bind.row_owner import Owner
from dpsql.sql.bind.scope import Output
from dpsql.sql.bind.selects import Private, branches, set_name
from dpsql.sql.dialect import Node


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
    left, right = _alike(left, right), _alike(right, left)
    _check_columns(node, left, right)
    if isinstance(node, exp.Union):
        both = _stacked(cutter, node, left, right)
        return (
            _distinct(cutter, node, both, _unit_place(cutter, node, left, right)) if _merges(node) else both
        )
    at = _unit_place(cutter, node, left, right)
    if _merges(node):
        rows, others = _distinct(cutter, node, left, at), right
    else:
        rows, others = _numbered(cutter, node, left, at), _numbered(cutter, node, right, at)
    pairs = zip(rows.outputs, others.outputs, strict=True)
    same = (apply("eq" if i == at else "is_not_distinct", (a.expr, b.expr)) for i, (a, b) in enumerate(pairs))
    mark = Mark(rows.relation, cutter.next(node), others.relation, together(tuple(same)))
    kept = mark.column if isinstance(node, exp.Intersect) else apply("not", (mark.column,))
    return Private(Filter(mark, (kept,)), rows.outputs[: len(left.outputs)])


def _alike(rows: Private, others: Private) -> Private:
    """The rows with the types of the other side, as far as DuckDB takes them there without a cast that is written."""
    if len(rows.outputs) != len(others.outputs):
        return rows
    pairs = zip(rows.outputs, others.outputs, strict=True)
    return replace(rows, outputs=tuple(Output(a.name, _widened(a.expr, b.expr)) for a, b in pairs))


def _widened(expr: Expr, other: Expr) -> Expr:
    """A NULL of the other's type, a whole number as a double beside one, a date as a moment."""
    if expr.type is not SqlType.NULL and (
        expr.type is other.type or is_text_literal(expr) or is_text_literal(other)
    ):
        return expr
    try:
        return coerce(expr, unified((expr, other)))
    except Mistyped:
        return expr


def _merges(node: Node) -> bool:
    """Whether equal rows become one."""
    return bool(node.args.get("distinct"))


def _unit_place(cutter: Cuts, node: Node, left: Private, right: Private) -> int:
    """The place of a column that is the key of the row's unit on both sides: equal rows are of one unit then."""
    owners = cutter.owner(left.relation), cutter.owner(right.relation)
    for i, (a, b) in enumerate(zip(left.outputs, right.outputs, strict=True)):
        if owners[0].is_unit(a.expr) and owners[1].is_unit(b.expr):
            return i
    raise QueryRefused(
        f"{set_name(node)} would make one row of rows of different units"
        if _merges(node)
        else f"{set_name(node)} ALL would match rows of different units",
        place=place_of(node.this),
        hint="List the key of the unit at the same place on both sides, or use UNION ALL.",
    )


def _distinct(cutter: Cuts, node: Node, rows: Private, unit: int) -> Private:
    """Every row of a unit once."""
    keys = tuple(o.expr for i, o in enumerate(rows.outputs) if i != unit)
    distinct = PerUnit(rows.relation, cutter.next(node), keys, ())
    listed = [distinct.key(i) for i in range(len(keys))]
    listed.insert(unit, unit_column(distinct.index, rows.outputs[unit].expr.type))
    return Private(distinct, tuple(Output(o.name, c) for o, c in zip(rows.outputs, listed, strict=True)))


def _numbered(cutter: Cuts, node: Node, rows: Private, unit: int) -> Private:
    """Every row, with one more column: which of the equal rows of its unit it is.

    For l equal rows on the left and r on the right the numbers are 1 to l and 1 to r. Those that both sides have are
    min(l, r), those that only the left has are max(0, l - r): INTERSECT ALL and EXCEPT ALL as SQL counts them. Which of
    equal rows has which number does not matter, and no unit has more rows than on the left.
    """
    keys = tuple(o.expr for i, o in enumerate(rows.outputs) if i != unit)
    place = Place(Ranked.ROW_NUMBER, None, 0, SqlType.INTEGER)
    numbered = Windows(
        rows.relation, cutter.next(node), keys, (Window(place, tuple(dict.fromkeys(keys)), (), EVERY_ROW),)
    )
    listed = [numbered.column(i) for i in range(len(keys))]
    listed.insert(unit, unit_column(numbered.index, rows.outputs[unit].expr.type))
    named = tuple(Output(o.name, c) for o, c in zip(rows.outputs, listed, strict=True))
    return Private(numbered, (*named, Output("", numbered.window(0))))


def _check_columns(node: Node, left: Private, right: Private) -> None:
    pairs = list(zip(left.outputs, right.outputs, strict=False))
    if len(left.outputs) != len(right.outputs) or any(a.expr.type is not b.expr.type for a, b in pairs):
        raise QueryRefused(
            f"both sides of {set_name(node)}{'' if _merges(node) else ' ALL'} need the same number of columns, "
            "of the same types",
            place=place_of(node),
            hint="Cast the columns that differ.",
        )


def _stacked(cutter: Cuts, node: Node, left: Private, right: Private) -> Private:
    """UNION ALL: every row of both sides."""
    owners = cutter.owner(left.relation), cutter.owner(right.relation)
    union = Union(cutter.next(node), (*branches(left), *branches(right)))

    def column(at: int) -> Column:
        sides = zip(owners, (left, right), strict=True)
        key = all(owner.is_unit(side.outputs[at].expr) for owner, side in sides)
        return unit_column(union.index, left.outputs[at].expr.type) if key else union.column(at)

    return Private(union, tuple(Output(o.name, column(i)) for i, o in enumerate(left.outputs)))
