"""Threads may share the module; a connection belongs to the thread that opened it and answers one call at a time."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from functools import partial
from pathlib import Path

import pytest

import dpsql
from dpsql.accounting.ledger.ledger import Ledger
from dpsql.dbapi import Connection
from dpsql.engines.base import EngineQuery, Exact
from dpsql.errors import Uncopyable
from dpsql.session import Session
from dpsql.sql.own_stack import OwnStack
from dpsql.stages import prepare
from process.conftest import Open

SQL = "SELECT ward, count(*) AS n FROM visits WHERE age > {} GROUP BY ward"
THREADS, QUERIES = 6, 8


@pytest.fixture(autouse=True)
def interruptible() -> Iterator[None]:
    """Ctrl-C is an exception, also in a run whose shell ignores it in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def impatient() -> Iterator[None]:
    """The interpreter changes threads as often as it can."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def test_threads_with_a_connection_each_share_a_ledger_and_agree_on_every_draw(
    policy: Path, tmp_path: Path, impatient: None
) -> None:
    start = threading.Barrier(THREADS, timeout=60)
    apart = SQL.replace(" AS n", " AS n, sum(cost) AS c")  # of counts alone two would be equal now and then

    def work(thread: int) -> dict[int, object]:
        with dpsql.connect(policy, analyst="alice", ledger=tmp_path / "one.ledger") as connection:
            start.wait()
            order = [(thread + i) % QUERIES for i in range(QUERIES)]
            return {i: connection.execute(apart.format(20 + i)).fetchall() for i in order}

    with ThreadPoolExecutor(THREADS) as pool:
        first, *others = pool.map(work, range(THREADS))
    assert len(first) == QUERIES and all(other == first for other in others)
    assert len({str(rows) for rows in first.values()}) == QUERIES
    with dpsql.connect(policy, analyst="alice", ledger=tmp_path / "one.ledger") as connection:
        spent = connection.budget().spent.epsilon
    assert QUERIES <= spent <= THREADS * QUERIES and spent.denominator == 1


def elsewhere(work: Callable[[], object]) -> object:
    """What the work gives on another thread."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result()


@pytest.mark.parametrize("use", ["execute", "explain", "budget"])
def test_a_connection_is_refused_in_another_thread_before_it_touches_anything(
    connection: Connection, use: str
) -> None:
    uses: dict[str, Callable[[], object]] = {
        "execute": lambda: connection.execute(SQL.format(1)),
        "explain": lambda: connection.explain(SQL.format(1)),
        "budget": lambda: connection.budget(),
    }
    with pytest.raises(dpsql.InterfaceError, match="belongs to the thread that opened it"):
        elsewhere(uses[use])
    assert connection.budget().spent.epsilon == 0


def test_threads_that_press_on_one_connection_get_its_answers_or_a_clean_refusal(
    connection: Connection, impatient: None
) -> None:
    expected = {i: connection.execute(SQL.format(20 + i)).fetchall() for i in range(4)}
    found: list[object] = []
    ended = threading.Event()

    def press() -> None:
        while not ended.is_set():
            try:
                found.append(connection.execute(SQL.format(20)).fetchall())
            except BaseException as error:
                found.append(type(error))

    pressing = [threading.Thread(target=press) for _ in range(4)]
    for thread in pressing:
        thread.start()
    try:
        for i in range(40):
            assert connection.execute(SQL.format(20 + i % 4)).fetchall() == expected[i % 4]
    finally:
        ended.set()
        for thread in pressing:
            thread.join()
    assert found and set(map(str, found)) == {str(dpsql.InterfaceError)}


class During:
    """An engine that does something else in the midst of a query."""

    def __init__(self, session: Session, work: Callable[[], object]) -> None:
        self.engine, self.work, self.errors = session._state.engine, work, list[BaseException]()

    def run(self, query: EngineQuery, seconds: float | None = None) -> Exact:
        try:
            self.work()
        except dpsql.Error as error:
            self.errors.append(error)
        return self.engine.run(query, seconds)

    def close(self) -> None:
        self.engine.close()


@pytest.mark.parametrize("use", ["execute", "explain", "budget", "close"])
def test_a_call_during_a_call_is_refused_and_disturbs_nothing(connection: Connection, use: str) -> None:
    session = connection._session
    assert session is not None
    uses: dict[str, Callable[[], object]] = {
        "execute": lambda: connection.execute("SELECT count(*) FROM wards"),
        "explain": lambda: connection.explain("SELECT count(*) FROM wards"),
        "budget": lambda: connection.budget(),
        "close": lambda: connection.close(),
    }
    during = During(session, uses[use])
    session._state.engine = during
    assert len(connection.execute("SELECT ward, sum(nights) FROM visits GROUP BY ward").fetchall()) == 3
    (error,) = during.errors
    assert isinstance(error, dpsql.InterfaceError) and "in the middle of another query" in str(error)
    assert connection.execute("SELECT wing FROM wards WHERE ward = 'north'").fetchall() == [("old",)]


def test_another_thread_may_close_a_connection_at_rest_and_not_one_at_work(connect: Open) -> None:
    connection = connect()
    session = connection._session
    assert session is not None
    during = During(session, lambda: elsewhere(connection.close))
    session._state.engine = during
    assert connection.execute(SQL.format(50)).fetchall()
    assert isinstance(during.errors[0], dpsql.InterfaceError)
    elsewhere(connection.close)
    with pytest.raises(dpsql.InterfaceError, match="closed"):
        connection.execute(SQL.format(50))


