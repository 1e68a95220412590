"""Columns that are clamped only where a value lies outside add up to what they do where all are clamped."""

from __future__ import annotations

import math
from datetime import date
from fractions import Fraction
from pathlib import Path

import duckdb
import pyarrow
import pytest
from plan.opened import Table
from pyarrow import parquet

from dpsql.audit.exact import by_key
from dpsql.audit.sensitivity import opened
from dpsql.engines import private_engine
from dpsql.engines.base import EngineQuery, UnitList
from dpsql.engines.private_engine import DuckEngine
from dpsql.engines.sqlgen import single
from dpsql.engines.sqlgen.clamps import Clamp
from dpsql.policy.load import load_policy
from dpsql.stages.prepare import prepare
from dpsql.stages.state import State

INTEGERS = (
    "TINYINT",
    "UTINYINT",
    "SMALLINT",
    "USMALLINT",
    "INTEGER",
    "UINTEGER",
    "BIGINT",
    "UBIGINT",
    "HUGEINT",
)
FLOATS = ("DOUBLE", "FLOAT", "DECIMAL(9,3)")
WHOLE = (None, 0, 1, 2, 3, 97, 98, 99, 127)
DECIMAL = (None, "0", "-0.0", "0.5", "0.749", "1.5", "1.501", "-0.501", "-0.5", "900")
ODD = ("inf", "-inf", "nan", "-nan", "1e300", "5e-324")
COLUMNS = {
    "i": "integer, lower: 2, upper: 98, nullable: true",
    "j": "integer, lower: 0, upper: 1, nullable: true",
    "f": "float, lower: -0.5, upper: 1.5, step: 0.5, nullable: true",
    "g": "text, values: [a, b]",
    "d": "date, lower: 2025-01-15, upper: 2025-03-31, nullable: true",
}
DAYS = (None, "infinity", "-infinity", "2025-01-01", "2025-01-15", "2025-03-31", "2025-04-01", "2025-02-02")
QUERIES = (
    "SELECT SUM(i), COUNT(*) FROM t",
    "SELECT SUM(f), AVG(f), COUNT(f) FROM t",
    "SELECT g, SUM(i), SUM(f), AVG(j) FROM t GROUP BY g",
    "SELECT j, COUNT(*), SUM(f) FROM t GROUP BY j",
    "SELECT i, j, SUM(f) FROM t GROUP BY i, j",
    "SELECT g, SUM(f) FILTER (WHERE i > 5), SUM(j) FROM t WHERE i < 90 GROUP BY g",
    "SELECT SUM(i) + SUM(j), SUM(f) FROM t WHERE g = 'a'",
    "SELECT SUM(i * f), SUM(1 / i), VARIANCE(f) FROM t WHERE i > f",
    "SELECT date_trunc('month', d), SUM(i * i * i), COUNT(f) FROM t GROUP BY 1",
    "SELECT i // 10, SUM(CASE WHEN d > DATE '2025-02-01' THEN f ELSE -f END) FROM t GROUP BY 1",
    "SELECT SUM(date_diff('day', d, DATE '2025-12-31')), SUM(CAST(f AS INTEGER)) FROM t",
    "SELECT COUNT(*), SUM(i) FROM t WHERE CAST(f AS VARCHAR) LIKE '-%'",
)


