"""The cost of a finished plan, recomputed from its parts by another route than the one that split the budget.

The planner hands out shares from the top. Here each part's worst contribution is derived again from its terms, its
cells and its row cap, and its epsilon from the event; a part whose stated sensitivity is below what is derived, or a
sum above what was requested, is a bug that must not reach data.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import assert_never

from dpsql.algebra.expressions import TRUE, Column, Expr
from dpsql.algebra.local import LocalQuestion, values_of
from dpsql.algebra.question import Aggregate
from dpsql.algebra.relations import Scan, Windows
from dpsql.algebra.shape import Shape, shape
from dpsql.errors import InternalError
from dpsql.mechanisms.analysis.composition import zcdp_delta
from dpsql.plan.analyzed_question import PlanContext
from dpsql.plan.contribution import contribution
from dpsql.plan.local_release import mechanism_of
from dpsql.plan.rollup.grouping_set_sums import GroupingSetSums
from dpsql.plan.sums.noise_laws import adds_rho
from dpsql.plan.types import (
    Bounding,
    Family,
    Grid,
    Histogram,
    Local,
    Modes,
    Part,
    Plan,
    Presence,
    Ranks,
    Release,
    ScaledScores,
    ScaledSums,
    Scores,
    Sum,
    Sums,
    Target,
    Term,
    UnitTotal,
)
from dpsql.plan.verify.cost_clipped import check_clipped
from dpsql.plan.verify.cost_groups import check_rows, least_sensitivity
from dpsql.plan.verify.cost_presence import is_charged
from dpsql.plan.verify.cost_rows import MOST_KINDS, kinds
from dpsql.plan.verify.numbered_rows import most_left
from dpsql.privacy import Cost, Mechanism, Neighbours

# What is counted or added up once in each group, whatever the number of rows.
_ONCE = frozenset({Sum.UNITS, Sum.DISTINCT, Sum.DISTINCT_TOTAL})
_REPORT = "this is a bug in dpsql; nothing was charged"


def check_cost(plan: Plan, requested: Cost, context: PlanContext) -> Cost:
    """The plan's exact cost. Raises InternalError where it is not what was requested or a sensitivity is too small."""
    total = Cost(Fraction(0))
    for release in plan.releases:
        _check_release(release, context)
        for event in release.events:
            total += event.cost
    spends = any(r.parts for r in plan.releases)
    if total.epsilon != (requested.epsilon if spends else 0):
        raise InternalError(f"the plan costs another epsilon than was requested: {_REPORT}")
    if total.delta != (requested.delta if any(_spends_delta(r, context) for r in plan.releases) else 0):
        raise InternalError(f"the plan costs another delta than was requested: {_REPORT}")
    return total


def _spends_delta(release: Release, context: PlanContext) -> bool:
    """Whether a release needs a delta: private keys do, and Gaussian noise where epsilons add up."""
    gaussian = any(f.mechanism is Mechanism.DISCRETE_GAUSSIAN for f in release.families)
    return release.keys.domain is None or (gaussian and not adds_rho(context.policy))


def _check_release(release: Release, context: PlanContext) -> None:
    shaped = shape(release.question.relation, context.catalog)
    enforced = contribution(shaped, context.policy)
    factor = context.factor
    _check_numbered(release, shaped, context)
    _require(check_rows(release.question.relation, context))
    for part in release.parts:
        capped = part.bounding == enforced.bounding
        rows = enforced.rows if capped else None
        _check_groups(part, shaped, context)
        if isinstance(part, Presence):
            _require(is_charged(part, rows, release, context))
            _require(not part.counted or (release.parts == (part,) and _are_counted(part, release, rows)))
        elif isinstance(part, Scores):
            _check_scores(part, release, rows, shaped, context)
        elif isinstance(part, Ranks):
            _require(rows is not None and all(_covers(t, rows * factor) for t in part.targets))
        elif isinstance(part, Modes):
            _require(rows is not None and part.score_range >= rows * factor)
        elif isinstance(part, Local):
            _check_local(part, release, shaped, context)
        elif isinstance(part, Sums):
            for family in part.noised:
                _check_family(family, part.bounding, rows, release, shaped, context)
            _check_gaussian(part, context)
            _check_grouping_sets(part, release)
        elif isinstance(part, Histogram | ScaledSums | ScaledScores):
            check_clipped(part, release, shaped, context)
        else:
            assert_never(part)


