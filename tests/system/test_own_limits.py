"""OPTIONS(max_rows_contributed, max_groups_contributed): a query's own limits, below the policy's."""

from __future__ import annotations

from pathlib import Path

import pytest
from plan.opened import Table, release

from dpsql.engines.private_engine import _MOST_LISTS, DuckEngine
from dpsql.errors import QueryRefused
from dpsql.plan.types import Bounding
from dpsql.session import Session

COLUMNS = {"k": "integer, lower: 0, upper: 99", "x": "integer, lower: 0, upper: 10", "name": "text"}
# Unit u owns 2 u rows, each in a group of its own.
ROWS = [(u, i, i % 11, f"n{i % 5}") for u in range(20) for i in range(2 * u)]
CLAUSE = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS({}) "
COUNT = "COUNT(*) AS n FROM t"
UNITS = "k, COUNT(DISTINCT u) AS n FROM t GROUP BY k"


def opened(folder: Path, privacy: str = "max_rows_per_unit: 30", **more: str) -> Session:
    return Table(COLUMNS, ROWS, privacy=privacy, **more).open(folder)  # type: ignore[arg-type]


@pytest.mark.parametrize("most", [1, 8, 29, 30])
def test_as_many_rows_are_counted_as_the_query_says_and_the_noise_is_for_them(
    most: int, tmp_path: Path
) -> None:
    session = opened(tmp_path)
    query = CLAUSE.format(f"max_rows_contributed = {most}") + COUNT
    (explained,) = session.explain(query).releases
    assert explained.sensitivity == most
    answer = session.answer(query)
    assert answer.rows == ((sum(min(2 * u, most) for u in range(20)),),)
    assert [e.sensitivity for e in release(session, query).events] == [most]


def test_as_many_groups_count_a_unit_as_the_query_says(tmp_path: Path) -> None:
    session = opened(tmp_path)
    limited = CLAUSE.format("max_groups_contributed = 3") + UNITS
    (part,) = release(session, limited).parts
    assert part.bounding == Bounding(groups=3)
    assert sum(n for _, n in session.answer(limited).rows) == sum(min(2 * u, 3) for u in range(20))
    both = CLAUSE.format("max_groups_contributed = 3, max_rows_contributed = 2") + UNITS
    assert [e.sensitivity for e in release(session, both).events] == [2]
    named = "name, COUNT(DISTINCT u) FROM t GROUP BY name"
    assert [
        e.sensitivity for e in release(session, CLAUSE.format("max_groups_contributed = 3") + named).events
    ] == [3]


def test_what_counts_rows_does_not_heed_the_limit_on_groups(tmp_path: Path) -> None:
    session = opened(tmp_path)
    query = CLAUSE.format("max_groups_contributed = 3") + "k, COUNT(*) FROM t GROUP BY k"
    assert [e.sensitivity for e in release(session, query).events] == [30]


def test_a_policy_without_a_limit_leaves_it_to_the_query(tmp_path: Path) -> None:
    session = opened(tmp_path, "neighbours: add_remove")
    with pytest.raises(QueryRefused, match="does not limit how many rows"):
        session.explain(f"SELECT {COUNT}")
    query = CLAUSE.format("max_rows_contributed = 4") + COUNT
    assert session.answer(query).rows == ((sum(min(2 * u, 4) for u in range(20)),),)


@pytest.mark.parametrize(
    ("limit", "reason"),
    [
        ("max_rows_contributed = 31", "takes at most 30 rows of a unit"),
        ("max_groups_contributed = 6", "counts a unit in at most 5 groups"),
    ],
)
def test_a_limit_above_the_policys_is_refused_and_says_the_policys(
    limit: str, reason: str, tmp_path: Path
) -> None:
    session = opened(tmp_path, "max_rows_per_unit: 30, max_groups_per_unit: 5")
    with pytest.raises(QueryRefused, match=reason) as refused:
        session.answer(CLAUSE.format(limit) + COUNT)
    assert refused.value.column == len("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(") + 1
    assert session.budget().spent.epsilon == 0


def spent(session: Session, query: str) -> bool:
    before = session.budget().spent.epsilon
    session.answer(query)
    return session.budget().spent.epsilon > before


def test_another_limit_is_another_question_and_the_same_one_is_free(tmp_path: Path) -> None:
    session = opened(tmp_path)
    limited = [CLAUSE.format(f"max_rows_contributed = {n}") + COUNT for n in (30, 4, 5)]
    assert spent(session, f"SELECT {COUNT}")
    assert [spent(session, q) for q in limited] == [False, True, True]
    assert [spent(session, q) for q in (*limited, f"SELECT {COUNT}")] == [False] * 4


def test_what_was_received_under_a_limit_answers_no_question_without_it(tmp_path: Path) -> None:
    session = opened(tmp_path)
    by_k = "k, COUNT(*), AVG(x) FROM t GROUP BY k"
    less = "k, COUNT(*) FROM t GROUP BY k"
    limit = "max_rows_contributed = 4"
    assert spent(session, CLAUSE.format(limit) + by_k)
    assert spent(session, f"SELECT {less}")
    assert spent(session, CLAUSE.format(limit) + less)


def test_a_limit_that_changes_nothing_changes_no_key(tmp_path: Path) -> None:
    session = opened(tmp_path)
    assert spent(session, "SELECT COUNT(DISTINCT u) FROM t")
    assert not spent(session, CLAUSE.format("max_rows_contributed = 2") + "COUNT(DISTINCT u) FROM t")


def test_limits_of_queries_do_not_fill_the_memory_with_lists_of_units(tmp_path: Path) -> None:
    session = Table(COLUMNS, ROWS, privacy="max_rows_per_unit: 30").open(tmp_path, alone=True)
    for most in range(1, _MOST_LISTS + 6):
        query = CLAUSE.format(f"max_rows_contributed = {most}") + COUNT
        assert session.answer(query).rows == ((sum(min(2 * u, most) for u in range(20)),),)
    engine = session._state.engine
    assert isinstance(engine, DuckEngine)
    assert len([units for units in engine._built.values() if not units.lasting]) == _MOST_LISTS
    kept = engine._connection.execute(
        "SELECT count(*) FROM duckdb_tables() WHERE database_name = 'lists'"
    ).fetchone()
    assert kept == (2 * _MOST_LISTS,)
    assert session.answer(CLAUSE.format("max_rows_contributed = 1, fresh = true") + COUNT).rows == ((19,),)
