"""Under a cap that bites, each way in which prepared rows are bounded gives the integers of the sources."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest
from plan.opened import Table

from dpsql.audit.exact import by_key, found
from dpsql.audit.sensitivity import opened
from dpsql.engines.base import Key
from dpsql.policy.load import load_policy
from dpsql.stages.prepare import prepare
from dpsql.stages.state import State
from engines.opened import clinic
from engines.prepared_clinic import prepare_again, prepared_clinic
from engines.test_prepared_lists import over_copy

QUESTIONS = (
    "SELECT COUNT(*) FROM visits",
    "SELECT COUNT(*) FROM visits WHERE cost > 100",
    "SELECT SUM(cost) FROM visits WHERE doctor > 1",
    "SELECT COUNT(doctor), AVG(cost), STDDEV(cost) FROM visits WHERE ward IS NULL OR day < DATE '2025-09-01'",
    "SELECT SUM(CASE WHEN doctor > 3 THEN cost END), COUNT(ward) FROM visits WHERE doctor <> 2",
    "SELECT AVG(CASE WHEN doctor > 4 THEN cost WHEN doctor > 3 THEN 7 END) FROM visits WHERE doctor <> 2",
    "SELECT SUM(cost) FILTER (WHERE ward = 'north'), COUNT(*) FROM visits WHERE day > DATE '2025-02-01'",
    "SELECT ward, SUM(cost), COUNT(*) FROM visits GROUP BY ward",
    "SELECT ward, SUM(cost) FROM visits WHERE day < DATE '2025-09-01' GROUP BY ward",
    "SELECT COUNT(DISTINCT patient) FROM visits WHERE ward = 'north'",
    "SELECT ward, COVAR_POP(cost, CASE WHEN doctor > 0 THEN cost END), SUM(cost) FROM visits GROUP BY ward",
    "SELECT ward, COUNT(*) FROM visits GROUP BY ward",
    "SELECT SUM(cost) FROM visits v JOIN wards w ON v.ward = w.ward WHERE wing = 'old'",
)
DOTS = """\
version: 1
privacy: {unit: a.u, max_rows_per_unit: 2}
tables:
  a: {source: a.parquet, unit_key: u, columns: {u: {type: integer}, b.c: {type: text, values: [x]}}}
  a.b: {source: ab.parquet, unit_key: u, columns: {u: {type: integer}, c: {type: text, values: [x]}}}
