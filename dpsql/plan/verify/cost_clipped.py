"""The cost of sums under a limit that is found for them, checked by another route than the one that planned them.

No limit on the rows of a unit is needed: what a unit adds is at most tau, because it is scaled to that. What has to be
right is that units can be told apart, that what is scaled is added up over units and nothing else, that no step
overflows, and that the noise is the one that is charged.
Whether a cell may be negative is found by trying the rows at which it is least. What a row adds is a sum over the
conditions that it satisfies, and for each of these a polynomial in how far its values lie above the lower ends of their
grids: whole numbers from 0 to w. With one column of degree 2 at most, the least of it stands at an end or next to the
vertex.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

from dpsql.algebra.expressions import Expr
from dpsql.algebra.relations import Scan
from dpsql.algebra.shape import Shape, table_of
from dpsql.errors import InternalError
from dpsql.mechanisms.analysis.composition import zcdp_delta
from dpsql.plan.analyzed_question import PlanContext
from dpsql.plan.contribution import contribution
from dpsql.plan.sums.noise_laws import adds_rho
from dpsql.plan.types import (
    Family,
    Grid,
    Histogram,
    Part,
    Presence,
    Release,
    ScaledScores,
    ScaledSums,
    Sum,
    Term,
)
from dpsql.privacy import Cost, Mechanism, Neighbours

_REPORT = "this is a bug in dpsql; nothing was charged"
# A cell that counts for 2**shift is below 2**62, and so is every threshold: their product is below 2**124. The squares
# of all cells of a unit add up to 2**126 at most.
_BITS, _SQUARES = 62, 126
_ADDED = frozenset({Sum.ROWS, Sum.VALUES, Sum.TOTAL, Sum.SHIFTED, Sum.SQUARES, Sum.PRODUCT})


def check_clipped(
    part: Histogram | ScaledSums | ScaledScores, release: Release, shaped: Shape, context: PlanContext
) -> None:
    """Raises InternalError where a part of what is scaled is not what its cost is charged for."""
    owner = shaped.owner
    _require(owner is not None)
    _require(release.keys.domain is not None or isinstance(release.parts[0], Presence))
    _require(not (isinstance(owner, Scan) and table_of(owner, context.catalog).row_is_unit))
    _require(part.bounding.rows is None and part.bounding.groups is None and not part.bounding.totals)
    _require(part.bounding.table_cap == contribution(shaped, context.policy).bounding.table_cap)
    _check_room(part, _most_groups(release, shaped))
    _check_cells(part.terms, part.cells)
    at = release.parts.index(part)
    if isinstance(part, Histogram):
        _require(_stand_together(part, _part_at(release, at + 1)))
        _check_noise(part, release, context)
    elif isinstance(part, ScaledSums):
        _require(release.question.top is None and _stand_together(_part_at(release, at - 1), part))
        _check_noise_of_sums(part)
        _check_noise(part, release, context)
    else:
        _require(_stand_together(_part_at(release, at - 1), part))
        _check_scores(part, release, context)


def _check_noise(part: Histogram | ScaledSums, release: Release, context: PlanContext) -> None:
    """The noise is for the policy's neighbours, and has one of the laws that are charged."""
    _require(part.noise.neighbours is context.policy.privacy.neighbours)
    if part.noise.gaussian:
        _check_gaussian(part, release, context)
    else:
        _require(part.noise.mechanism is Mechanism.DISCRETE_LAPLACE)
        _require(part.noise.sensitivity(1) == part.noise.neighbours.factor)


