"""Released inputs of private SQL: released values inside of their ranges, public values that a text can hold."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import date
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import duckdb
import pytest
from answers.noiseless import Noiseless

from dpsql.algebra.relations import Released, ReleasedColumn
from dpsql.algebra.released_values import (
    MOST_INPUT_VALUES,
    InputTooLarge,
    double_within,
    input_columns,
    input_query,
)
from dpsql.algebra.types import SqlType
from dpsql.engines.public_engine import FinishEngine
from dpsql.errors import QueryRefused
from dpsql.mechanisms.sampler import ExactSampler
from dpsql.policy.load import load_policy
from dpsql.privacy import Interval
from dpsql.session import build_session
from dpsql.stages.prepare import prepare

POLICY = """version: 1
privacy: {unit: t.u}
accountant: pure
tables:
  t: {source: data.duckdb, one_row_per_unit: true, columns: {u: {type: integer}, word: {type: text}}}
  pub: {source: data.duckdb, public: true}
budgets: {dataset: {epsilon: 10}, default: {epsilon: 10, per_query: 1}}
"""


@pytest.mark.parametrize("end", [Fraction(1, 10), Fraction(1, 3), Fraction(10**17 + 1), Fraction(-1, 7)])
def test_a_released_value_at_the_end_of_its_range_is_a_double_inside_of_it(end: Fraction) -> None:
    low, high = double_within(end, end, end + 1), double_within(end, end - 1, end)
    assert Fraction(low) >= end and Fraction(high) <= end
    assert math.isclose(low, end) and math.isclose(high, end)


def test_a_public_text_that_no_literal_can_hold_is_refused_before_anything_is_charged(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "data.duckdb")) as connection:
        connection.execute("CREATE TABLE t AS SELECT 1 AS u, 'a' AS word")
        connection.execute("CREATE TABLE pub AS SELECT 'a' || chr(0) || 'b' AS word")
    (tmp_path / "policy.yaml").write_text(POLICY, encoding="utf-8")
    policy = load_policy(tmp_path / "policy.yaml")
    with closing(build_session(policy, "a", None, (None, None), Noiseless())) as session:
        with pytest.raises(QueryRefused, match="cannot be compared with private rows"):
            session.answer("SELECT COUNT(*) FROM t WHERE word IN (SELECT word FROM pub)")
        assert session.budget().spent.epsilon == 0


def released(*columns: tuple[SqlType, int, int], unique: tuple[int, ...] | None = None) -> Released:
    listed = (
        ReleasedColumn(f"c{i}", k, Interval(Fraction(lo), Fraction(hi)))
        for i, (k, lo, hi) in enumerate(columns)
    )
    return Released(0, "", (0,), tuple(listed), unique)


def test_a_released_table_is_fed_inside_of_its_ranges() -> None:
    node = released((SqlType.INTEGER, 0, 5), (SqlType.DOUBLE, -1, 1), (SqlType.DATE, 0, 10))
    rows = [(-3, 7.5, date(2030, 1, 1)), (9, math.nan, None), (Decimal("2.5"), -math.inf, date(1960, 1, 1))]
    assert input_columns(node, rows) == (
        (0, 5, 2),
        (1.0, None, -1.0),
        (date(1970, 1, 11), None, date(1970, 1, 1)),
    )


def test_rows_that_agree_on_the_key_of_a_released_table_are_fed_once() -> None:
    two = (SqlType.INTEGER, 0, 1), (SqlType.INTEGER, 0, 100)
    rows = [(1, 10), (7, 20), (0, 30), (0, 30)]  # 7 is read as 1
    assert input_columns(released(*two, unique=(0,)), rows) == ((1, 0), (10, 30))
    assert input_columns(released(*two, unique=()), rows) == ((1,), (10,))
    assert input_columns(released(*two), rows) == ((1, 1, 0, 0), (10, 20, 30, 30))


def test_a_released_table_that_is_too_large_is_not_fed() -> None:
    with pytest.raises(InputTooLarge):
        input_columns(released((SqlType.INTEGER, 0, 1)), [(1,)] * (MOST_INPUT_VALUES + 1))


SHOP = """version: 1
privacy: {unit: t.u CAP}
accountant: pure
tables:
  t:
    source: data.duckdb
    unit_key: u
    max_rows_per_unit: 2
    columns: {u: {type: integer}, word: {type: text, values: [a, b]}, flag: {type: boolean}}