budgets: {dataset: {epsilon: 9}, default: {epsilon: 9}}
engine: {prepared: copies}
"""


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[State, State]]:
    copy = prepared_clinic(tmp_path_factory.mktemp("clinic"))
    live = replace(copy, engine=replace(copy.engine, prepared=None))
    with opened(live) as one, opened(copy) as other:
        yield one, other


def sums(question: str, state: State) -> list[list[dict[Key, tuple[int, ...]]]]:
    """The integers of each part of each release, by group."""
    return [
        [by_key(exact) for exact in parts] for parts in found(prepare(question, None, state), state.engine)
    ]


def test_the_table_s_own_cap_is_kept_beside_that_of_the_dataset(tmp_path: Path) -> None:
    plain = clinic(tmp_path, "inline", "prepared: copies")
    text = plain.path.read_text("utf-8")
    capped = tmp_path / "capped.yaml"
    capped.write_text(
        text.replace("    unit_key: patient\n", "    unit_key: patient\n    max_rows_per_unit: 5\n", 1),
        "utf-8",
    )
    copy = load_policy(capped)
    prepare_again(copy)
    live = replace(copy, engine=replace(copy.engine, prepared=None))
    with opened(live) as one, opened(copy) as other:
        for condition in ("doctor > 3", "doctor < 2", "cost > 200"):
            question = f"SELECT SUM(cost) FROM visits WHERE {condition}"
            assert sums(question, one) == sums(question, other)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("question", QUESTIONS)
def test_the_integers_are_those_of_the_sources(both: tuple[State, State], question: str) -> None:
    live, copy = (sums(question, state) for state in both)
    assert live == copy and any(any(row) for parts in copy for part in parts for row in part.values())


def test_units_of_that_data_are_above_the_cap(both: tuple[State, State]) -> None:
    ready = prepare("SELECT COUNT(*) FROM visits", None, both[1])
    (((exact,),)) = found(ready, both[1].engine)
    assert [*by_key(exact).values()] == [(40 * 3,)]


def test_places_decide_what_is_taken_off(both: tuple[State, State]) -> None:
    few = prepare("SELECT SUM(cost) FROM visits WHERE doctor > 1", None, both[1])
    assert any("arg_min(" in query.sql and ", 3))" in query.sql for parts in few.queries for query in parts)
    more = prepare("SELECT ward, SUM(cost) FROM visits WHERE doctor > 1 GROUP BY ward", None, both[1])
    assert any('list_max(min("#place", 3))' in query.sql for parts in more.queries for query in parts)


def written(question: str, state: State) -> str:
    return "; ".join(query.sql for parts in prepare(question, None, state).queries for query in parts)


def test_integers_are_read_where_they_are_on_the_grid_that_is_asked_for(both: tuple[State, State]) -> None:
    assert "round(" not in written("SELECT ward, SUM(cost), AVG(cost) FROM visits GROUP BY ward", both[1])
    coarse = written(
        "SELECT COVAR_POP(cost, CASE WHEN doctor > 0 THEN cost END), SUM(cost) FROM visits", both[1]
    )
    assert '."#grid cost"' in coarse and "round(" in coarse


def test_texts_are_grouped_by_their_code_where_more_than_rows_is_counted(both: tuple[State, State]) -> None:
    assert '"#code ward"' not in written("SELECT ward, COUNT(*) FROM visits GROUP BY ward", both[1])
    assert '"#code ward"' in written("SELECT ward, SUM(cost) FROM visits GROUP BY ward", both[1])


def test_narrow_integers_are_computed_with_as_wide_ones(tmp_path: Path) -> None:
    """What is stored in four bytes is added, multiplied and compared as what its column is declared to be."""
    most = 2**31 - 1
    columns = {
        "x": f"integer, lower: {-most}, upper: {most}, nullable: true",
        "y": f"integer, lower: 0, upper: {2**31}",
        "z": "integer, lower: -1000000000000, upper: 1000000000000",
        "w": "integer, lower: 0, upper: 100000",
    }
    rows = [
        (1, most, 2**31, 10**12, 10**5),
        (2, -most, 0, -(10**12), 10**6),
        (3, None, most, 5, -1),
        (4, most + 5, 2**31 + 7, 0, 99_999),
        (5, 7, 1, 2**40, 3),
    ]
    wide = Table(columns, rows, privacy="max_rows_per_unit: 2")
    questions = (
        "SELECT SUM(x), SUM(y), SUM(z) FROM t",
        "SELECT SUM(x + 2147483647), SUM(x * 3), SUM(-x) FROM t WHERE x > 0",
        "SELECT COUNT(*) FROM t WHERE x < 2147483647",
        "SELECT COUNT(*) FROM t WHERE y >= 2147483647 AND z > -1000000000",
        "SELECT SUM(w * w), SUM(x * y) FROM t WHERE z <> 5",
    )
    policy = load_policy(wide.store(tmp_path))
    with opened(policy) as one, over_copy(policy) as other:
        kinds = other.engine._connection.execute(  # type: ignore[attr-defined]
            "SELECT column_name, data_type FROM duckdb_columns() WHERE database_name = 'prepared' "
            "AND table_name = 't' AND column_name IN ('x', 'y', 'z') ORDER BY 1"
        ).fetchall()
        assert kinds == [("x", "INTEGER"), ("y", "BIGINT"), ("z", "BIGINT")]
        for question in questions:
            assert sums(question, one) == sums(question, other), question


def test_a_column_may_be_called_as_duckdb_calls_the_place_of_a_row(tmp_path: Path) -> None:
    named = Table(
        {"rowid": "integer, lower: 0, upper: 9"},
        [(i % 3, i % 9) for i in range(20)],
        privacy="max_rows_per_unit: 2",
    )
    policy = load_policy(named.store(tmp_path))
    with opened(policy) as one, over_copy(policy) as other:
        assert sums("SELECT SUM(rowid) FROM t", one) == sums("SELECT SUM(rowid) FROM t", other)


def test_dots_in_names_make_no_two_lists_one(tmp_path: Path) -> None:
    policy = tmp_path / "dots.yaml"
    policy.write_text(DOTS, "utf-8")
    for name, column in (("a", "b.c"), ("ab", "c")):
        rows = f"""SELECT range % 3 AS u, 'x' AS "{column}" FROM range(9)"""
        duckdb.sql(rows).write_parquet(str(tmp_path / f"{name}.parquet"))
    copy = load_policy(policy)
    live = replace(copy, engine=replace(copy.engine, prepared=None))
    prepare_again(copy)
    with opened(live) as one, opened(copy) as other:
        for question in (
            'SELECT "b.c", COUNT(*) FROM a GROUP BY 1',
            "SELECT c, COUNT(*) FROM a.b GROUP BY 1",
        ):
            assert sums(question, one) == sums(question, other)
