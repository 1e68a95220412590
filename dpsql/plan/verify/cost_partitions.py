"""What a release is confined to, checked by another route than the one that found it.

Part by part, for those that are not charged: a unit of that part is followed through the relation, its value put in the
place of the column, and nothing of it may be left.
"""

from __future__ import annotations

from dataclasses import field
from typing import assert_never

from dpsql.algebra.expressions import Call, Column, Expr, Literal, LiteralValue, columns_of, parameters_of
from dpsql.algebra.facts import Facts
from dpsql.algebra.functions import emit, fact_rule
from dpsql.algebra.local import LocalQuestion
from dpsql.algebra.ownership import unmatched
from dpsql.algebra.relations import (
    Filter,
    Join,
    JoinKind,
    Mark,
    PerUnit,
    Relation,
    Released,
    Scan,
    Source,
    Union,
    Windows,
    marks,
    sources,
)
from dpsql.errors import InternalError
from dpsql.plan.analyzed_question import PlanContext
from dpsql.plan.partitions import part_name
from dpsql.plan.types import Release
from dpsql.privacy import Confined, Neighbours
from dpsql.slotted import dataclass


def check_confined(release: Release, confined: Confined | None, context: PlanContext) -> None:
    """Raises InternalError where a release that is charged to some parts can tell of a unit in another one."""
    if confined is None:
        return
    info = context.catalog.partition
    substituted = context.policy.privacy.neighbours is Neighbours.SUBSTITUTE
    holds = info is not None and not isinstance(release.question, LocalQuestion)
    holds = holds and confined.touched == (2 if substituted else 1)
    values = (*(info.values or ()), None) if info is not None else ()
    others = tuple(v for v in values if part_name(v) not in confined.parts)
    if not holds or len(values) != len(others) + len(confined.parts):
        raise InternalError(
            "a release is charged to parts that there are not: this is a bug; nothing was charged"
        )
    follow = _Follow(context, others)
    if any(follow.can_show(release, value) for value in others):
        raise InternalError("a release is charged to too few parts: this is a bug; nothing was charged")


@dataclass(slots=True)
class _Follow:
    """Whether something of a unit is left; conditions are run once on all the values in question."""

    context: PlanContext
    values: tuple[LiteralValue, ...]
    _true: dict[Expr, frozenset[LiteralValue]] = field(default_factory=dict)

    def can_show(self, release: Release, value: LiteralValue) -> bool:
        """Whether a unit of that part can be in a group that is released."""
        relation, domain = release.question.relation, release.keys.domain
        for at, key in enumerate(release.keys.exprs if domain is not None else ()):
            padded = _padded(key, relation, self.context) if isinstance(key, Column) else None
            shown = {group[at] for group in domain or ()}
            if padded is not None and value not in shown and not (padded and None in shown):
                return False
        return self.left(relation, value)

    def left(self, relation: Relation, value: LiteralValue) -> bool:
        """Whether a unit of that part can have a row in a relation."""
        match relation:
            case Filter():
                return self.left(relation.source, value) and self._all(
                    relation.conjuncts, relation.source, value
                )
            case Join():
                if relation.kind is JoinKind.LEFT or not self.left(relation.left, value):
                    return self.left(relation.left, value)
                return self.left(relation.right, value) and self._all(relation.on, relation, value)
            case Union():
                return any(self.left(b.relation, value) for b in relation.branches)
            case Mark() | PerUnit() | Windows():
                return self.left(relation.source, value)
            case Scan() | Released():
                return True
            case _:
                assert_never(relation)

    def _all(self, conjuncts: tuple[Expr, ...], relation: Relation, value: LiteralValue) -> bool:
        return all(self._may_pass(c, relation, value) for c in conjuncts)

    def _may_pass(self, conjunct: Expr, relation: Relation, value: LiteralValue) -> bool:
        for mark in marks(relation):
            if conjunct == mark.column:
                return self.left(mark.inner, value) and self._all(mark.on, mark.inner, value)
        read = tuple(columns_of(conjunct))
        padded = (
            _padded(read[0], relation, self.context)
            if len(read) == 1 and not parameters_of(conjunct)
            else None
        )
        if padded is None:
            return True
        true = self._true_for(conjunct)
        return value in true or (padded and None in true)

    def _true_for(self, predicate: Expr) -> frozenset[LiteralValue]:
        """The values, NULL among them, of which a condition is true when they stand in it."""
        if predicate not in self._true:
            tried = tuple(dict.fromkeys((*self.values, None)))
            written = (emit(_with(predicate, v), Facts({}, fact_rule), _none) for v in tried)
            (row,) = self.context.evaluate("SELECT " + ", ".join(f"({sql}) IS TRUE" for sql in written))
            self._true[predicate] = frozenset(v for v, true in zip(tried, row, strict=True) if true)
        return self._true[predicate]


def _with(expr: Expr, value: LiteralValue) -> Expr:
    """The expression with a value in the place of its column."""
    if isinstance(expr, Column):
        return Literal(value, expr.type)
    return (
        Call(expr.op, tuple(_with(a, value) for a in expr.args), expr.type)
        if isinstance(expr, Call)
        else expr
    )


def _none(column: Column) -> str:
    raise InternalError(f"the column {column.name} is left in a condition on values")


def _padded(column: Column, relation: Relation, context: PlanContext) -> bool | None:
    """Whether the partition's column is NULL where a row has no match; None for a column that is none of it."""
    source = next((s for s in sources(relation) if s.index == column.scan), None)
    padded = _behind(column, source, context) if source is not None else None
    return padded if padded is None else padded or column.scan in unmatched(relation)


def _behind(column: Column, source: Source, context: PlanContext) -> bool | None:
    match source:
        case Scan():
            info = context.catalog.table(source.table)
            inside = info.column(column.name) if info is not None and not info.public else None
            return False if inside is not None and inside.partition else None
        case PerUnit() | Windows():
            prefix, exprs = ("k", source.keys) if isinstance(source, PerUnit) else ("c", source.outputs)
            behind = next((e for i, e in enumerate(exprs) if column.name == f"{prefix}{i}"), None)
            return _padded(behind, source.source, context) if isinstance(behind, Column) else None
        case Union():
            branches = [
                _padded(e, b.relation, context) if isinstance(e, Column) else None
                for b in source.branches
                for i, e in enumerate(b.outputs)
                if column.name == f"c{i}"
            ]
            return None if None in branches else any(branches)
        case Released():
            return None
        case _:
            assert_never(source)
