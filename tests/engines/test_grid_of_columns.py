"""Where grid integers are not clipped again, no value of a column or of an expression has one outside of the limits."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import product

import duckdb

from dpsql.algebra.expressions import Call, Column, Expr, Literal
from dpsql.algebra.facts import Fact, Facts
from dpsql.algebra.functions import apply, fact_rule
from dpsql.algebra.functions.casts import cast
from dpsql.algebra.types import SqlType
from dpsql.engines.sqlgen.grid import clipped, grid_sql, is_inside
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


def test_no_sum_product_or_choice_of_values_between_bounds_is_outside() -> None:
    """At the ends of all columns, where rounding goes furthest, and between them."""
    draw, inside = random.Random(11), 0
    columns = [X, Column(0, "y", SqlType.DOUBLE), WHOLE]
    with duckdb.connect(":memory:") as connection:
        for _ in range(150):
            ends = {c: sorted(_end(draw, c) for _ in range(2)) for c in columns}
            base = Facts({c: Fact(c.type, False, Interval(*ends[c])) for c in columns}, fact_rule)
            value = _expression(draw, columns, 3)
            interval = base.of(value).interval
            assert interval is not None
            step = draw.choice((Fraction(1, 100), Fraction(1, 128), Fraction(1, 3), Fraction(1)))
            if value.type is SqlType.INTEGER:
                step = Fraction(1)
            least, most = (round(end / step) for end in (interval.lo, interval.hi))
            grid = Grid(value, step, least + draw.choice((0, 0, 1)), most)
            if not is_inside(grid, base):
                continue
            inside += 1
            rows = [*product(*ends.values())]
            rows += [tuple(_between(draw, c, *ends[c]) for c in columns) for _ in range(20)]
            listed = ", ".join(
                f"({float(x)!r}::DOUBLE, {float(y)!r}::DOUBLE, {int(i)}::BIGINT)" for x, y, i in rows
            )
            integer = grid_sql(grid, base, lambda c: c.name)
            asked = f"SELECT min(v), max(v) FROM (SELECT {integer} AS v FROM (VALUES {listed}) v(x, y, i))"
            ((low, high),) = connection.execute(asked).fetchall()
            assert grid.lo <= low and high <= grid.hi, (value, ends)
    assert 40 < inside < 150


def _end(draw: random.Random, column: Column) -> Fraction:
    if column.type is SqlType.INTEGER:
        return Fraction(draw.randint(-9, 9))
    return Fraction(draw.choice((draw.uniform(-9, 9), draw.randint(-90, 90) / 10, draw.randint(-36, 36) / 4)))


def _between(draw: random.Random, column: Column, lo: Fraction, hi: Fraction) -> Fraction:
    if column.type is SqlType.INTEGER:
        return Fraction(draw.randint(int(lo), int(hi)))
    return min(max(Fraction(draw.uniform(float(lo), float(hi))), lo), hi)


def _expression(draw: random.Random, columns: list[Column], depth: int) -> Expr:
    """A number made of columns and constants by what is counted on to be exact, or rounded correctly."""
    if not depth or draw.random() < 0.2:
        return draw.choice([*columns, Literal(0.1, SqlType.DOUBLE), Literal(3, SqlType.INTEGER)])
    x, y = (_expression(draw, columns, depth - 1) for _ in range(2))
    match draw.choice(("add", "sub", "mul", "neg", "abs", "case", "coalesce", "cast")):
        case "case":
            return apply("case", (apply("lt", (x, y)), x, y))
        case "cast":
            return cast(x, SqlType.DOUBLE)
        case "neg" | "abs" as op:
            return apply(op, (x,))
        case op:
            return apply(op, (x, y))


def test_what_a_library_computes_is_clipped_and_whole_numbers_need_a_step_of_one() -> None:
    base = facts(WHOLE, Fraction(0), Fraction(9))
    assert is_inside(Grid(WHOLE, Fraction(1), 0, 9), base)
    assert not is_inside(Grid(WHOLE, Fraction(1), 1, 9), base)
    assert not is_inside(Grid(WHOLE, Fraction(1), 0, 8), base)
    assert not is_inside(Grid(WHOLE, Fraction(2), 0, 9), base)
    assert is_inside(Grid(Call("neg", (WHOLE,), SqlType.INTEGER), Fraction(1), -9, 9), base)
    positive = facts(X, Fraction(1), Fraction(9))
    assert is_inside(Grid(X, Fraction(1), 0, 9), positive)
    for logarithm in (apply("ln", (X,)), apply("add", (apply("ln", (X,)), X))):
        assert not is_inside(Grid(logarithm, Fraction(1), -99, 99), positive)


def test_what_is_clipped_stays_null_where_it_is() -> None:
    within = clipped("v", Grid(X, Fraction(1), 2, 5))
    with duckdb.connect(":memory:") as connection:
        for value, wanted in ((None, None), (1, 2), (2, 2), (4, 4), (5, 5), (9, 5)):
            assert connection.execute(
                f"SELECT {within} FROM (SELECT $1::BIGINT AS v)", [value]
            ).fetchall() == [(wanted,)]
