"""FROM clauses with private rows in them: sources, joins and ownership."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from sqlglot import exp

from dpsql.algebra.expr import NULL, Column, Expr
from dpsql.algebra.ownership import never_null
from dpsql.algebra.relation import MARK, Join, JoinKind, Relation, conjuncts, sources
from dpsql.catalog import Catalog
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


def first(table: Table, outer: Scope | None = None) -> Joined:
    """A FROM clause of one source."""
    return Joined(table.relation, Scope((table.source,), outer=outer), table.private)


def join(left: Joined, node: exp.Join, right: Table, predicate: Predicate, catalog: Catalog) -> Joined:
    """The FROM clause with one more source. Refuses what has no bounded multiplicity or no owner."""
    side = _side(node)
    together = Scope((*left.scope.sources, right.source), left.scope.merged, left.scope.outer)
    on, merged = _condition(node, left.scope, right.source, together, side, predicate)
    scope = _with_nulls(left, right, side, Scope(together.sources, merged, together.outer), catalog)
    relation, lost = _relation(left, right, side, on)
    return Joined(relation, scope, left.private or right.private, left.outer_public | lost)


def _with_nulls(left: Joined, right: Table, side: str, scope: Scope, catalog: Catalog) -> Scope:
    """The scope after an outer join: what the side without a match computes is NULL there, as its columns are."""
    other = right if side == "LEFT" else left
    if not side or not other.private:
        return scope
    there = never_null(other.relation, catalog)
    if there is None:
        return scope

    def only(outputs: tuple[Output, ...]) -> tuple[Output, ...]:
        return tuple(Output(o.name, _where_matched(o.expr, there)) for o in outputs)

    if side == "LEFT":
        last = replace(right.source, outputs=only(right.source.outputs))
        return replace(scope, sources=(*left.scope.sources, last))
    first = tuple(replace(s, outputs=only(s.outputs)) for s in left.scope.sources)
    before = left.scope.merged
    merged = tuple(only((o,))[0] if o in before else o for o in scope.merged)
    return replace(scope, sources=(*first, right.source), merged=merged)


def _where_matched(expr: Expr, there: Column) -> Expr:
    if (isinstance(expr, Column) and expr.name != MARK) or expr == NULL:
        return expr
    return apply("case", (apply("is_null", (there,)), NULL, expr))


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


def _relation(left: Joined, right: Table, side: str, on: tuple[Expr, ...]) -> tuple[Relation, frozenset[int]]:
    """The joined relation, and the private sources without which rows of the public side are missing from it."""
    a, b = left.relation, right.relation
    if not side:
        return Join(a, b, JoinKind.INNER, on), frozenset()
    kept, other = (left, right) if side == "LEFT" else (right, left)
    if other.private and not kept.private:
        return Join(a, b, JoinKind.INNER, on), frozenset(s.index for s in sources(other.relation))
    return (Join(a, b, JoinKind.LEFT, on) if side == "LEFT" else Join(b, a, JoinKind.LEFT, on)), frozenset()