def test_a_session_used_after_close_says_that_it_is_closed(connection: Connection) -> None:
    session = connection._session
    assert session is not None
    session.close()
    session.close()
    for use in (lambda: session.answer("SELECT 1"), lambda: session.explain("SELECT 1"), session.budget):
        with pytest.raises(dpsql.InterfaceError, match="closed"):
            use()


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="there are no such signals here")
def test_planning_that_was_interrupted_is_waited_for_by_the_next_call(
    connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned, main, order = prepare._planned, threading.get_ident(), list[str]()

    def slowly(*given: object) -> object:
        order.append("begun")
        if len(order) == 1:
            signal.pthread_kill(main, signal.SIGINT)
            time.sleep(0.5)
        ready = planned(*given)  # type: ignore[arg-type]
        order.append("ended")
        return ready

    connection.execute(SQL.format(61))  # its plan is remembered: nothing but the wait can hold it back
    monkeypatch.setattr(prepare, "_planned", slowly)
    with pytest.raises(KeyboardInterrupt):
        connection.execute(SQL.format(60))
    assert len(connection.execute(SQL.format(61)).fetchall()) == 3
    assert order == ["begun", "ended"]


def test_work_that_was_cancelled_before_a_thread_took_it_is_never_done(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stack, done, late = OwnStack(), list[str](), list[Callable[[], None]]()

    class Interrupted:
        def __init__(self, target: Callable[[], None], **more: object) -> None:
            late.append(target)

        def is_alive(self) -> bool:
            return False

        def start(self) -> None:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("dpsql.sql.own_stack.threading.Thread", Interrupted)
        with pytest.raises(KeyboardInterrupt):
            stack.run(lambda: done.append("cancelled"))
    assert stack.run(lambda: "next") == "next"
    late[0]()
    assert done == []


def test_work_on_a_stack_of_its_own_gives_and_raises_what_it_does() -> None:
    stack = OwnStack()
    assert stack.run(lambda: 5) == 5 and stack.run(lambda: None) is None
    with pytest.raises(KeyError, match="own"):
        stack.run(lambda: {}["own"])
    stack.settle()


def test_work_is_done_by_the_thread_that_stays_until_it_is_let_go() -> None:
    stack = OwnStack(60)
    first = stack.run(threading.current_thread)
    assert stack.run(threading.current_thread) is first is not threading.current_thread()
    stack.close()
    first.join(60)
    second = stack.run(threading.current_thread)
    assert second is not first and second.is_alive()
    stack.close()
    stack.close()
    second.join(60)


def test_a_thread_that_is_not_asked_in_time_leaves() -> None:
    stack = OwnStack(0.01)
    for _ in range(3):
        thread = stack.run(threading.current_thread)
        thread.join(60)
        assert not thread.is_alive()


def test_work_is_done_once_while_threads_leave_at_any_moment(impatient: None) -> None:
    done = []
    for seconds in (0, 1e-6, 1e-4):
        stack = OwnStack(seconds)
        done += [stack.run(partial(next, iter([i]))) for i in range(2_000)]
        counted: list[int] = []
        for i in range(2_000):
            stack.run(partial(counted.append, i))
            if i % 3 == 0:
                stack.close()
        assert counted == list(range(2_000))
    assert done == [*range(2_000)] * 3


def test_work_that_was_interrupted_is_waited_for_on_the_thread_that_stays() -> None:
    stack, order = OwnStack(60), list[str]()

    def slowly() -> None:
        order.append("begun")
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        time.sleep(0.2)
        order.append("ended")

    with pytest.raises(KeyboardInterrupt):
        stack.run(slowly)
    assert stack.run(lambda: order.append("next")) is None
    assert order == ["begun", "ended", "next"]
    stack.close()


def test_an_interrupted_query_is_charged_and_its_connection_answers_on(connection: Connection) -> None:
    session = connection._session
    assert session is not None
    during = During(session, lambda: signal.raise_signal(signal.SIGINT))
    session._state.engine = during
    with pytest.raises(KeyboardInterrupt):
        connection.execute(SQL.format(77))
    assert connection.budget().spent.epsilon == Fraction(1)
    session._state.engine = during.engine
    assert connection.execute(SQL.format(77)).fetchall()
    assert connection.budget().spent.epsilon == Fraction(2)


def test_what_may_not_be_copied_says_so_by_its_name() -> None:
    class Thing(Uncopyable):
        __slots__ = ()

    with pytest.raises(dpsql.NotSupportedError, match="a dpsql thing cannot be copied"):
        Thing().__reduce_ex__(2)


@pytest.mark.slow
def test_threads_that_open_a_new_ledger_at_once_all_get_it(tmp_path: Path, impatient: None) -> None:
    start = threading.Barrier(THREADS, timeout=60)

    def work(thread: int) -> int:
        versions = 0
        for i in range(60):
            start.wait()
            try:
                with Ledger.open(tmp_path / f"{i}.ledger") as ledger:
                    versions += ledger.data_version()
            except dpsql.Error:
                start.abort()
                raise
        return versions

    with ThreadPoolExecutor(THREADS) as pool:
        assert list(pool.map(work, range(THREADS))) == [60] * THREADS
