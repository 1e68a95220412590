"""Families of cells: which exact sums are noised together so that every aggregate asked for comes out of them.

A *family* is a partition of weight. A row with a value x on the grid spends exactly w over the pair
(x - lo, hi - x), and exactly w**2 over the triple (s**2, 2st, t**2) with s = x - lo and t = hi - x (the Bernstein
basis of degree 1 and 2): whatever its value, the row moves the whole vector by w, or w**2, in L1. A row whose value
is NULL may spend the same weight in one more cell. Of two columns, the products of both bases, of degrees p and q, are
a basis in which every row spends w**p w'**q. So each family has the sensitivity m * w, m * w**2 or m * w**p w'**q
jointly over all cells and groups, and all of its cells are released at the family's full epsilon.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from fractions import Fraction
from itertools import product
from math import comb

from dpsql.algebra.expressions import Expr
from dpsql.plan.types import Bounding, Family, Grid, Linear, Sum, Term
from dpsql.privacy import Mechanism
from dpsql.slotted import dataclass

_UNSET = Fraction(1)


@dataclass(frozen=True, slots=True)
class Moments:
    """What a family's cells say, as linear functions of them: number of values, of rows, sums of s and of s**2.

    Of two columns also the sums of s', s'**2 and s s'.
    """

    values: Linear
    rows: Linear = ()
    s1: Linear = ()
    s2: Linear = ()
    x1: Linear = ()
    x2: Linear = ()
    product: Linear = ()


@dataclass(frozen=True, slots=True)
class Option:
    """A family that could be released, before its epsilon is fixed, and what would come out of it.

    A unit moves the family by at most `within` whatever its rows were before: then a replaced unit moves it no further.
    `by_rows` says that each of its rows moves the family by an equal part at most, so that rows can be divided among
    families.
    """

    family: Family
    moments: Moments = field(hash=False)
    bounding: Bounding
    without: tuple[Expr, ...] = ()
    within: int | None = None
    by_rows: bool = True

    @property
    def where(self) -> Expr:
        """The condition on the rows; those that satisfy one of `without` are left out."""
        return self.family.terms[0].where

    def moved(self, factor: int) -> int:
        """How far neighbours can lie apart that differ in `factor` versions of a unit's rows."""
        most = self.family.sensitivity * factor
        return most if self.within is None else min(most, self.within)


def direct(term: Term, sensitivity: int, bounding: Bounding, because: str) -> Option:
    """One cell that is one term: a count, or a number of distinct values or units."""
    one: Linear = ((0, Fraction(1)),)
    return Option(Family((term,), ((1,),), sensitivity, _UNSET, because), Moments(one, one), bounding)


def direct_sum(grid: Grid, where: Expr, rows: int | None, bounding: Bounding) -> Option:
    """One cell that is the sum of x on the grid: m * max(|lo|, |hi|), or the unit total, which needs no row cap."""
    term = Term(Sum.TOTAL, where, grid.arg, grid)
    if grid.unit_total is not None:
        sensitivity = grid.unit_total
        because = "a unit's |x| add up to at most its unit_total"
        because += (
            "" if all(r.share == 1 for r in grid.reach) else ", and a multiple of x to as many times that"
        )
    else:
        assert rows is not None
        sensitivity, because = rows * grid.magnitude, "rows per unit times the largest |x|"
    one: Linear = ((0, Fraction(1)),)
    return Option(Family((term,), ((1,),), sensitivity, _UNSET, because), Moments((), (), one), bounding)


def centred(grid: Grid, where: Expr, rows: int, bounding: Bounding, nullable: bool) -> Option:
    """One cell that is the sum of 2x - lo - hi, which a row moves by hi - lo at most; the count is another cell's."""
    w = grid.width
    terms: tuple[Term, ...] = (Term(Sum.SHIFTED, where, grid.arg, grid), _present(grid, where, nullable))
    family = Family(terms, ((2, -w),), rows * w, _UNSET, "a row moves a centred sum by hi - lo")
    return Option(family, Moments((), (), ((0, Fraction(1, 2)),)), bounding)


