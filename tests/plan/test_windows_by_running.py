"""Windows of private rows, by running them: ties are decided by content, never by the order of storage or by others."""

from __future__ import annotations

import random
from collections import Counter
from contextlib import closing
from pathlib import Path

import duckdb
import pytest
from answers.noiseless import Noiseless

from dpsql.algebra.expressions import Column, Literal
from dpsql.algebra.functions import apply
from dpsql.algebra.types import SqlType
from dpsql.errors import InternalError
from dpsql.plan.verify import cost, numbered_rows
from dpsql.plan.verify.numbered_rows import most_left
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
