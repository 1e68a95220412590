"""How far one unit moves what is counted once in each group, found by another route than the one that planned it.

The planner goes through a relation from its leaves and collects whole tables. Here two rows of one unit are followed,
column by column: what must be equal in both, since a key or an equality leaves no choice, until nothing more follows
(the chase of functional dependencies). Lists of values are those of the policy.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from math import prod
from typing import assert_never

from dpsql.algebra.catalog import TableInfo
from dpsql.algebra.expressions import Column, Expr, columns_of
from dpsql.algebra.ownership import unit_columns
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
    equalities,
)
from dpsql.algebra.shape import Shape, shape
from dpsql.algebra.types import SqlType
from dpsql.plan.analyzed_question import PlanContext
from dpsql.plan.types import Bounding, Grid, Release, ScaledScores, Scores, Sum, Term
from dpsql.plan.verify.numbered_rows import conditions_on
from dpsql.slotted import dataclass


def least_sensitivity(
    term: Term, bounding: Bounding, release: Release, rows: int | None, shaped: Shape, context: PlanContext
) -> int | None:
    """The most by which neighbours move numbers of units or distinct values, or sums of these, of all groups together.

    None where nothing limits it. A number of units is 0 or 1 more for a unit's rows, whatever they are, and one of
    values is at most all values more: so neighbours move each group that is shown by no more than that.
    """
    if term.sum is Sum.DISTINCT_TOTAL:
        return _least_of_sum(term, release, rows, shaped, context)
    one = 1 if term.sum is Sum.UNITS else None
    if term.sum is Sum.DISTINCT and term.arg is not None:
        one = values_of(term.arg, release.question.relation, shaped, context)
    shown, together = groups_shown(release), are_together(release, context)
    limits = [n for n in (shown, 1 if together else None) if n is not None]
    if term.sum is Sum.UNITS and bounding.groups is not None:
        limits.append(bounding.groups)
    by_group = [max(one, 1) * min(limits)] if one is not None and limits else []
    least = min((*by_group, *([] if rows is None else [rows])), default=None)
    if least is None:
        return None
    most = least * context.policy.privacy.neighbours.factor
    return most if one is None or shown is None else min(most, max(one, 1) * shown)


def _least_of_sum(
    term: Term, release: Release, rows: int | None, shaped: Shape, context: PlanContext
) -> int | None:
    """The same of sums of distinct values: the rows of a unit bring as many values at most, each once to a group."""
    assert term.grid is not None and term.arg is not None
    listed = _listed_integers(term.arg, release.question.relation, term.grid, context)
    known = values_of(term.arg, release.question.relation, shaped, context)
    width = term.grid.hi - term.grid.lo + 1
    count = width if known is None else min(max(known, 1), width)
    shown, together = groups_shown(release), are_together(release, context)
    limits = [n for n in (shown, 1 if together else None) if n is not None]
    below, above = _sum_ends(term.grid, listed, count if rows is None else min(rows, count))
    found = [max(below, above) * min(limits)] if limits else []
    found += [] if rows is None else [rows * max(_sum_ends(term.grid, listed, 1))]
    if not found:
        return None
    most = max(min(found), 1) * context.policy.privacy.neighbours.factor
    return most if shown is None else min(most, max(sum(_sum_ends(term.grid, listed, count)), 1) * shown)


def _sum_ends(grid: Grid, listed: frozenset[int] | None, count: int) -> tuple[int, int]:
    """How far so many different numbers add up at most, below 0 and above it."""
    if listed is not None:
        ordered = sorted(listed)
        return -sum(min(v, 0) for v in ordered[:count]), sum(max(v, 0) for v in ordered[::-1][:count])
    up, down = min(count, max(grid.hi, 0)), min(count, max(-grid.lo, 0))
    # An arithmetic series: the first and the last number, as often as half of the numbers there are.
    return down * (-grid.lo - grid.lo - down + 1) // 2, up * (grid.hi + grid.hi - up + 1) // 2


def _listed_integers(
    expr: Expr, relation: Relation, grid: Grid, context: PlanContext
) -> frozenset[int] | None:
    """The numbers that the policy lists for a column of integers, clipped as its grid clips them."""
    scans = {s.index: s for s in _sources(relation) if isinstance(s, Scan)}
    scan = scans.get(expr.scan) if isinstance(expr, Column) and expr.type is SqlType.INTEGER else None
    declared = context.policy.table(scan.table) if scan is not None and grid.step == 1 else None
    found = declared.column(expr.name) if declared is not None and isinstance(expr, Column) else None
    if found is None or found.values is None:
        return None
    return frozenset(min(max(int(str(v)), grid.lo), grid.hi) for v in found.values)


def groups_shown(release: Release) -> int | None:
    """How many groups have cells in the released table at most; None where that is not known beforehand."""
    if not release.keys.exprs:
        return 1
    chosen = [p.count for p in release.parts if isinstance(p, Scores | ScaledScores)]
    listed = [] if release.keys.domain is None else [len(release.keys.domain)]
    return min((*chosen, *listed), default=None)


def are_together(release: Release, context: PlanContext) -> bool:
    """Whether all rows of a unit are in one group."""
    relation = release.question.relation
    if any(isinstance(s, Scan) and _table(s, context).row_is_unit for s in _sources(relation)):
        return False
    return _Two(relation, context).agree_on(release.keys.exprs)


def check_rows(relation: Relation, context: PlanContext) -> bool:
    """Whether what is grouped unit by unit has no fewer rows of a unit than it is said to have, at any depth."""
    for node in _per_unit(relation):
        inside = shape(node.source, context.catalog)
        most = _combinations(node.keys, node.source, inside, context)
        limits = [n for n in (most, inside.rows_per_unit) if n is not None]
        said = shape(node, context.catalog).table_rows
        if said is not None and (not limits or said < min(limits)):
            return False
    return True


def _combinations(
    keys: Sequence[Expr], relation: Relation, shaped: Shape, context: PlanContext
) -> int | None:
    two = _Two(relation, context)
    free = [k for k in dict.fromkeys(keys) if not two.agree_on((k,))]
    found = [values_of(k, relation, shaped, context) for k in free]
    return prod(n + 1 for n in found if n is not None) if None not in found else None


def _per_unit(relation: Relation) -> Iterator[PerUnit]:
    match relation:
        case Scan() | Released():
            return
        case Filter():
            yield from _per_unit(relation.source)
        case Join():
            yield from _per_unit(relation.left)
            yield from _per_unit(relation.right)
        case Mark():
            yield from _per_unit(relation.source)
            yield from _per_unit(relation.inner)
        case PerUnit():
            yield relation
            yield from _per_unit(relation.source)
        case Windows():
            yield from _per_unit(relation.source)
        case Union():
            for branch in relation.branches:
                yield from _per_unit(branch.relation)
        case _:
            assert_never(relation)


def values_of(expr: Expr, relation: Relation, shaped: Shape, context: PlanContext) -> int | None:
    """How many values, besides NULL, rows can have of an expression; None where the policy does not say."""
    scans = {s.index: s for s in _sources(relation) if isinstance(s, Scan)}
    if isinstance(expr, Column):
        limits = [*_declared(expr, scans.get(expr.scan), context)]
    else:
        inside = [values_of(c, relation, shaped, context) for c in columns_of(expr)]
        limits = [] if None in inside else [prod(n + 1 for n in inside if n is not None)]
    if expr.type is SqlType.BOOLEAN:
        limits.append(2)
    known = shaped.facts().of(expr).interval
    if expr.type in (SqlType.INTEGER, SqlType.DATE) and known is not None:
        limits.append(int(known.hi // 1) - int(-(-known.lo // 1)) + 1)
    return max(min(limits), 0) if limits else None


def _declared(column: Column, scan: Scan | None, context: PlanContext) -> Iterator[int]:
    """The length of a column's list in the policy, or of its table where that is public."""
    if scan is None:
        return
    table = _table(scan, context)
    if table.public:
        yield context.catalog.public.fan_out(scan.table, ())
        return
    declared = context.policy.table(table.name)
    listed = declared.column(column.name) if declared is not None else None
    if listed is not None and listed.values is not None:
        yield len(frozenset(listed.values))
    # No row of that table is without a key of its own.
    if listed is not None and listed.references is not None:
        yield context.catalog.public.fan_out(listed.references.table, ())


