"""The privacy claim by running: no unit moves the exact integers of any release by more than its sensitivity."""

from __future__ import annotations

import random
import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from dpsql.engines.base import Engine, EngineFailed
from dpsql.errors import QueryRefused
from dpsql.mechanisms.sampler import ExactSampler
from dpsql.policy.model import Policy
from dpsql.prepare import Ready, prepare
from dpsql.session import build_session
from dpsql.session_state import State
from fuzz.databases import Database, neighbour, random_database, stored
from fuzz.exact import Found, Moved, by_key, found, moved, unbounded_engine
from fuzz.queries import Query, random_query
from fuzz.worlds import BITING, World

EXECUTIONS = 2_000
QUERIES_OF_A_DATABASE = 24
NEAR = 0.9
SETTINGS = ("PRAGMA disable_optimizer", "SET threads = 1", "SET threads = 4")


@dataclass(slots=True)
class Run:
    """What a run of the fuzzer saw: executions, refusals, and the nearest that each kind came to its claim."""

    executions: int = 0
    failure: str | None = None
    repeats: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    constructs: Counter[str] = field(default_factory=Counter)
    nearest: dict[str, float] = field(default_factory=dict)

    def saw(self, m: Moved) -> None:
        self.nearest[m.kind] = max(self.nearest.get(m.kind, 0.0), m.by / m.claimed)

    def __str__(self) -> str:
        lines = [
            f"{self.executions} executions, {self.repeats} repeats, {sum(self.refused.values())} refused"
        ]
        lines += [f"  {kind}: {ratio:.3f} of the claim" for kind, ratio in sorted(self.nearest.items())]
        return "\n".join(lines)


@contextmanager
def opened(policy: Policy) -> Iterator[State]:
    """The state of a session over a stored database."""
    session = build_session(policy, "analyst", None, (None, None), ExactSampler())
    with closing(session):
        yield session._state


def prepared(query: Query, state: State) -> Ready | str:
    """The plan of a query, or the refusal's message."""
    try:
        return prepare(query.sql, query.params, state)
    except QueryRefused as refusal:
        return str(refusal)


def check_neighbours(query: Query, one: State, others: list[State], run: Run) -> tuple[Ready, Found] | None:
    """Compares a query on a database and its neighbours; None where it is refused on all of them."""
    ready = prepared(query, one)
    if run.executions % 3 == 0:
        check_plan(query, ready, others[0])
    run.executions += len(others)
    if isinstance(ready, str):
        run.refused[ready] += len(others)
        return None
    left = found(ready, one.engine)
    for other in others:
        for m in moved(ready, left, found(ready, other.engine)):
            assert m.by <= m.claimed, f"{m.kind} moved by {m.by}, claimed at most {m.claimed}"
            run.saw(m)
    return ready, left


def check_plan(query: Query, ready: Ready | str, other: State) -> None:
    """Plan, rewritten SQL, domain, description, charge or refusal are the same on a neighbour."""
    again = prepared(query, other)
    if isinstance(ready, str) or isinstance(again, str):
        assert ready == again, "a refusal depends on private rows"
        return
    for part in ("plan", "queries", "columns", "charges"):
        assert getattr(ready, part) == getattr(again, part), f"the {part} depends on private rows"


def check_again(ready: Ready, before: Found, engine: Engine) -> None:
    """The same integers for the same rows, however they are stored and computed."""
    for old, new in zip(before, found(ready, engine), strict=True):
        for x, y in zip(old, new, strict=True):
            assert by_key(x) == by_key(y), "the integers depend on how the rows are stored or computed"


@contextmanager
def elsewhere(database: Database, folder: Path, policy: Policy, draw: random.Random) -> Iterator[Engine]:
    """Another engine over the same rows: stored in another order, or with other settings."""
    at = draw.randrange(len(SETTINGS) + 1)
    if at < len(SETTINGS):
        engine = unbounded_engine(policy, SETTINGS[at])
    else:
        engine = unbounded_engine(stored(database, folder / "again", draw))
    with closing(engine):
        yield engine


def fuzz_database(world: World, folder: Path, seed: int, run: Run) -> None:
    """Many queries on one database and two of its neighbours."""
    draw = random.Random(f"database {seed} {world.name}")
    database = random_database(world, draw)
    nearby = [neighbour(database, draw) for _ in range(2)]
    policy = stored(database, folder / "one")
    with ExitStack() as stack:
        one = stack.enter_context(opened(policy))
        others = [stack.enter_context(opened(stored(n, folder / f"other{i}"))) for i, n in enumerate(nearby)]
        engine = stack.enter_context(elsewhere(database, folder, policy, draw))
        for i in range(QUERIES_OF_A_DATABASE):
            query = random_query(seed * QUERIES_OF_A_DATABASE + i, world)
            try:
                result = check_neighbours(query, one, others, run)
                if result is not None and i % 3 == 0:
                    run.repeats += 1
                    check_again(*result, engine)
            except (AssertionError, EngineFailed) as failure:
                run.failure = report(failure, query, world, seed, i, database)
                return
            run.constructs.update(query.tags if result is not None else ())


def report(failure: BaseException, query: Query, world: World, seed: int, at: int, one: Database) -> str:
    """Everything that is needed to see a failure again."""
    return (
        f"{failure}\nworld {world.name}, seed {seed}, query seed {seed * QUERIES_OF_A_DATABASE + at}\n"
        f"{query.sql}\n{query.params}\n{one.rows}"
    )


def fuzz(tmp_path: Path, start: int, count: int) -> Run:
    """Runs the fuzzer over all policies in turn."""
    run, seed = Run(), start
    while run.executions < count and run.failure is None:
        world = BITING[seed % len(BITING)]
        fuzz_database(world, tmp_path / str(seed), seed, run)
        shutil.rmtree(tmp_path / str(seed))
        seed += 1
    return run


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, executions: int, fuzz_seed: int) -> Run:
    return fuzz(tmp_path_factory.mktemp("sensitivity"), fuzz_seed, executions or EXECUTIONS)


def test_no_unit_moves_a_release_by_more_than_its_sensitivity(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    with capsys.disabled():
        print(f"\nsensitivity fuzz: {run}")
    assert run.failure is None, run.failure
    assert run.nearest and run.repeats > run.executions / 10


def test_every_kind_of_release_comes_near_its_claim(run: Run) -> None:
    if run.executions < EXECUTIONS:
        pytest.skip("a shorter run than the default may miss a kind")
    far = {kind: ratio for kind, ratio in run.nearest.items() if ratio < NEAR}
    assert not far and len(run.nearest) >= 20, run


def test_most_queries_are_admitted_and_every_construct_is_among_them(run: Run) -> None:
    if run.executions < EXECUTIONS:
        pytest.skip("a shorter run than the default may miss a construct")
    assert sum(run.refused.values()) < 0.25 * run.executions, run.refused.most_common(5)
    assert len(run.constructs) >= 35, run.constructs
