"""Families of cells: which exact sums are noised together so that every aggregate asked for comes out of them.

A *family* is a partition of weight. A row with a value x on the grid spends exactly w over the pair
(x - lo, hi - x), and exactly w**2 over the triple (s**2, 2st, t**2) with s = x - lo and t = hi - x (the Bernstein
basis of degree 1 and 2): whatever its value, the row moves the whole vector by w, or w**2, in L1. A row whose value
is NULL may spend the same weight in one more cell. So each family has the sensitivity m * w, or m * w**2, jointly
over all cells and groups, and all of its cells are released at the family's full epsilon.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from dpsql.algebra.expr import Expr
from dpsql.plan.types import Bounding, Family, Grid, Linear, Sum, Term

_UNSET = Fraction(1)


@dataclass(frozen=True, slots=True)
class Moments:
    """What a family's cells say, as linear functions of them: number of values, of rows, sums of s and of s**2."""

    values: Linear
    rows: Linear = ()
    s1: Linear = ()
    s2: Linear = ()


@dataclass(frozen=True, slots=True)
class Option:
    """A family that could be released, before its epsilon is fixed, and what would come out of it."""

    family: Family
    moments: Moments
    bounding: Bounding


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
    else:
        assert rows is not None
        sensitivity, because = rows * grid.magnitude, "rows per unit times the largest |x|"
    one: Linear = ((0, Fraction(1)),)
    return Option(Family((term,), ((1,),), sensitivity, _UNSET, because), Moments((), (), one), bounding)


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


def squares(linear: Linear) -> Fraction:
    """The sum of the squared coefficients: the variance of the function when each cell's noise has variance 1."""
    return sum((c * c for _, c in linear), Fraction(0))
