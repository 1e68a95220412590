"""Parts for order statistics and most frequent values: each chosen privately in every group from one exact count.

A choice in one group loses only as much as the part of its unit's rows that stands there (see the mechanism), so that
every group's choice has the full epsilon of the measure; the measures of a release share its epsilon.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from dpsql.algebra.expr import Expr, LiteralValue
from dpsql.algebra.question import RANKED, Aggregate, Measure, Question
from dpsql.algebra.shape import Shape
from dpsql.algebra.types import SqlType
from dpsql.catalog import Catalog
from dpsql.errors import QueryRefused
from dpsql.mechanisms.order_statistic import candidate_range, inside_rank
from dpsql.plan.bins import bins, starts
from dpsql.plan.bounds import Contribution
from dpsql.plan.keys import Evaluate, keys
from dpsql.plan.types import Bins, Estimator, Keys, Modes, Ranks, Target

MOST_VALUES = 10_000
"""The most values that a mode is chosen from."""


@dataclass(frozen=True, slots=True)
class Ordering:
    """What the choices of a question are planned from; `factor` is 2 where neighbours substitute a unit."""

    question: Question
    keys: Keys
    shape: Shape
    catalog: Catalog
    contribution: Contribution
    factor: int
    evaluate: Evaluate

    @property
    def rows(self) -> int:
        """m, the most rows of a unit."""
        return self.contribution.limit(self.question)


def ordered(
    o: Ordering, epsilons: dict[int, Fraction], first: int
) -> tuple[tuple[Ranks | Modes, ...], dict[int, Estimator]]:
    """The parts and, by the number of the measure, the estimators; the cells begin at `first`.

    `epsilons` are what each of these measures may spend. Raises QueryRefused.
    """
    clusters: dict[tuple[Expr | None, Expr], list[int]] = {}
    for i in epsilons:
        measure = o.question.measures[i]
        if measure.aggregate in RANKED:
            clusters.setdefault((measure.arg, measure.where), []).append(i)
    parts: list[Ranks | Modes] = []
    found: dict[int, Estimator] = {}
    for members in clusters.values():
        part, cells = _ranks(o, members, epsilons)
        parts.append(part)
        for i in members:
            found[i] = _ranked(o.question.measures[i], cells, first + len(found))
    for i, epsilon in epsilons.items():
        if i not in found:
            modes = _modes(o, o.question.measures[i], epsilon)
            parts.append(modes)
            found[i] = Estimator(o.question.measures[i], _cell(first + len(found)), values=modes.values)
    return tuple(parts), found


def _cell(at: int) -> tuple[tuple[int, Fraction], ...]:
    return ((at, Fraction(1)),)


def _ranked(measure: Measure, cells: Bins, at: int) -> Estimator:
    on = cells.grid
    return Estimator(measure, _cell(at), lo=on.lo, step=on.step, low=on.lo, high=on.hi)


def _ranks(o: Ordering, members: list[int], epsilons: dict[int, Fraction]) -> tuple[Ranks, Bins]:
    """One pass for all statistics of one argument over the same rows."""
    measures = [o.question.measures[i] for i in members]
    groups = len(o.keys.domain) if o.keys.domain is not None else None
    cells = bins(measures[0], o.shape, o.catalog, groups)
    count = len(starts(cells)) - 1
    targets = tuple(_target(m, count, epsilons[i], o) for i, m in zip(members, measures, strict=True))
    return Ranks(o.contribution.bounding, cells, measures[0].where, targets), cells


def _target(measure: Measure, cells: int, epsilon: Fraction, o: Ordering) -> Target:
    assert measure.level is not None
    score_range = candidate_range(measure.level, o.rows) * o.factor
    inside = inside_rank(cells, epsilon=epsilon, score_range=score_range)
    return Target(measure.level, 0 if 0 < measure.level < 1 else inside, score_range, epsilon)


def _modes(o: Ordering, measure: Measure, epsilon: Fraction) -> Modes:
    """Counts all move the same way, those of a group by at most a unit's rows in it: D_R = m for all groups."""
    assert measure.arg is not None
    values = _values(o, measure)
    return Modes(o.contribution.bounding, measure.arg, measure.where, values, o.rows * o.factor, epsilon)


def _values(o: Ordering, measure: Measure) -> tuple[LiteralValue, ...]:
    """What is chosen from: first what is said over no rows."""
    if measure.aggregate is Aggregate.BOOL_OR:
        return (False, True)
    if measure.aggregate is Aggregate.BOOL_AND:
        return (True, False)
    assert measure.arg is not None
    listed = None
    if measure.arg.type is not SqlType.DOUBLE:
        asked = replace(o.question, keys=(measure.arg,), measures=())
        listed = keys(asked, o.shape, o.catalog, o.evaluate).domain
    if listed is None or len(listed) > MOST_VALUES:
        raise QueryRefused(
            f"MODE needs a finite list of at most {MOST_VALUES} values to choose from",
            place=measure.place,
            hint="List the column's values in the policy, or take the mode of a CASE or of date_trunc.",
        )
    return (None, *(v for (v,) in listed if v is not None))
