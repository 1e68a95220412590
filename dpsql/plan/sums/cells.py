"""The cells of a release: exact integers on a grid, and the families of them that are noised together."""

from __future__ import annotations

import enum
from dataclasses import field, fields
from fractions import Fraction

from dpsql.algebra.expressions import TRUE, Expr
from dpsql.privacy import Cost, Event, Mechanism
from dpsql.slotted import dataclass

# The share that a value has of a unit's total is a multiple of 1 / SHARES.
SHARES = 1024


@dataclass(frozen=True, slots=True)
class Reach:
    """How far one unit can move a sum by a column with a unit total: each row by `share` |k|, all by `most`.

    k is the column's clipped integer in a row.
    """

    share: Fraction
    most: int


@dataclass(frozen=True, slots=True)
class Grid:
    """Whole multiples of `step` from lo to hi, onto which the values of `arg` are rounded and clipped.

    `lo` and `hi` are grid integers with lo < hi and both below 2**62 in size. With `reach`, what stands on the grid is
    the value over columns that are clipped to what is left of their unit's totals: a multiple of each of them, clipped
    to its share, or the sum of such multiples.
    """

    arg: Expr
    step: Fraction = field(hash=False)  # Python computes a modular inverse for the hash of a fraction
    lo: int
    hi: int
    reach: tuple[Reach, ...] = ()

    @property
    def unit_total(self) -> int | None:
        """The most that one unit's values add up to in size, where columns with unit totals limit it."""
        return sum(r.most for r in self.reach) if self.reach else None

    @property
    def width(self) -> int:
        """w = hi - lo."""
        return self.hi - self.lo

    @property
    def magnitude(self) -> int:
        """max(|lo|, |hi|)."""
        return max(abs(self.lo), abs(self.hi))


@dataclass(frozen=True, slots=True)
class UnitTotal:
    """One unit's |x| of a base table's column add up to at most `limit`, counted in grid integers of `grid`."""

    grid: Grid
    limit: int


@dataclass(frozen=True, slots=True)
class Bounding:
    """Which rows a part aggregates.

    `table_cap`: the table's own max_rows_per_unit is enforced on the base table, before any filter. `rows`: at most
    so many rows of a unit of the joined and filtered relation are kept. `totals`: columns are clipped to what is left
    of their unit's totals. `groups`: a unit is counted in so many groups; only where nothing else is counted. Rows and
    groups are chosen by content alone.
    """

    table_cap: bool = False
    rows: int | None = None
    totals: tuple[UnitTotal, ...] = ()
    groups: int | None = None


class Sum(enum.StrEnum):
    """The exact integers that an engine computes for each group."""

    ROWS = "rows"
    VALUES = "values"
    TOTAL = "total"
    SHIFTED = "shifted"
    SQUARES = "squares"
    PRODUCT = "product"
    DISTINCT = "distinct"
    DISTINCT_TOTAL = "distinct total"
    UNITS = "units"


@dataclass(frozen=True, slots=True)
class Term:
    """One exact integer for each group, over the rows for which `where` is true.

    ROWS counts them; VALUES counts those where `arg` is not NULL. With g the value of `arg` on `grid`, and NULL left
    out, TOTAL adds up g, SHIFTED g - lo and SQUARES (g - lo)**2. PRODUCT adds up (g - lo)**i (h - lo')**j, where h is
    the value of the argument of the grid `other`, lo' its lower end, and (i, j) are `powers` of at least 1. DISTINCT
    counts distinct values of `arg`, DISTINCT_TOTAL adds up distinct g, and UNITS counts distinct privacy units.
    """

    sum: Sum
    where: Expr = TRUE
    arg: Expr | None = None
    grid: Grid | None = None
    other: Grid | None = None
    powers: tuple[int, int] = (1, 1)

    @property
    def reads(self) -> tuple[Expr, ...]:
        """The expressions that are computed of each row."""
        second = self.other.arg if self.other is not None else None
        return tuple(e for e in (self.where, self.arg, second) if e is not None)


# A linear function of the cells of a release: (index of the cell, coefficient) pairs.
Linear = tuple[tuple[int, Fraction], ...]


@dataclass(frozen=True, slots=True)
class Family:
    """Cells that get one kind of noise at one epsilon; cell i is the combination `cells[i]` of the values of `terms`.

    What `sensitivity` bounds, when one unit comes or goes, depends on the mechanism. Discrete Laplace: the movement of
    the vector of all cells of all groups in L1. Discrete Gaussian: the same in L2; each cell gets noise of parameter
    sigma**2 = `variance`, and `epsilon` and `delta` are those of all Gaussian families of the part together. Cube: the
    sum over the groups of the least whole r with |v_j| <= r * `widths`[j] for the movement v of a group's cells.
    Where the other two have widths, each |v_j| is counted in units of `widths`[j], and the noise of a cell is as many
    times wider. `because` is the reason, for people.
    """

    terms: tuple[Term, ...]
    cells: tuple[tuple[int, ...], ...]
    sensitivity: int
    epsilon: Fraction = field(hash=False)
    because: str
    mechanism: Mechanism = Mechanism.DISCRETE_LAPLACE
    widths: tuple[int, ...] = ()
    variance: Fraction | None = field(default=None, hash=False)
    delta: Fraction = field(default=Fraction(0), hash=False)

    def width(self, cell: int) -> int:
        """What a cell's movement is counted in."""
        return self.widths[cell] if self.widths else 1

    @property
    def event(self) -> Event:
        """What releasing the family alone is charged as.

        Laplace noise of several widths is charged as the worst that an epsilon allows, randomized response: that is
        discrete Laplace noise of sensitivity 1.
        """
        uneven = self.widths and self.mechanism is Mechanism.DISCRETE_LAPLACE
        size = 1 if uneven else self.sensitivity
        squared = size if self.variance is None else size**2
        return Event(self.mechanism, squared, Cost(self.epsilon, self.delta), self.variance)


@dataclass(frozen=True, slots=True)
class Blended(Family):
    """Cells computed from noisy ones: their noise is a sum of independent noises, each (factor, times, family).

    It is what intervals are told from; nothing is drawn or charged as such.
    """

    noises: tuple[tuple[float, int, Family], ...] = ()


def blended(family: Family, noises: tuple[tuple[float, int, Family], ...]) -> Blended:
    """The cells of a family with another noise."""
    return Blended(**{f.name: getattr(family, f.name) for f in fields(Family)}, noises=noises)


def gaussian_event(families: tuple[Family, ...]) -> Event:
    """What Gaussian families are charged as together.

    In units of the standard deviation, each family moves by at most sensitivity / sigma in L2, and their vectors stand
    at right angles: the square of the whole is the sum of the squares, 1 / variance where the sensitivity is 1.
    """
    first = families[0]
    if len(families) == 1:
        return first.event
    moved = sum((f.sensitivity**2 / f.variance for f in families if f.variance is not None), Fraction(0))
    return Event(first.mechanism, 1, Cost(first.epsilon, first.delta), 1 / moved)
