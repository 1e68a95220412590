"""Whether a cell of a family may be negative, found by trying the rows at which it is least.

What a row adds is a sum over the conditions that it satisfies, and for each of these a polynomial in how far its values
lie above the lower ends of their grids: whole numbers from 0 to w. With one column of degree 2 at most, the least of it
stands at an end or next to the vertex.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

from dpsql.algebra.expressions import Expr
from dpsql.plan.types import Family, Grid, Sum, Term

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
