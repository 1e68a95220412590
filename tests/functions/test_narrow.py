"""A row for which a predicate is true obeys the facts that were narrowed by it."""

import random
from datetime import date, datetime
from fractions import Fraction

import pytest
from edges import RANGES, VALUES, Engine, rendered, values_of
from function_cases import CASES, COLUMNS, arg, call, lit

from dpsql.algebra.expressions import Column, Expr, Literal, columns_of
from dpsql.algebra.facts import NATURAL, Fact, number_of
from dpsql.algebra.functions import apply, narrow
from dpsql.algebra.functions.entries import STRICT
from dpsql.algebra.functions.ranges import interval
from dpsql.algebra.types import SqlType

A, X, S, D, U, P = (COLUMNS[n] for n in "axsdup")
FACTS = {c: Fact(c.type, True, NATURAL.get(c.type)) for c in (A, X, S, D, U, P)}
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
CONSTANTS: dict[Column, tuple[object, ...]] = {c: (*VALUES[c.type], None) for c in FACTS}
CONSTANTS[A] += (0.5, -2.5, 2.0**53, 2.0**63, 1e300, 90.0)
CONSTANTS[D] += (datetime(2025, 1, 31, 12), datetime(1, 1, 1), datetime(2025, 1, 31))


def constant(value: object) -> Expr:
    if isinstance(value, datetime):
        return Literal(value, SqlType.TIMESTAMP)
    return Literal(value, SqlType.DATE) if isinstance(value, date) else lit(value)


def atom(rng: random.Random) -> Expr:
    column = rng.choice((A, A, X, X, S, D, D, U))
    kind = rng.random()
    if kind < 0.1:
        return apply("is_null", (column,))
    members = tuple(constant(v) for v in rng.sample(CONSTANTS[column], rng.randint(1, 3)))
    if kind < 0.3:
        return apply("in", (column, *members))
    if kind < 0.4:
        return apply(rng.choice(COMPARISONS), (column, rng.choice((A, X)) if column in (A, X) else column))
    pair = (column, members[0])
    return apply(rng.choice(COMPARISONS), pair if rng.random() < 0.5 else pair[::-1])


def predicate(rng: random.Random, depth: int) -> Expr:
    kind = rng.random()
    if depth == 0 or kind < 0.2:
        return atom(rng)
    if kind < 0.35:
        return apply("not", (predicate(rng, depth - 1),))
    if kind < 0.45:
        return apply("is_true", (predicate(rng, depth - 1),))
    return apply(
        "and" if kind < 0.75 else "or", tuple(predicate(rng, depth - 1) for _ in range(rng.randint(1, 3)))
    )


def obeys(fact: Fact, value: object) -> bool:
    if value is None:
        return fact.nullable
    if fact.interval is None:
        return True
    at = number_of(value)
    return at is not None and fact.interval.lo <= at <= fact.interval.hi


def check(seed: int, engine: Engine) -> int:
    """How many rows pass the predicate of a seed; each must obey the narrowed facts."""
    rng = random.Random(seed)
    test = predicate(rng, 2)
    used = {c: f for c, f in FACTS.items() if c in columns_of(test)}
    used = {c: Fact(c.type, True, rng.choice(RANGES[c.type])) for c in list(used)[:3]}
    if columns_of(test) - set(used):
        return 0
    narrowed = narrow(used, test)
    names = ", ".join(f'"{c.name}"' for c in used) or "1"
    sql = f"SELECT {names} FROM {engine.table(used)} WHERE {rendered(test, used)}"
    passed = engine.connection.execute(sql).fetchall()
    for row in passed:
        for column, value in zip(used, row, strict=False):
            assert obeys(narrowed[column], value), (seed, test, column, value, narrowed[column])
    return len(passed)


def test_rows_that_pass_obey_the_narrowed_facts(engines: tuple[Engine, Engine]) -> None:
    assert sum(check(seed, engines[0]) > 0 for seed in range(150)) > 45