def cube(options: Sequence[Option], rows: int) -> Family:
    """One-cell families as one vector: a row moves cell j by at most its width, whatever the others do."""
    terms = tuple(dict.fromkeys(t for o in options for t in o.family.terms))
    cells = []
    for o in options:
        weights = dict(zip(o.family.terms, o.family.cells[0], strict=True))
        cells.append(tuple(weights.get(t, 0) for t in terms))
    widths = tuple(o.family.sensitivity // rows for o in options)
    because = f"a row moves each of {len(options)} cells by at most its width, all of them at once"
    return Family(terms, tuple(cells), rows, _UNSET, because, Mechanism.CUBE, widths)


def pair(grid: Grid, where: Expr, rows: int, bounding: Bounding, nullable: bool, with_null: bool) -> Option:
    """The cells (sum of s, sum of t), and one of weight w for the rows whose value is NULL."""
    w = grid.width
    terms: tuple[Term, ...] = (Term(Sum.SHIFTED, where, grid.arg, grid), _present(grid, where, nullable))
    cells: tuple[tuple[int, ...], ...] = ((1, 0), (-1, w))
    if with_null:
        terms += (Term(Sum.ROWS, where),)
        cells = (*((*c, 0) for c in cells), (0, -w, w))
    each = Fraction(1, w)
    values: Linear = ((0, each), (1, each))
    counted: Linear = (*values, (2, each)) if with_null else values
    family = Family(terms, cells, rows * w, _UNSET, "each row spends exactly hi - lo over the cells")
    return Option(family, Moments(values, counted, ((0, Fraction(1)),)), bounding)


def triple(grid: Grid, where: Expr, rows: int, bounding: Bounding, nullable: bool, with_null: bool) -> Option:
    """The cells (sum of s**2, sum of 2st, sum of t**2), and one of weight w**2 for NULL values."""
    w = grid.width
    terms: tuple[Term, ...] = (
        Term(Sum.SQUARES, where, grid.arg, grid),
        Term(Sum.SHIFTED, where, grid.arg, grid),
        _present(grid, where, nullable),
    )
    cells: tuple[tuple[int, ...], ...] = ((1, 0, 0), (-2, 2 * w, 0), (1, -2 * w, w * w))
    if with_null:
        terms += (Term(Sum.ROWS, where),)
        cells = (*((*c, 0) for c in cells), (0, 0, -w * w, w * w))
    each = Fraction(1, w * w)
    values: Linear = ((0, each), (1, each), (2, each))
    counted: Linear = (*values, (3, each)) if with_null else values
    s1: Linear = ((0, Fraction(1, w)), (1, Fraction(1, 2 * w)))
    family = Family(terms, cells, rows * w * w, _UNSET, "each row spends exactly (hi - lo)**2 over the cells")
    return Option(family, Moments(values, counted, s1, ((0, Fraction(1)),)), bounding)


def joint(y: Grid, x: Grid, where: Expr, rows: int, bounding: Bounding, degrees: tuple[int, int]) -> Option:
    """The (p + 1) (q + 1) products of the bases of s = y - lo and s' = x - lo', of degrees (p, q); `where` leaves out
    the rows in which a value is NULL.

    Cell (a, b) is the sum of C(p, a) s**a t**(p - a) C(q, b) s'**b t'**(q - b), so that the sum of s**i s'**j is the
    sum over a >= i, b >= j of C(a, i) / C(p, i) C(b, j) / C(q, j) / (w**(p - i) w'**(q - j)) times cell (a, b).
    """
    p, q = degrees
    places = tuple(product(range(p + 1), range(q + 1)))
    terms = tuple(_monomial(y, x, where, i, j) for i, j in places)
    weight = y.width**p * x.width**q
    cells = tuple(
        tuple(_expanded(p, a, i, y.width) * _expanded(q, b, j, x.width) for i, j in places) for a, b in places
    )

    def moment(i: int, j: int) -> Linear:
        if i > p or j > q:
            return ()
        scale = Fraction(1, y.width ** (p - i) * x.width ** (q - j) * comb(p, i) * comb(q, j))
        shares = ((at, comb(a, i) * comb(b, j) * scale) for at, (a, b) in enumerate(places))
        return tuple((at, share) for at, share in shares if share)

    n = moment(0, 0)
    moments = Moments(n, n, moment(1, 0), moment(2, 0), moment(0, 1), moment(0, 2), moment(1, 1))
    because = "each row spends exactly " + " ".join(
        "(hi - lo)" + "**2" * (d == 2) + f" of {name}" for name, d in (("y", p), ("x", q))
    )
    return Option(Family(terms, cells, rows * weight, _UNSET, f"{because} over the cells"), moments, bounding)


def _expanded(degree: int, a: int, i: int, w: int) -> int:
    """The coefficient of s**i in C(degree, a) s**a (w - s)**(degree - a)."""
    k = i - a
    return comb(degree, a) * comb(degree - a, k) * (-1) ** k * w ** (degree - i) if k >= 0 else 0


def _monomial(y: Grid, x: Grid, where: Expr, i: int, j: int) -> Term:
    """The sum of s**i s'**j; where one power is 0 it is a sum of one column."""
    if i and j:
        return Term(Sum.PRODUCT, where, y.arg, y, x, (i, j))
    power, grid = max(i, j), y if i else x
    if power == 0:
        return Term(Sum.ROWS, where)
    return Term(Sum.SHIFTED if power == 1 else Sum.SQUARES, where, grid.arg, grid)


def _present(grid: Grid, where: Expr, nullable: bool) -> Term:
    """The rows that have a value: all of them where it is never NULL."""
    return Term(Sum.VALUES, where, grid.arg) if nullable else Term(Sum.ROWS, where)


def shifted(linear: Linear, by: int) -> Linear:
    """The same function of cells that stand `by` places further on."""
    return tuple((i + by, c) for i, c in linear)


def combined(*weighted: tuple[Fraction, Linear]) -> Linear:
    """A weighted sum of linear functions."""
    total: dict[int, Fraction] = {}
    for weight, linear in weighted:
        for i, c in linear:
            total[i] = total.get(i, Fraction(0)) + weight * c
    return tuple(sorted(total.items()))