@pytest.fixture(scope="module", params=["duckdb", "parquet"])
def source(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def policy_of(folder: Path, whole: str, decimal: str, source: str, *, inside: bool) -> Path:
    """A policy over rows of 20 units, some with more than they may add: every value beside others that it has not."""
    policy = Table(COLUMNS, privacy="max_rows_per_unit: 12, max_groups_per_unit: 2").store(folder)
    first, second, values = (2, None, 98), (None, 1, 0), [None, "-0.5", "-0.0", "1.5"]
    days = [None, *DAYS[4:6]] if inside else DAYS
    if not inside:
        first = second = WHOLE
        values = [*DECIMAL, *(ODD if decimal in ("DOUBLE", "FLOAT") else ())]
    values = [v for v in values if not (decimal == "FLOAT" and v in ("1e300", "5e-324"))]
    with duckdb.connect(str(folder / "data.duckdb")) as connection:
        for name, kind in (("i", whole), ("j", whole), ("f", decimal)):
            connection.execute(f"ALTER TABLE t ALTER {name} TYPE {kind}")
        columns = (
            range(20),
            first,
            [second[n // 9 % len(second)] for n in range(9 * len(second))],
            values,
            "abc",
            days,
        )
        rows = [[column[n % len(column)] for n in range(540)] for column in columns]
        written = f"INSERT INTO t SELECT u, i::{whole}, j::{whole}, CAST(f AS {decimal}), g, d::DATE"
        listed = ", ".join(f"unnest(?) AS {name}" for name in "uijfgd")
        connection.execute(f"{written} FROM (SELECT {listed})", rows)
        if source == "parquet":
            parted = "FORMAT parquet, ROW_GROUP_SIZE 2048"
            connection.execute(f"COPY (FROM t ORDER BY i, f) TO '{folder / 't.parquet'}' ({parted})")
            policy.write_text(policy.read_text("utf-8").replace("data.duckdb", "t.parquet"), "utf-8")
    return policy


def clamps_in(query: EngineQuery) -> list[UnitList]:
    return [units for units in query.lists if isinstance(units, Clamp)]


def asked(sql: str, state: State) -> list[EngineQuery]:
    return [query for queries in prepare(sql, None, state).queries for query in queries]


@pytest.mark.one_in(24)
@pytest.mark.parametrize("whole", INTEGERS)
@pytest.mark.parametrize("decimal", FLOATS)
def test_sums_and_keys_are_those_of_the_clamped_rows(
    whole: str, decimal: str, source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of data with values outside of its bounds, and of some that has none."""
    if source == "parquet" and whole == "HUGEINT":
        pytest.skip("a Parquet file holds no such integers")
    for inside in (False, True):
        policy = load_policy(policy_of(tmp_path / str(inside), whole, decimal, source, inside=inside))
        with opened(policy) as state:
            asked_now = [asked(sql, state) for sql in QUERIES]
            found = [by_key(state.engine.run(q)) for queries in asked_now for q in queries]
            assert all(clamps_in(q) for q, *_ in asked_now)
        with monkeypatch.context() as patched, opened(policy) as state:
            patched.setattr(single, "clamps_of", lambda *_: {})
            usual = [asked(sql, state) for sql in QUERIES]
            assert found == [by_key(state.engine.run(q)) for queries in usual for q in queries]


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    "written", [{}, {"row_group_size": 16}, {"write_page_index": True, "data_page_size": 64}]
)
@pytest.mark.parametrize("other", [math.nan, -math.nan, 900.0, -900.0, math.inf, -math.inf, None])
def test_a_value_outside_is_seen_in_a_file_whose_statistics_leave_it_out(
    written: dict[str, object], other: float | None, tmp_path: Path
) -> None:
    values = [*[0.0, 1.0] * 30, other]
    policy = Table(COLUMNS, privacy="max_rows_per_unit: 1").store(tmp_path)
    policy.write_text(policy.read_text("utf-8").replace("data.duckdb", "t.parquet"), "utf-8")
    columns = {"u": list(range(61)), "i": [3] * 61, "j": [0] * 61, "f": values, "g": ["a"] * 61}
    columns["d"] = [date(2025, 2, 1)] * 61
    parquet.write_table(pyarrow.table(columns), tmp_path / "t.parquet", **written)
    clamped = {900.0: 3, math.inf: 3, -900.0: -1, -math.inf: -1, None: 0}.get(other, 3)
    with opened(load_policy(policy)) as state:
        (query, *_) = asked("SELECT SUM(f) FROM t", state)
        (sums,) = by_key(state.engine.run(query)).values()
    assert 60 + clamped in sums


def test_the_sum_is_that_of_the_clamped_values(tmp_path: Path) -> None:
    """Of rows whose values lie below, above, inside, nowhere, or are missing."""
    values = [-7.0, -0.5, 0.25, 1.5, 9.0, math.inf, -math.inf, math.nan, None]
    rows = [(n, None, None, v, "a", None) for n, v in enumerate(values)]
    with opened(load_policy(Table(COLUMNS, rows, privacy="max_rows_per_unit: 1").store(tmp_path))) as state:
        (query, *_) = asked("SELECT SUM(f) FROM t", state)
        (halves,) = by_key(state.engine.run(query)).values()
    # Halves: -1, -1, 1 (of 0.25, away from 0), 3, 3, 3, -1, 3.
    assert Fraction(10) in halves


@pytest.mark.one_in(3)
@pytest.mark.parametrize("value", [0.0, 5.0, 5.1, -0.1, math.nan, None])
def test_a_clamp_is_left_out_where_every_value_lies_inside(tmp_path: Path, value: float | None) -> None:
    columns = {"x": "float, lower: 0, upper: 5, step: 0.5, nullable: true"}
    with opened(
        load_policy(Table(columns, [(1, value), (2, 2.5)], privacy="max_rows_per_unit: 9").store(tmp_path))
    ) as state:
        (query, *_) = asked("SELECT SUM(x) FROM t", state)
        state.engine.run(query)
        engine = state.engine
        assert isinstance(engine, DuckEngine)
        ((made,),) = engine._connection.execute(
            "SELECT macro_definition FROM duckdb_functions() WHERE function_name LIKE 'clamp_%'"
        ).fetchall()
    assert ("CASE" in made) == (value is not None and not 0 <= value <= 5)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("kind", FLOATS)
def test_one_odd_value_among_others_in_a_block_is_clamped(kind: str, source: str, tmp_path: Path) -> None:
    """By the least and the greatest value of its block, DuckDB passes over what cannot meet a condition."""
    odd = ("NULL", "-3", "9", *(("'nan'", "'-nan'", "'inf'", "'-inf'") if "DECIMAL" not in kind else ()))
    policy = Table(COLUMNS, privacy="max_rows_per_unit: 1").store(tmp_path)
    with duckdb.connect(str(tmp_path / "data.duckdb")) as data:
        data.execute(f"ALTER TABLE t ALTER f TYPE {kind}")
        cases = " ".join(f"WHEN {2048 * n + 7} THEN CAST({v} AS {kind})" for n, v in enumerate(odd))
        value = f"CASE range {cases} ELSE CAST(0.5 AS {kind}) END"
        data.execute(f"INSERT INTO t SELECT range, 3, 1, {value}, 'a', NULL FROM range({2048 * len(odd)})")
        if source == "parquet":
            # DuckDB writes no ends of a block that has NaN.
            parquet.write_table(
                data.sql("FROM t").to_arrow_table(), tmp_path / "t.parquet", row_group_size=2048
            )
            policy.write_text(policy.read_text("utf-8").replace("data.duckdb", "t.parquet"), "utf-8")
    with opened(load_policy(policy)) as state:
        (query, *_) = asked("SELECT SUM(f) FROM t", state)
        (found,) = by_key(state.engine.run(query)).values()
    clamped = {"NULL": 0, "-3": -1, "'-inf'": -1}
    assert found[0] == 2047 * len(odd) + sum(clamped.get(v, 3) for v in odd)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("kind", ["FLOAT", "DECIMAL(38,20)", "DOUBLE"])
def test_a_bound_that_no_double_is_holds_for_values_just_above_it(
    kind: str, source: str, tmp_path: Path
) -> None:
    """0.15 / 0.1 is below 1.5 for doubles, which is 1; the nearest FLOAT is above 0.15 and would be 2."""
    columns = {"f": "float, lower: 0, upper: 0.15, step: 0.1, nullable: true"}
    policy = Table(columns, privacy="max_rows_per_unit: 1").store(tmp_path)
    with duckdb.connect(str(tmp_path / "data.duckdb")) as data:
        data.execute(f"ALTER TABLE t ALTER f TYPE {kind}")
        data.execute(f"INSERT INTO t VALUES (1, CAST('0.15000000000000000001' AS {kind}))")
        if source == "parquet":
            data.execute(f"COPY t TO '{tmp_path / 't.parquet'}' (FORMAT parquet)")
            policy.write_text(policy.read_text("utf-8").replace("data.duckdb", "t.parquet"), "utf-8")
    with opened(load_policy(policy)) as state:
        (query, *_) = asked("SELECT SUM(f) FROM t", state)
        (found,) = by_key(state.engine.run(query)).values()
    assert found[0] == 1


@pytest.mark.one_in(3)
@pytest.mark.parametrize("kind", ["FLOAT", "DOUBLE"])
@pytest.mark.parametrize("other", [1.0, math.nan])
def test_there_is_one_zero_where_every_value_lies_inside(
    kind: str, other: float, source: str, tmp_path: Path
) -> None:
    """A unit's rows that are taken off have 0.0: as -0.0, all the others would count however many they are."""
    policy = Table({"f": "float, lower: -1, upper: 5, step: 0.5"}, privacy="max_rows_per_unit: 3").store(
        tmp_path
    )
    with duckdb.connect(str(tmp_path / "data.duckdb")) as data:
        data.execute(f"ALTER TABLE t ALTER f TYPE {kind}")
        data.execute("INSERT INTO t SELECT 1, '-0.0'::DOUBLE FROM range(1000)")
        data.execute("INSERT INTO t VALUES (2, ?)", [other])
        if source == "parquet":
            data.execute(f"COPY t TO '{tmp_path / 't.parquet'}' (FORMAT parquet)")
            policy.write_text(policy.read_text("utf-8").replace("data.duckdb", "t.parquet"), "utf-8")
    with opened(load_policy(policy)) as state:
        for written, rows in (("-0.0", 0), ("0.0", 3)):
            (query, *_) = asked(f"SELECT COUNT(*) FROM t WHERE CAST(f AS VARCHAR) = '{written}'", state)
            assert clamps_in(query) and list(by_key(state.engine.run(query)).values()) == [(rows,)]


def test_more_columns_than_a_few_are_clamped_as_usual(tmp_path: Path) -> None:
    columns = dict.fromkeys("abcdefghij", "float, lower: 0, upper: 5, step: 0.5")
    session = Table(columns, privacy="max_rows_per_unit: 9").open(tmp_path)
    (query, *_) = asked(f"SELECT {', '.join(f'SUM({name})' for name in columns)} FROM t", session._state)
    assert len(clamps_in(query)) == 8


def test_no_list_is_given_up_for_a_clamp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(private_engine, "_MOST_LISTS", 1)
    columns = dict.fromkeys("abcdef", "float, lower: 0, upper: 5, step: 0.5")
    rows = [(1, *[float(n)] * 6) for n in range(9)]
    with opened(load_policy(Table(columns, rows, privacy="max_rows_per_unit: 4").store(tmp_path))) as state:
        engine, built = state.engine, set()
        assert isinstance(engine, DuckEngine)
        for name in columns:
            (query, *_) = asked(f"SELECT SUM({name}) FROM t", state)
            assert engine.run(query) is not None
            assert built < set(engine._built)
            built = set(engine._built)
        assert len([u for u in engine._built.values() if not u.lasting]) == 1


def test_lines_of_text_are_not_parsed_for_it(tmp_path: Path) -> None:
    columns = {"x": "float, lower: 0, upper: 5, step: 0.5"}
    policy = Table(columns, privacy="max_rows_per_unit: 9").store(tmp_path)
    policy.write_text(policy.read_text("utf-8").replace("data.duckdb", "t.csv"), "utf-8")
    (tmp_path / "t.csv").write_text("u,x\n1,2.5\n2,7\n", "utf-8")
    with opened(load_policy(policy)) as state:
        (query, *_) = asked("SELECT SUM(x) FROM t", state)
        assert not clamps_in(query)
        (halves,) = by_key(state.engine.run(query)).values()
    assert 15 in halves
