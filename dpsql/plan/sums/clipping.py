"""Where limits are found privately for a query, and the parts that find and use them.

A fixed limit is one for all queries of a table, so that the noise of a query which sees few of a unit's rows is scaled
to rows that it never sees. Finding the limit costs a fifth of the epsilon. The rule of `auto` reads text and policy
alone: the limit is found where a filter, a join or a subquery narrows the rows, and where the fixed one is many times
what one row adds, or there is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from dpsql.algebra.expressions import TRUE
from dpsql.algebra.question import Aggregate, Question
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
    every_row = Contribution(1, Bounding(table_cap=p.contribution.bounding.table_cap), scaled=True)
    sums, estimators = choose(replace(p, contribution=every_row), epsilon, laws)
    families = [_Weighed.of(f, p.context.factor) for part in sums for f in part.families]
    scale = shift(min(_touched(p) or MANY_GROUPS, MANY_GROUPS))
    rows = _ROOM if p.contribution.rows is None else min(p.contribution.rows, _ROOM)
    if any(f.weight * rows > _room(p, f.family, None, scale) for f in families):
        return None
    made = [part for f in families for part in _parts(f, _clipping(p, f, scale), every_row.bounding, p)]
    units = [times << scale for f in families for times in f.times]
    return tuple(made), tuple(e.over(lambda linear: _counted_in(units, linear)) for e in estimators)


@dataclass(frozen=True, slots=True)
class _Weighed:
    """A family of which one row adds at most `weight` to all cells: each cell is counted so many `times`.

    Cells of sums that exclude each other are so made alike in size, since one noise is for all of them.
    """

    family: Family
    weight: int
    times: tuple[int, ...]

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
    mode = p.context.clipping
    if mode is ClippingMode.FIXED or not _possible(p):
        return False
    return mode is ClippingMode.PRIVATE or (_narrowed(p.question) and _far(p))


def _possible(p: AnalyzedQuestion) -> bool:
    """Whether a unit can contribute more than one row to sums that add up over units."""
    owner = p.shape.owner
    alone = isinstance(owner, Scan) and table_of(owner, p.context.catalog).row_is_unit
    if alone or p.shape.rows_per_unit == 1 or p.groups == 0:
        return False
    if type(p.question) is not Question or p.question.top is not None:
        return False
    kinds = {m.aggregate for m in p.question.measures}
    only_units = kinds == {Aggregate.COUNT_UNITS} and not p.question.keys
    return Aggregate.COUNT_DISTINCT not in kinds and not only_units


def _narrowed(question: Question) -> bool:
    """Whether a filter, a join or a subquery leaves some rows out."""
    return not isinstance(question.relation, Scan) or any(m.where != TRUE for m in question.measures)


def _far(p: AnalyzedQuestion) -> bool:
    """Whether the fixed limit is many times what one row adds, or there is none.

    That of units alone is the most groups of a unit, which mostly are few.
    """
    units = all(m.aggregate is Aggregate.COUNT_UNITS for m in p.question.measures)
    most = p.contribution.touched if units else p.contribution.rows
    return most is None or most >= _FAR


def _touched(p: AnalyzedQuestion) -> int | None:
    """g, the most groups that a unit can be in, with all of its rows; None where nobody knows."""
    known = [n for n in (p.groups, p.shape.rows_per_unit) if n is not None]
    return min(known) if known else None


def _clipping(p: AnalyzedQuestion, f: _Weighed, scale: int) -> Clipping:
    """No threshold is far above what a fixed limit would let through; cells are clamped to what is proven alone."""
    proven, rows, weight = p.shape.rows_per_unit, p.contribution.rows, f.weight
    limit = _room(p, f.family, None if proven is None else proven * weight, scale)
    bins = bins_up_to(None if rows is None else rows * weight, shift=scale)
    return Clipping(limit, bins, weight, p.groups or 0)


def _room(p: AnalyzedQuestion, family: Family, limit: int | None, scale: int) -> int:
    """What a cell is clamped to. Squares of the cells of all groups are added up where the noise is Gaussian: there is
    no room for them where a unit may be in any number of groups."""
    if family.mechanism is not Mechanism.DISCRETE_GAUSSIAN:
        return cell_limit(limit, shift=scale)
    groups = _touched(p) if p.groups is None else p.groups
    if groups is None:
        return 0
    return cell_limit(limit, shift=scale, squared_cells=groups * len(family.cells))


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
        answer = noise.gaussian(second, neighbours, nonnegative=never_negative(family))
        asked = Cost(family.epsilon, family.delta)
    found = noise.histogram_noise(first, answer)
    histogram = Histogram(bounding, family.terms, family.cells, clipping, found, asked)
    sums = ScaledSums(bounding, replace(family, because=_BECAUSE), clipping, answer)
    return histogram, replace(sums, family=sums.at(1))


def _counted_in(units: Sequence[int], linear: Linear) -> Linear:
    """A linear function of cells, each of which counts for so many."""
    return tuple((cell, c / units[cell]) for cell, c in linear)
