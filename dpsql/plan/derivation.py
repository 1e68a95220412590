"""What an earlier release says of a later question: fewer measures, some of its groups, or sums of them.

A question is derived from an earlier release where its rows are those of the earlier relation that pass conditions on
the earlier keys alone, its keys are among the earlier keys, and each of its measures comes out of the earlier cells.
What one group of the question is made of is then known exactly: the earlier groups that agree on its keys and pass the
conditions.

*Because*: rows are left out by a condition on the keys before a dataset's cap on the rows or the groups of a unit, and
after it where the earlier groups are read. Both are the same only where no such cap is enforced, and nothing is derived
otherwise. A row whose key is on no list stands in no group: where groups are added up over a key, the key has a value
in every row, or a group of NULL.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, combinations
from typing import assert_never

from dpsql.algebra.encoding.reading import beginning
from dpsql.algebra.expressions import Column, Expr, columns_of, parameters_of
from dpsql.algebra.question import Aggregate, Question
from dpsql.algebra.relations import Filter, Relation
from dpsql.algebra.shape import shape
from dpsql.plan.analyzed_question import PlanContext
from dpsql.plan.keys.domains import keys
from dpsql.plan.sums.alike import estimator_of
from dpsql.plan.types import (
    Estimator,
    Histogram,
    Key,
    Linear,
    Local,
    Modes,
    Part,
    Presence,
    Ranks,
    Release,
    ScaledScores,
    ScaledSums,
    Scores,
    Sums,
)
from dpsql.slotted import dataclass

_ADDED = frozenset({Aggregate.COUNT_ROWS, Aggregate.COUNT, Aggregate.SUM})
# Of more conditions than these, all are taken as they are.
_MOST_CONDITIONS = 4
Beginning = tuple[str, tuple[Expr, ...]]
Places = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Derivation:
    """Where a release stands in an earlier one.

    `groups` are, for each of its groups, the places of the earlier groups that it is made of, equally many for each;
    None where the groups are the earlier ones, whatever they are, with their keys in the order `keys`. `parts` are
    the places of the parts of the earlier release that are read, and `cells` their cells in each of its groups: first
    those of the first earlier group, then those of the second.
    """

    earlier: Release
    groups: Places | None
    keys: tuple[int, ...]
    parts: tuple[int, ...]
    cells: Places

    @property
    def copies(self) -> int:
        """How many earlier groups a group is made of."""
        return len(self.groups[0]) if self.groups else 1


def wider(relation: Relation) -> Iterator[tuple[Relation, tuple[Expr, ...]]]:
    """The relations that leave out no conditions or some, each with those that are left out."""
    if not isinstance(relation, Filter) or len(relation.conjuncts) > _MOST_CONDITIONS:
        yield relation, ()
        return
    every = relation.conjuncts
    for dropped in chain.from_iterable(combinations(every, n) for n in range(len(every) + 1)):
        kept = tuple(c for c in every if c not in dropped)
        yield (Filter(relation.source, kept) if kept else relation.source), dropped


def beginnings(release: Release) -> tuple[Beginning, ...]:
    """How the canonical texts of releases about the same rows or more begin, each with the conditions they lack.

    None for what is no table of measures: a list of groups alone, and rows with responses of their own.
    """
    if not release.estimators or type(release.question) is not Question:
        return ()
    return tuple((beginning(relation), dropped) for relation, dropped in wider(release.question.relation))


def derived_release(
    requested: Release, earlier: Release, dropped: tuple[Expr, ...], context: PlanContext
) -> tuple[Release, Derivation] | None:
    """A release as it is derived from an earlier one, and how; None where it cannot be.

    `dropped` are the conditions of the requested relation that the earlier one does not have; without them the two are
    the same relation.
    """
    if not _same_limits(requested, earlier, dropped):
        return None
    estimators = _estimators(requested.question, earlier, context)
    groups = _groups(requested, earlier, dropped, context)
    if estimators is None or groups is None:
        return None
    order, places = groups
    cells = tuple(c for e in estimators for f in e.functionals() for c, _ in f)
    parts = _kept(earlier, frozenset(cells))
    if parts is None:
        return None
    derivation = Derivation(earlier, places, order, tuple(parts), tuple(parts.values()))
    read = [earlier.parts[i] for i in parts]
    if derivation.copies > 1 and not _adds_up(requested.question, read):
        return None
    made = [_copied(part, derivation.copies, None if dropped else order) for part in read]
    copied = tuple(part for part in made if part is not None)
    if len(copied) < len(made):
        return None
    return Release(requested.question, requested.keys, copied, _spread(estimators, derivation)), derivation


def _same_limits(requested: Release, earlier: Release, dropped: tuple[Expr, ...]) -> bool:
    """Whether both keep to fixed limits, or both find theirs from the same rows of a unit in all groups together.

    Fewer rows would find a limit of their own, and so would a choice of groups. A limit that was found for quotients
    leaves too little of the sums themselves.
    """
    found = [any(isinstance(p, Histogram) for p in r.parts) for r in (requested, earlier)]
    if not any(found):
        return True
    if earlier.question.quotients and not requested.question.quotients:
        return False
    return all(found) and not dropped and not any(isinstance(p, ScaledScores) for p in earlier.parts)


def _groups(
    requested: Release, earlier: Release, dropped: tuple[Expr, ...], context: PlanContext
) -> tuple[tuple[int, ...], Places | None] | None:
    """The order of the keys and the places of the groups; None where it does not follow."""
    q, old = requested.question, earlier.question
    if q.public_keys_only != old.public_keys_only or not set(q.keys) <= set(old.keys):
        return None
    order = tuple(old.keys.index(k) for k in q.keys)
    if earlier.keys.domain is None or q.top is not None or old.top is not None:
        same = not dropped and len(q.keys) == len(old.keys) == len(set(q.keys)) and q.top == old.top
        return (order, None) if same else None
    if dropped and not _of_keys(dropped, requested, earlier):
        return None
    places = _places(requested, earlier, order, context)
    return (order, places) if places is not None else None


def _of_keys(dropped: tuple[Expr, ...], requested: Release, earlier: Release) -> bool:
    """Whether conditions speak of the earlier keys alone, and no rows or groups are chosen after them or before."""
    columns = {k for k in earlier.question.keys if isinstance(k, Column)}
    # The list of groups that pass is made with conditions on columns; one without any leaves all of it as it is.
    on_keys = all(columns_of(c) and columns_of(c) <= columns and not parameters_of(c) for c in dropped)
    bounds = [p.bounding for r in (requested, earlier) for p in r.parts]
    return on_keys and all(b.rows is None and b.groups is None for b in bounds)


def _places(
    requested: Release, earlier: Release, order: tuple[int, ...], context: PlanContext
) -> Places | None:
    """For each group the earlier groups that it is made of, equally many and at least one."""
    q = requested.question
    shaped = shape(q.relation, context.catalog)
    passing = keys(replace(q, keys=earlier.question.keys), shaped, context.catalog, context.evaluate).domain
    if passing is None or requested.keys.domain is None or earlier.keys.domain is None:
        return None
    for at, key in enumerate(earlier.question.keys):
        if at not in order and not has_all_rows(key, shaped.facts().of(key).nullable, at, passing):
            return None
    at_place = {key: i for i, key in enumerate(earlier.keys.domain)}
    made: dict[Key, list[int]] = {key: [] for key in requested.keys.domain}
    for values in passing:
        group = tuple(values[i] for i in order)
        if values not in at_place or group not in made:
            return None
        made[group].append(at_place[values])
    sizes = {len(places) for places in made.values()}
    return tuple(map(tuple, made.values())) if len(sizes) == 1 and 0 not in sizes else None


def has_all_rows(key: Expr, nullable: bool, at: int, groups: tuple[Key, ...]) -> bool:
    """Whether every row stands in one of the groups of a key."""
    return isinstance(key, Column) and (not nullable or any(group[at] is None for group in groups))


def _estimators(question: Question, earlier: Release, context: PlanContext) -> tuple[Estimator, ...] | None:
    facts = shape(question.relation, context.catalog).facts()
    estimators = tuple(estimator_of(m, earlier.estimators, facts) for m in question.measures)
    present = tuple(e for e in estimators if e is not None)
    return present if present and len(present) == len(estimators) else None


def _kept(earlier: Release, used: frozenset[int]) -> dict[int, tuple[int, ...]] | None:
    """The places of the parts whose cells are read, or that chose the groups, each with its cells.

    Values that were chosen are read all or not at all: None where only some of a part are. A histogram stays with the
    sums that are scaled to its limit, which stand behind it.
    """
    kept: dict[int, tuple[int, ...]] = {}
    first = 0
    for place, part in enumerate(earlier.parts):
        cells = tuple(range(first, first + _width(part)))
        first += len(cells)
        read = used & set(cells)
        if read and not isinstance(part, Sums | ScaledSums) and len(read) < len(cells):
            return None
        if read or not cells:
            kept[place] = cells
    alone = [i for i in kept if isinstance(earlier.parts[i], Histogram) and i + 1 not in kept]
    return {place: cells for place, cells in kept.items() if place not in alone}


def _width(part: Part) -> int:
    """The number of cells of a part in each group."""
    if isinstance(part, Presence | Sums | ScaledSums):
        return sum(len(f.cells) for f in part.families)
    if isinstance(part, Ranks):
        return len(part.targets)
    if isinstance(part, Modes):
        return 1
    if isinstance(part, Scores | ScaledScores | Local | Histogram):
        return 0
    assert_never(part)


def _adds_up(question: Question, parts: list[Part]) -> bool:
    """Whether the measures of a whole are the sums of those of its groups."""
    return all(m.aggregate in _ADDED for m in question.measures) and all(isinstance(p, Sums) for p in parts)


def _spread(estimators: tuple[Estimator, ...], derivation: Derivation) -> tuple[Estimator, ...]:
    """The estimators over the cells as the derivation has them: the sum over all earlier groups of a group."""
    at: dict[int, tuple[int, ...]] = {}
    first = 0
    for cells in derivation.cells:
        for i, cell in enumerate(cells):
            at[cell] = tuple(first + copy * len(cells) + i for copy in range(derivation.copies))
        first += len(cells) * derivation.copies

    def spread(linear: Linear) -> Linear:
        return tuple(sorted((place, c) for i, c in linear for place in at[i]))

    return tuple(e.over(spread) for e in estimators)


def _copied(part: Part, copies: int, kept: tuple[int, ...] | None) -> Part | None:
    """The part with its cells once for each earlier group; None where the law of their sum is not known."""
    if copies == 1 or not isinstance(part, Sums):
        return part
    return part.side_by_side(copies, kept)
