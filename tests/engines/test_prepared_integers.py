"""Under a cap that bites, each way in which prepared rows are bounded gives the integers of the sources."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from dpsql.audit.exact import by_key, found
from dpsql.audit.sensitivity import opened
from dpsql.engines.base import Key
from dpsql.policy.load import load_policy
from dpsql.stages.prepare import prepare
from dpsql.stages.state import State
from engines.opened import clinic
from engines.prepared_clinic import prepare_again, prepared_clinic

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
    assert any(', "#place", 3))' in query.sql for parts in few.queries for query in parts)
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
