"""Under a cap that bites, each way in which prepared rows are bounded gives the integers of the sources."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from dpsql.audit.exact import by_key, found
from dpsql.audit.sensitivity import opened
from dpsql.stages.prepare import prepare
from dpsql.stages.state import State
from engines.prepared_clinic import prepared_clinic

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
    "SELECT SUM(cost) FROM visits v JOIN wards w ON v.ward = w.ward WHERE wing = 'old'",
)


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[State, State]]:
    copy = prepared_clinic(tmp_path_factory.mktemp("clinic"))
    live = replace(copy, engine=replace(copy.engine, prepared=None))
    with opened(live) as one, opened(copy) as other:
        yield one, other


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_integers_are_those_of_the_sources(both: tuple[State, State], question: str) -> None:
    live, copy = (
        [[by_key(exact) for exact in parts] for parts in found(prepare(question, None, state), state.engine)]
        for state in both
    )
    assert live == copy and any(any(row) for parts in copy for part in parts for row in part.values())


def test_units_of_that_data_are_above_the_cap(both: tuple[State, State]) -> None:
    ready = prepare("SELECT COUNT(*) FROM visits", None, both[1])
    (((exact,),)) = found(ready, both[1].engine)
    assert [*by_key(exact).values()] == [(40 * 3,)]


def test_places_decide_what_is_taken_off(both: tuple[State, State]) -> None:
    ready = prepare("SELECT SUM(cost) FROM visits WHERE doctor > 1", None, both[1])
    assert any('list_max(min("#place", 3))' in query.sql for parts in ready.queries for query in parts)
