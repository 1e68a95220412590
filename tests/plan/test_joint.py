"""Sums of two columns: every row spends the same weight, all moments come back, and products fit the engine."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

from dpsql.algebra.expressions import TRUE, Column
from dpsql.algebra.types import SqlType
from dpsql.plan.sums import families as fam
from dpsql.plan.sums.families import Option
from dpsql.plan.types import Bounding, Grid, Linear, Sum, Term
from plan.opened import Table, release

Y, X = Column(0, "y", SqlType.INTEGER), Column(0, "x", SqlType.INTEGER)
ROWS = 3
DEGREES = tuple(product((1, 2), repeat=2))
Pair = tuple[int, int]
RANGES = ((0, 1, -3, 4), (5, 9, 0, 7), (-9, -2, -1, 0))


def option(degrees: Pair, ranges: tuple[int, int, int, int]) -> Option:
    y, x = Grid(Y, Fraction(1), *ranges[:2]), Grid(X, Fraction(1), *ranges[2:])
    return fam.joint(y, x, TRUE, ROWS, Bounding(), degrees)


def of_row(term: Term, row: Pair) -> int:
    """What one row adds to a term, from the definition of Term."""
    place = {Y: row[0], X: row[1]}
    if term.sum is Sum.ROWS:
        return 1
    assert term.grid is not None
    s = place[term.grid.arg] - term.grid.lo  # type: ignore[index]
    if term.sum is Sum.PRODUCT:
        assert term.other is not None
        i, j = term.powers
        return s**i * (place[term.other.arg] - term.other.lo) ** j  # type: ignore[index, no-any-return]
    return {Sum.SHIFTED: s, Sum.SQUARES: s * s}[term.sum]


def cells(found: Option, rows: list[Pair]) -> list[int]:
    exact = [sum(of_row(t, r) for r in rows) for t in found.family.terms]
    return [sum(c * v for c, v in zip(cell, exact, strict=True)) for cell in found.family.cells]


def functional(linear: Linear, of: list[int]) -> Fraction:
    return sum((c * of[i] for i, c in linear), Fraction(0))


@pytest.mark.parametrize("degrees", DEGREES)
@pytest.mark.parametrize("ranges", RANGES)
def test_every_row_spends_exactly_the_weight_of_the_claim_and_no_cell_is_negative(
    degrees: Pair, ranges: tuple[int, int, int, int]
) -> None:
    found = option(degrees, ranges)
    for row in product(range(ranges[0], ranges[1] + 1), range(ranges[2], ranges[3] + 1)):
        of = cells(found, [row])
        assert min(of) >= 0
        assert sum(of) * ROWS == found.family.sensitivity


@pytest.mark.parametrize("degrees", DEGREES)
@pytest.mark.parametrize("ranges", RANGES)
def test_the_moments_of_both_columns_come_back_exactly(
    degrees: Pair, ranges: tuple[int, int, int, int]
) -> None:
    found = option(degrees, ranges)
    lo, hi, low, high = ranges
    rows = [(lo, high), (hi, low), (hi, high), (lo + 1, low + 1)]
    of, m = cells(found, rows), found.moments
    shifted = [(y - lo, x - low) for y, x in rows]
    assert functional(m.values, of) == 4
    assert functional(m.s1, of) == sum(s for s, _ in shifted)
    assert functional(m.x1, of) == sum(t for _, t in shifted)
    assert functional(m.product, of) == sum(s * t for s, t in shifted)
    assert functional(m.s2, of) == (sum(s * s for s, _ in shifted) if degrees[0] == 2 else 0)
    assert functional(m.x2, of) == (sum(t * t for _, t in shifted) if degrees[1] == 2 else 0)


COLUMNS = {
    "x": "integer, lower: 0, upper: 10",
    "y": "integer, lower: -5, upper: 5, nullable: true",
    "f": "float, lower: -1, upper: 1",
    "g": "float, lower: 0, upper: 1000000",
    "wide": "integer, lower: 0, upper: 4611686018427387",
}
QUERIES = {
    "COVAR_POP(x, y)": (2, 2, 20 * 10 * 10),
    "COVAR_SAMP(x, y), REGR_SXY(x, y), REGR_COUNT(x, y)": (2, 2, 20 * 10 * 10),
    "REGR_SLOPE(x, y)": (2, 3, 20 * 10 * 100),
    "CORR(x, y), COVAR_POP(x, y), REGR_AVGX(x, y)": (3, 3, 20 * 100 * 100),
}


@pytest.mark.parametrize("query", QUERIES)
def test_a_query_gets_the_least_products_that_serve_it(query: str, tmp_path: Path) -> None:
    session = Table(COLUMNS, privacy="max_rows_per_unit: 20").open(tmp_path)
    family = release(session, f"SELECT {query} FROM t").families
    p, q, sensitivity = QUERIES[query]
    assert [len(f.cells) for f in family] == [p * q]
    assert family[0].sensitivity == sensitivity


@pytest.mark.parametrize("pair", ["f, g", "g, wide", "wide, wide", "x, wide", "wide, f"])
def test_products_of_squares_fit_the_engine_on_a_grid_of_the_policy_alone(pair: str, tmp_path: Path) -> None:
    session = Table(COLUMNS, privacy="max_rows_per_unit: 20").open(tmp_path)
    (family,) = release(session, f"SELECT CORR({pair}) FROM t").families
    grids = [(t.grid, t.other) for t in family.terms if t.sum is Sum.PRODUCT]
    for y, x in grids:
        assert y is not None
        assert x is not None
        assert (y.width * x.width) ** 2 < 2**62
        assert y.width * x.width >= 2**28
