"""The response deadline, on a clock of the tests': an answer comes then, whatever the rows made of the time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from attacks.neighbours import Blind

from dpsql.accounting.ledger.ledger import Ledger
from dpsql.engines.base import EngineFailed, EngineQuery, Exact, PrivateEngine
from dpsql.errors import LedgerUnavailable, QueryFailed
from dpsql.session import Session, build_session
from dpsql.stages.deadline import Deadline
from engines.opened import clinic

COUNT = "SELECT count(*) FROM visits"
TWO = "SELECT (SELECT count(*) FROM visits) + (SELECT sum(nights) FROM stays) AS both"


@dataclass(eq=False)
class Clock:
    """Time that passes only where a test says so, and by sleeping."""

    now: float = 100.0
    slept: list[float] = field(default_factory=list)

    def ticks(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@dataclass(eq=False)
class Slow:
    """An engine whose queries take time of the clock, and fail where it is told with what."""

    engine: PrivateEngine
    clock: Clock
    takes: float
    failure: BaseException | None = None
    limits: list[float | None] = field(default_factory=list)

    def run(self, query: EngineQuery, seconds: float | None = None) -> Exact:
        self.limits.append(seconds)
        self.clock.now += self.takes
        if self.failure is not None:
            raise self.failure
        return self.engine.run(query)

    def close(self) -> None:
        self.engine.close()


@dataclass
class Timed:
    """A session under a deadline of 5 seconds."""

    session: Session
    clock: Clock
    engine: Slow

    def took(self, sql: str) -> float:
        """How long an answer or a failure took, by the clock."""
        start = self.clock.now
        try:
            self.session.answer(sql)
        except QueryFailed as error:
            assert str(error) == QueryFailed.SENTENCE
            assert error.__cause__ is None and error.__context__ is None
        return self.clock.now - start


Opened = Callable[..., Timed]


@pytest.fixture
def timed(tmp_path: Path) -> Iterator[Opened]:
    opened: list[Session] = []

    def open_one(takes: float, failure: BaseException | None = None, deadline: float | None = 5) -> Timed:
        session = build_session(clinic(tmp_path, "inline"), "alice", None, (None, None), Blind())
        opened.append(session)
        clock, state = Clock(), session._state
        slow = Slow(state.engine, clock, takes, failure)  # type: ignore[arg-type]
        state.engine = slow
        state.deadline = Deadline(deadline, clock.ticks, clock.sleep)
        return Timed(session, clock, slow)

    yield open_one
    for session in opened:
        session.close()


@pytest.mark.parametrize("takes", [0, 1, 4.5])
def test_an_answer_is_held_until_the_deadline(timed: Opened, takes: float) -> None:
    one = timed(takes)
    assert one.took(COUNT) == 5
    assert one.engine.limits == [5]


@pytest.mark.parametrize("failure", [EngineFailed("x"), MemoryError(), ValueError("x")], ids=type)
def test_a_failure_is_held_until_the_deadline(timed: Opened, failure: Exception) -> None:
    one = timed(1, failure)
    assert one.took(COUNT) == 5
    assert one.session.budget().spent.epsilon == 1


def test_all_releases_of_a_query_share_the_deadline(timed: Opened) -> None:
    one = timed(2)
    assert one.took(TWO) == 5
    assert one.engine.limits == [5, 3]


def test_work_that_outlasts_the_deadline_fails_and_its_charge_stands(timed: Opened) -> None:
    one = timed(7)
    with pytest.raises(QueryFailed):
        one.session.answer(COUNT)
    assert one.clock.slept == [] and one.session.budget().spent.epsilon == 1
    two = timed(6)
    with pytest.raises(QueryFailed):
        two.session.answer(TWO)
    assert two.engine.limits == [5]  # the second release is not begun


def test_a_stored_answer_is_not_held(timed: Opened) -> None:
    one = timed(1)
    assert (one.took(COUNT), one.took(COUNT + " "), one.took("SELECT * FROM wards")) == (5, 0, 0)
    assert one.took("SELECT cost FROM visits LIMIT 0") == 0


def test_what_is_not_charged_is_not_held(timed: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    one = timed(1)

    def refuse(*given: object) -> None:
        raise LedgerUnavailable("the ledger stayed locked")

    monkeypatch.setattr(Ledger, "charge", refuse)
    with pytest.raises(LedgerUnavailable):
        one.session.answer(COUNT)
    assert one.clock.slept == []


def test_a_host_that_interrupts_is_not_held(timed: Opened) -> None:
    one = timed(1, KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        one.session.answer(COUNT)
    assert one.clock.slept == []


def test_without_a_deadline_nothing_is_held_or_limited(timed: Opened) -> None:
    one = timed(1, deadline=None)
    assert one.took(COUNT) == 1
    assert one.engine.limits == [None] and one.clock.slept == []


def test_the_policys_deadline_is_the_sessions(tmp_path: Path) -> None:
    policy = clinic(tmp_path, "inline", "deadline: 2.5")
    session = build_session(policy, "alice", None, (None, None), Blind())
    assert session._state.deadline.seconds == 2.5
    session.close()
    session = build_session(clinic(tmp_path, "inline"), "alice", None, (None, None), Blind())
    assert session._state.deadline.seconds is None
    session.close()


def test_a_sleep_that_ends_early_is_slept_on() -> None:
    clock = Clock()
    with Deadline(
        5, clock.ticks, lambda seconds: clock.sleep(seconds / 2 if seconds > 1 else seconds)
    ).held():
        clock.now += 1
    assert clock.now == 105 and len(clock.slept) == 3
