"""A formula that is said to be unmoved has the same value where all measures are multiplied by one number."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

from dpsql.algebra.formula import OPERATIONS, Applied, Formula, Measured, Number, value_of
from dpsql.algebra.formula_degree import is_unmoved

A, B, C = Measured(0), Measured(1), Measured(2)
ZERO, NULL, ONE = Number(Fraction(0)), Number(None), Number(Fraction(1))
SHARE = Applied("div", (A, B))
UNMOVED = (
    SHARE,
    Applied("mul", (Number(Fraction(100)), SHARE)),
    Applied("div", (A, Applied("nullif", (B, ZERO)))),
    Applied("coalesce", (SHARE, ZERO)),
    Applied("round", (SHARE, Number(Fraction(2)))),
    Applied("sub", (ONE, SHARE)),
    Applied("div", (Applied("sub", (A, C)), Applied("add", (B, C)))),
    Applied("case", (Applied("gt", (B, ZERO)), SHARE, NULL)),
    Applied("case", (Applied("gt", (A, B)), ONE, ZERO)),
    Applied("div", (Applied("mul", (A, C)), Applied("mul", (B, B)))),
    ONE,
)
MOVED = (
    A,
    Applied("add", (SHARE, A)),
    Applied("div", (A, Number(Fraction(7)))),
    Applied("div", (A, Applied("add", (B, ONE)))),
    Applied("div", (ONE, B)),
    Applied("mul", (A, B)),
    Applied("round", (A,)),
    Applied("case", (Applied("gt", (B, ONE)), SHARE, NULL)),
    Applied("case", (Applied("gt", (B, ZERO)), A, NULL)),
    Applied("coalesce", (A, ONE)),
    Applied("sqrt", (SHARE,)),
)


@pytest.mark.parametrize("formula", UNMOVED, ids=str)
def test_what_is_a_quotient_in_the_end_stays_as_it_is(formula: Formula) -> None:
    assert is_unmoved(formula)


@pytest.mark.parametrize("formula", MOVED, ids=str)
def test_what_grows_with_the_measures_does_not(formula: Formula) -> None:
    assert not is_unmoved(formula)


ARGUMENTS = {
    **dict.fromkeys(("add", "sub", "mul", "div", "nullif", "coalesce", "greatest", "least", "round"), 2),
    **dict.fromkeys(("eq", "ne", "lt", "le", "gt", "ge"), 2),
    "case": 3,
}


def drawn(draw: random.Random, depth: int) -> Formula:
    if depth == 0 or draw.random() < 0.2:
        return draw.choice((A, B, C, A, B, ZERO, NULL, ONE, Number(Fraction(-5, 2))))
    op = draw.choice([*sorted(OPERATIONS), "div", "div"])
    return Applied(op, tuple(drawn(draw, depth - 1) for _ in range(ARGUMENTS.get(op, 1))))


def valued(formula: Formula, points: list[float]) -> np.ndarray:
    return np.asarray(value_of(formula, lambda i: np.array([points[i]])), np.float64)


def test_it_is_so_of_formulas_of_every_kind() -> None:
    draw, unmoved = random.Random(3), set()
    for _ in range(6_000):
        formula = drawn(draw, 3)
        if not is_unmoved(formula):
            continue
        for times in (2.0, 0.25):
            points = [draw.choice((-3.0, 1.0, 8.0, 40.0)) for _ in range(3)]
            here, there = valued(formula, points), valued(formula, [times * p for p in points])
            assert np.allclose(here, there, equal_nan=True), (formula, points, times)
        if isinstance(formula, Applied):
            unmoved.add(formula.op)
    assert len(unmoved) > 15