def _check_scores(part: ScaledScores, release: Release, context: PlanContext) -> None:
    """Scores are what the question asks to choose by, scaled in L1; as many are chosen, and nothing is noised before
    but groups and the limit."""
    top = release.question.top
    _require(top is not None and 1 <= part.count <= top.count and part.descending == top.descending)
    _require(part.mechanism in (Mechanism.PERMUTE_AND_FLIP, Mechanism.EXPONENTIAL) and not part.squared)
    _require(part.term.sum in (Sum.ROWS, Sum.VALUES, Sum.TOTAL))
    before = release.parts[: release.parts.index(part) - 1]
    _require(all(isinstance(p, Presence) for p in before))
    _require(len(part.events) == part.count and sum(e.cost.epsilon for e in part.events) == part.epsilon)
    _require(part.neighbours is context.policy.privacy.neighbours)
    for threshold in (1, part.clipping.most):
        _require(part.score_range(threshold) == context.factor * threshold)


def _check_noise_of_sums(part: ScaledSums) -> None:
    """The sums have the noise of their part, at every threshold."""
    family = part.family
    _require(family.mechanism is part.noise.mechanism and not family.widths)
    _require(part.noise.gaussian or (family.epsilon == part.noise.budget and not family.delta))
    for threshold in (1, part.clipping.most):
        at = part.at(threshold)
        if part.noise.gaussian:
            _require(at.variance is not None and at.variance >= _variance(part, threshold))
        else:
            _require(at.variance is None and at.sensitivity == part.noise.neighbours.factor * threshold)


def _variance(part: Histogram | ScaledSums, size: int) -> Fraction:
    """sigma**2 for the rho of a part, if a unit's vector is so large: two of them may stand in opposite directions, or
    at a right angle where no cell is negative."""
    times = 1
    if part.noise.neighbours is Neighbours.SUBSTITUTE:
        times = 4 if isinstance(part, ScaledSums) and may_be_negative(part.family) else 2
    return times * Fraction(size) ** 2 / (2 * part.noise.budget)


def _check_gaussian(part: Histogram | ScaledSums, release: Release, context: PlanContext) -> None:
    """The rhos of all such parts are what their epsilon and delta stand for, and one event charges them.

    Sizes are measured in L2, or are of one number.
    """
    _require(part.noise.rate(1) >= _variance(part, 1))
    _require(
        part.squared or (release.keys.domain is not None and len(release.keys.domain) * len(part.cells) == 1)
    )
    parts = [p for p in release.parts if isinstance(p, Histogram | ScaledSums)]
    _require(all(p.noise.gaussian for p in parts) and len({_asked(p) for p in parts}) == 1)
    asked, rho = _asked(part), sum((p.noise.budget for p in parts), Fraction(0))
    _require(asked is not None)
    assert asked is not None
    if adds_rho(context.policy):
        _require(rho <= asked.epsilon**2 / 2 and asked.delta == 0)
    else:
        _require(zcdp_delta(rho, asked.epsilon) <= asked.delta)
    charged = [e for e in release.events if e.variance is not None and e.cost == asked]
    _require(any(e.sensitivity == 1 and e.variance == 1 / (2 * rho) for e in charged))


def _asked(part: Histogram | ScaledSums) -> Cost | None:
    return part.asked if isinstance(part, Histogram) else Cost(part.family.epsilon, part.family.delta)


def _part_at(release: Release, at: int) -> Part | None:
    return release.parts[at] if 0 <= at < len(release.parts) else None


def _stand_together(histogram: Part | None, sums: Part | None) -> bool:
    """Whether these are sums or scores and, before them, the histogram of the vectors that are added up."""
    if not isinstance(histogram, Histogram) or not isinstance(sums, ScaledSums | ScaledScores):
        return False
    of = sums.terms, sums.cells, sums.clipping, sums.bounding, sums.squared
    measured = histogram.clipping, histogram.bounding, histogram.squared
    return (histogram.terms, histogram.cells, *measured) == of


def _most_groups(release: Release, shaped: Shape) -> int | None:
    """In how many groups all of a unit's rows can be; None where nothing limits that."""
    return shaped.rows_per_unit if release.keys.domain is None else len(release.keys.domain)


