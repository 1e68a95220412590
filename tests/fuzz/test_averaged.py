"""A finer answer that is the mean of several draws is the one that would be drawn alone."""

from __future__ import annotations

import random
from contextlib import closing
from dataclasses import dataclass, replace
from fractions import Fraction
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
from fuzz.worlds import World, run_over

QUESTIONS = 16
OF_A_DATABASE = 8
EPSILONS = ("0.01", "0.02", "0.05", "0.1", "0.25", "1")
WORLDS = (
    World("averaged", gaussian=True, zcdp=True, dataset_cap=50, nullable=True),
    World("averaged_biting", gaussian=True, zcdp=True, table_cap=3, substitute=True, groups=2),
)


@dataclass(slots=True)
class Run:
    """What a run of the fuzzer saw."""

    asked: int = 0
    averaged: int = 0
    refused: int = 0
    failure: str | None = None


def check(asked: Asked, session: Session, size: int, run: Run) -> tuple[Fraction, bool]:
    """What the question cost, and whether means alone answer it; a mean is compared with a draw of its own."""
    run.asked += 1
    sql = asked.text()
    try:
        ready = reuse_received(prepare(sql, None, session._state), session._state)
    except QueryRefused:
        run.refused += 1
        return Fraction(0), False
    answer = session.answer(sql, None)
    if any(ready.averaged):
        run.averaged += 1
        drawn = session.answer(asked.text(fresh=True), None)
        wrong = difference(Query(sql, ""), answer.rows, Expected(drawn.rows, ()), tolerance(ready.plan, size))
        assert wrong is None, f"beside a draw: {wrong}"
        assert session.answer(sql, None).released.epsilon == 0
    return answer.released.epsilon, all(ready.averaged)


def fuzz_database(world: World, found: Subject, folder: Path, seed: int, run: Run) -> None:
    """Questions about one database, each at several epsilons, with what they cost together."""
    draw = random.Random(f"averaged {seed}")
    database = random_database(found.policy, found.view, found.style, draw)
    policy = stored(database, folder)
    with closing(
        build_session(policy, "analyst", None, (None, None), NoNoise(), empty_conditions=True)
    ) as session:
        for _ in range(OF_A_DATABASE):
            asked = Asking(draw, world).first()
            at = [replace(asked, epsilon=e) for e in draw.choices(EPSILONS, k=3)]
            try:
                first, *later = [check(one, session, database.size, run) for one in at]
                most = max(Fraction(one.epsilon) for one in at)
                if all(means for _, means in later):
                    squares = first[0] ** 2 + sum(paid**2 for paid, _ in later)
                    assert squares <= most**2 * Fraction(1001, 1000), f"{first[0]} and {later} were paid"
            except Exception as failure:
                run.failure = (
                    f"{type(failure).__name__}: {failure}\n{world.name}, seed {seed}\n{asked.text()}"
                )
                return


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, executions: int, fuzz_seed: int) -> Run:
    folder = tmp_path_factory.mktemp("averaged")
    return run_over(WORLDS, folder, fuzz_seed, executions or QUESTIONS, Run(), fuzz_database)


def test_a_mean_of_draws_is_what_one_draw_says(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        print(f"\naveraged: {run}")
    assert run.failure is None, run.failure
    assert run.averaged > run.asked / 20
    assert run.refused < run.asked / 2
