"""Where limits are found privately for a query, and the parts that find and use them.

A fixed limit is one for all queries of a table, so that the noise of a query which sees few of a unit's rows is scaled
to rows that it never sees. Finding the limit costs a fifth of the epsilon. The rule of `auto` reads text and policy
alone: the limit is found where a filter, a join or a subquery narrows the rows, and where the fixed one is many times
what one row adds, or there is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from dpsql.algebra.expressions import TRUE
from dpsql.algebra.question import DISTINCT_VALUES, Aggregate, Measure, Question
from dpsql.algebra.relations import Scan
from dpsql.algebra.shape import table_of
from dpsql.mechanisms.clipping import clipping_noise as noise
from dpsql.mechanisms.clipping.unit_bins import MANY_GROUPS, bins_up_to, cell_limit, shift
from dpsql.plan.analyzed_question import AnalyzedQuestion
from dpsql.plan.contribution import Contribution
from dpsql.plan.sums.clipped import Clipping, Histogram, ScaledSums
from dpsql.plan.sums.family_choice import choose
from dpsql.plan.sums.noise_laws import Laws
from dpsql.plan.sums.signs import never_negative
from dpsql.plan.types import Bounding, Estimator, Family, Linear
from dpsql.policy.model import ClippingMode
from dpsql.privacy import Cost, Mechanism
from dpsql.slotted import dataclass

# From so many times what one row adds on a fixed limit is mostly far above what a narrowed query meets.
_FAR = 8
# Cells that are clamped to fewer rows of the largest values than these would be clipped twice.
_ROOM = 1024
# What is pure is not compared with a Gaussian that would have to buy a delta.
_PURE = frozenset({Mechanism.DISCRETE_LAPLACE})
_LAWS = _PURE | {Mechanism.DISCRETE_GAUSSIAN}
_BECAUSE = "each unit's contribution is scaled to a threshold that is found privately for this query"
Clipped = tuple[tuple[Histogram | ScaledSums, ...], tuple[Estimator, ...]]


def clipped(p: AnalyzedQuestion, epsilon: Fraction, laws: Laws) -> Clipped | None:
    """The parts and estimators that answer a question's sums with limits found for it; None for fixed limits."""
    if not _wanted(p):
        return None
    every_law = laws.allowed & (_LAWS if laws.concentrated else _PURE)
    fitting = (replace(laws, allowed=allowed) for allowed in dict.fromkeys((every_law, every_law & _PURE)))
    found = (_under(p, epsilon, some) for some in fitting if some.allowed)
    return next((made for made in found if made is not None), None)


def _under(p: AnalyzedQuestion, epsilon: Fraction, laws: Laws) -> Clipped | None:
    """The same with noise that some laws allow; None where the vectors of units do not fit into the integers."""
    every_row = Contribution(1, unbounded(p), scaled=True)
    sums, estimators = choose(replace(p, contribution=every_row), epsilon, laws)
    families = [_Weighed.of(f, p.context.factor) for part in sums for f in part.families]
    clippings = [clipping_of(p, f.weight, f.squared) for f in families]
    if len(clippings) == 1 and clippings[0] is not None:
        clippings = [replace(clippings[0], quotients=p.question.quotients)]
    made: list[Histogram | ScaledSums] = []
    for family, clipping in zip(families, clippings, strict=True):
        if clipping is None:
            return None
        made += _parts(family, clipping, every_row.bounding, p)
    units = [times << shift_of(p) for f in families for times in f.times]
    return tuple(made), tuple(e.over(lambda linear: _counted_in(units, linear)) for e in estimators)


