"""FULL JOIN of private rows of one unit: what a LEFT JOIN gives, and the rows of the right side that it leaves out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sqlglot import exp

from dpsql.algebra.canonical import Reindexed
from dpsql.algebra.expressions import NULL, Call, Expr, Literal
from dpsql.algebra.functions import apply
from dpsql.algebra.ownership import never_null, unit_column
from dpsql.algebra.relations import Branch, Filter, Join, JoinKind, Mark, Union, together
from dpsql.errors import QueryRefused
from dpsql.sql.ast.positions import place_of
from dpsql.sql.bind.from_state import Cuts, Joined, Merged, Table, where_matched
from dpsql.sql.bind.scope import Output, Scope


def full(
    left: Joined,
    right: Table,
    on: tuple[Expr, ...],
    merged: tuple[Merged, ...],
    cutter: Cuts,
    node: exp.Join,
) -> Joined:
    """Both sides joined, as a union of two relations that have no row in common.

    The one is the LEFT JOIN, whose rows belong to the left side's unit; the other are the rows of the right side for
    which the left side has none, with NULL for its columns. Each is owned because `on` ties both sides to one unit, and
    a unit owns in the union at most what it owns in both together.
    """
    if left.outer_public:
        raise QueryRefused(
            "a FULL JOIN behind an outer join that lists a public table's rows is not supported",
            place=place_of(node.this),
            hint="Join the private tables first, in a derived table.",
        )
    union, index = cutter.next(node.this), cutter.next(node.this)
    again = Reindexed(lambda: cutter.next(node.this))
    first = Join(left.relation, right.relation, JoinKind.LEFT, on)
    others = again.relation(right.relation)
    mark = Mark(others, index, again.relation(left.relation), together(again.exprs(on)))
    second = Filter(mark, (apply("not", (mark.column,)),))
    there = never_null(right.relation, cutter.catalog)
    mine = [o.expr for s in left.scope.sources for o in s.outputs]
    theirs = [o.expr for o in right.source.outputs]
    pairs: list[tuple[Expr, Expr]] = [(e, Literal(None, e.type)) for e in mine]
    pairs += [(e if there is None else where_matched(e, there), again.expr(e)) for e in theirs]
    pairs += [(m.kept.expr, _other(m, again)) for m in merged]
    union_rows = Union(
        union,
        (Branch(first, tuple(a for a, _ in pairs)), Branch(second, tuple(b for _, b in pairs))),
    )
    owners = cutter.owner(first), cutter.owner(second)
    every = [
        unit_column(union, a.type) if owners[0].is_unit(a) and owners[1].is_unit(b) else union_rows.column(i)
        for i, (a, b) in enumerate(pairs)
    ]
    either = tuple(
        (frozenset({every[mine.index(a)], every[len(mine) + theirs.index(b)]}), unit_column(union, a.type))
        for a, b in compared(on, mine, theirs)
        if owners[0].is_unit(a) and owners[1].is_unit(again.expr(b))
    )
    columns = iter(every)
    sources = tuple(
        replace(s, outputs=tuple(Output(o.name, next(columns)) for o in s.outputs))
        for s in (*left.scope.sources, right.source)
    )
    names = tuple(Output(m.kept.name, next(columns)) for m in merged)
    cutter.owner(union_rows)
    return Joined(union_rows, Scope(sources, names, left.scope.outer, either), private=True)


def compared(on: tuple[Expr, ...], mine: list[Expr], theirs: list[Expr]) -> Iterator[tuple[Expr, Expr]]:
    """The columns of both sides that `on` has to be equal, the left side's first."""
    for condition in on:
        if (
            isinstance(condition, Call)
            and condition.op == "eq"
            and condition.args[0].type is condition.args[1].type
        ):
            a, b = condition.args
            yield from ((x, y) for x, y in ((a, b), (b, a)) if x in mine and y in theirs)


def _other(merged: Merged, again: Reindexed) -> Expr:
    """A merged column in a row of the right side alone: that side's, or NULL where it has none."""
    return Literal(None, merged.kept.expr.type) if merged.other == NULL else again.expr(merged.other)
