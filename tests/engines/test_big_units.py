"""The parts of a query that are for units too big to be listed whole are sent only where there may be such units."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from dpsql.audit.exact import by_key
from dpsql.audit.sensitivity import opened
from dpsql.engines.base import LISTS, EngineQuery, UnitList
from dpsql.engines.private_engine import DuckEngine
from dpsql.engines.sqlgen.clipping.contributions import DrawnBefore, with_drawn
from dpsql.policy.load import load_policy
from dpsql.policy.model import ClippingMode
from dpsql.stages.prepare import prepare
from engines.opened import clinic

QUESTIONS = (
    "SELECT COUNT(*) FROM visits",
    "SELECT COUNT(*) FROM visits WHERE cost > 100",
    "SELECT ward, SUM(cost), COUNT(*) FROM visits GROUP BY ward",
    "SELECT SUM(cost) FROM visits WHERE doctor > 1",
)
UNITS = f"{LISTS}.units"


@pytest.fixture
def engine() -> Iterator[DuckEngine]:
    connection = duckdb.connect(":memory:")
    connection.execute(f"CREATE SCHEMA {LISTS}")
    with closing(DuckEngine(connection)) as opened:
        yield opened


def units(name: str, *big: bool) -> UnitList:
    """A list with a unit for each of the truth values."""
    rows = ", ".join(f"({b})" for b in big) or "(NULL)"
    made = f"CREATE OR REPLACE TABLE {UNITS}_{name} AS SELECT * FROM (VALUES {rows}) AS v(big)"
    counts = f"SELECT count(big), count(*) FILTER (WHERE big) FROM {UNITS}_{name}"
    return UnitList(name, (made,), (f"DROP TABLE {UNITS}_{name}",), counts=counts)


def asked(engine: DuckEngine, *lists: UnitList) -> int:
    """1 where the whole SQL was run, 2 where the shorter one was, 3 where that without any listed unit was."""
    query = EngineQuery("SELECT 0, 1", 0, 1, lists, without_big="SELECT 0, 2", without_units="SELECT 0, 3")
    ((value,),) = engine.run(query).values
    return int(value)


def test_the_shorter_sql_is_run_where_no_listed_unit_is_big(engine: DuckEngine) -> None:
    assert asked(engine, units("a", False, False)) == 2
    assert asked(engine, units("a", False, False), units("empty")) == 2


def test_the_shortest_sql_is_run_where_no_unit_is_listed(engine: DuckEngine) -> None:
    assert asked(engine, units("empty"), units("another")) == 3


def test_the_whole_sql_is_run_where_one_list_has_a_big_unit(engine: DuckEngine) -> None:
    assert asked(engine, units("a", False, False), units("b", False, True)) == 1


def test_the_whole_sql_is_run_where_a_list_does_not_say(engine: DuckEngine) -> None:
    assert asked(engine, units("a", False), replace(units("b", False), counts="")) == 1


def test_a_list_that_is_built_again_is_looked_at_again(engine: DuckEngine) -> None:
    assert asked(engine, units("a", False)) == 2
    for n in range(20):  # so many lists are not kept
        asked(engine, units(f"other{n}", False))
    assert asked(engine, units("a", True)) == 1


def made(engine: DuckEngine, *lists: UnitList) -> int:
    """1 where what units add was made by the whole statement, 2 where by the shorter one, 3 where by the shortest."""
    ways = tuple((f"CREATE OR REPLACE TABLE {LISTS}.made AS SELECT {v} AS v",) for v in (1, 2, 3))
    undone = (f"DROP TABLE {LISTS}.made",)
    kept = UnitList("made", ways[0], undone, passing=True, without_big=ways[1], without_units=ways[2])
    query = EngineQuery(f"SELECT 0, v FROM {LISTS}.made", 0, 1, (*lists, kept))
    ((value,),) = engine.run(query).values
    return int(value)


def test_what_units_add_is_made_by_the_shorter_statement_where_no_listed_unit_is_big(
    engine: DuckEngine,
) -> None:
    assert made(engine, units("a", False, False), units("empty")) == 2


def test_what_units_add_is_made_by_the_shortest_statement_where_no_unit_is_listed(engine: DuckEngine) -> None:
    assert made(engine, units("empty")) == 3


def test_what_units_add_is_made_by_the_whole_statement_where_one_list_has_a_big_unit(
    engine: DuckEngine,
) -> None:
    assert made(engine, units("a", False, False), units("b", False, True)) == 1


def again(kept: UnitList, *ways: tuple[str, ...]) -> Iterator[UnitList]:
    """The same table under other names, so that it is made anew, by other statements."""
    for i, statements in enumerate(ways):
        yield replace(kept, name=f"{kept.name}{i}", statements=statements, without_big=(), without_units=())


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "question",
    [
        "SELECT ward, SUM(cost), COUNT(*) FROM visits v JOIN stays s ON v.patient = s.patient GROUP BY ward",
        "SELECT COUNT(*) FROM visits v JOIN wards w ON v.ward = w.ward WHERE wing = 'old' AND cost > 100",
        "SELECT COUNT(DISTINCT patient) FROM visits WHERE patient IN (SELECT patient FROM stays WHERE nights > 3)",
        "SELECT ward, COUNT(*) FROM visits v WHERE EXISTS (SELECT 1 FROM stays s WHERE s.patient = v.patient "
        "AND nights > 5) GROUP BY ward",
    ],
)
@pytest.mark.parametrize("clipping", ClippingMode)
def test_where_nobody_is_listed_all_texts_give_the_same_integers(
    tmp_path: Path, question: str, clipping: ClippingMode
) -> None:
    text = clinic(tmp_path, "inline").path.read_text(encoding="utf-8").replace("unit: 3}", "unit: 1000}")
    capped = tmp_path / "capped.yaml"
    capped.write_text(text.replace("patient\n", "patient\n    max_rows_per_unit: 100\n"), encoding="utf-8")
    with opened(load_policy(capped), clipping) as state:
        query = prepare(question, None, state).queries[0][-1]
        *others, kept = query.lists
        if kept.passing:
            ways = again(kept, kept.statements, kept.without_units)
            asked = [with_drawn(replace(query, lists=(*others, k)), DrawnBefore(1 << 20)) for k in ways]
        else:
            texts = (query.sql, query.without_units)
            asked = [replace(query, sql=t, without_big="", without_units="") for t in texts]
        assert len(asked[0].sql) > len(asked[1].sql) or kept.passing
        whole, shortest = (by_key(state.engine.run(q)) for q in asked)
        assert whole == shortest and any(map(any, whole.values()))


@pytest.mark.parametrize("question", QUESTIONS[1:])
def test_both_statements_make_the_same_of_what_units_add(tmp_path: Path, question: str) -> None:
    text = clinic(tmp_path, "inline").path.read_text(encoding="utf-8")
    capped = tmp_path / "capped.yaml"
    capped.write_text(text.replace("patient\n", "patient\n    max_rows_per_unit: 5\n", 1), encoding="utf-8")
    with opened(load_policy(capped), ClippingMode.PRIVATE) as state:
        query = prepare(question, None, state).queries[0][0]
        *others, kept = query.lists
        assert kept.without_big and len(kept.without_big[0]) < len(kept.statements[0])
        ways = (kept.statements, kept.without_big)
        whole, shorter = (
            by_key(state.engine.run(replace(query, lists=(*others, k)))) for k in again(kept, *ways)
        )
        assert whole == shorter and whole


@pytest.mark.parametrize("question", QUESTIONS)
def test_both_texts_give_the_same_integers(tmp_path: Path, question: str) -> None:
    with opened(clinic(tmp_path, "inline")) as state:
        for query in (q for parts in prepare(question, None, state).queries for q in parts):
            assert query.without_big and len(query.without_big) < len(query.sql)
            texts = (query.sql, query.without_big)
            whole, shorter = (by_key(state.engine.run(replace(query, sql=t, without_big=""))) for t in texts)
            assert whole == shorter and any(map(any, whole.values()))
