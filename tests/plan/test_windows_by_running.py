"""Windows of private rows, by running them: ties are decided by content, never by the order of storage or by others."""

from __future__ import annotations

import random
from collections import Counter
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import duckdb
import pytest
from answers.noiseless import Noiseless

from dpsql.algebra.expressions import Call, Column, Expr, Literal
from dpsql.algebra.facts import Fact, Facts, Interval
from dpsql.algebra.functions import apply, emit, fact_rule
from dpsql.algebra.relations import Windows
from dpsql.algebra.shape import shape
from dpsql.algebra.types import SqlType
from dpsql.errors import InternalError
from dpsql.plan.verify import cost, numbered_rows
from dpsql.plan.verify.numbered_rows import COMPARISONS, most_left
from dpsql.policy.load import load_policy
from dpsql.session import Session, build_session
from dpsql.stages.prepare import prepare

POLICY = """
version: 1
privacy: {unit: t.u}
tables:
  t:
    source: t.duckdb
    max_rows_per_unit: 8
    columns:
      u: {type: integer}
      day: {type: integer, lower: 0, upper: 2}
      x: {type: float, lower: -5, upper: 5, step: 0.5}
      w: {type: text, values: [a, b, c]}
budgets:
  dataset: {epsilon: 1000, delta: 1e-3}
  default: {epsilon: 1000, delta: 1e-3, per_query: {epsilon: 1, delta: 1e-6}}
"""
ROWS = tuple(
    (unit, day, x, word)
    for unit in range(1, 8)
    for day, x, word in (
        (1, 0.0, "a"),
        (1, -0.0, "b"),
        (1, 2.5, "c"),
        (1, -3.5, "c"),
        (2, -3.0, "a"),
        (2, 4.0, "b"),
        (0, 1.0, "c"),
    )
)
VALUES = (
    "row_number() OVER (PARTITION BY u ORDER BY day)",
    "row_number() OVER (PARTITION BY u ORDER BY -x)",
    "row_number() OVER (PARTITION BY u, w)",
    "CAST(lag(x) OVER (PARTITION BY u ORDER BY day) * 2 AS BIGINT)",
    "CAST(lead(x, 2) OVER (PARTITION BY u ORDER BY day DESC) * 2 AS BIGINT)",
    "CAST(first_value(x) OVER (PARTITION BY u ORDER BY day) * 2 AS BIGINT)",
    "CAST(SUM(x) OVER (PARTITION BY u ORDER BY day ROWS UNBOUNDED PRECEDING) * 2 AS BIGINT)",
    "COUNT(*) FILTER (WHERE x > 0) OVER (PARTITION BY u ORDER BY day ROWS UNBOUNDED PRECEDING)",
    "ntile(3) OVER (PARTITION BY u ORDER BY day)",
    "CAST(last_value(x) OVER (PARTITION BY u ORDER BY day) * 2 AS BIGINT)",
    "CAST(nth_value(x, 2) OVER (PARTITION BY u ORDER BY day DESC RANGE UNBOUNDED PRECEDING) * 2 AS BIGINT)",
    "CAST(first_value(x) OVER (PARTITION BY u ORDER BY day GROUPS BETWEEN 1 PRECEDING AND 1 PRECEDING) * 2 AS BIGINT)",
    "CAST(SUM(x) OVER (PARTITION BY u ORDER BY day ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) * 2 AS BIGINT)",
    "CAST(MAX(x) OVER (PARTITION BY u ORDER BY day ROWS 1 PRECEDING EXCLUDE CURRENT ROW) * 2 AS BIGINT)",
    "CAST(lag(x, 1, 9.0) OVER (PARTITION BY u ORDER BY day) * 2 AS BIGINT)",
)
QUERIES = [
    f"SELECT w, n, COUNT(*) AS c FROM (SELECT w, ({v}) + 0 AS n FROM t) s WHERE n BETWEEN -20 AND 20 GROUP BY w, n"
    " ORDER BY w, n"
    for v in VALUES
]
# What is left of x is 0.0 or -0.0, by its sign.
ZEROS = """SELECT n, COUNT(*) AS c FROM (
    SELECT row_number() OVER (PARTITION BY u ORDER BY w DESC) * 2
        + CASE WHEN CAST(z AS VARCHAR) = '-0.0' THEN 1 ELSE 0 END AS n
    FROM (SELECT u, w, x * (day - 1) AS z FROM t WHERE day = 1 UNION ALL SELECT u, w, x FROM t WHERE x > 5) r) s
WHERE n BETWEEN 0 AND 20 GROUP BY n ORDER BY n"""
# Rows that are equal in everything, in numbers that several windows give them.
TWINS = tuple((unit, day, 1.5, word) for unit in range(1, 300) for day, word in ((1, "a"),) * 3 + ((1, "b"),))
PAIRED = (
    "SELECT n, COUNT(*) AS c FROM (SELECT row_number() OVER (PARTITION BY u ORDER BY w) * 10"
    " + row_number() OVER (PARTITION BY u ORDER BY w DESC) AS n FROM t) s WHERE n BETWEEN 0 AND 90 GROUP BY n"
    " ORDER BY n"
)


