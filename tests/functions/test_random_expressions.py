"""Expressions put together at random are total too, obey the facts derived for them, and need no optimiser."""

import random

import pytest
from edges import Engine, breaches, column_facts, rendered
from function_cases import CASES, COLUMNS, lit

from dpsql.algebra.expressions import Call, Column, Expr, columns_of
from dpsql.algebra.facts import Fact, Facts
from dpsql.algebra.functions import FUNCTIONS, Mistyped, apply, cast, fact_rule
from dpsql.algebra.types import SqlType

# Two columns of each kind would make tables of millions of rows; one of each and depth show the same.
LEAVES = tuple(COLUMNS[n] for n in "axdup")
CONSTANTS = (0, 1, -1, 7, 2**40, 0.0, 0.5, -2.5, 1e300, "a", "2025-01-31", "%a_", True, None)
TARGETS = (SqlType.INTEGER, SqlType.DOUBLE, SqlType.TEXT, SqlType.BOOLEAN, SqlType.DATE, SqlType.TIMESTAMP)
MOST_SIZE = 60


def random_expression(rng: random.Random, depth: int, leaves: tuple[Column, ...]) -> Expr:
    """A well-typed expression over the leaves."""
    if depth == 0 or rng.random() < 0.15:
        return rng.choice(leaves) if rng.random() < 0.7 else lit(rng.choice(CONSTANTS))
    while True:
        try:
            expr = _random_call(rng, depth, leaves)
        except Mistyped:
            continue
        if expr.size <= MOST_SIZE:
            return expr


def _random_call(rng: random.Random, depth: int, leaves: tuple[Column, ...]) -> Expr:
    op = rng.choice(sorted(CASES))
    if op == "cast":
        return cast(random_expression(rng, depth - 1, leaves), rng.choice(TARGETS))
    shape, _ = rng.choice(CASES[op])
    args = [
        lit(a[1:] if isinstance(a, str) else a)
        if not (isinstance(a, str) and a in COLUMNS)
        else random_expression(rng, depth - 1, leaves)
        for a in shape
    ]
    least, most = FUNCTIONS[op].takes.least, FUNCTIONS[op].takes.most
    assert least <= len(args) <= (most or len(args))
    return apply(op, tuple(args))


def _some_facts(rng: random.Random, expr: Expr) -> dict[Column, Fact]:
    columns = sorted(columns_of(expr), key=lambda c: c.name)
    return {c: rng.choice(column_facts(c.type)) for c in columns}


def _check(seed: int, engines: tuple[Engine, Engine]) -> bool:
    """Whether the expression of a seed was not refused; a breach fails."""
    rng = random.Random(seed)
    leaves = tuple(rng.sample(LEAVES, 2)) + ((COLUMNS["s"],) if rng.random() < 0.3 else ())
    expr = random_expression(rng, rng.randint(2, 4), leaves[-2:])
    if not isinstance(expr, Call):
        return False
    facts = _some_facts(rng, expr)
    try:
        fact = Facts(facts, fact_rule).of(expr)
    except Mistyped as refusal:
        assert "too large" in str(refusal)
        return False
    sql = rendered(expr, facts)
    optimised, plain = (engine.values(sql, engine.table(facts)) for engine in engines)
    assert breaches(fact, optimised) == [] and optimised == plain, (seed, sql, facts, fact)
    return True


def test_random_expressions_are_total(engines: tuple[Engine, Engine]) -> None:
    assert sum(_check(seed, engines) for seed in range(150)) > 75


@pytest.mark.slow
def test_many_random_expressions_are_total(engines: tuple[Engine, Engine]) -> None:
    assert sum(_check(seed, engines) for seed in range(150, 20_000)) > 10_000