@dataclass(slots=True)
class _Two:
    """Two rows of one unit, and the columns that must be equal in both."""

    relation: Relation
    context: PlanContext
    equal: set[Column] = field(default_factory=set)

    def __post_init__(self) -> None:
        catalog = self.context.catalog
        always, padded = _matched(self.relation)
        for source in always:
            self.equal |= set(unit_columns(source, catalog)) | set(self._of_part(source))
        known = [*equalities(tuple(conditions_on(self.relation)))]
        known += [(b, a) for a, b in known]
        size = -1
        while size < len(self.equal):
            size = len(self.equal)
            for source in always:
                if self._is_one(source):
                    self.equal |= _columns(source, self.context)
            for join in padded:
                if self._matches_alike(join):
                    self.equal |= _columns(join.right, self.context)
            self.equal |= {a for a, b in known if isinstance(a, Column) and self.agree_on((b,))}

    def agree_on(self, exprs: Sequence[Expr]) -> bool:
        """Whether expressions are equal in both rows: they are functions of columns that are."""
        return all(columns_of(e) <= self.equal for e in exprs)

    def _of_part(self, source: Source) -> Iterator[Column]:
        table = _table(source, self.context) if isinstance(source, Scan) else None
        if isinstance(source, Scan) and table is not None and not table.public:
            yield from (Column(source.index, c.name, c.type) for c in table.columns if c.partition)

    def _is_one(self, source: Source) -> bool:
        """Whether both rows have the same row of a source."""
        if isinstance(source, PerUnit):
            return all(source.key(i) in self.equal for i in range(len(source.keys)))
        if not isinstance(source, Scan):
            return False
        if not _table(source, self.context).public:
            declared = self.context.policy.table(source.table)
            return declared is not None and declared.one_row_per_unit
        fixed = tuple(sorted(c.name for c in self.equal if c.scan == source.index))
        return bool(fixed) and self.context.catalog.public.fan_out(source.table, fixed) <= 1

    def _matches_alike(self, join: Join) -> bool:
        """Whether both rows have the same match of an outer join, or none: one equality, with a key of the table."""
        right, pairs = join.right, [*equalities(join.on)]
        if not isinstance(right, Scan) or len(pairs) != len(join.on) or len(pairs) != 1:
            return False
        declared = self.context.policy.table(right.table)
        for own, other in (pairs[0], pairs[0][::-1]):
            if isinstance(own, Column) and own.scan == right.index and declared is not None:
                key = declared.unit_key if declared.one_row_per_unit else None
                return key is not None and own.name.lower() == key.lower() and self.agree_on((other,))
        return False


def _matched(relation: Relation) -> tuple[list[Source], list[Join]]:
    """The sources that every row has a row of, and the outer joins beside them, the innermost first."""
    if isinstance(relation, Filter | Mark):
        return _matched(relation.source)
    if isinstance(relation, Source):
        return [relation], []
    always, padded = _matched(relation.left)
    if relation.kind is JoinKind.LEFT:
        return always, [*padded, relation]
    more, inside = _matched(relation.right)
    return always + more, padded + inside


def _sources(relation: Relation) -> Iterator[Source]:
    if isinstance(relation, Filter | Mark):
        yield from _sources(relation.source)
    elif isinstance(relation, Join):
        yield from _sources(relation.left)
        yield from _sources(relation.right)
    else:
        yield relation


def _columns(source: Relation, context: PlanContext) -> set[Column]:
    return set(shape(source, context.catalog).columns)


def _table(scan: Scan, context: PlanContext) -> TableInfo:
    table = context.catalog.table(scan.table)
    assert table is not None
    return table
