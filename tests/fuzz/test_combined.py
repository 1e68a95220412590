"""An answer that is fitted to earlier ones is, without noise, the one that would be drawn: all have the same sums."""

from __future__ import annotations

import random
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

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
from fuzz.worlds import BITING, LOOSE, World, run_over

QUESTIONS = 16
FIRST_OF_A_DATABASE = 5
# Nothing is implied by what cost less, so that every question is drawn, and fitted where that can be.
EPSILONS = ("0.02", "0.05", "0.1", "0.2", "0.3", "0.5")
WORLDS = tuple(w for w in (*LOOSE, *BITING) if not w.found and not w.raw and w.typed is None)


@dataclass(slots=True)
class Run:
    """What a run of the fuzzer saw."""

    asked: int = 0
    fitted: int = 0
    refused: int = 0
    failure: str | None = None


def check(asked: Asked, session: Session, size: int, run: Run) -> None:
    """Compares a fitted answer with the same question drawn anew, and with itself asked again."""
    run.asked += 1
    sql = asked.text()
    try:
        ready = reuse_received(prepare(sql, None, session._state), session._state)
    except QueryRefused:
        run.refused += 1
        return
    answer = session.answer(sql, None)
    if not any(ready.fitted):
        return
    run.fitted += 1
    drawn = session.answer(asked.text(fresh=True), None)
    wrong = difference(Query(sql, ""), answer.rows, Expected(drawn.rows, ()), tolerance(ready.plan, size))
    assert wrong is None, f"beside a draw: {wrong}"
    again = session.answer(sql, None)
    assert again.rows == answer.rows and again.released.epsilon == 0


def fuzz_database(world: World, found: Subject, folder: Path, seed: int, run: Run) -> None:
    """Several sets of questions about the same rows, each set in a random order."""
    draw = random.Random(f"combined {seed}")
    database = random_database(found.policy, found.view, found.style, draw)
    policy = stored(database, folder)
    asking = Asking(draw, world)
    with closing(
        build_session(policy, "analyst", None, (None, None), NoNoise(), empty_conditions=True, combine=True)
    ) as session:
        for _ in range(FIRST_OF_A_DATABASE):
            first = asking.first()
            alike = [
                replace(asking.later(first), where=first.where, having="", rolled=False) for _ in EPSILONS[1:]
            ]
            questions = draw.sample([first, *alike], len(EPSILONS))
            for asked, epsilon in zip(questions, EPSILONS, strict=True):
                try:
                    check(replace(asked, epsilon=epsilon), session, database.size, run)
                except Exception as failure:
                    run.failure = (
                        f"{type(failure).__name__}: {failure}\n{world.name}, seed {seed}, {database.size} rows\n"
                        f"{asked.text()}"
                    )
                    return


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, executions: int, fuzz_seed: int) -> Run:
    folder = tmp_path_factory.mktemp("combined")
    return run_over(WORLDS, folder, fuzz_seed, executions or QUESTIONS, Run(), fuzz_database)


def test_a_fitted_answer_is_what_a_draw_says(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        print(f"\ncombined: {run}")
    assert run.failure is None, run.failure
    assert run.fitted > run.asked / 40
    assert run.refused < run.asked / 2
