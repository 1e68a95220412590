"""What is proven of conditions holds for every row, by trying rows in an engine; and what is plain is proven."""

from __future__ import annotations

import random
from itertools import permutations

import duckdb
import pytest

from dpsql.algebra.expressions import Expr
from dpsql.audit.queries.random_aggregates import exclusive_conditions
from dpsql.audit.queries.random_query import GRAMMAR
from dpsql.audit.queries.schema_view import ColumnView, View
from dpsql.audit.queries.writer import Writer
from dpsql.errors import Error
from dpsql.plan.sums.exclusive import Conditions
from dpsql.plan.verify.cost_rows import kinds
from dpsql.session import Session
from plan.opened import Table, release

COLUMNS = {
    "region": "text, values: [n, s, e, w]",
    "paid": "boolean, nullable: true",
    "age": "integer, lower: 18, upper: 90, nullable: true",
    "x": "float, lower: -5, upper: 5, nullable: true",
    "day": "date, lower: 2025-01-01, upper: 2025-12-31, nullable: true",
}


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    return Table(COLUMNS, privacy="max_rows_per_unit: 6").open(tmp_path_factory.mktemp("exclusive"))


def bound(session: Session, *conditions: str) -> list[Expr]:
    counts = ", ".join(f"COUNT(*) FILTER (WHERE {c})" for c in conditions)
    return [m.where for m in release(session, f"SELECT {counts} FROM t").question.measures]


APART = (
    ("region = 'n'", "region = 's'"),
    ("region = 'n'", "region IN ('s', 'e')"),
    ("region = 'n'", "region <> 'n'"),
    ("region < 'n'", "region >= 'n' AND paid"),
    ("paid", "NOT paid"),
    ("paid", "paid = false"),
    ("paid", "paid IS NOT TRUE"),
    ("paid IS NULL", "NOT paid"),
    ("age < 30", "age >= 30"),
    ("age > 30", "age < 31"),
    ("age BETWEEN 20 AND 29", "age BETWEEN 30 AND 39"),
    ("30 < age", "29 > age"),
    ("x < 0.5", "x > 0.5"),
    ("x IS NULL", "x > -1000"),
    ("age % 2 = 0", "age % 2 = 1"),
    ("day < DATE '2025-03-01'", "day >= DATE '2025-03-01'"),
    ("EXTRACT(month FROM day) = 1", "EXTRACT(month FROM day) = 2"),
    ("region LIKE 'a%'", "region NOT LIKE 'a%'"),
    ("age IS NOT DISTINCT FROM 20", "age IS DISTINCT FROM 20"),
    ("age = 20 OR age = 21", "age = 22 OR age > 30"),
    ("paid AND x > 1", "(paid AND x > 1) IS NOT TRUE AND age = 20"),
    ("FALSE", "TRUE"),
    ("age IN (NULL)", "paid"),
)
TOGETHER = (
    ("region = 'n'", "paid"),
    ("region = 'n'", "region IN ('n', 's')"),
    ("age <= 30", "age >= 30"),
    ("x > 0.5", "x < 0.75"),
    ("paid IS NOT TRUE", "NOT paid"),
    ("paid IS NOT TRUE", "paid IS NULL"),
    ("(x > 1) IS NOT TRUE", "x IS NULL"),
    ("(age > 30 AND paid) IS NOT FALSE", "age IS NULL"),
    ("age > x", "age < x"),
    ("region LIKE 'a%'", "region LIKE 'b%'"),
    ("age NOT IN (20)", "age NOT IN (21)"),
    ("TRUE", "paid"),
    ("region = 's'", "region IN ('n', region)"),
)


@pytest.mark.parametrize(("one", "other"), APART)
def test_conditions_that_exclude_each_other_are_found_out_by_both_routes(
    session: Session, one: str, other: str
) -> None:
    a, b = bound(session, one, other)
    assert Conditions((a, b)).exclude(a, b)
    assert not any({a, b} <= kind for kind in kinds((a, b)))


@pytest.mark.parametrize(("one", "other"), TOGETHER)
def test_conditions_that_a_row_may_satisfy_together_are_not_said_to_exclude_each_other(
    session: Session, one: str, other: str
) -> None:
    a, b = bound(session, one, other)
    assert not Conditions((a, b)).exclude(a, b)
    assert any({a, b} <= kind for kind in kinds((a, b)))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("region = 'n' AND paid", "paid"),
        ("region = 'n'", "region IN ('n', 's')"),
        ("age > 40", "age > 30"),
        ("age > 40 AND paid", "age > 30 AND paid"),
        ("paid", "paid IS NOT NULL"),
        ("paid", "TRUE"),
        ("paid", "age > 30 OR TRUE"),
    ],
)
def test_what_implies_another_condition_is_found_out_by_both_routes(
    session: Session, one: str, other: str
) -> None:
    a, b = bound(session, one, other)
    assert Conditions((a, b)).imply(a, b) and not Conditions((a, b)).imply(b, a)
    assert all(b in kind for kind in kinds((a, b)) if a in kind)


ROWS = """
SELECT region, paid, age, x, day FROM
    (VALUES ('n'), ('s'), ('e'), ('o')) a(region), (VALUES (true), (false), (NULL)) b(paid),
    (VALUES (18), (19), (20), (30), (31), (90), (NULL)) c(age),
    (VALUES (-5::DOUBLE), (-0.0), (0.5), (0.75), (5), (NULL)) d(x),
    (VALUES (DATE '2025-01-01'), (DATE '2025-03-15'), (DATE '2025-06-30'), (NULL)) e(day)
"""


def test_nothing_is_proven_that_a_row_contradicts(session: Session, fuzz_seed: int, executions: int) -> None:
    draw = random.Random(fuzz_seed)
    typed = {"region": "text", "paid": "bool", "age": "int", "x": "float", "day": "date"}
    scope = tuple(ColumnView(name, name, kind) for name, kind in typed.items())
    known = (("int", (18, 20, 30, 31)), ("text", ("n", "s", "o")), ("float", (0.0, 0.5)))
    writer = Writer(draw, View((), (), literals=known), GRAMMAR, exact=True, scope=scope)
    proven = 0
    with duckdb.connect() as engine:
        engine.execute(f"CREATE TABLE t AS {ROWS}")
        for _ in range(max(executions // 20, 40)):
            written = exclusive_conditions(writer)
            try:
                found = bound(session, *written)
                flags = engine.execute(
                    f"SELECT {', '.join(f'({w}) IS TRUE' for w in written)} FROM t"
                ).fetchall()
            except (Error, duckdb.Error):
                continue
            if len(found) < len(written):  # the same twice is asked once
                continue
            of = Conditions(tuple(found))
            seen = {frozenset(c for c, true in zip(found, row, strict=True) if true) for row in flags}
            for (i, a), (j, b) in permutations(enumerate(found), 2):
                apart, within = of.exclude(a, b), of.imply(a, b)
                proven += apart
                assert not (apart and any(row[i] and row[j] for row in flags)), (written[i], written[j])
                assert not (within and any(row[i] and not row[j] for row in flags)), (written[i], written[j])
                possible = tuple(kinds((a, b)))
                assert not (apart and any({a, b} <= kind for kind in possible)), (written[i], written[j])
                assert not (within and {a} in possible), (written[i], written[j])
            assert seen <= {frozenset(kind) for kind in kinds(found)}, written
    assert proven > 20