def answered(folder: Path, rows: list[tuple[object, ...]], queries: list[str]) -> list[object]:
    """The noiseless answers over rows that are stored in this order."""
    folder.mkdir()
    with duckdb.connect(str(folder / "t.duckdb")) as connection:
        connection.execute("CREATE TABLE t (u BIGINT, day BIGINT, x DOUBLE, w VARCHAR)")
        connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", rows)
    (folder / "policy.yaml").write_text(POLICY)
    policy = load_policy(folder / "policy.yaml")
    with closing(build_session(policy, "alice", None, (None, None), Noiseless(least=3))) as session:
        return [session.answer(sql).rows for sql in queries]


@pytest.mark.slow
def test_the_order_of_storage_decides_no_window(tmp_path: Path) -> None:
    draw = random.Random(20_250_301)
    stored = answered(tmp_path / "0", list(ROWS), [*QUERIES, ZEROS])
    assert all(stored)
    for i in range(1, 5):
        shuffled = draw.sample(ROWS, len(ROWS))
        assert answered(tmp_path / str(i), shuffled, [*QUERIES, ZEROS]) == stored


def test_a_window_sees_the_rows_of_one_unit_alone(tmp_path: Path) -> None:
    """What is counted of some units and of the others is what is counted of all of them."""
    some, others, every = (
        answered(tmp_path / name, [r for r in ROWS if r[0] in units], QUERIES)
        for name, units in (("some", (1, 2, 3)), ("others", (4, 5, 6)), ("every", range(1, 7)))
    )
    for sql, *counted in zip(QUERIES, some, others, every, strict=True):
        one, two, both = (Counter({row[:2]: row[2] for row in rows}) for rows in counted)  # type: ignore[attr-defined]
        assert +(one + two) == +both, sql


@pytest.mark.slow
def test_windows_of_one_row_agree_on_which_of_equal_rows_it_is(tmp_path: Path) -> None:
    draw = random.Random(20_250_302)
    stored = answered(tmp_path / "0", list(TWINS), [PAIRED])
    numbers = {row[0] for row in stored[0] if row[1] > 0}  # type: ignore[union-attr,index]
    assert len(numbers) == 4  # one for each row of a unit, as every unit has the same
    for i in range(1, 2):
        assert answered(tmp_path / str(i), draw.sample(TWINS, len(TWINS)), [PAIRED]) == stored


@pytest.fixture
def session(tmp_path: Path) -> Session:
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.execute("CREATE TABLE t (u BIGINT, day BIGINT, x DOUBLE, w VARCHAR)")
    (tmp_path / "policy.yaml").write_text(POLICY)
    return build_session(
        load_policy(tmp_path / "policy.yaml"), "alice", None, (None, None), Noiseless(least=3)
    )


NUMBERED = (
    "SELECT COUNT(*) FROM (SELECT *, row_number() OVER (PARTITION BY u ORDER BY day) AS n FROM t) s WHERE "
)
RANKED = "SELECT COUNT(*) FROM (SELECT *, rank() OVER (PARTITION BY u ORDER BY day) AS n FROM t) s WHERE "


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        (NUMBERED + "n = 1", 1),
        (NUMBERED + "n <= 3", 3),
        (NUMBERED + "2 > n", 1),
        (NUMBERED + "n < 2.5", 2),
        (NUMBERED + "n IN (2, 3)", 2),
        (NUMBERED + "n = 2 OR n = 4", 3),
        (NUMBERED + "n >= 7", 2),
        (NUMBERED + "n <= 1 + 1", 2),
        (NUMBERED + "n = length('ab')", 2),
        (NUMBERED + "n < 5 / 2", 2),
        (NUMBERED + "n <= month(NOW())", 8),
        (NUMBERED + "n IN (2, 3, NULL)", 2),
        (NUMBERED + "NOT (n NOT IN (1, NULL))", 1),
        (NUMBERED + "(n = 1) IS TRUE OR n = 2", 2),
        (NUMBERED + "n <= CAST(2.5 AS INTEGER)", 3),
        (NUMBERED + "n = 1 OR w = 'a'", 8),
        (NUMBERED + "n <> 1", 8),
        (RANKED + "n = 1", 8),
        (NUMBERED.replace("BY u", "BY u, w") + "n = 1", 8),
    ],
)
def test_numbers_of_a_units_rows_say_how_many_are_left(session: Session, sql: str, rows: int) -> None:
    (release,) = prepare(sql, None, session._state).plan.releases
    assert [f.sensitivity for f in release.families] == [rows]
    owner = shape(release.question.relation, session._state.context.catalog).owner
    assert isinstance(owner, Windows)
    left = [n for n in range(9) if most_left(release.question.relation, owner, n, 8)]
    exact = {NUMBERED + "n = 2 OR n = 4": 2, NUMBERED + "n <> 1": 7}.get(sql, rows)  # the range says more
    assert left == ([*range(exact, 9)] if owner.numbers else [])


