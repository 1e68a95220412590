"""Parts for order statistics and most frequent values: each chosen privately in every group from one exact count.

A choice in one group loses only as much as the part of its unit's rows that stands there (see the mechanism), so that
every group's choice has the full epsilon of the measure; the measures of a release share its epsilon.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction

from dpsql.algebra.expressions import NULL, Expr, Literal, LiteralValue
from dpsql.algebra.functions import apply
from dpsql.algebra.question import ORDERED, RANKED, Aggregate, Measure
from dpsql.algebra.types import SqlType
from dpsql.errors import QueryRefused
from dpsql.mechanisms.selection.order_statistic import candidate_range, inside_rank
from dpsql.plan.analyzed_question import AnalyzedQuestion
from dpsql.plan.choices.bins import bins, starts
from dpsql.plan.keys.domains import keys
from dpsql.plan.types import Bins, Estimator, Grid, Key, Modes, Ranks, Target

MOST_VALUES = 10_000
"""The most values that a mode is chosen from."""
MOST_TEXTS = 200
"""The most texts that a least or a greatest one is chosen from: each row is compared with them one by one."""
MOST_CHOICES = 200_000
"""The most choices of one query, over all groups: each takes a tenth of a millisecond, and nothing interrupts it."""
# An order statistic has two cells at least, and NULL.
_LEAST_VALUES = 3


def check_choices(analyzed: Iterable[AnalyzedQuestion]) -> None:
    """Refuses questions with more choices together than MOST_CHOICES, where their groups are public."""
    count = 0
    for p in analyzed:
        count += (p.groups or 0) * sum(m.aggregate in ORDERED for m in p.question.measures)
        if count > MOST_CHOICES:
            raise QueryRefused(
                f"the query needs more than {MOST_CHOICES} choices of a quantile, MIN, MAX or MODE over all its groups",
                place=p.question.place,
                hint="Group by fewer columns, or ask for fewer of them at once.",
            )


def ordered(
    p: AnalyzedQuestion, epsilons: dict[int, Fraction], first: int
) -> tuple[tuple[Ranks | Modes, ...], dict[int, Estimator]]:
    """The parts and, by the number of the measure, the estimators; the cells begin at `first`.

    `epsilons` are what each of these measures may spend. Raises QueryRefused.
    """
    clusters: dict[tuple[Expr | None, Expr], list[int]] = {}
    for i in epsilons:
        measure = p.question.measures[i]
        if measure.aggregate in RANKED:
            clusters.setdefault((measure.arg, measure.where), []).append(i)
    parts: list[Ranks | Modes] = []
    estimators: dict[int, Estimator] = {}
    for members in clusters.values():
        part, values = _ranks(p, members, epsilons)
        parts.append(part)
        for i in members:
            estimators[i] = _ranked(p.question.measures[i], part.bins, values, first + len(estimators))
    for i, epsilon in epsilons.items():
        if i not in estimators:
            measure = p.question.measures[i]
            modes = _modes(p, measure, epsilon)
            parts.append(modes)
            estimators[i] = Estimator(measure, _cell(first + len(estimators)), values=modes.values)
    return tuple(parts), estimators


def _cell(at: int) -> tuple[tuple[int, Fraction], ...]:
    return ((at, Fraction(1)),)


def _ranked(measure: Measure, cells: Bins, values: tuple[LiteralValue, ...], at: int) -> Estimator:
    on = cells.grid
    return Estimator(measure, _cell(at), lo=on.lo, step=on.step, low=on.lo, high=on.hi, values=values)


def _ranks(
    p: AnalyzedQuestion, members: list[int], epsilons: dict[int, Fraction]
) -> tuple[Ranks, tuple[LiteralValue, ...]]:
    """One pass for all statistics of one argument over the same rows; of texts also what they are chosen from."""
    measures = [p.question.measures[i] for i in members]
    arg, values = measures[0].arg, tuple[LiteralValue, ...]()
    if arg is not None and arg.type is SqlType.TEXT:
        cells, values = _places(arg, _texts(p, measures[0]))
    else:
        cells = bins(measures[0], p.shape, p.context.catalog, p.groups)
    count = len(starts(cells)) - 1
    targets = tuple(_target(m, count, epsilons[i], p) for i, m in zip(members, measures, strict=True))
    return Ranks(p.contribution.bounding, cells, measures[0].where, targets), values


def _texts(p: AnalyzedQuestion, measure: Measure) -> tuple[str, ...]:
    """The values that a text can have, in the order of DuckDB, which is that of their bytes."""
    listed = _listed(p, measure)
    if listed is None or len(listed) > MOST_TEXTS:
        raise QueryRefused(
            f"{measure.name} of text needs a finite list of at most {MOST_TEXTS} values to choose from",
            place=measure.place,
            hint="List its values in the policy or with WHERE x IN (...), or take it of values that many have: "
            f"{measure.name}(x) FROM (SELECT DISTINCT x FROM t).",
        )
    return tuple(sorted((v for (v,) in listed if isinstance(v, str)), key=str.encode))


def _places(arg: Expr, texts: tuple[str, ...]) -> tuple[Bins, tuple[LiteralValue, ...]]:
    """Texts as their places in the list, each a cell of its own; and what is said: NULL first, then they."""
    values: tuple[LiteralValue, ...] = (None, *texts)
    while len(values) < _LEAST_VALUES:
        values = (*values, values[-1])
    pairs = (
        part
        for i, text in enumerate(texts)
        for part in (apply("eq", (arg, Literal(text, SqlType.TEXT))), Literal(i, SqlType.INTEGER))
    )
    nothing = (Literal(False, SqlType.BOOLEAN), Literal(0, SqlType.INTEGER))
    coded = apply("case", (*(tuple(pairs) or nothing), NULL))
    return Bins(Grid(coded, Fraction(1), 0, len(values) - 2)), values


def _listed(p: AnalyzedQuestion, measure: Measure) -> tuple[Key, ...] | None:
    """The public values of what a measure is of, where there are such."""
    assert measure.arg is not None
    requested = replace(p.question, keys=(measure.arg,), measures=(measure,))
    return keys(requested, p.shape, p.context.catalog, p.context.evaluate).domain


def _target(measure: Measure, cells: int, epsilon: Fraction, p: AnalyzedQuestion) -> Target:
    assert measure.level is not None
    score_range = candidate_range(measure.level, p.rows) * p.context.factor
    inside = inside_rank(cells, epsilon=epsilon, score_range=score_range)
    return Target(measure.level, 0 if 0 < measure.level < 1 else inside, score_range, epsilon)


def _modes(p: AnalyzedQuestion, measure: Measure, epsilon: Fraction) -> Modes:
    """Counts all move the same way, those of a group by at most a unit's rows in it: D_R = m for all groups."""
    assert measure.arg is not None
    values = _values(p, measure)
    return Modes(
        p.contribution.bounding, measure.arg, measure.where, values, p.rows * p.context.factor, epsilon
    )


def _values(p: AnalyzedQuestion, measure: Measure) -> tuple[LiteralValue, ...]:
    """What is chosen from: first what is said over no rows."""
    if measure.aggregate is Aggregate.BOOL_OR:
        return (False, True)
    if measure.aggregate is Aggregate.BOOL_AND:
        return (True, False)
    assert measure.arg is not None
    listed = None
    if measure.arg.type is not SqlType.DOUBLE:
        listed = _listed(p, measure)
    if listed is None or len(listed) > MOST_VALUES:
        raise QueryRefused(
            f"MODE needs a finite list of at most {MOST_VALUES} values to choose from",
            place=measure.place,
            hint="List its values in the policy or with WHERE x IN (...), or take the mode of a CASE or of date_trunc.",
        )
    return (None, *(v for (v,) in listed if v is not None))
