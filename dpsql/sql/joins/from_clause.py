"""FROM clauses with private rows in them: sources, joins, keys that may be NULL, and ownership."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sqlglot import exp

from dpsql.algebra.catalog import Catalog
from dpsql.algebra.expressions import NULL, Call, Column, Expr
from dpsql.algebra.functions import apply
from dpsql.algebra.functions.table import Mistyped
from dpsql.algebra.ownership import never_null
from dpsql.algebra.relations import (
    MARK,
    Filter,
    Join,
    JoinKind,
    Mark,
    Relation,
    columns_from,
    conjuncts,
    equalities,
    reads,
    sources,
)
from dpsql.errors import QueryRefused
from dpsql.sql.ast.positions import place_of
from dpsql.sql.bind.from_state import Cuts, Joined, Merged, Table, where_matched
from dpsql.sql.bind.mark_joins import Beside
from dpsql.sql.bind.row_owner import never_empty
from dpsql.sql.bind.scope import Output, Scope, Source
from dpsql.sql.dialect import Node
from dpsql.sql.joins.full_join import full

# From a condition, the scope it stands in and the rows of that to a predicate, and what its subqueries put beside them.
Predicate = Callable[[Node, Scope, Relation], tuple[Expr, tuple[Beside, ...]]]


def first(table: Table, outer: Scope | None = None) -> Joined:
    """A FROM clause of one source."""
    return Joined(table.relation, Scope((table.source,), outer=outer), table.private)


def join(left: Joined, node: exp.Join, right: Table, predicate: Predicate, cutter: Cuts) -> Joined:
    """The FROM clause with one more source. Refuses what has no bounded multiplicity or no owner."""
    side, kind = (node.side or "").upper(), (node.kind or "").upper()
    on, merged, beside = _condition(node, left, right, side, predicate, cutter.catalog)
    if kind in ("SEMI", "ANTI"):
        return _tested(left, node, right, on, beside, cutter)
    left, right, above = _beside(left, right, beside, outer=bool(side), node=node)
    if side == "FULL" and left.private and right.private:
        return full(left, right, on, merged, cutter, node)
    scope = Scope((*left.scope.sources, right.source), tuple(m.kept for m in merged), left.scope.outer)
    scope = _with_nulls(left, right, side, scope, cutter.catalog)
    relation, lost = _relation(left, right, side, on, node)
    rows = Joined(relation, scope, left.private or right.private, left.outer_public | lost)
    if above:
        return _with_tests(rows, above)
    return rows if side == "FULL" else replace(rows, outer_public=_without_match(left, right, side, on, lost))


def _without_match(
    left: Joined, right: Table, side: str, on: tuple[Expr, ...], lost: frozenset[int]
) -> frozenset[int]:
    """What is missing in rows of a public side without a match, after one more join; `lost` is what that itself adds.

    Such rows have no key to be equal to anything: a join by one leaves them out, and an outer join that keeps them
    finds nothing for them, so that what it adds is NULL in them as well.
    """
    before = left.outer_public
    if not any(_is_of(e, before) for pair in equalities(on) for e in pair):
        return before | lost
    if side != "LEFT":
        return lost
    return before | (frozenset(s.index for s in sources(right.relation)) if right.private else frozenset())


def _is_of(expr: Expr, indexes: frozenset[int]) -> bool:
    return isinstance(expr, Column) and expr.scan in indexes and expr.name != MARK


def _tested(
    left: Joined, node: exp.Join, right: Table, on: tuple[Expr, ...], beside: tuple[Beside, ...], cutter: Cuts
) -> Joined:
    """SEMI and ANTI JOIN: the rows of the left side for which the right side has a row, or has none."""
    if beside or not on:
        raise QueryRefused(
            f"a {node.kind} JOIN needs a condition without a subquery",
            place=place_of(node.this),
            hint="Write WHERE EXISTS (...) or WHERE NOT EXISTS (...).",
        )
    mark = Mark(left.relation, cutter.next(node.this), right.relation, on)
    kept = mark.column if node.kind.upper() == "SEMI" else apply("not", (mark.column,))
    return replace(left, relation=Filter(mark, (kept,)))


def _beside(
    left: Joined, right: Table, beside: tuple[Beside, ...], *, outer: bool, node: exp.Join
) -> tuple[Joined, Table, tuple[Beside, ...]]:
    """Both sides with what a condition's subqueries look at beside the rows of the side that they speak of.

    One that speaks of both sides goes above the join, which an outer one does not allow: there it decides what matches.
    """
    above: list[Beside] = []
    for one in beside:
        read, later = one.reads, frozenset(i for a in above for i in a.adds)
        both = read & columns_from(left.relation) and read & columns_from(right.relation)
        if both or read & later:
            above.append(one)
        elif read & columns_from(left.relation):
            left = replace(left, relation=one.on_rows(left.relation))
        else:
            right = replace(right, relation=one.on_rows(right.relation))
    if above and outer:
        raise QueryRefused(
            "a subquery in the condition of an outer join must speak of one of its sides",
            place=place_of(node.this),
            hint="Test one side in a derived table, or use JOIN.",
        )
    return left, right, tuple(above)


def _with_tests(joined: Joined, above: tuple[Beside, ...]) -> Joined:
    """An inner join whose condition has subqueries that speak of both sides: they are a filter of the joined rows."""
    join = joined.relation
    assert isinstance(join, Join)
    later = frozenset(i for a in above for i in a.adds)
    tests = tuple(c for c in join.on if reads(c) & later)
    relation: Relation = replace(join, on=tuple(c for c in join.on if c not in tests))
    for one in above:
        relation = one.on_rows(relation)
    return replace(joined, relation=Filter(relation, tests) if tests else relation)


def _with_nulls(left: Joined, right: Table, side: str, scope: Scope, catalog: Catalog) -> Scope:
    """The scope after an outer join: what the side without a match computes is NULL there, as its columns are."""
    other = right if side == "LEFT" else left
    if side not in ("LEFT", "RIGHT") or not other.private:
        return scope
    there = never_null(other.relation, catalog)
    if there is None:
        return scope

    def only(outputs: tuple[Output, ...]) -> tuple[Output, ...]:
        return tuple(Output(o.name, where_matched(o.expr, there)) for o in outputs)

    if side == "LEFT":
        last = replace(right.source, outputs=only(right.source.outputs))
        return replace(scope, sources=(*left.scope.sources, last))
    first = tuple(replace(s, outputs=only(s.outputs)) for s in left.scope.sources)
    before = left.scope.merged
    merged = tuple(only((o,))[0] if o in before else o for o in scope.merged)
    return replace(scope, sources=(*first, right.source), merged=merged)


def _condition(
    node: exp.Join, left: Joined, right: Table, side: str, predicate: Predicate, catalog: Catalog
) -> tuple[tuple[Expr, ...], tuple[Merged, ...], tuple[Beside, ...]]:
    before = tuple(Merged(o, NULL) for o in left.scope.merged)
    names = node.args.get("using")
    if (node.method or "").upper() == "NATURAL":
        names = _common(left.scope, right.source, node)
    if names:
        return (*_using(names, left.scope, right.source, side), ())
    on = node.args.get("on")
    if on is None:
        if side:
            raise QueryRefused("an outer join needs a condition", place=place_of(node.this), hint="Add ON.")
        return (), before, ()
    scope = Scope((*left.scope.sources, right.source), left.scope.merged, left.scope.outer)
    around = Join(left.relation, right.relation, JoinKind.INNER, ())
    condition, beside = predicate(on, scope, around)
    return plain_equalities(conjuncts(condition), around, catalog), before, beside


def _common(left: Scope, right: Source, node: exp.Join) -> list[Node]:
    """The columns of a NATURAL JOIN: all that both sides have by one name."""
    names = dict.fromkeys(o.name.lower() for o in left.star(exp.Star()))
    shared: list[Node] = [exp.to_identifier(n, quoted=True) for n in names if right.find(n) is not None]
    if not shared:
        raise QueryRefused(
            "a NATURAL JOIN needs a column that both sides have", place=place_of(node.this), hint="Use ON."
        )
    return shared


def _using(
    names: list[Node], left: Scope, right: Source, side: str
) -> tuple[tuple[Expr, ...], tuple[Merged, ...]]:
    pairs, merged = [], [Merged(o, NULL) for o in left.merged]
    for node in names:
        reference = node if isinstance(node, exp.Column) else exp.column(node.name)
        a, b = left.find(reference), right.find(node.name)
        if a is None or b is None:
            raise QueryRefused(f'USING: "{node.name}" must be a column on both sides', place=place_of(node))
        try:
            pairs.append(apply("eq", (a, b)))
        except Mistyped as problem:
            raise QueryRefused(str(problem), place=place_of(node)) from None
        merged = [m for m in merged if m.kept.name.lower() != node.name.lower()]
        merged.append(Merged(Output(node.name, b if side == "RIGHT" else a), b))
    return tuple(pairs), tuple(merged)


def _relation(
    left: Joined, right: Table, side: str, on: tuple[Expr, ...], node: exp.Join
) -> tuple[Relation, frozenset[int]]:
    """The joined relation, and the private sources without which rows of the public side are missing from it."""
    a, b = left.relation, right.relation
    if not side:
        return Join(a, b, JoinKind.INNER, on), frozenset()
    if side == "FULL":
        return _full_of_one(left, right, on, node)
    kept, other = (left, right) if side == "LEFT" else (right, left)
    if other.private and not kept.private:
        return Join(a, b, JoinKind.INNER, on), frozenset(s.index for s in sources(other.relation))
    return (Join(a, b, JoinKind.LEFT, on) if side == "LEFT" else Join(b, a, JoinKind.LEFT, on)), frozenset()


def _full_of_one(
    left: Joined, right: Table, on: tuple[Expr, ...], node: exp.Join
) -> tuple[Relation, frozenset[int]]:
    """FULL JOIN of private rows and public ones: every private row, and public rows that no private one matches."""
    if left.private is right.private:
        raise QueryRefused(
            "a FULL JOIN of two public tables beside private rows is not supported",
            place=place_of(node.this),
            hint="Join the public tables in a derived table.",
        )
    mine, other = (left, right) if left.private else (right, left)
    kept = frozenset(s.index for s in sources(mine.relation))
    return Join(mine.relation, other.relation, JoinKind.LEFT, on), kept


Pair = tuple[Expr, Expr]


def plain_equalities(on: tuple[Expr, ...], relation: Relation, catalog: Catalog) -> tuple[Expr, ...]:
    """The conjuncts of a join's condition, whose rows are those of `relation`; the same rows meet."""
    pairs = [_null_safe(conjunct) for conjunct in on]
    if not any(pairs):
        return on
    full = never_empty(relation, catalog)
    return tuple(
        apply("eq", pair) if pair is not None and any(e in full for e in pair) else conjunct
        for conjunct, pair in zip(on, pairs, strict=True)
    )


def _null_safe(conjunct: Expr) -> Pair | None:
    """The two sides of x IS NOT DISTINCT FROM y, or of x = y OR (x IS NULL AND y IS NULL)."""
    if not isinstance(conjunct, Call):
        return None
    if conjunct.op == "is_not_distinct":
        return conjunct.args[0], conjunct.args[1]
    if conjunct.op != "or" or len(conjunct.args) != 2:
        return None
    for same, nulls in (conjunct.args, conjunct.args[::-1]):
        if isinstance(same, Call) and same.op == "eq" and _both_null(nulls, same.args):
            return same.args[0], same.args[1]
    return None


def _both_null(condition: Expr, sides: tuple[Expr, ...]) -> bool:
    return (
        isinstance(condition, Call)
        and condition.op == "and"
        and set(condition.args) == {apply("is_null", (side,)) for side in sides}
    )