def _are_counted(part: Presence, release: Release, rows: int | None) -> bool:
    """Whether all that is asked of the groups is their number of units, or of rows where these are counted, and is read
    from the one cell there is."""
    units = {Aggregate.COUNT_UNITS, *({Aggregate.COUNT_ROWS} if rows == 1 else ())}
    kinds = units if part.rows is None else {Aggregate.COUNT_ROWS}
    measured = [(e.measure.aggregate, e.measure.where, e.n) for e in release.estimators]
    return all(k in kinds and where == TRUE and n == ((0, Fraction(1)),) for k, where, n in measured)


def _check_numbered(release: Release, shaped: Shape, context: PlanContext) -> None:
    """Fewer rows than a unit has are left only where conditions on their numbers leave no more."""
    owner, rows = shaped.owner, shaped.table_rows
    if not isinstance(owner, Windows):
        return
    every = shape(owner, context.catalog).table_rows
    if rows != every:
        _require(rows is not None and most_left(release.question.relation, owner, rows, every))


def _check_family(
    family: Family,
    bounding: Bounding,
    rows: int | None,
    release: Release,
    shaped: Shape,
    context: PlanContext,
) -> None:
    """The sensitivity in the norm of the family's mechanism, each from the worst row."""
    factor = context.policy.privacy.neighbours.factor
    _require(all(_adds_up(family, cell) for cell in family.cells))
    _require(not family.widths or len(family.widths) == len(family.cells))
    if _has_total(family):
        _require(family.mechanism is not Mechanism.CUBE and not family.widths)
        most = [_most_counted(family, at) for at in range(len(bounding.totals))]
        _require(family.sensitivity >= factor * _under_totals(bounding, most, shaped, context))
        return
    counted = [t for t in family.terms if t.sum in _ONCE]
    if counted and family.mechanism is not Mechanism.CUBE and family.cells == ((1,),):
        least = least_sensitivity(counted[0], bounding, release, rows, shaped, context)
        _require(least is not None and family.sensitivity >= least)
        return
    _require(family.mechanism is Mechanism.CUBE or all(t.sum is not Sum.UNITS for t in counted))
    _require(all(t.sum is not Sum.DISTINCT_TOTAL for t in counted))
    _require(rows is not None)
    assert rows is not None
    if family.mechanism is Mechanism.CUBE:
        _require(bool(family.widths) and family.sensitivity >= factor * rows)
        each = ((c, cell) for c in range(len(family.cells)) for cell in _moves(family, (c,)))
        _require(all(abs(cell[0]) <= family.widths[c] for c, cell in each))
        return
    every = tuple(range(len(family.cells)))
    worst = ([Fraction(abs(v), family.width(i)) for i, v in enumerate(m) if v] for m in _moves(family, every))
    if family.mechanism is Mechanism.DISCRETE_LAPLACE:
        _require(family.sensitivity >= factor * rows * max(sum(cells) for cells in worst))
    else:
        _require(family.mechanism is Mechanism.DISCRETE_GAUSSIAN)
        squared = max(sum(c * c for c in cells) for cells in worst)
        _require(family.sensitivity**2 >= (factor * rows) ** 2 * squared)


def _adds_up(family: Family, cell: tuple[int, ...]) -> bool:
    """Whether a cell is what `_moves` takes it for: a sum over rows, or a number of distinct things."""
    used = [t for t, c in zip(family.terms, cell, strict=True) if c]
    return len(used) == 1 or not any(t.sum in _ONCE for t in used)


def _most_counted(family: Family, at: int) -> Fraction:
    """How often the clipped value of one row is counted in all cells together, in shares of it, for one total."""
    most = Fraction(0)
    for kind in _kinds([t.where for t in family.terms]):
        counted: dict[tuple[int, Grid], int] = {}
        for i, cell in enumerate(family.cells):
            for t, c in zip(family.terms, cell, strict=True):
                if c and t.where in kind and t.grid is not None:
                    counted[i, t.grid] = counted.get((i, t.grid), 0) + c
        _require(all(at < len(g.reach) for _, g in counted))
        most = max(most, sum((abs(n) * g.reach[at].share for (_, g), n in counted.items()), Fraction(0)))
    return most


def _kinds(conditions: Sequence[Expr]) -> Iterator[frozenset[Expr]]:
    """The conditions that one row can satisfy together, in every way that it can."""
    for number, kind in enumerate(kinds(conditions)):
        _require(number < MOST_KINDS)
        yield kind