def test_an_integer_that_rounds_to_the_bound_stays_in_the_range(engines: tuple[Engine, Engine]) -> None:
    test = apply("le", (A, arg(2.0**53)))
    sql = f'SELECT {rendered(test, FACTS)} FROM (SELECT {2**53 + 1}::BIGINT AS "a")'
    assert engines[0].connection.execute(sql).fetchall() == [(True,)]
    assert obeys(narrow(FACTS, test)[A], 2**53 + 1)


@pytest.mark.slow
def test_many_rows_that_pass_obey_the_narrowed_facts(engines: tuple[Engine, Engine]) -> None:
    assert sum(check(seed, engines[0]) > 0 for seed in range(150, 20_000)) > 5_000


@pytest.mark.parametrize(
    ("op", "column", "value", "expected"),
    [
        ("lt", A, 90, (-(2**63), 89)),
        ("le", A, 90.0, (-(2**63), 90)),
        ("gt", A, 89.5, (90, 2**63 - 1)),
        ("le", A, 2.0**53, (-(2**63), 2**53 + 2)),
        ("eq", A, 2.0**53, (2**53 - 1, 2**53 + 2)),
        ("eq", A, 5, (5, 5)),
        ("ge", D, "'2025-01-01", (20089, 2932896)),
        ("lt", D, "'2025-01-01", (-719162, 20088)),
        ("eq", X, 2.5, (2.5, 2.5)),
    ],
)
def test_a_comparison_with_a_constant_is_a_bound(
    op: str, column: Column, value: object, expected: tuple[int, int]
) -> None:
    fact = narrow(FACTS, apply(op, (column, arg(value))))[column]
    assert fact == Fact(column.type, False, interval(*(Fraction(e) for e in expected)))


def test_between_a_date_and_a_timestamp_the_day_is_bounded() -> None:
    noon = Literal(datetime(2025, 1, 31, 12), SqlType.TIMESTAMP)
    assert narrow(FACTS, apply("le", (D, noon)))[D].interval == interval(-719162, 20119)
    assert narrow(FACTS, apply("lt", (noon, D)))[D].interval == interval(20120, 2932896)


def test_alternatives_are_joined_and_conjuncts_met() -> None:
    either = apply("or", (apply("eq", (A, arg(3))), apply("in", (A, arg(7), arg(9)))))
    assert narrow(FACTS, either)[A] == Fact(SqlType.INTEGER, False, interval(3, 9))
    both = apply("and", (apply("ge", (A, arg(3))), apply("le", (A, arg(7)))))
    assert narrow(FACTS, both)[A] == Fact(SqlType.INTEGER, False, interval(3, 7))


def test_a_predicate_that_nothing_meets_leaves_a_valid_range() -> None:
    few = {A: Fact(SqlType.INTEGER, False, interval(0, 90))}
    assert narrow(few, apply("gt", (A, arg(100))))[A].interval == interval(90, 90)
    assert narrow(few, apply("lt", (A, arg(-100))))[A].interval == interval(0, 0)


def test_is_not_null_narrows_through_strict_functions() -> None:
    expr = apply("not", (apply("is_null", (apply("add", (A, apply("length", (S,)))),)),))
    narrowed = narrow(FACTS, expr)
    assert not narrowed[A].nullable and not narrowed[S].nullable and narrowed[X].nullable


@pytest.mark.parametrize("op", sorted(STRICT))
def test_a_strict_function_is_null_where_a_column_is(op: str, engines: tuple[Engine, Engine]) -> None:
    for args, _plain in CASES[op]:
        expr = call(op, args)
        facts = {c: FACTS.get(c, Fact(c.type, True, NATURAL.get(c.type))) for c in columns_of(expr)}
        for missing in facts:
            values = {c: [None] if c is missing else values_of(f)[:1] for c, f in facts.items()}
            casts = ", ".join(
                f'CAST({_plain_literal(v[0])} AS {c.type.value}) AS "{c.name}"' for c, v in values.items()
            )
            sql = f"SELECT {rendered(expr, facts)} FROM (SELECT {casts})"
            assert engines[0].connection.execute(sql).fetchall() == [(None,)], sql


def _plain_literal(value: object) -> str:
    return "NULL" if value is None else f"'{value}'"
