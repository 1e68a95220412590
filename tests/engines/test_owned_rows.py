"""Rows of nobody are left out, out of a view that asks nothing of a row where every row has an owner."""

from __future__ import annotations

from pathlib import Path

import pytest
from plan.opened import Table

from dpsql.audit.exact import by_key
from dpsql.audit.sensitivity import opened
from dpsql.engines.base import EngineQuery
from dpsql.engines.sqlgen.relation import Owned
from dpsql.policy.load import load_policy
from dpsql.stages.prepare import prepare
from dpsql.stages.state import State
from engines.opened import clinic

COLUMNS = {"x": "integer, lower: 0, upper: 9"}
OWNED = [(1, 3), (1, 4), (2, 5), (3, 9)]
QUESTIONS = {
    "SELECT COUNT(*) FROM t": 4,
    "SELECT COUNT(*) FROM t WHERE x > 3": 3,
    "SELECT SUM(x) FROM t": 21,
}


def _queries(sql: str, state: State) -> list[EngineQuery]:
    return [q for parts in prepare(sql, None, state).queries for q in parts]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("nobody", [False, True])
@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("privacy", ["", "max_rows_per_unit: 1000", "clipping: private"])
def test_rows_of_nobody_are_left_out(tmp_path: Path, question: str, nobody: bool, privacy: str) -> None:
    table = "max_rows_per_unit: 1000" if not privacy else ""
    rows = [*OWNED, (None, 8)] if nobody else OWNED
    policy = load_policy(Table(COLUMNS, rows, privacy=privacy, table=table).store(tmp_path))
    with opened(policy) as state:
        query = _queries(question, state)[-1]
        if privacy == "clipping: private":
            query = _queries(question, state)[0]  # of people, none of whom is nobody
            assert sum(v for (v,) in by_key(state.engine.run(query)).values()) == 3
            return
        assert any(isinstance(units, Owned) for units in query.lists)
        assert list(by_key(state.engine.run(query)).values()) == [(QUESTIONS[question],)]


@pytest.mark.parametrize("nobody", [False, True])
def test_where_all_rows_have_an_owner_nothing_is_asked_of_them(tmp_path: Path, nobody: bool) -> None:
    rows = [*OWNED, (None, 8)] if nobody else OWNED
    policy = load_policy(Table(COLUMNS, rows, table="max_rows_per_unit: 1000").store(tmp_path))
    with opened(policy) as state:
        (query,) = _queries("SELECT COUNT(*) FROM t", state)
        state.engine.run(query)
        (view,) = (units for units in query.lists if isinstance(units, Owned))
        written = state.engine._connection.execute(  # type: ignore[attr-defined]
            "SELECT sql FROM duckdb_views() WHERE view_name LIKE '#owned%'"
        ).fetchall()
    assert view.view.startswith("src.") and len(written) == 1
    assert ("IS NOT NULL" in written[0][0]) is nobody


def test_rows_that_are_joined_to_their_owner_are_asked_for_it(tmp_path: Path) -> None:
    with opened(clinic(tmp_path, "inline")) as state:
        queries = _queries("SELECT COUNT(*) FROM visits v JOIN stays s ON v.patient = s.patient", state)
        assert not any(isinstance(units, Owned) for q in queries for units in q.lists)
