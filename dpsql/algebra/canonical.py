"""One spelling for every question that means the same: sources numbered from 0, conjuncts in order; its digest."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Iterator
from dataclasses import field, replace
from operator import is_
from typing import assert_never

from dpsql.algebra.encoding.written_expressions import in_order
from dpsql.algebra.encoding.written_relations import questions
from dpsql.algebra.expressions import Call, Column, Expr, Literal, ScalarParameter
from dpsql.algebra.of_unit import PerUnitMeasure, Window
from dpsql.algebra.one_spelling import conditions
from dpsql.algebra.question import Measure, Question
from dpsql.algebra.read_columns import idle_marks
from dpsql.algebra.relations import (
    Branch,
    Filter,
    Join,
    Mark,
    PerUnit,
    Relation,
    Released,
    Scan,
    Union,
    Windows,
)
from dpsql.slotted import dataclass


def renumbered(question: Question) -> Question:
    """The same question with its sources numbered in the order of the relation, without marks that nothing reads."""
    count, idle = itertools.count(), idle_marks(question)
    numbering = Reindexed(lambda: next(count), idle=idle)
    for index in _indexes(question.relation, idle):
        numbering.number(index)
    top = question.top
    return replace(
        question,
        relation=numbering.relation(question.relation),
        keys=numbering.exprs(question.keys),
        measures=tuple(numbering.measure(m) for m in question.measures),
        top=None if top is None else replace(top, score=numbering.measure(top.score)),
    )


def _indexes(relation: Relation, idle: frozenset[int]) -> Iterator[int]:
    """The index of every node that gives columns and is not idle, each before the nodes inside it."""
    match relation:
        case Scan() | Released():
            yield relation.index
        case Filter():
            yield from _indexes(relation.source, idle)
        case Join():
            yield from _indexes(relation.left, idle)
            yield from _indexes(relation.right, idle)
        case Mark():
            yield from _indexes(relation.source, idle)
            if relation.index not in idle:
                yield relation.index
                yield from _indexes(relation.inner, idle)
        case PerUnit() | Windows():
            yield relation.index
            yield from _indexes(relation.source, idle)
        case Union():
            yield relation.index
            for branch in relation.branches:
                yield from _indexes(branch.relation, idle)
        case _:
            assert_never(relation)


@dataclass(slots=True)
class Reindexed:
    """Relations and expressions with other indexes: `next` gives one for each index that is met.

    What keeps its indexes and its order stays the same object, of which more is known already. Marks that are `idle`
    are left out.
    """

    next: Callable[[], int]
    numbers: dict[int, int] = field(default_factory=dict)
    known: dict[Expr, Expr] = field(default_factory=dict)
    idle: frozenset[int] = frozenset()

    def number(self, index: int) -> int:
        """The index that stands for another."""
        if index not in self.numbers:
            self.numbers[index] = self.next()
        return self.numbers[index]

    def relation(self, relation: Relation) -> Relation:
        """The relation with the conjuncts of each condition in a canonical order."""
        match relation:
            case Scan() | Released():
                index = self.number(relation.index)
                return relation if index == relation.index else replace(relation, index=index)
            case Filter():
                source, kept = self.relation(relation.source), self.kept(relation.conjuncts)
                if source is relation.source and kept == relation.conjuncts:
                    return relation
                return Filter(source, kept) if kept else source
            case Join():
                left, right = self.relation(relation.left), self.relation(relation.right)
                on = self.kept(relation.on)
                if left is relation.left and right is relation.right and on == relation.on:
                    return relation
                return Join(left, right, relation.kind, on)
            case Mark():
                if relation.index in self.idle:
                    return self.relation(relation.source)
                return Mark(
                    self.relation(relation.source),
                    self.number(relation.index),
                    self.relation(relation.inner),
                    self.sorted(relation.on),
                    self.optional(relation.arg),
                    self.optional(relation.output),
                )
            case PerUnit():
                measures = tuple(self.per_unit(m) for m in relation.measures)
                source, index = self.relation(relation.source), self.number(relation.index)
                return PerUnit(source, index, self.exprs(relation.keys), measures)
            case Windows():
                windows = tuple(self.window(w) for w in relation.windows)
                source, index = self.relation(relation.source), self.number(relation.index)
                return Windows(source, index, self.exprs(relation.outputs), windows)
            case Union():
                branches = tuple(
                    Branch(self.relation(b.relation), self.exprs(b.outputs)) for b in relation.branches
                )
                return Union(self.number(relation.index), branches)
            case _:
                assert_never(relation)

    def per_unit(self, measure: PerUnitMeasure) -> PerUnitMeasure:
        """An aggregate over the rows of one unit."""
        return replace(measure, arg=self.optional(measure.arg), where=self.expr(measure.where))

    def window(self, window: Window) -> Window:
        """A value beside each row of a unit."""
        value = window.value
        reindexed = (
            self.per_unit(value)
            if isinstance(value, PerUnitMeasure)
            else replace(value, arg=self.optional(value.arg))
        )
        order = tuple(replace(s, expr=self.expr(s.expr)) for s in window.order)
        return Window(reindexed, self.exprs(window.partition), order, window.frame)

    def kept(self, conjuncts: tuple[Expr, ...]) -> tuple[Expr, ...]:
        """Conditions on rows in one spelling and a canonical order."""
        return in_order(conditions(self.exprs(conjuncts)))

    def sorted(self, conjuncts: tuple[Expr, ...]) -> tuple[Expr, ...]:
        """Conjuncts in a canonical order, without repetition."""
        if len(conjuncts) < 2:  # what there is nothing to compare with need not be written
            return self.exprs(conjuncts)
        return in_order(self.exprs(conjuncts))

    def exprs(self, exprs: tuple[Expr, ...]) -> tuple[Expr, ...]:
        """Expressions in their order."""
        return tuple(self.expr(e) for e in exprs)

    def measure(self, measure: Measure) -> Measure:
        """An aggregate."""
        arg, other = self.optional(measure.arg), self.optional(measure.other)
        return replace(measure, arg=arg, where=self.expr(measure.where), other=other)

    def optional(self, expr: Expr | None) -> Expr | None:
        """An expression, or None."""
        return None if expr is None else self.expr(expr)

    def expr(self, expr: Expr) -> Expr:
        """An expression."""
        if isinstance(expr, Column):
            scan = self.number(expr.scan)
            return expr if scan == expr.scan else replace(expr, scan=scan)
        if isinstance(expr, Literal | ScalarParameter):
            return expr
        if expr not in self.known:
            args = self.exprs(expr.args)
            self.known[expr] = expr if all(map(is_, args, expr.args)) else Call(expr.op, args, expr.type)
        return self.known[expr]


def spelled(requested: tuple[Question, ...]) -> str:
    """The canonical text of questions and of what people are shown of them, which is no part of their identity."""
    shown = tuple(
        (q.sorted, tuple(m.text for m in q.measures), q.top.score.text if q.top is not None else None)
        for q in requested
    )
    return questions().text((requested, shown))


def canonical_tuple(*texts: str) -> str:
    """The canonical text of a tuple of two or more, from the texts of what it holds."""
    return f"({', '.join(texts)})"


def digest(*texts: str) -> str:
    """A SHA-256 digest of texts that no other list of texts shares."""
    joined = "".join(f"{len(t)}:{t}" for t in texts)
    return hashlib.sha256(joined.encode()).hexdigest()
