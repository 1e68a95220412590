"""A range of doubles ends in doubles, which is what a value is rounded to, and values near its ends lie within it."""

import math
import random
from fractions import Fraction

import pytest
from edges import INT, NATURAL, D, Engine, breaches, rendered
from function_cases import CASES, COLUMNS, call, lit
from test_totality import assignments

from dpsql.algebra.expressions import Column, Expr, columns_of
from dpsql.algebra.facts import Fact, Facts
from dpsql.algebra.functions import Mistyped, apply, cast, fact_rule
from dpsql.algebra.types import SqlType
from dpsql.privacy import Interval

A, B, X, Y = (COLUMNS[name] for name in "abxy")
PRODUCT = cast(apply("mul", (A, B)), D)
SHAPES: tuple[Expr, ...] = (
    *(apply(op, (X, Y)) for op in ("add", "sub", "mul", "div", "mod", "least")),
    *(apply(op, (A, B)) for op in ("add", "sub", "mul", "intdiv", "mod", "div")),
    *(apply(op, (X,)) for op in ("neg", "abs", "round", "floor", "ceil", "trunc", "sqrt", "exp", "ln")),
    *(apply("round", (X, lit(digits))) for digits in (-15, -2, 1, 9, 15)),
    *(apply("power", (X, lit(exponent))) for exponent in (2, 3, 0.5, -1)),
    *(apply("decimal", (X, lit(digits), lit(places))) for digits, places in ((9, 2), (27, 1), (38, 9))),
    *(PRODUCT, apply("decimal", (PRODUCT, lit(38), lit(0))), cast(X, INT), cast(A, D)),
)


def ends(fact: Fact) -> tuple[Fraction, ...]:
    return () if fact.interval is None else (fact.interval.lo, fact.interval.hi)


def is_no_value(end: Fraction, kind: SqlType) -> bool:
    """Whether no value of a type stands there."""
    if kind is D:
        return abs(end) > NATURAL[D].hi or Fraction(float(end)) != end
    return end.denominator != 1


@pytest.mark.parametrize("op", sorted(CASES))
def test_the_range_of_a_function_ends_in_values_of_its_type(op: str) -> None:
    for args, _plain in CASES[op]:
        expr = call(op, args)
        for facts in assignments(expr):
            try:
                fact = Facts(facts, fact_rule).of(expr)
            except Mistyped:
                continue
            assert not [e for e in ends(fact) if is_no_value(e, fact.type)], (expr, facts)


@pytest.mark.parametrize("size", [10, 22, 23, 24, 25, 29, 37, 38])
def test_a_decimal_that_is_no_double_lies_in_its_range(size: int, engines: tuple[Engine, Engine]) -> None:
    """The double nearest to 10^25 is larger, that nearest to 10^23 is less."""
    expr, facts = apply("decimal", (X, lit(size), lit(0))), {X: Fact(D, False, NATURAL[D])}
    (engine, _), near = engines, float(10**size)
    table = f"near_{size}"
    rows = [
        (sign * v,)
        for v in (near, math.nextafter(near, 0), math.nextafter(near, math.inf))
        for sign in (1, -1)
    ]
    engine.fill(table, {X: D}, rows)
    found, fact = engine.values(rendered(expr, facts), table), Facts(facts, fact_rule).of(expr)
    assert fact.interval is not None and Fraction(near) == fact.interval.hi
    assert [row[1] for row in found[:2]] == [near, -near]
    assert breaches(fact, found) == []


def a_double(rng: random.Random) -> float:
    """A double near a power of two or of ten, a decimal, or one without all its digits."""
    sign = rng.choice([1, -1])
    return sign * rng.choice(
        [
            round(rng.uniform(0, 1000), rng.randint(0, 4)),
            2.0 ** rng.randint(-60, 66) * (1 + rng.choice([-1, 1, 3]) * 2.0**-52),
            float(10 ** rng.randint(0, 40)),
            5e-324 * rng.randint(1, 2**20),
            rng.random() * 10.0 ** rng.randint(-320, 307),
        ]
    )


def some_values(rng: random.Random, kind: SqlType) -> list[float] | list[int]:
    """Two ends, and values in between that are next to them."""
    if kind is D:
        lo, hi = sorted((a_double(rng), a_double(rng)))
        inner = [
            math.nextafter(lo, math.inf),
            math.nextafter(hi, -math.inf),
            lo / 2 + hi / 2,
            0.0,
            0.5,
            5e-324,
        ]
        return [lo, hi, *(v for v in inner if lo <= v <= hi)]
    low, high = sorted(rng.choice([1, -1]) * (2 ** rng.randint(1, 62) + rng.randint(-3, 3)) for _ in "ab")
    return [low, high, *(v for v in (low + 1, high - 1, (low + high) // 2, 0, -1) if low <= v <= high)]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("shape", range(len(SHAPES)))
def test_values_near_the_ends_of_arguments_lie_in_the_range(
    shape: int, engines: tuple[Engine, Engine]
) -> None:
    rng, expr, engine = random.Random(shape), SHAPES[shape], engines[0]
    for turn in range(12):
        given: dict[Column, list[float] | list[int]] = {c: some_values(rng, c.type) for c in (A, B, X, Y)}
        facts = {c: Fact(c.type, False, Interval(Fraction(v[0]), Fraction(v[1]))) for c, v in given.items()}
        fact = Facts(facts, fact_rule).of(expr)
        assert not [e for e in ends(fact) if is_no_value(e, fact.type)]
        read = sorted(columns_of(expr), key=lambda c: c.name)
        rows: list[tuple[object, ...]] = [()]
        for column in read:
            rows = [(*row, v) for row in rows for v in given[column]]
        table = f"ends_{shape}_{turn}"
        engine.fill(table, {c: c.type for c in read}, rows)
        assert breaches(fact, engine.values(rendered(expr, facts), table)) == [], (expr, facts)
