"""No row makes a function raise, leave its range, or be NULL or infinite where its fact says it cannot."""

import itertools

import pytest
from edges import Engine, breaches, column_facts, rendered
from function_cases import CASES, call

from dpsql.algebra.expressions import Column, Expr, columns_of
from dpsql.algebra.facts import Fact, Facts
from dpsql.algebra.functions import FUNCTIONS, Mistyped, fact_rule


def test_every_function_has_a_totality_test() -> None:
    assert set(CASES) == set(FUNCTIONS)


def assignments(expr: Expr) -> list[dict[Column, Fact]]:
    """Facts of the expression's columns, in combination."""
    columns = sorted(columns_of(expr), key=lambda c: c.name)
    return [
        dict(zip(columns, f, strict=True))
        for f in itertools.product(*(column_facts(c.type) for c in columns))
    ]


@pytest.mark.one_in(6)
@pytest.mark.parametrize("op", sorted(CASES))
def test_a_function_is_total_on_extreme_values(op: str, engines: tuple[Engine, Engine]) -> None:
    answered = 0
    for args, _plain in CASES[op]:
        expr = call(op, args)
        for facts in assignments(expr):
            try:
                fact = Facts(facts, fact_rule).of(expr)
            except Mistyped as refusal:
                assert "too large" in str(refusal)
                continue
            answered += 1
            sql = rendered(expr, facts)
            for engine in engines:
                assert breaches(fact, engine.values(sql, engine.table(facts))) == [], (sql, facts, fact)
    assert answered
