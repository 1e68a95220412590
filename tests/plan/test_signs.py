"""Which families are held never to go below 0: two routes, and every row of small grids."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from dpsql.algebra.expressions import Column
from dpsql.algebra.types import SqlType
from dpsql.plan.sums.cells import Bounding, Family, Grid, Sum, Term
from dpsql.plan.sums.families import centred, direct_sum, joint, pair, triple
from dpsql.plan.sums.signs import never_negative
from dpsql.plan.verify.cost_clipped import may_be_negative

TRUE = Term(Sum.ROWS).where
X, Y = (Column(0, name, SqlType.INTEGER) for name in ("x", "y"))
UP, DOWN = Grid(X, Fraction(1), 0, 4), Grid(X, Fraction(1), -2, 2)


def option(made: object) -> Family:
    return made.family  # type: ignore[attr-defined,no-any-return]


FAMILIES = {
    "counts": (
        Family((Term(Sum.ROWS), Term(Sum.VALUES, TRUE, X)), ((1, 0), (0, 1)), 1, Fraction(1), ""),
        True,
    ),
    "a sum from 0": (option(direct_sum(UP, TRUE, 1, Bounding())), True),
    "a signed sum": (option(direct_sum(DOWN, TRUE, 1, Bounding())), False),
    "a centred sum": (option(centred(UP, TRUE, 1, Bounding(), nullable=True)), False),
    "a pair": (option(pair(DOWN, TRUE, 1, Bounding(), nullable=True, with_null=True)), True),
    "a triple": (option(triple(DOWN, TRUE, 1, Bounding(), nullable=True, with_null=True)), True),
}


@pytest.mark.parametrize("name", FAMILIES)
def test_both_routes_say_what_the_families_are(name: str) -> None:
    family, counts = FAMILIES[name]
    assert never_negative(family.terms, family.cells) is counts
    assert may_be_negative(family) is not counts


def test_products_of_two_columns_count_as_signed() -> None:
    family = option(joint(UP, Grid(Y, Fraction(1), 0, 3), TRUE, 1, Bounding(), (1, 1)))
    assert not never_negative(family.terms, family.cells) and may_be_negative(family)


def test_neither_route_holds_a_cell_for_a_count_that_some_row_takes_below_0() -> None:
    """Every combination of few coefficients, tried on every row: the planner's route claims no more than the check."""
    terms = (
        Term(Sum.SQUARES, TRUE, X, UP),
        Term(Sum.SHIFTED, TRUE, X, UP),
        Term(Sum.VALUES, TRUE, X),
        Term(Sum.ROWS),
    )
    held = 0
    for cell in product((-1, 0, 1), (-5, -4, -2, 0, 1, 4), (-3, 0, 3, 4, 16), (0, -1, 3)):
        family = Family(terms, (cell,), 1, Fraction(1), "")
        square, slope, values, rows = cell
        least = min(rows, *(square * s * s + slope * s + values + rows for s in range(5)))
        assert may_be_negative(family) is (least < 0)
        assert not never_negative(family.terms, family.cells) or least >= 0
        held += never_negative(family.terms, family.cells)
    assert held > 50