def _check_gaussian(part: Sums, context: PlanContext) -> None:
    """The rho of all Gaussian families together is what their epsilon and delta stand for.

    Where rho adds up that is epsilon**2 / 2 without a delta; elsewhere the rho is converted, to a delta that is spent.
    """
    families = [f for f in part.noised if f.mechanism is Mechanism.DISCRETE_GAUSSIAN]
    if not families:
        return
    rho = Fraction(0)
    for f in families:
        _require(f.variance is not None and (f.epsilon, f.delta) == (families[0].epsilon, families[0].delta))
        assert f.variance is not None
        rho += f.sensitivity**2 / (2 * f.variance)
    epsilon, delta = families[0].epsilon, families[0].delta
    if adds_rho(context.policy):
        _require(rho <= epsilon**2 / 2 and delta == 0)
    else:
        _require(zcdp_delta(rho, epsilon) <= delta)


def _check_grouping_sets(part: Sums, release: Release) -> None:
    """Sets are sums of public groups, of which each is in one: then no unit moves them further than the groups."""
    if not isinstance(part, GroupingSetSums):
        return
    _require(all(isinstance(p, Sums) for p in release.parts))
    places = [i for a in part.axes for i in a.places]
    _require(release.keys.domain is not None and release.question.top is None)
    _require(sorted(places) == list(range(len(release.keys.exprs))))
    _require(all(v.share > 0 for v in part.shares) and sum(v.share for v in part.shares) == 1)
    _require(all(set(v.axes) <= set(range(len(part.axes))) for v in part.shares))


def _require(holds: bool) -> None:
    if not holds:
        raise InternalError(f"a stated sensitivity is below the derived one: {_REPORT}")


def _check_local(part: Local, release: Release, shaped: Shape, context: PlanContext) -> None:
    """Neighbours must have the same number of rows and differ in one; every value of it must be on its list.

    That a column's epsilon covers its list follows from the mechanism; here it is one that the kind calls for.
    """
    question, owner, privacy = release.question, shaped.owner, context.policy.privacy
    _require(privacy.neighbours is Neighbours.SUBSTITUTE and release.parts == (part,))
    _require(isinstance(question, LocalQuestion) and isinstance(owner, Scan) and question.relation == owner)
    assert isinstance(question, LocalQuestion) and isinstance(owner, Scan)
    unit = context.catalog.table(privacy.unit.rpartition(".")[0])
    _require(shaped.rows_per_unit == 1 and unit is not None and unit == context.catalog.table(owner.table))
    _require(release.keys.exprs == question.keys and len(question.keys) == len(part.columns) > 0)
    for kind, expr, column in zip(question.kinds, question.keys, part.columns, strict=True):
        _require(column.values == values_of(expr, question.relation, context.catalog))
        _require(column.epsilon > 0 and column.mechanism is mechanism_of(kind, len(column.values)))


def _covers(target: Target, rows: int) -> bool:
    """Whether D_R is at least what so many rows can do: each moves a score as far as the distance to the rank.

    A row below an edge moves the rank there by 1 and the rank aimed at by q, another one the latter alone.
    """
    q = target.level
    moved = max(abs(below - q) for below in (0, 1))
    steps = q.denominator if 0 < q < 1 else 2
    inside = target.inside >= 1 or 0 < q < 1
    return inside and target.epsilon > 0 and target.score_range >= 2 * rows * moved * steps


def _check_scores(
    part: Scores, release: Release, rows: int | None, shaped: Shape, context: PlanContext
) -> None:
    """Scores are what the question asks to choose by; as many are chosen, and nothing is noised before."""
    top, factor = release.question.top, context.policy.privacy.neighbours.factor
    _require(top is not None and 1 <= part.count <= top.count and part.descending == top.descending)
    _require(part.mechanism in (Mechanism.PERMUTE_AND_FLIP, Mechanism.EXPONENTIAL))
    before = release.parts[: release.parts.index(part)]
    _require(all(isinstance(p, Presence) for p in before) and len(part.events) == part.count)
    grid = part.term.grid
    if grid is not None and grid.reach:
        least = _under_totals(part.bounding, [r.share for r in grid.reach], shaped, context)
    else:
        least = _score_range(part.term, rows)
    _require(part.score_range >= factor * least)


def _score_range(term: Term, rows: int | None) -> int:
    """The widest span of the changes that one unit's rows can make: all of them in one group, or none there."""
    if term.sum is Sum.UNITS:
        return 1
    _require(rows is not None)
    assert rows is not None
    low, high = (term.grid.lo, term.grid.hi) if term.sum is Sum.TOTAL and term.grid is not None else (0, 1)
    # a rows up in one group and b down in another, a + b <= rows: linear, so that an end is the most
    return max(a * max(high, 0) - (rows - a) * min(low, 0) for a in (0, rows))


