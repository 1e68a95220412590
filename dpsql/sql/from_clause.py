"""FROM clauses with private rows in them: sources, joins and ownership."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqlglot import exp

from dpsql.algebra.expr import Column, Expr
from dpsql.algebra.relation import Join, JoinKind, Relation, conjuncts
from dpsql.errors import QueryRefused
from dpsql.functions import apply
from dpsql.functions.table import Mistyped
from dpsql.sql.dialect import Node
from dpsql.sql.place import place_of
from dpsql.sql.scope import Output, Scope, Source

# From a condition and the scope it stands in to a predicate.
Predicate = Callable[[Node, Scope], Expr]


@dataclass(frozen=True, slots=True)
class Table:
    """A source of a FROM clause as typed rows.

    `owner` is the scan of the private table that owns the rows, None for a public table; `unit` is the column that
    names the privacy unit, None where every row is a unit of its own.
    """

    relation: Relation
    source: Source
    owner: int | None
    unit: Column | None = None


@dataclass(frozen=True, slots=True)
class Joined:
    """A FROM clause: its relation, what it lets a query name, and who owns its rows.

    `outer_public` says that rows of the public side without a match belong to the result as well, although the
    relation leaves them out: the question must be one to which they contribute nothing.
    """

    relation: Relation
    scope: Scope
    owner: int | None
    unit: Column | None = None
    outer_public: bool = False


def first(table: Table) -> Joined:
    """A FROM clause of one source."""
    return Joined(table.relation, Scope((table.source,)), table.owner, table.unit)


def join(left: Joined, node: exp.Join, right: Table, predicate: Predicate) -> Joined:
    """The FROM clause with one more source. Refuses what has no bounded multiplicity or no owner."""
    if left.owner is not None and right.owner is not None:
        raise QueryRefused(
            "a join of two private tables is not supported",
            place=place_of(node.this),
            hint="Ask about one private table, joined with public ones.",
        )
    side = _side(node)
    together = Scope((*left.scope.sources, right.source), left.scope.merged)
    on, merged = _condition(node, left.scope, right.source, together, side, predicate)
    scope = Scope(together.sources, merged)
    owner = right.owner if left.owner is None else left.owner
    relation, outer = _relation(left, right, side, on)
    return Joined(relation, scope, owner, left.unit or right.unit, left.outer_public or outer)


def _side(node: exp.Join) -> str:
    side, kind = (node.side or "").upper(), (node.kind or "").upper()
    if node.method or kind not in ("", "INNER", "OUTER", "CROSS") or side not in ("", "LEFT", "RIGHT"):
        what = " ".join(w for w in (node.method, side, kind) if w)
        raise QueryRefused(
            f"a {what} JOIN is not supported on private rows",
            place=place_of(node.this),
            hint="Use JOIN or LEFT JOIN.",
        )
    return side


def _condition(
    node: exp.Join, left: Scope, right: Source, together: Scope, side: str, predicate: Predicate
) -> tuple[tuple[Expr, ...], tuple[Output, ...]]:
    using = node.args.get("using")
    if using:
        return _using(using, left, right, side)
    on = node.args.get("on")
    if on is None:
        if side:
            raise QueryRefused("an outer join needs a condition", place=place_of(node.this), hint="Add ON.")
        return (), left.merged
    return conjuncts(predicate(on, together)), left.merged


def _using(
    names: list[Node], left: Scope, right: Source, side: str
) -> tuple[tuple[Expr, ...], tuple[Output, ...]]:
    pairs, merged = [], list(left.merged)
    for node in names:
        reference = node if isinstance(node, exp.Column) else exp.column(node.name)
        a, b = left.find(reference), right.find(node.name)
        if a is None or b is None:
            raise QueryRefused(f'USING: "{node.name}" must be a column on both sides', place=place_of(node))
        try:
            pairs.append(apply("eq", (a, b)))
        except Mistyped as problem:
            raise QueryRefused(str(problem), place=place_of(node)) from None
        merged = [o for o in merged if o.name.lower() != node.name.lower()]
        merged.append(Output(node.name, b if side == "RIGHT" else a))
    return tuple(pairs), tuple(merged)


def _relation(left: Joined, right: Table, side: str, on: tuple[Expr, ...]) -> tuple[Relation, bool]:
    """The joined relation, and whether unmatched rows of the public side are missing from it."""
    a, b = left.relation, right.relation
    if side == "LEFT":
        lost = right.owner is not None
        return Join(a, b, JoinKind.INNER if lost else JoinKind.LEFT, on), lost
    if side == "RIGHT":
        lost = left.owner is not None
        return (Join(a, b, JoinKind.INNER, on) if lost else Join(b, a, JoinKind.LEFT, on)), lost
    return Join(a, b, JoinKind.INNER, on), False
