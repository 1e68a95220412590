"""Units that are counted as sets of bits are as many as count(DISTINCT ...) finds, and take little memory."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from dpsql.audit.exact import by_key
from dpsql.audit.sensitivity import opened
from dpsql.engines.base import EngineQuery, UnitSets
from dpsql.engines.private_engine import DuckEngine
from dpsql.policy.load import load_policy
from dpsql.policy.model import Policy
from dpsql.stages.prepare import prepare
from dpsql.stages.state import State
from engines.test_prepared_lists import over_copy

POLICY = """\
version: 1
privacy: {unit: t.u, max_rows_per_unit: 300}
tables:
  t:
    source: data.duckdb
    unit_key: u
    columns:
      u:    {type: UNIT}
      x:    {type: integer, lower: 0, upper: 9}
      name: {type: text, values: [ann, ben]}
      way:  {type: text}
budgets:
  dataset: {epsilon: 1000, delta: 0.001}
  default: {epsilon: 100, delta: 0.0001, per_query: {epsilon: 1, delta: 1e-6}}
"""
QUESTIONS = (
    "SELECT COUNT(DISTINCT u) FROM t",
    "SELECT COUNT(DISTINCT u) FROM t WHERE x > 4",
    "SELECT COUNT(DISTINCT u) FROM t WHERE x > 9",
    "SELECT name, COUNT(DISTINCT u) FROM t GROUP BY name",
    "SELECT x, name, COUNT(DISTINCT u) FILTER (WHERE x > 2) FROM t GROUP BY ALL",
    "SELECT COUNT(DISTINCT u), COUNT(DISTINCT u) FILTER (WHERE name = 'ann'), SUM(x) FROM t",
)
UNITS = {
    "from one": "range % 37 + 1",
    "below zero": "range % 37 - 20",
    "the least of all": "(range % 37 - 9223372036854775808)::BIGINT",
    "the largest of all": "9223372036854775807 - range % 37",
    "one": "7",
    "some without": "nullif(range % 37, 5)",
    "small numbers": "(range % 37)::UTINYINT",
}


def stored(folder: Path, unit: str, count: int = 200, kind: str = "integer") -> Policy:
    """A table of so many rows, owned by what `unit` makes of the number of a row."""
    rows = "range % 11 AS x, ['ann', 'ben', 'cat ' || range][1 + range % 3] AS name, 'w' || range % 4 AS way"
    with duckdb.connect(str(folder / "data.duckdb")) as connection:
        connection.execute(f"CREATE TABLE t AS SELECT {unit} AS u, {rows} FROM range({count})")
    (folder / "policy.yaml").write_text(POLICY.replace("UNIT", kind), encoding="utf-8")
    return load_policy(folder / "policy.yaml")


def sets_of(sql: str, state: State) -> list[EngineQuery]:
    """The queries of a question that count units."""
    return [q for parts in prepare(sql, None, state).queries for q in parts if q.by_sets is not None]


def fits(query: EngineQuery, state: State) -> bool:
    assert isinstance(state.engine, DuckEngine) and query.by_sets is not None
    return state.engine._fit(query.by_sets)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("unit", UNITS)
def test_as_many_are_found_as_without_sets(tmp_path: Path, unit: str) -> None:
    policy = stored(tmp_path, UNITS[unit])
    with opened(policy) as live, over_copy(policy) as copy:
        for sql in QUESTIONS:
            for state in (live, copy):
                queries = sets_of(sql, state)
                assert queries and all(fits(q, state) for q in queries), sql
                # Keys are checked before there are groups of them: no unlisted one has a set.
                assert not [
                    q for q in queries if q.by_sets and re.search(r"(WHEN |CAST\()k\d", q.by_sets.sql)
                ]
                for query in queries:
                    without = state.engine.run(replace(query, by_sets=None))
                    by_sets = state.engine.run(replace(query, sql="SELECT", in_parts=""))
                    assert dict(by_key(by_sets)) == dict(by_key(without)), sql


@pytest.mark.parametrize(
    ("unit", "units"),
    [
        ("range % 37 * 1000000007", 37),
        ("(range % 2 * 18446744073709551615 - 9223372036854775808)::BIGINT", 2),
    ],
)
def test_units_that_lie_far_apart_are_counted_as_ever(tmp_path: Path, unit: str, units: int) -> None:
    with opened(stored(tmp_path, unit)) as state:
        (query,) = sets_of(QUESTIONS[0], state)
        assert not fits(query, state)
        assert dict(by_key(state.engine.run(query))) == {(): (units,)}


@pytest.mark.parametrize(("unit", "count"), [("1", 0), ("NULL::BIGINT", 50)])
def test_where_no_row_has_a_unit_none_is_counted(tmp_path: Path, unit: str, count: int) -> None:
    with opened(stored(tmp_path, unit, count)) as state:
        (query,) = sets_of(QUESTIONS[0], state)
        assert dict(by_key(state.engine.run(query))) == {(): (0,)}


def test_a_unit_beyond_the_ends_is_left_out_and_is_no_error(tmp_path: Path) -> None:
    """It cannot be: the ends are those of the same rows. If it were, nothing would fail that others can see."""
    with opened(stored(tmp_path, "range % 37")) as state:
        assert isinstance(state.engine, DuckEngine)
        for sql in QUESTIONS:
            for query in sets_of(sql, state):
                assert query.by_sets is not None and fits(query, state)
                for name, end in zip(query.by_sets.variables, (3, 30), strict=True):
                    state.engine._connection.execute(f'SET VARIABLE "{name}" = {end}')
                every = dict(by_key(state.engine.run(replace(query, by_sets=None))))
                counted = dict(by_key(state.engine.run(query)))
                assert all(counted[key][0] <= min(numbers[0], 28) for key, numbers in every.items()), sql
                assert sql != QUESTIONS[0] or (counted, every) == ({(): (28,)}, {(): (37,)})


def test_sets_are_small_beside_the_rows_and_few_enough_for_memory() -> None:
    def of(sets: int) -> UnitSets:
        return UnitSets("", "", ("", ""), sets)

    assert of(1).fit(10, 1, 320) and not of(1).fit(10, 1, 321)
    assert of(1).fit(2**30, -5, 2**27 - 6) and not of(1).fit(2**30, -5, 2**27 - 5)
    assert of(4).fit(2**30, 0, 2**25 - 1) and not of(4).fit(2**30, 0, 2**25)
    assert not of(1).fit(0, 0, 0)


@pytest.mark.parametrize(
    ("sql", "sets"),
    [
        ("SELECT COUNT(DISTINCT u) FROM t", 2),
        ("SELECT name, COUNT(DISTINCT u) FROM t GROUP BY name", 3),
        ("SELECT x, COUNT(DISTINCT u), COUNT(DISTINCT u) FILTER (WHERE name = 'ben') FROM t GROUP BY x", 22),
    ],
)
def test_there_is_a_set_for_each_group_and_count(tmp_path: Path, sql: str, sets: int) -> None:
    with opened(stored(tmp_path, "range % 37")) as state:
        found = [q.by_sets.sets for q in sets_of(sql, state) if q.by_sets is not None]
    assert found == [sets]


LINKED = """\
version: 1
privacy: {unit: people.person, max_rows_per_unit: 50}
tables:
  people: {source: data.duckdb, unit_key: person, one_row_per_unit: true, columns: {person: {type: integer}}}
  t: {source: data.duckdb, unit_path: {of: people.person}, columns: {of: {type: integer}}}