budgets: {dataset: {epsilon: 100}, default: {epsilon: 100, per_query: 1}}
"""
GROUPS = "SELECT word, flag, COUNT(*) AS n FROM t GROUP BY word, flag"


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("join", "cap", "rows"),
    [
        (f"t JOIN ({GROUPS}) x ON t.word = x.word AND t.flag = x.flag", "", 2),
        (f"t JOIN (SELECT * FROM ({GROUPS}) AS y WHERE n > 1) x USING (word, flag)", "", 2),
        (f"t CROSS JOIN (SELECT MAX(n) AS n FROM ({GROUPS}) AS y) x", "", 2),
        (f"t JOIN ({GROUPS}) x ON t.word = x.word", "", None),
        (f"t JOIN ({GROUPS}) x ON t.word = x.word AND t.flag IN (x.flag, TRUE)", "", None),
        (f"t JOIN (SELECT word, n FROM ({GROUPS}) AS y) x ON t.word = x.word", "", None),
        (f"t JOIN (SELECT upper(word) AS word FROM ({GROUPS}) AS y GROUP BY word) x USING (word)", "", None),
        (f"t JOIN ({GROUPS}) x ON t.word = x.word", ", max_rows_per_unit: 5", 5),
    ],
)  # fmt: skip
def test_a_join_on_less_than_the_full_key_multiplies_rows(
    join: str, cap: str, rows: int | None, tmp_path: Path
) -> None:
    with duckdb.connect(str(tmp_path / "data.duckdb")) as connection:
        connection.execute("CREATE TABLE t AS SELECT 1 AS u, 'a' AS word, true AS flag")
    (tmp_path / "policy.yaml").write_text(SHOP.replace(" CAP", cap), encoding="utf-8")
    policy = load_policy(tmp_path / "policy.yaml")
    with closing(build_session(policy, "a", None, (None, None), Noiseless())) as session:
        sql = f"SELECT COUNT(*) FROM {join}"
        if rows is None:
            with pytest.raises(QueryRefused, match="does not limit how many rows"):
                session.answer(sql)
        else:
            assert prepare(sql, None, session._state).plan.releases[-1].events[0].sensitivity == rows


def test_a_later_release_is_named_by_the_draw_that_it_reads(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "data.duckdb")) as connection:
        connection.execute("CREATE TABLE t AS SELECT 1 AS u, 'a' AS word, true AS flag")
    (tmp_path / "policy.yaml").write_text(SHOP.replace(" CAP", ""), encoding="utf-8")
    policy = load_policy(tmp_path / "policy.yaml")
    asked = "SELECT COUNT(*) FROM t WHERE word IN (SELECT word FROM t {} GROUP BY word HAVING COUNT(*) > 1)"
    with closing(build_session(policy, "a", None, (None, None), Noiseless())) as session:
        plain, filtered = (prepare(asked.format(w), None, session._state) for w in ("", "WHERE flag"))
    assert plain.queries[1] == filtered.queries[1]
    keys = [c.key for ready in (plain, filtered) for c in ready.due]
    assert len(set(keys)) == 4


def test_a_released_table_reaches_an_engine_in_a_child_process(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "data.duckdb")) as connection:
        connection.execute(
            "CREATE TABLE t AS SELECT i AS u, if(i < 4, 'a', 'b') AS word, true AS flag FROM range(6) r(i)"
        )
    policy = SHOP.replace(" CAP", "") + "engine: {isolation: process}\n"
    (tmp_path / "policy.yaml").write_text(policy, encoding="utf-8")
    loaded = load_policy(tmp_path / "policy.yaml")
    asked = "SELECT COUNT(*) FROM t WHERE word IN (SELECT word FROM t GROUP BY word HAVING COUNT(*) > 2)"
    with closing(build_session(loaded, "a", None, (None, None), Noiseless())) as session:
        assert session.answer(asked, None).rows == ((4,),)


ENDS = """CREATE TABLE t AS SELECT i AS u, 'a' AS word FROM range(4) AS v(i);
CREATE TABLE pub AS SELECT * FROM (VALUES (1, 'a', TIMESTAMP 'infinity', DATE 'infinity', 'inf'::DOUBLE),
    (2, 'b', '-infinity', '-infinity', 'nan'), (3, 'a', '290309-12-22 (BC)', NULL, -0.0)) v(no, word, moment, day, x)"""


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "key", ["date_trunc('month', q.moment)", "q.moment", "month(q.day)", "FLOOR(q.x)", "q.x"]
)
def test_groups_by_values_without_a_place_in_python_are_those_that_are_listed(
    tmp_path: Path, key: str
) -> None:
    with duckdb.connect(str(tmp_path / "data.duckdb")) as connection:
        connection.execute(ENDS)
    (tmp_path / "policy.yaml").write_text(POLICY, encoding="utf-8")
    policy = load_policy(tmp_path / "policy.yaml")
    sql = f"SELECT {key}, COUNT(*) FROM pub AS p FULL JOIN pub AS q ON p.no = q.no JOIN t USING (word) GROUP BY 1"
    with closing(build_session(policy, "a", None, (None, None), Noiseless())) as session:
        assert (
            sum(row[1] for row in session.answer(sql.replace("t USING (word)", "t ON t.word = q.word")).rows)
            == 8
        )


def test_the_query_of_a_released_table_has_its_values_in_their_ranges() -> None:
    rows = "SELECT * FROM (VALUES (-3, 'nan'::DOUBLE, DATE 'infinity'), (9, -0.0, '1960-01-01'), (4, 'inf', NULL))"
    node = replace(
        released((SqlType.INTEGER, 0, 5), (SqlType.DOUBLE, -1, 1), (SqlType.DATE, 0, 10)), sql=rows
    )
    found = duckdb.sql(input_query(node)).fetchall()
    assert found == [(0, None, date(1970, 1, 11)), (5, 0.0, date(1970, 1, 1)), (4, 1.0, None)]
    assert input_columns(node, found) == tuple(zip(*found, strict=True))


CHOICES = """CREATE TABLE t AS SELECT i AS u, if(i = 0, 'a', 'b') AS word, true AS flag FROM range(6) AS v(i);
CREATE TABLE pub AS SELECT * FROM (VALUES (1, 'a'), (1, 'b')) v(no, word)"""
ONE_OF_THEM = "(SELECT no, ANY_VALUE(word) AS word FROM pub GROUP BY no) AS z"
OPEN = SHOP.replace(" CAP", "").replace("budgets:", "  pub: {source: data.duckdb, public: true}\nbudgets:")


@pytest.fixture
def choosing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, list[str]]:
    """A policy, and the aggregates that ANY_VALUE stands for from now on, one after another: the last stays."""
    with duckdb.connect(str(tmp_path / "data.duckdb")) as connection:
        connection.execute(CHOICES)
    (tmp_path / "policy.yaml").write_text(OPEN, encoding="utf-8")
    chosen = ["MIN"]

    def turned(method: Callable[..., object]) -> Callable[..., object]:
        def chooses(engine: FinishEngine, sql: str, *tables: object) -> object:
            if "ANY_VALUE" not in sql:
                return method(engine, sql, *tables)
            now = chosen.pop(0) if len(chosen) > 1 else chosen[0]
            return method(engine, sql.replace("ANY_VALUE", now), *tables)

        return chooses

    monkeypatch.setattr(FinishEngine, "evaluate", turned(FinishEngine.evaluate))
    monkeypatch.setattr(FinishEngine, "finish", turned(FinishEngine.finish))
    return tmp_path / "policy.yaml", chosen


def test_the_groups_of_a_public_query_are_those_of_the_rows_that_are_read(
    choosing: tuple[Path, list[str]],
) -> None:
    """DuckDB may give other rows each time: a group that was not listed would end the query where a row is in it."""
    policy, chosen = choosing
    chosen += ["MIN", "MAX"]
    sql = f"SELECT z.word, COUNT(*) FROM t JOIN {ONE_OF_THEM} ON z.word = t.word GROUP BY 1"
    with closing(build_session(load_policy(policy), "a", None, (None, None), Noiseless())) as session:
        assert session.answer(sql).rows == (("a", 1),)


@pytest.mark.parametrize(("then", "paid"), [("MIN", Fraction(1, 2)), ("MAX", Fraction(6, 10))])
def test_a_finer_answer_about_other_rows_of_a_public_query_is_paid_in_full(
    choosing: tuple[Path, list[str]], then: str, paid: Fraction
) -> None:
    """Two draws of one path have the same exact cells; of others a difference would be less than they tell."""
    policy, chosen = choosing
    sql = f"SELECT COUNT(*) FROM t JOIN {ONE_OF_THEM} ON z.word = t.word"
    for epsilon, aggregate in (("0.1", "MIN"), ("0.5", then)):
        chosen[:] = [aggregate]
        with closing(
            build_session(load_policy(policy), "a", None, (epsilon, None), ExactSampler())
        ) as session:
            session.answer(sql)
            spent = session.budget().spent.epsilon
    assert spent == paid
