"""From noisy histograms to limits: what each would cost answers, and which are proposed. Nothing here reads data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from dpsql.mechanisms.clipping.clipping_noise import laplace
from dpsql.mechanisms.clipping.limit_curve import Limit, LimitCurve, limit_curve
from dpsql.plan.calibration import Calibration, Found, Size, UnitHistogram
from dpsql.policy.edited import Change
from dpsql.policy.model import Column, ColumnType, Policy, Table
from dpsql.policy.readings import MAX_CAP
from dpsql.slotted import dataclass

GROUPS = (1, 10, 100)
"""The numbers of groups alike for which a limit's bias is told."""
_DIGITS = 3
_CLEARLY = Fraction(9, 10)


@dataclass(frozen=True, slots=True)
class Point:
    """A limit in the column's own unit; how many persons are above it, the median of an answer's noise, and what an
    answer loses with each number of GROUPS."""

    limit: Fraction
    above: int
    noise: Fraction
    bias: tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class Curve:
    """The limits of one histogram: ascending, none where noise hides everybody.

    `best` are those with the least bias and noise together for each number of GROUPS. `current` is the policy's, and
    `proposed` what it should be for the number of groups that was asked for: rounded up, None where nothing is known.
    `errors` are noise and bias together at the current and at the proposed limit, where there are both: what an answer
    of so many groups is off by, a largest value's by one row of each person.
    """

    of: UnitHistogram
    points: tuple[Point, ...]
    best: tuple[Fraction, ...]
    current: Fraction | None
    proposed: Fraction | None
    errors: tuple[Fraction, Fraction] | None = None

    @property
    def is_looser(self) -> bool:
        """Whether the proposed limit is above the policy's."""
        return self.current is not None and self.proposed is not None and self.proposed > self.current

    @property
    def helps(self) -> bool:
        """Whether the proposal is worth a change: a looser limit only where errors fall by a tenth or more.

        A looser limit makes every answer noisier, also those that few persons above it are part of; near the least
        error a step up gains nothing but that.
        """
        if self.proposed is None or self.proposed == self.current:
            return False
        return not self.is_looser or self.errors is None or self.errors[1] <= _CLEARLY * self.errors[0]


def per_query(policy: Policy) -> Fraction:
    """The epsilon of one query that noise is told for: the default's, or the least of the others."""
    if policy.default is not None:
        return policy.default.per_query.epsilon
    others = (*(b for _, b in policy.analysts), *(r.budget for r in policy.roles))
    return min(budget.per_query.epsilon for budget in others)


def curves(made: Calibration, policy: Policy, groups: int) -> tuple[Curve, ...]:
    """The curve of every histogram, the proposals for answers of so many groups.

    Noise and bias of a largest value are those of one row of each person: what more rows add, they add to both.
    """
    return tuple(_curve(one, made, policy, groups) for one in made.found)


def _curve(found: Found, made: Calibration, policy: Policy, groups: int) -> Curve:
    curve = limit_curve(found.counts, histogram=made.noise)
    noise = laplace(per_query(policy), policy.privacy.neighbours).median_error()
    step = found.of.step
    points = tuple(_point(at, noise, step) for at in curve.limits)
    best = tuple(at.cap * step for g in GROUPS if (at := curve.best(g, noise)) is not None)
    proposed = _proposed(curve.best(groups, noise), found.of, _column(policy, found.of))
    current = _current(policy, found.of)
    errors = None
    if current is not None and proposed is not None:
        at_current, at_proposed = (
            _error(at / step, curve, noise, groups) * step for at in (current, proposed)
        )
        errors = at_current, at_proposed
    return Curve(found.of, points, best, current, proposed, errors)


def _error(cap: Fraction, curve: LimitCurve, noise: Fraction, groups: int) -> Fraction:
    """Noise and bias of a limit, which may lie between those of the curve: there the bias is that of a line."""
    return noise * cap + _lost(cap, curve) / groups


def _lost(cap: Fraction, curve: LimitCurve) -> Fraction:
    """What all units lose above a limit. The curve begins at one step, and no limit of a policy is below that."""
    above = next((at for at in curve.limits if at.cap >= cap), None)
    if above is None:
        return Fraction(0)
    below = next((at for at in reversed(curve.limits) if at.cap < cap), None)
    if below is None:
        return above.lost
    share = (cap - below.cap) / (above.cap - below.cap)
    return below.lost + (above.lost - below.lost) * share


def _point(at: Limit, noise: Fraction, step: Fraction) -> Point:
    return Point(at.cap * step, at.above, noise * at.cap * step, tuple(at.bias(g) * step for g in GROUPS))


def _proposed(best: Limit | None, of: UnitHistogram, column: Column | None) -> Fraction | None:
    if best is None:
        return None
    if column is None:
        return Fraction(min(best.cap, MAX_CAP))
    return _rounded_up(best.cap * of.step, column.type is ColumnType.INTEGER)


def _rounded_up(value: Fraction, whole: bool) -> Fraction:
    """The least number of three digits that is not below the value; a whole one for integers."""
    unit = Fraction(1)
    while value / unit >= 10**_DIGITS:
        unit *= 10
    while not whole and value / unit < 10 ** (_DIGITS - 1):
        unit /= 10
    return -(-value // unit) * unit


def _table(policy: Policy, of: UnitHistogram) -> Table:
    return next(t for t in policy.tables if t.name == of.table)


def _column(policy: Policy, of: UnitHistogram) -> Column | None:
    return _table(policy, of).column(of.column) if of.column else None


def _current(policy: Policy, of: UnitHistogram) -> Fraction | None:
    column = _column(policy, of)
    if column is None:
        rows = _table(policy, of).max_rows_per_unit
        return Fraction(rows) if rows is not None else None
    if of.size is Size.TOTAL:
        return column.unit_total
    lower, upper = _ends(column)
    return max(abs(lower), abs(upper))


def _ends(column: Column) -> tuple[Fraction, Fraction]:
    assert isinstance(column.lower, int | Fraction) and isinstance(column.upper, int | Fraction)
    return Fraction(column.lower), Fraction(column.upper)


def changes(found: Sequence[Curve], policy: Policy) -> tuple[Change, ...]:
    """What the policy would say instead; nothing for limits of which nothing is known or whose proposal is no help."""
    return tuple(change for curve in found for change in _changes(curve, policy))


def _changes(curve: Curve, policy: Policy) -> Iterator[Change]:
    if curve.proposed is None or not curve.helps:
        return
    of, column = curve.of, _column(policy, curve.of)
    if column is not None and of.size is Size.LARGEST:
        yield from _bounds(curve, column, curve.proposed)
    else:
        yield Change(of.table, of.column or None, of.size.value, curve.proposed)


def _bounds(curve: Curve, column: Column, largest: Fraction) -> Iterator[Change]:
    """Bounds that hold values up to this size: the lower one moves only where it is narrower, as 0 may be known.

    So does the upper one, save where the limit is a looser one. Where these would be no bounds, those of the policy
    stay.
    """
    of, (lower, upper) = curve.of, _ends(column)
    ends = max(lower, -largest), largest if curve.is_looser and upper > 0 else min(upper, largest)
    if ends[1] - ends[0] < (column.step or 0) or ends[0] >= ends[1]:
        return
    for key, before, after in (("lower", lower, ends[0]), ("upper", upper, ends[1])):
        if before != after:
            yield Change(of.table, of.column, key, after)