def _check_groups(part: Part, shaped: Shape, context: PlanContext) -> None:
    """Groups are kept as the policy says, where rows have a unit to count by and nothing but units is counted."""
    if part.bounding.groups is None:
        return
    _require(part.bounding.groups == context.policy.privacy.max_groups_per_unit)
    owner = shaped.owner
    _require(not (isinstance(owner, Scan) and context.catalog.policy(owner.table).row_is_unit))
    terms = {t.sum for f in part.families for t in f.terms} if isinstance(part, Sums) else set()
    of_units = isinstance(part, Presence) and part.rows is None
    _require(of_units or terms == {Sum.UNITS})


def _has_total(family: Family) -> bool:
    totals = (t.grid.unit_total if t.grid is not None and t.sum is Sum.TOTAL else None for t in family.terms)
    return all(total is not None for total in totals)


def _under_totals(bounding: Bounding, shares: Sequence[Fraction], shaped: Shape, context: PlanContext) -> int:
    """The most that shares of one unit's clipped values add up to: of the policy's totals, if these are enforced."""
    _require(len(bounding.totals) == len(shares) > 0 and shaped.fan_out is not None)
    assert shaped.fan_out is not None
    columns = {t.grid.arg for t in bounding.totals}
    _require(len(columns) == len(shares) and all(_is_enforced(t, shaped, context) for t in bounding.totals))
    every = zip(bounding.totals, shares, strict=True)
    return sum(int(total.limit * share) for total, share in every) * shaped.fan_out


def _is_enforced(total: UnitTotal, shaped: Shape, context: PlanContext) -> bool:
    """Whether a total is the policy's, of a column of the table whose rows the unit owns."""
    owner, arg = shaped.owner, total.grid.arg
    if not isinstance(owner, Scan) or not isinstance(arg, Column) or arg.scan != owner.index:
        return False
    column = context.catalog.policy(owner.table).column(arg.name)
    if column is None or column.unit_total is None:
        return False
    return total.limit * total.grid.step <= max(column.unit_total, total.grid.step)


_FEW_GRIDS = 2
# The distance of a row's value from the lower end of each grid; None where its values are NULL.
_Row = Mapping[Grid, int] | None
# The places of cells that a term stands in, each with its weight there.
_Weights = list[tuple[int, int]]
_Weighted = list[tuple[Term, _Weights]]


def _moves(family: Family, cells: Sequence[int]) -> Iterator[list[int]]:
    """What one row adds to some of the cells of its group, for rows of every kind and the worst values."""
    used: dict[Expr, _Weighted] = {}
    for t, term in enumerate(family.terms):
        weights = [(place, family.cells[c][t]) for place, c in enumerate(cells) if family.cells[c][t]]
        if weights:
            used.setdefault(term.where, []).append((replace(term, where=TRUE), weights))
    yield [0] * len(cells)
    for kind in _kinds([*used]):
        counting = _alike([term for where in kind for term in used[where]])
        for row in _rows([t for t, _ in counting]):
            moved = [0] * len(cells)
            for term, at in counting:
                value = _term_value(term, row)
                for place, weight in at:
                    moved[place] += weight * value
            yield moved


def _alike(terms: _Weighted) -> _Weighted:
    """The terms of a row that satisfies all of their conditions: what differs in these alone is one, or nothing."""
    total: dict[Term, dict[int, int]] = {}
    for term, at in terms:
        weights = total.setdefault(term, {})
        for place, weight in at:
            weights[place] = weights.get(place, 0) + weight
    kept = ((t, [(p, w) for p, w in weights.items() if w]) for t, weights in total.items())
    return [(t, at) for t, at in kept if at]


def _rows(terms: Sequence[Term]) -> Iterator[_Row]:
    """Rows that are NULL, or stand at the ends or the middle of every grid.

    A row's cells are at most quadratic in each s, and the sum of their absolute values is convex between the roots; the
    ends and the middle of [0, w] are where the cells of the families in use have their extremes.
    """
    grids = tuple(dict.fromkeys(g for t in terms for g in (t.grid, t.other) if g is not None))
    _require(len(grids) <= _FEW_GRIDS)
    yield None
    for places in product((0, 1, 2), repeat=len(grids)):
        yield {g: g.width * place // 2 for g, place in zip(grids, places, strict=True)}


def _term_value(term: Term, row: _Row) -> int:
    if term.sum in (Sum.ROWS, Sum.UNITS):
        return 1
    if row is None:
        return 0
    if term.grid is None:
        return 1
    s = row[term.grid]
    if term.sum is Sum.TOTAL:
        return s + term.grid.lo
    if term.sum is Sum.PRODUCT:
        assert term.other is not None
        i, j = term.powers
        return int(s**i * row[term.other] ** j)
    assert term.sum in (Sum.SHIFTED, Sum.SQUARES)
    return s if term.sum is Sum.SHIFTED else s * s
