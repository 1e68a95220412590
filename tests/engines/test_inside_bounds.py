"""Rows read in parts, inside and outside of their columns' bounds, add up to what they do where each one is clamped."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import duckdb
import pytest
from plan.opened import Table
from pyarrow import parquet

from dpsql.audit.exact import by_key
from dpsql.audit.sensitivity import opened
from dpsql.engines.base import EngineQuery
from dpsql.engines.sqlgen import single
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
}
QUERIES = (
    "SELECT SUM(i), COUNT(*) FROM t",
    "SELECT SUM(f), AVG(f), COUNT(f) FROM t",
    "SELECT g, SUM(i), SUM(f), AVG(j) FROM t GROUP BY g",
    "SELECT j, COUNT(*), SUM(f) FROM t GROUP BY j",
    "SELECT i, j, SUM(f) FROM t GROUP BY i, j",
    "SELECT g, SUM(f) FILTER (WHERE i > 5), SUM(j) FROM t WHERE i < 90 GROUP BY g",
    "SELECT SUM(i) + SUM(j), SUM(f) FROM t WHERE g = 'a'",
)


@pytest.fixture(scope="module", params=["duckdb", "parquet"])
def source(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def policy_of(folder: Path, whole: str, decimal: str, source: str) -> Path:
    """A policy over rows of 20 units, some with more than they may add: every value beside others that it has not."""
    policy = Table(COLUMNS, privacy="max_rows_per_unit: 12, max_groups_per_unit: 2").store(folder)
    values = [*DECIMAL, *(ODD if decimal in ("DOUBLE", "FLOAT") else ())]
    values = [v for v in values if not (decimal == "FLOAT" and v in ("1e300", "5e-324"))]
    with duckdb.connect(str(folder / "data.duckdb")) as connection:
        for name, kind in (("i", whole), ("j", whole), ("f", decimal)):
            connection.execute(f"ALTER TABLE t ALTER {name} TYPE {kind}")
        rows = [
            (n % 20, WHOLE[n % 9], WHOLE[n // 9 % 9], values[n % len(values)], "abc"[n % 3])
            for n in range(540)
        ]
        written = f"INSERT INTO t SELECT ?, ?::{whole}, ?::{whole}, CAST(?::VARCHAR AS {decimal}), ?"
        connection.executemany(written, rows)
        if source == "parquet":
            parted = "FORMAT parquet, ROW_GROUP_SIZE 2048"
            connection.execute(f"COPY (FROM t ORDER BY i, f) TO '{folder / 't.parquet'}' ({parted})")
            policy.write_text(policy.read_text("utf-8").replace("data.duckdb", "t.parquet"), "utf-8")
    return policy


def asked(sql: str, state: State) -> list[EngineQuery]:
    return [query for queries in prepare(sql, None, state).queries for query in queries]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("whole", INTEGERS)
@pytest.mark.parametrize("decimal", FLOATS)
def test_parts_add_up_to_the_clamped_rows(
    whole: str, decimal: str, source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if source == "parquet" and whole == "HUGEINT":
        pytest.skip("a Parquet file holds no such integers")
    policy = load_policy(policy_of(tmp_path, whole, decimal, source))
    with opened(policy) as state:
        in_parts = [asked(sql, state) for sql in QUERIES]
        found = [by_key(state.engine.run(q)) for queries in in_parts for q in queries]
    monkeypatch.setattr(single, "only_added", lambda *_: {})
    with opened(policy) as state:
        clamped = [asked(sql, state) for sql in QUERIES]
        assert found == [by_key(state.engine.run(q)) for queries in clamped for q in queries]
    assert all(
        q.sql.count(" OR ") > p.sql.count(" OR ") for (q, *_), (p, *_) in zip(in_parts, clamped, strict=True)
    )


def test_the_sum_is_that_of_the_clamped_values(tmp_path: Path) -> None:
    """Of rows whose values lie below, above, inside, nowhere, or are missing."""
    values = [-7.0, -0.5, 0.25, 1.5, 9.0, math.inf, -math.inf, math.nan, None]
    with opened(
        load_policy(
            Table(
                COLUMNS,
                [(n, None, None, v, "a") for n, v in enumerate(values)],
                privacy="max_rows_per_unit: 1",
            ).store(tmp_path)
        )
    ) as state:
        (query, *_) = asked("SELECT SUM(f) FROM t", state)
        (halves,) = by_key(state.engine.run(query)).values()
    # Halves: -1, -1, 1 (of 0.25, away from 0), 3, 3, 3, -1, 3.
    assert Fraction(10) in halves


@pytest.mark.parametrize("kind", FLOATS)
def test_one_odd_value_among_others_in_a_block_is_in_one_part(kind: str, source: str, tmp_path: Path) -> None:
    """By the least and the greatest value of its block, DuckDB passes over what cannot meet a condition."""
    odd = ("NULL", "-3", "9", *(("'nan'", "'-nan'", "'inf'", "'-inf'") if "DECIMAL" not in kind else ()))
    policy = Table(COLUMNS, privacy="max_rows_per_unit: 1").store(tmp_path)
    with duckdb.connect(str(tmp_path / "data.duckdb")) as data:
        data.execute(f"ALTER TABLE t ALTER f TYPE {kind}")
        cases = " ".join(f"WHEN {2048 * n + 7} THEN CAST({v} AS {kind})" for n, v in enumerate(odd))
        value = f"CASE range {cases} ELSE CAST(0.5 AS {kind}) END"
        data.execute(f"INSERT INTO t SELECT range, 3, 1, {value}, 'a' FROM range({2048 * len(odd)})")
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


def test_what_is_computed_of_a_column_reads_it_clamped(tmp_path: Path) -> None:
    columns = {"x": "float, lower: 0, upper: 5, step: 0.5", "y": "float, lower: 0, upper: 5, step: 0.5"}
    session = Table(columns, privacy="max_rows_per_unit: 9").open(tmp_path)

    def parted(what: str) -> set[str]:
        """The columns that are read as they are in some part."""
        (query, *_) = asked(f"SELECT {what}", session._state)
        return {name for name in columns if f't."{name}" AS "{name}"' in query.sql}

    assert parted("SUM(x) FROM t") == {"x"}
    assert parted("SUM(x), AVG(y) FROM t WHERE x > 1") == {"x", "y"}
    assert parted("SUM(x), AVG(y) FROM t WHERE x > y") == set()
    assert parted("SUM(x + y), SUM(y) FROM t") == set()
    assert parted("SUM(x * 2) FROM t") == set()
    assert parted("SUM(x), VARIANCE(y) FROM t") == {"x"}
    assert parted("SUM(x), COUNT(DISTINCT y) FROM t") == set()
    assert parted("SUM(x), SUM(y) FILTER (WHERE x > 2) FROM t") == {"y"}
    assert parted("SUM(x) FROM t WHERE FLOOR(x) = 1") == set()


def test_more_columns_than_a_few_are_clamped(tmp_path: Path) -> None:
    columns = dict.fromkeys("abcde", "float, lower: 0, upper: 5, step: 0.5")
    session = Table(columns, privacy="max_rows_per_unit: 9").open(tmp_path)
    (query, *_) = asked(f"SELECT {', '.join(f'SUM({name})' for name in columns)} FROM t", session._state)
    assert query.sql.count(" OR ") == 2 * 3


def test_lines_of_text_are_read_once(tmp_path: Path) -> None:
    policy = Table({"x": "float, lower: 0, upper: 5, step: 0.5"}, privacy="max_rows_per_unit: 9").store(
        tmp_path
    )
    policy.write_text(policy.read_text("utf-8").replace("data.duckdb", "t.csv"), "utf-8")
    (tmp_path / "t.csv").write_text("u,x\n1,2.5\n2,7\n", "utf-8")
    with opened(load_policy(policy)) as state:
        (query, *_) = asked("SELECT SUM(x) FROM t", state)
        assert " OR " not in query.sql
        (halves,) = by_key(state.engine.run(query)).values()
    assert 15 in halves
