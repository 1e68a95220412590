"""The totality check itself notices what it is there to notice."""

import pytest
from edges import DATE, INT, B, D, Engine, breaches, column_facts, rendered, values_of
from function_cases import COLUMNS, arg

from dpsql.algebra.expressions import Column
from dpsql.algebra.facts import NATURAL, Fact, Facts
from dpsql.algebra.functions import apply, fact_rule
from dpsql.algebra.functions.ranges import interval

A, X, P, DAY = COLUMNS["a"], COLUMNS["x"], COLUMNS["p"], COLUMNS["d"]
WIDE = Fact(D, False, NATURAL[D])
SMALL = Fact(INT, False, interval(0, 90))


@pytest.mark.parametrize(
    ("sql", "column", "fact", "promised"),
    [
        ("x * 2e0", X, WIDE, WIDE),
        ("ln(x)", X, WIDE, Fact(D, True, NATURAL[D])),
        ("a + 1::BIGINT", A, SMALL, SMALL),
        ("CASE WHEN a > 1 THEN a END", A, SMALL, SMALL),
        ("a::HUGEINT", A, SMALL, SMALL),
        ("a", A, SMALL, Fact(INT, False, interval(-(2**63), 2**63))),
        (
            "d + 1::INTEGER",
            DAY,
            Fact(DATE, False, interval(0, 20_000)),
            Fact(DATE, False, interval(0, 19_000)),
        ),
        ("CASE WHEN p THEN p END", P, Fact(B, False), Fact(B, False)),
    ],
)
def test_a_broken_promise_is_seen(
    sql: str, column: Column, fact: Fact, promised: Fact, engines: tuple[Engine, Engine]
) -> None:
    for engine in engines:
        assert breaches(promised, engine.values(sql, engine.table({column: fact})))


def test_extreme_values_fill_every_range() -> None:
    assert all(len(values_of(f)) >= 2 for c in COLUMNS.values() for f in column_facts(c.type))


def test_text_grows_linearly_with_nested_guards_and_still_runs(engines: tuple[Engine, Engine]) -> None:
    facts = {X: WIDE}
    expr, sizes = arg("x"), []
    for _ in range(60):
        expr = apply(
            "div", (apply("mul", (expr, X)), apply("least", (expr, arg(2.0)))) if not sizes else (expr, X)
        )
        expr = apply("nullif", (apply("add", (expr, X)), arg(0.5)))
        sizes.append(len(rendered(expr, facts)))
    assert sizes[-1] - sizes[-2] == sizes[20] - sizes[19]
    for engine in engines:
        fact = Facts(facts, fact_rule).of(expr)
        assert breaches(fact, engine.values(rendered(expr, facts), engine.table(facts))) == []


def test_thousands_of_conditions_are_one_flat_chain(engines: tuple[Engine, Engine]) -> None:
    facts = {A: SMALL}
    expr = apply("or", tuple(apply("eq", (A, arg(i))) for i in range(4000)))
    sql = rendered(expr, facts)
    assert len(sql) < 4000 * 30
    for engine in engines:
        assert breaches(Fact(B, False), engine.values(sql, engine.table(facts))) == []
