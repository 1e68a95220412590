"""Where a column's grid integers are not clipped again, none of its values has one outside of the limits."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import duckdb

from dpsql.algebra.expressions import Call, Column
from dpsql.algebra.facts import Fact, Facts
from dpsql.algebra.functions import fact_rule
from dpsql.algebra.types import SqlType
from dpsql.engines.sqlgen.grid import grid_sql, is_inside
from dpsql.plan.types import Grid
from dpsql.privacy import Interval

X = Column(0, "x", SqlType.DOUBLE)
WHOLE = Column(0, "i", SqlType.INTEGER)
HALF_UP = [(0.5, 1), (-0.5, -1), (1.5, 2), (2.5, 3), (0.49999999999999994, 0), (-2.5, -3)]


def facts(column: Column, lo: Fraction, hi: Fraction) -> Facts:
    return Facts({column: Fact(column.type, True, Interval(lo, hi))}, fact_rule)


def test_every_value_between_the_bounds_of_a_column_is_inside() -> None:
    draw, inside = random.Random(7), 0
    with duckdb.connect(":memory:") as connection:
        for _ in range(60):
            step = draw.choice((Fraction(1, 100), Fraction(1, 128), Fraction(1, 3), Fraction(5, 2)))
            lo, hi = sorted(
                Fraction(draw.choice((draw.uniform(-9, 9), k / 4))) for k in draw.sample(range(-40, 40), 2)
            )
            ends = [math.floor(lo / step) + draw.choice((0, 1)), math.floor(hi / step) + draw.choice((0, 1))]
            grid, base = Grid(X, step, *ends), facts(X, lo, hi)
            if not is_inside(grid, base):
                continue
            inside += 1
            values = [
                float(lo),
                float(hi),
                *(min(max(draw.uniform(float(lo), float(hi)), lo), hi) for _ in range(40)),
            ]
            integer = grid_sql(grid, base, lambda c: "x")
            listed = ", ".join(f"({float(v)!r}::DOUBLE)" for v in values)
            found = connection.execute(
                f"SELECT min({integer}), max({integer}) FROM (VALUES {listed}) v(x)"
            ).fetchall()
            assert found[0][0] >= grid.lo and found[0][1] <= grid.hi, (lo, hi, step)
    assert 10 < inside < 60


def test_halves_are_rounded_as_the_engine_rounds_them() -> None:
    for number, whole in HALF_UP:
        base = facts(X, Fraction(number), Fraction(number))
        assert is_inside(Grid(X, Fraction(1), whole, whole), base)
        assert not is_inside(Grid(X, Fraction(1), whole + 1, whole + 1), base)
    with duckdb.connect(":memory:") as connection:
        for number, whole in HALF_UP:
            assert connection.execute(f"SELECT round({number!r}::DOUBLE)::BIGINT").fetchall() == [(whole,)]


def test_what_is_computed_is_clipped_and_whole_numbers_need_a_step_of_one() -> None:
    base = facts(WHOLE, Fraction(0), Fraction(9))
    assert is_inside(Grid(WHOLE, Fraction(1), 0, 9), base)
    assert not is_inside(Grid(WHOLE, Fraction(1), 1, 9), base)
    assert not is_inside(Grid(WHOLE, Fraction(1), 0, 8), base)
    assert not is_inside(Grid(WHOLE, Fraction(2), 0, 9), base)
    assert not is_inside(Grid(Call("neg", (WHOLE,), SqlType.INTEGER), Fraction(1), -9, 9), base)
