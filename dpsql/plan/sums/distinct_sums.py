"""How far one unit moves a sum of different values, and the family that releases it.

SUM(DISTINCT x) of a group is the sum over a set S of grid integers in [lo, hi]: all that its rows have. The rows of a
unit that comes add a set A of integers that are not in S, one for each of its rows at most, and move the sum by the sum
over A; a unit that goes takes such a set away. So over groups j with k_j rows of the unit the sums move, in L1, by

    sum over j of |sum over A_j|,  |A_j| <= k_j,  k_1 + k_2 + ... <= m.

Let r(k) be the most that k different values add up to on one side of 0. Then each |sum over A_j| is at most r(k_j), and
r(k) <= k r(1), so that the whole is at most m r(1), the number of rows times the greatest |x|. It is also at most
g r(min(m, n)) where a unit is in g groups and there are n values: in one group only the m values farthest from 0
count, and where all n values together weigh less than that, no cap on rows is needed. With one group the bound is
reached: by rows with the values farthest from 0 in a group that has none of them.

Under substitute a unit that goes and one that comes move twice that; and since the sum of a group lies between the sum
of all values below 0 and that of all above it, no two databases lie farther apart than the groups times that range.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from dpsql.algebra.catalog import Catalog
from dpsql.algebra.expressions import Expr
from dpsql.algebra.question import Question
from dpsql.algebra.shape import Shape
from dpsql.algebra.types import SqlType
from dpsql.plan.contribution import Contribution
from dpsql.plan.sums.families import Moments, Option, direct
from dpsql.plan.sums.grids import column_policy
from dpsql.plan.types import Bounding, Grid, Sum, Term
from dpsql.slotted import dataclass


@dataclass(frozen=True, slots=True)
class SummedValues:
    """What the values of a sum can be: at most `count` integers of a grid, or some of those in `listed`."""

    grid: Grid
    count: int
    listed: frozenset[int] | None = None

    def most(self, count: int) -> int:
        """r(count): the most that so many different values add up to on one side of 0; at least 1."""
        return max(*self._ends(min(count, self.count)), 1)

    @property
    def range(self) -> int:
        """How far apart two sums of different values can lie; at least 1."""
        return max(sum(self._ends(self.count)), 1)

    def _ends(self, count: int) -> tuple[int, int]:
        """The most that so many values add up to below and above 0."""
        if self.listed is None:
            return _first(-self.grid.lo, count), _first(self.grid.hi, count)
        below, above = ([s * v for v in self.listed if s * v > 0] for s in (-1, 1))
        return sum(sorted(below)[-count:]), sum(sorted(above)[-count:])


def _first(largest: int, count: int) -> int:
    """largest + (largest - 1) + ..., so many terms of it, as long as they are above 0."""
    terms = max(0, min(largest, count))
    return terms * largest - terms * (terms - 1) // 2


def summed_values(on: Grid, count: int | None, shape: Shape, catalog: Catalog) -> SummedValues:
    """The values on a grid, at most `count` where that is known; a policy's list of integers is taken as it is.

    Numbers of a list that are rounded to a grid are not: the engine rounds quotients of doubles.
    """
    width = on.hi - on.lo + 1
    policy = column_policy(on.arg, shape, catalog)
    exact = on.arg.type is SqlType.INTEGER and on.step == 1
    listed = None
    if exact and policy is not None and policy.values is not None:
        listed = frozenset(min(max(int(str(v)), on.lo), on.hi) for v in policy.values)
    return SummedValues(on, width if count is None else min(max(count, 1), width), listed)


def distinct_sum(
    values: SummedValues, where: Expr, limits: Contribution, question: Question, shown: int | None
) -> Option:
    """The sum of different values in a cell of its own; `shown` are the groups that are shown, where that is known.

    Raises QueryRefused where nothing limits the rows of a unit and its groups are private.
    """
    known = [n for n in (limits.in_any_case, shown) if n is not None]
    groups = min(known) if limits.in_any_case is not None else None
    free = None if groups is None else groups * values.most(values.count)
    rows = limits.limit(question) if free is None else limits.rows
    by_rows = _by_rows(values, rows, groups)
    option: Option
    if free is None or (by_rows is not None and by_rows < free):
        assert by_rows is not None
        because = "a unit brings at most so many different values, each of them once to a group"
        option = _alone(values, where, by_rows, limits.bounding, because)
    else:
        because = f"{values.count} different values at most, in each of a unit's groups"
        option = _alone(values, where, free, Bounding(table_cap=limits.bounding.table_cap), because)
    return option if shown is None else replace(option, within=values.range * shown)


def _by_rows(values: SummedValues, rows: int | None, groups: int | None) -> int | None:
    """min(m r(1), g r(m)); None where nothing limits the rows of a unit."""
    if rows is None:
        return None
    bounds = [rows * values.most(1), *([] if groups is None else [groups * values.most(rows)])]
    return min(bounds)


def _alone(values: SummedValues, where: Expr, most: int, bounding: Bounding, because: str) -> Option:
    """Its rows do not move it by equal parts, so that it shares no epsilon with what is asked of other rows."""
    grid = values.grid
    made = direct(Term(Sum.DISTINCT_TOTAL, where, grid.arg, grid), most, bounding, because)
    return replace(made, moments=Moments(((0, Fraction(grid.step)),)), by_rows=False)
