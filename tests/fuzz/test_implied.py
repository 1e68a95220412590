"""An answer that is read from earlier ones is the one that would be drawn, and what DuckDB says without noise."""

from __future__ import annotations

import random
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pytest

from dpsql.audit.databases.random_database import random_database, stored
from dpsql.audit.queries.generated_query import Query
from dpsql.audit.sensitivity import Subject
from dpsql.errors import QueryRefused
from dpsql.session import Session, build_session
from dpsql.stages.prepare import prepare
from dpsql.stages.reuse import reuse_received
from fuzz.compare import Expected, NoNoise, difference, tolerance
from fuzz.implied import Asked, Asking
from fuzz.test_equivalence import plain
from fuzz.worlds import BITING, LOOSE, World, run_over

QUESTIONS = 16
FIRST_OF_A_DATABASE = 6
LATER = 8
# Under a total for each unit, or limits found for a query, what is summed depends on what is asked beside it.
WORLDS = tuple(
    w
    for w in (*LOOSE, *BITING)
    if not w.totals and not w.gaussian and not w.found and not w.raw and w.typed is None
)


@dataclass(slots=True)
class Run:
    """What a run of the fuzzer saw."""

    asked: int = 0
    implied: int = 0
    refused: int = 0
    failure: str | None = None


def check(
    asked: Asked, session: Session, beside: duckdb.DuckDBPyConnection | None, size: int, run: Run
) -> None:
    """Compares an implied answer with the same question drawn anew, and with DuckDB's where no bound bites."""
    run.asked += 1
    sql = asked.text()
    try:
        ready = prepare(sql, None, session._state)
    except QueryRefused:
        run.refused += 1
        return
    if not any(reuse_received(ready, session._state).derivations):
        return
    run.implied += 1
    answer, near = session.answer(sql, None), tolerance(ready.plan, size)
    drawn = session.answer(asked.text(fresh=True), None)
    assert answer.columns == drawn.columns
    rows = drawn.rows
    if ready.plan.releases[0].keys.domain is None:
        # A draw for fewer measures has more epsilon left to select groups with, and may show smaller ones.
        shown = {row[: len(asked.keys)] for row in answer.rows}
        rows = tuple(row for row in rows if row[: len(asked.keys)] in shown)
    wrong = difference(Query(sql, ""), answer.rows, Expected(rows, ()), near)
    assert wrong is None, f"beside a draw: {wrong}"
    if beside is not None:
        rows = tuple(beside.execute(asked.text(plain=True)).fetchall())
        wrong = difference(Query(sql, "", columns=asked.columns), answer.rows, Expected(rows, ()), near)
        assert wrong is None, f"beside DuckDB: {wrong}"


def fuzz_database(world: World, found: Subject, folder: Path, seed: int, run: Run) -> None:
    """Several sessions on one database, each of a first question and later ones."""
    draw = random.Random(f"implied {seed}")
    database = random_database(found.policy, found.view, found.style, draw)
    policy = stored(database, folder)
    asking = Asking(draw, world)
    with (
        closing(
            build_session(policy, "analyst", None, (None, None), NoNoise(), empty_conditions=True)
        ) as session,
        closing(plain(policy)) as connection,
    ):
        for _ in range(FIRST_OF_A_DATABASE):
            first = asking.first()
            try:
                session.answer(first.text(), None)
            except QueryRefused:
                continue
            for asked in (asking.later(first) for _ in range(LATER)):
                try:
                    check(asked, session, connection if world.exact else None, database.size, run)
                except Exception as failure:
                    run.failure = (
                        f"{type(failure).__name__}: {failure}\n{world.name}, seed {seed}, {database.size} rows\n"
                        f"{first.text()}\n{asked.text()}"
                    )
                    return


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, executions: int, fuzz_seed: int) -> Run:
    folder = tmp_path_factory.mktemp("implied")
    return run_over(WORLDS, folder, fuzz_seed, executions or QUESTIONS, Run(), fuzz_database)


def test_an_implied_answer_is_what_a_draw_and_duckdb_say(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    with capsys.disabled():
        print(f"\nimplied: {run}")
    assert run.failure is None, run.failure
    assert run.implied > run.asked / 10
    assert run.refused < run.asked / 4
