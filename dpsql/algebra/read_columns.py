"""What a question reads: every expression in a relation, and the marks that none of them reads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from dpsql.algebra.expressions import Expr, columns_of
from dpsql.algebra.question import Question
from dpsql.algebra.relations import Filter, Join, Mark, PerUnit, Relation, Released, Scan, Union, Windows


def expressions(relation: Relation) -> Iterator[Expr]:
    """Every expression that stands anywhere in a relation."""
    match relation:
        case Filter():
            yield from relation.conjuncts
            yield from expressions(relation.source)
        case Join():
            yield from relation.on
            yield from expressions(relation.left)
            yield from expressions(relation.right)
        case Mark():
            yield from relation.on
            yield from (e for e in (relation.arg, relation.output) if e is not None)
            yield from expressions(relation.source)
            yield from expressions(relation.inner)
        case PerUnit():
            yield from relation.keys
            for m in relation.measures:
                yield from (e for e in (m.arg, m.where) if e is not None)
            yield from expressions(relation.source)
        case Windows():
            yield from relation.exprs
            yield from expressions(relation.source)
        case Union():
            for branch in relation.branches:
                yield from branch.outputs
                yield from expressions(branch.relation)
        case Scan() | Released():
            pass
        case _:
            assert_never(relation)


def idle_marks(question: Question) -> frozenset[int]:
    """The indexes of marks that nothing reads: constants decided the condition that they stood in."""
    every = frozenset(_marks(question.relation))
    if not every:
        return every
    exprs = (*_asked(question), *expressions(question.relation))
    return every - {c.scan for e in exprs for c in columns_of(e)}


def _asked(question: Question) -> Iterator[Expr]:
    yield from question.keys
    top = question.top
    for measure in (*question.measures, *((top.score,) if top is not None else ())):
        yield from (e for e in (measure.arg, measure.other, measure.where) if e is not None)


def _marks(relation: Relation) -> Iterator[int]:
    """The index of every mark in a relation, at any depth."""
    match relation:
        case Filter() | PerUnit() | Windows():
            yield from _marks(relation.source)
        case Join():
            yield from _marks(relation.left)
            yield from _marks(relation.right)
        case Mark():
            yield relation.index
            yield from _marks(relation.source)
            yield from _marks(relation.inner)
        case Union():
            for branch in relation.branches:
                yield from _marks(branch.relation)
        case Scan() | Released():
            pass
        case _:
            assert_never(relation)