@pytest.mark.parametrize("condition", ["n > 1500", "n IN (3, 4, 5)", "n >= 1"])
def test_where_nothing_limits_the_rows_of_a_unit_no_few_numbers_are_taken_for_all(
    session: Session, condition: str
) -> None:
    (release,) = prepare(NUMBERED + condition, None, session._state).plan.releases
    owner = shape(release.question.relation, session._state.context.catalog).owner
    assert isinstance(owner, Windows) and not most_left(release.question.relation, owner, 2, None)


def test_what_may_be_null_is_not_taken_for_true() -> None:
    """NOT (n = NULL) is NULL, which IS TRUE makes FALSE: NOT around that leaves every row."""
    number = Column(1, "w0", SqlType.INTEGER)
    unknown = apply("not", (apply("eq", (number, Literal(None, SqlType.INTEGER))),))
    condition = apply("not", (apply("is_true", (unknown,)),))
    assert numbered_rows._test(condition, number)(3) is not False


def test_the_cost_is_checked_by_trying_numbers(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cost, "most_left", lambda r, owner, rows, every: most_left(r, owner, rows - 1, every))
    with pytest.raises(InternalError):
        session.answer(NUMBERED + "n <= 3")


NUMBER, OTHER, KNOWN = (
    Column(at, name, kind)
    for at, name, kind in (
        (1, "n", SqlType.INTEGER),
        (0, "other", SqlType.INTEGER),
        (0, "known", SqlType.BOOLEAN),
    )
)
WHOLE = [Literal(v, SqlType.INTEGER) for v in range(5)]
COMPARED_WITH = [
    *WHOLE,
    Literal(None, SqlType.INTEGER),
    Literal(2.5, SqlType.DOUBLE),
    apply("strpos", (Literal("abc", SqlType.TEXT), Literal("b", SqlType.TEXT))),  # somewhere from 0 to 3
    apply("case", (apply("eq", (WHOLE[1], WHOLE[2])), WHOLE[1], WHOLE[3])),
]


def on_numbers(draw: random.Random, depth: int) -> Expr:
    """A condition on the number of a row, and on what else it has."""
    if depth == 0 or draw.random() < 0.2:
        subject = NUMBER if draw.random() < 0.8 else OTHER
        compared = [draw.choice(COMPARED_WITH) for _ in range(3)]
        match draw.choice(("among", "known", *COMPARISONS)):
            case "known":
                return KNOWN
            case "among":
                return apply(
                    "in",
                    (subject, draw.choice(WHOLE), *(c for c in compared if c.type is not SqlType.DOUBLE)),
                )
            case op:
                double = compared[0].type is SqlType.DOUBLE
                read = Call("cast", (subject,), SqlType.DOUBLE) if double else subject
                return apply(op, (read, compared[0]) if draw.random() < 0.5 else (compared[0], read))
    op = draw.choice(("and", "or", "not", "is_true"))
    return apply(op, tuple(on_numbers(draw, depth - 1) for _ in range(2 if op in ("and", "or") else 1)))


def test_a_number_that_may_pass_a_condition_is_not_said_to_fail_it() -> None:
    draw, decided = random.Random(1129), 0
    facts = Facts(
        {
            NUMBER: Fact(SqlType.INTEGER, False, Interval(Fraction(1), Fraction(9))),
            OTHER: Fact(SqlType.INTEGER, True, Interval(Fraction(0), Fraction(9))),
            KNOWN: Fact(SqlType.BOOLEAN, True),
        },
        fact_rule,
    )
    rows = "range(1, 7) AS r(n), (VALUES (TRUE), (FALSE), (NULL)) AS k(known), (VALUES (1), (3), (NULL)) AS o(other)"
    with duckdb.connect() as connection:
        for _ in range(300):
            condition = on_numbers(draw, 3)
            passes = f"bool_or(({emit(condition, facts, lambda c: c.name)}) IS TRUE)"
            found = connection.execute(f"SELECT n, {passes} FROM {rows} GROUP BY n").fetchall()
            test = numbered_rows._test(condition, NUMBER)
            assert not [n for n, some in found if some and test(n) is False], condition
            decided += sum(test(n) is False for n, _ in found)
    assert decided > 300