@dataclass(frozen=True, slots=True)
class _Weighed:
    """A family of which one row adds at most `weight` to all cells: each cell is counted so many `times`.

    Cells of sums that exclude each other are so made alike in size, since one noise is for all of them.
    """

    family: Family
    weight: int
    times: tuple[int, ...]

    @property
    def squared(self) -> int | None:
        """The cells of a group, where their squares are added up."""
        return len(self.family.cells) if self.family.mechanism is Mechanism.DISCRETE_GAUSSIAN else None

    @classmethod
    def of(cls, family: Family, factor: int) -> _Weighed:
        """The family that was planned for units of one row each."""
        weight = family.sensitivity // factor
        if not family.widths:
            return cls(family, weight, (1,) * len(family.cells))
        widest = max(family.widths)
        times = tuple(widest // width for width in family.widths)
        cells = tuple(tuple(c * n for c in cell) for cell, n in zip(family.cells, times, strict=True))
        return cls(replace(family, cells=cells, widths=()), weight * widest, times)


def _wanted(p: AnalyzedQuestion) -> bool:
    """Whether limits are to be found: by text and policy alone."""
    kinds = {m.aggregate for m in p.question.measures}
    only_units = kinds == {Aggregate.COUNT_UNITS} and not p.question.keys
    if p.question.top is not None or DISTINCT_VALUES & kinds or only_units:
        return False
    return wants_limits(p, p.question.measures)


def wants_limits(p: AnalyzedQuestion, measures: Sequence[Measure]) -> bool:
    """Whether limits of what units add to some measures, or scores, are to be found: by text and policy alone."""
    mode = p.context.clipping
    if mode is ClippingMode.FIXED or not _possible(p):
        return False
    return mode is ClippingMode.PRIVATE or (_narrowed(p.question, measures) and _far(p, measures))


def _possible(p: AnalyzedQuestion) -> bool:
    """Whether a unit can contribute more than one row, and units can be told apart."""
    owner = p.shape.owner
    alone = isinstance(owner, Scan) and table_of(owner, p.context.catalog).row_is_unit
    if alone or p.shape.rows_per_unit == 1 or p.groups == 0:
        return False
    return type(p.question) is Question


def _narrowed(question: Question, measures: Sequence[Measure]) -> bool:
    """Whether a filter, a join or a subquery leaves some rows out."""
    return not isinstance(question.relation, Scan) or any(m.where != TRUE for m in measures)


def _far(p: AnalyzedQuestion, measures: Sequence[Measure]) -> bool:
    """Whether the fixed limit is many times what one row adds, or there is none.

    That of units alone is the most groups of a unit, which mostly are few.
    """
    units = all(m.aggregate is Aggregate.COUNT_UNITS for m in measures)
    most = p.contribution.touched if units else p.contribution.rows
    return most is None or most >= _FAR


def _touched(p: AnalyzedQuestion) -> int | None:
    """g, the most groups that a unit can be in, with all of its rows; None where nobody knows."""
    known = [n for n in (p.groups, p.shape.rows_per_unit) if n is not None]
    return min(known) if known else None


def unbounded(p: AnalyzedQuestion) -> Bounding:
    """All rows of a unit are seen, but for a cap of its table."""
    return Bounding(table_cap=p.contribution.bounding.table_cap)


def shift_of(p: AnalyzedQuestion) -> int:
    """f: cells are counted in units of 2**-f."""
    return shift(min(_touched(p) or MANY_GROUPS, MANY_GROUPS))


def clipping_of(p: AnalyzedQuestion, weight: int, squared: int | None = None) -> Clipping | None:
    """The integers in which contributions are counted, of which one row adds at most `weight`; None where these have
    no room for many rows. `squared`: the cells of a group, where their squares are added up.

    No threshold is far above what a fixed limit would let through; cells are clamped to what is proven alone.
    """
    scale, proven, rows = shift_of(p), p.shape.rows_per_unit, p.contribution.rows
    if weight * (_ROOM if rows is None else min(rows, _ROOM)) > _room(p, None, squared):
        return None
    limit = _room(p, None if proven is None else proven * weight, squared)
    bins = bins_up_to(None if rows is None else rows * weight, shift=scale)
    return Clipping(limit, bins, weight, p.groups or 0)


def _room(p: AnalyzedQuestion, limit: int | None, squared: int | None) -> int:
    """What a cell is clamped to. There is no room for the squares of all cells of a unit that may be in any number of
    groups."""
    if squared is None:
        return cell_limit(limit, shift=shift_of(p))
    groups = p.shape.rows_per_unit if p.groups is None else p.groups
    if groups is None:
        return 0
    return cell_limit(limit, shift=shift_of(p), squared_cells=groups * squared)


def _parts(
    f: _Weighed, clipping: Clipping, bounding: Bounding, p: AnalyzedQuestion
) -> tuple[Histogram, ScaledSums]:
    """The histogram of a family's contributions, and its sums, each at its share of the family's epsilon or rho."""
    family, neighbours = f.family, p.context.policy.privacy.neighbours
    if family.variance is None:
        first, second = noise.shares_of_epsilon(family.epsilon)
        answer, asked = noise.laplace(second, neighbours), None
        family = replace(family, epsilon=second)
    else:
        first, second = noise.shares_of_rho(family.sensitivity**2 / (2 * family.variance))
        answer = noise.gaussian(second, neighbours, nonnegative=never_negative(family.terms, family.cells))
        asked = Cost(family.epsilon, family.delta)
    found = noise.histogram_noise(first, answer)
    histogram = Histogram(bounding, family.terms, family.cells, clipping, found, asked)
    sums = ScaledSums(bounding, replace(family, because=_BECAUSE), clipping, answer)
    return histogram, replace(sums, family=sums.at(1))


def _counted_in(units: Sequence[int], linear: Linear) -> Linear:
    """A linear function of cells, each of which counts for so many."""
    return tuple((cell, c / units[cell]) for cell, c in linear)