budgets:
  dataset: {epsilon: 100}
  default: {epsilon: 90, per_query: 1}
accountant: pure
"""


def test_owners_along_a_path_have_the_ends_of_the_table_that_names_them(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "data.duckdb")) as connection:
        connection.execute("CREATE TABLE people AS SELECT range + 100 AS person FROM range(20)")
        connection.execute("CREATE TABLE t AS SELECT range % 33 + 90 AS of FROM range(300)")
    (tmp_path / "policy.yaml").write_text(LINKED)
    policy = load_policy(tmp_path / "policy.yaml")
    sql = "SELECT COUNT(DISTINCT person) FROM t JOIN people ON of = person"
    for isolation in (opened, over_copy):
        with isolation(policy) as state:
            (query,) = sets_of(sql, state)
            assert query.by_sets is not None and fits(query, state)
            assert dict(by_key(state.engine.run(query))) == {(): (20,)}


def test_units_of_another_type_and_private_groups_are_counted_as_ever(tmp_path: Path) -> None:
    with opened(stored(tmp_path, "range % 37")) as state:
        assert not sets_of("SELECT way, COUNT(DISTINCT u) FROM t GROUP BY way", state)
    (tmp_path / "texts").mkdir()
    with opened(stored(tmp_path / "texts", "'p' || range % 37", kind="text")) as state:
        assert not any(sets_of(sql, state) for sql in QUESTIONS)
