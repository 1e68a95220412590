"""Every family spends the same weight on every row, and gives back exactly what was put in."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from statistics import pvariance

import numpy as np
import pytest

from dpsql.algebra.expressions import TRUE, Column
from dpsql.algebra.question import Aggregate, Measure
from dpsql.algebra.types import SqlType
from dpsql.plan.sums import families as fam
from dpsql.plan.sums.families import Option
from dpsql.plan.types import Bounding, Estimator, Family, Grid, Linear, Reach, Sum, Term
from dpsql.release.draw.perform import combined
from dpsql.release.estimate.measures import measure_values

X = Column(0, "x", SqlType.INTEGER)
ROWS = 3
SHAPES = {
    "pair": (fam.pair, False, False),
    "nullable pair": (fam.pair, True, False),
    "pair with NULL cell": (fam.pair, True, True),
    "triple": (fam.triple, False, False),
    "nullable triple": (fam.triple, True, False),
    "triple with NULL cell": (fam.triple, True, True),
}
GRIDS = ((0, 1), (0, 7), (-3, 4), (5, 9), (-9, -2))


def option(shape: str, lo: int, hi: int) -> Option:
    build, nullable, with_null = SHAPES[shape]
    return build(Grid(X, Fraction(1), lo, hi), TRUE, ROWS, Bounding(), nullable, with_null)


def values(term: Term, rows: list[int | None]) -> int:
    """What an engine finds for a term over rows on the grid; None is NULL. Written from the definition of Term."""
    present = [x for x in rows if x is not None]
    grid = term.grid
    if term.sum is Sum.ROWS:
        return len(rows)
    if term.sum is Sum.VALUES:
        return len(present)
    assert grid is not None
    power = {
        Sum.TOTAL: lambda x: x,
        Sum.SHIFTED: lambda x: x - grid.lo,
        Sum.SQUARES: lambda x: (x - grid.lo) ** 2,
    }
    return sum(power[term.sum](x) for x in present)


def cells(family: Family, rows: list[int | None]) -> list[int]:
    exact = [values(t, rows) for t in family.terms]
    return [sum(c * v for c, v in zip(cell, exact, strict=True)) for cell in family.cells]


def functional(linear: Linear, of: list[int]) -> Fraction:
    return sum((c * of[i] for i, c in linear), Fraction(0))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("lo", "hi"), GRIDS)
def test_every_row_spends_exactly_the_same_weight_over_the_cells(shape: str, lo: int, hi: int) -> None:
    family = option(shape, lo, hi).family
    weights = {sum(abs(c) for c in cells(family, [x])) for x in range(lo, hi + 1)}
    assert weights == {Fraction(family.sensitivity, ROWS)}


@pytest.mark.parametrize("shape", SHAPES)
def test_every_cell_of_a_row_is_at_least_zero(shape: str) -> None:
    family = option(shape, -3, 4).family
    assert all(c >= 0 for x in range(-3, 5) for c in cells(family, [x]))


@pytest.mark.parametrize("shape", [s for s, (_, nullable, _) in SHAPES.items() if nullable])
def test_a_row_whose_value_is_null_spends_the_weight_in_one_more_cell_or_nothing(shape: str) -> None:
    family = option(shape, -3, 4).family
    spent = cells(family, [None])
    weight = family.sensitivity // ROWS
    assert spent == ([0] * (len(spent) - 1) + [weight] if shape.endswith("NULL cell") else [0] * len(spent))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("lo", "hi"), GRIDS)
def test_counts_and_moments_come_back_exactly(shape: str, lo: int, hi: int) -> None:
    found = option(shape, lo, hi)
    null = SHAPES[shape][1]
    choices: list[int | None] = [lo, hi, (lo + hi) // 2, *([None] if null else [])]
    for rows in product(choices, repeat=3):
        of = cells(found.family, list(rows))
        present = [x for x in rows if x is not None]
        m = found.moments
        assert functional(m.values, of) == len(present)
        assert functional(m.s1, of) == sum(x - lo for x in present)
        assert functional(m.s2, of) == (sum((x - lo) ** 2 for x in present) if "triple" in shape else 0)
        if SHAPES[shape][2]:
            assert functional(m.rows, of) == len(rows)


@pytest.mark.parametrize("shape", ["triple", "nullable triple", "triple with NULL cell"])
def test_measures_of_cells_without_noise_are_exact(shape: str) -> None:
    lo, hi, step = -3, 9, Fraction(1, 4)
    found = option(shape, lo, hi)
    rows = [-3, 0, 2, 2, 9]
    noisy = np.array([cells(found.family, list(rows))])
    expected = {
        Aggregate.SUM: float(sum(rows) * step),
        Aggregate.AVG: float(Fraction(sum(rows), 5) * step),
        Aggregate.VAR_POP: pvariance(rows) / 16,
        Aggregate.VAR_SAMP: pvariance(rows) / 16 * 5 / 4,
        Aggregate.STDDEV_POP: pvariance(rows) ** 0.5 / 4,
        Aggregate.STDDEV_SAMP: (pvariance(rows) * 5 / 4) ** 0.5 / 4,
        Aggregate.COUNT: 5,
    }
    real = Column(0, "x", SqlType.DOUBLE)
    for aggregate, value in expected.items():
        m = found.moments
        e = Estimator(Measure(aggregate, real), m.values, m.s1, m.s2, lo, step, lo, hi)
        assert measure_values(e, noisy) == pytest.approx([value], rel=1e-12), aggregate


@pytest.mark.parametrize(("lo", "hi"), GRIDS)
def test_a_sum_of_its_own_moves_by_the_largest_value_of_each_row(lo: int, hi: int) -> None:
    family = fam.direct_sum(Grid(X, Fraction(1), lo, hi), TRUE, ROWS, Bounding()).family
    assert max(abs(cells(family, [x])[0]) for x in range(lo, hi + 1)) * ROWS == family.sensitivity


def test_a_sum_under_a_unit_total_moves_by_the_total_and_needs_no_cap_on_rows() -> None:
    grid = Grid(X, Fraction(1), 0, 500, (Reach(Fraction(1), 2000),))
    family = fam.direct_sum(grid, TRUE, None, Bounding()).family
    assert family.sensitivity == 2000


def test_cells_are_combined_exactly_beyond_64_bits() -> None:
    family = option("triple", 0, 2**31 - 2).family
    terms = np.array([[2**62 - 1, 2**61 - 7, 2**40]], dtype=np.int64)
    exact = [[sum(c * int(v) for c, v in zip(cell, terms[0], strict=True)) for cell in family.cells]]
    assert combined(family, terms).tolist() == exact
    assert combined(family, terms.astype(object)).tolist() == exact