def _check_room(part: Histogram | ScaledSums | ScaledScores, groups: int | None) -> None:
    clipping = part.clipping
    _require(0 <= clipping.bins.lowest <= clipping.bins.highest <= _BITS)
    _require(0 < clipping.limit << clipping.shift <= 1 << _BITS)
    _require(0 < clipping.weight << clipping.shift <= 1 << _BITS)
    if part.squared:
        _require(groups is not None)
        assert groups is not None
        _require(groups * len(part.cells) * (clipping.limit << clipping.shift) ** 2 <= 1 << _SQUARES)


def _check_cells(terms: Sequence[Term], cells: Sequence[Sequence[int]]) -> None:
    """Every cell is a sum over rows, or says whether a unit is there at all."""
    for cell in cells:
        used = [t.sum for t, c in zip(terms, cell, strict=True) if c]
        _require(bool(used) and (_ADDED.issuperset(used) or used == [Sum.UNITS]))


def _require(holds: bool) -> None:
    if not holds:
        raise InternalError(f"sums under a limit found for them are not what they are charged as: {_REPORT}")


_Weighted = Sequence[tuple[Term, int]]


def may_be_negative(family: Family) -> bool:
    """Whether it is not proven that no row adds anything below 0 to a cell."""
    return any(_least(family, cell) < 0 for cell in family.cells)


def _least(family: Family, cell: Sequence[int]) -> int:
    """A number below which no row of one condition moves a cell."""
    of: dict[Expr, list[tuple[Term, int]]] = {}
    for term, c in zip(family.terms, cell, strict=True):
        if c:
            of.setdefault(term.where, []).append((term, c))
    return min((_least_of_condition(terms) for terms in of.values()), default=0)


def _least_of_condition(terms: _Weighted) -> int:
    """Of one column its least value; of several each term's own, added up: no row has less."""
    columns = dict.fromkeys(t.arg for t, _ in terms if t.sum is not Sum.ROWS)
    grids = dict.fromkeys(g for t, _ in terms for g in (t.grid, t.other) if g is not None)
    alone = all(t.other is None and (t.grid is None or not t.grid.reach) for t, _ in terms)
    if len(columns) <= 1 and len(grids) <= 1 and alone:
        grid = next(iter(grids), None)
        return min(_value(terms, s) for s in (None, *_steps(terms, grid)))
    return sum(min(c * v for v in _ends(t)) for t, c in terms)


def _steps(terms: _Weighted, grid: Grid | None) -> Iterator[int]:
    """Where a polynomial can be least on 0 .. w."""
    w = 0 if grid is None else grid.width
    yield from (0, w)
    square = sum(c for t, c in terms if t.sum is Sum.SQUARES)
    slope = sum(c for t, c in terms if t.sum in (Sum.SHIFTED, Sum.TOTAL))
    if square > 0:
        vertex = Fraction(-slope, 2 * square)
        yield from (min(max(s, 0), w) for s in (math.floor(vertex), math.ceil(vertex)))


def _value(terms: _Weighted, s: int | None) -> int:
    return sum(c * _of_row(t, s) for t, c in terms)


def _of_row(term: Term, s: int | None) -> int:
    """What a row adds to a term, None for NULL."""
    if term.sum is Sum.ROWS:
        return 1
    if s is None:
        return 0
    if term.sum in (Sum.VALUES, Sum.UNITS):
        return 1
    assert term.grid is not None
    if term.sum is Sum.TOTAL:
        return s + term.grid.lo
    return s if term.sum is Sum.SHIFTED else s * s


def _ends(term: Term) -> tuple[int, ...]:
    """The least and the greatest that a row adds to a term."""
    if term.grid is None:
        return (0, 1)
    w = term.grid.width
    if term.sum is Sum.TOTAL:
        return (0, term.grid.lo, term.grid.hi)
    if term.sum is Sum.PRODUCT and term.other is not None:
        return (0, w ** term.powers[0] * term.other.width ** term.powers[1])
    return (0, w if term.sum is Sum.SHIFTED else w * w)
