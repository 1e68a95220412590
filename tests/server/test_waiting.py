"""Who waits for whom: calls for engines, logins after failures, connections before their login."""

from __future__ import annotations

import asyncio
import io
import threading
import time

import pytest

from dpsql.interfaces.server.event_log import EventLog
from dpsql.interfaces.server.limits import Limits
from dpsql.interfaces.server.listening.front_door import FrontDoor
from dpsql.interfaces.server.listening.open_sessions import OpenSessions, TooManySessions
from dpsql.interfaces.server.listening.unproven import Unproven
from dpsql.interfaces.server.logins.login_failures import LoginFailures, counted_address
from dpsql.interfaces.server.logins.scram import verifier_of
from dpsql.interfaces.server.logins.users import User, Users
from dpsql.interfaces.server.working.fair_queue import FairQueue
from dpsql.interfaces.wire.failures import TooManyCalls
from dpsql.interfaces.wire.startup import CancelRequest


class Calls:
    """Calls that end when the test says so, in the order in which they were let in."""

    def __init__(self, queue: FairQueue) -> None:
        self.queue, self.begun, self.gates = queue, [], {}

    def ask(self, analyst: str, name: str) -> threading.Thread:
        gate = self.gates[name] = threading.Event()

        def call() -> None:
            with self.queue.turn(analyst):
                self.begun.append(name)
                gate.wait(10)

        thread = threading.Thread(target=call)
        thread.start()
        time.sleep(0.02)
        return thread

    def end(self, name: str) -> None:
        self.gates[name].set()
        time.sleep(0.05)


def test_every_analysts_turn_comes_before_somebodys_second() -> None:
    calls = Calls(FairQueue(1, 10))
    threads = [calls.ask("alice", f"alice {i}") for i in range(4)] + [calls.ask("bob", "bob 0")]
    assert calls.begun == ["alice 0"]
    calls.end("alice 0")
    assert calls.begun[1] == "bob 0"
    calls.end("bob 0")
    calls.end("alice 1")
    calls.end("alice 2")
    assert calls.begun[2:] == ["alice 1", "alice 2", "alice 3"]
    _ended(calls, threads)


def test_as_many_run_as_there_are_places_and_one_analyst_does_not_hold_the_second() -> None:
    calls = Calls(FairQueue(2, 10))
    threads = [calls.ask("alice", f"alice {i}") for i in range(4)]
    assert calls.begun == ["alice 0", "alice 1"]
    threads.append(calls.ask("bob", "bob 0"))
    calls.end("alice 0")
    assert calls.begun[2] == "bob 0"
    _ended(calls, threads)


def _ended(calls: Calls, threads: list[threading.Thread]) -> Calls:
    for gate in calls.gates.values():
        gate.set()
    for thread in threads:
        thread.join(10)
        assert not thread.is_alive()
    calls.queue.settle()
    return calls


def test_an_analyst_has_a_limit_of_calls_and_others_do_not_feel_it() -> None:
    calls = Calls(FairQueue(1, 2))
    threads = [calls.ask("alice", "first"), calls.ask("alice", "second")]
    with pytest.raises(TooManyCalls), calls.queue.turn("alice"):
        raise AssertionError("a third one was let in")
    threads.append(calls.ask("bob", "bob"))
    _ended(calls, threads)
    with calls.queue.turn("alice"):
        pass


def test_a_call_that_fails_gives_its_place_back() -> None:
    queue = FairQueue(1, 1)
    for _ in range(3):
        with pytest.raises(RuntimeError), queue.turn("alice"):
            raise RuntimeError
    queue.settle()


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_login_that_fails_again_and_again_waits_longer_and_longer() -> None:
    failures = LoginFailures(Clock())
    assert failures.delay("alice", "a") == 0
    waits = []
    for _ in range(10):
        failures.failed("alice", "a")
        waits.append(failures.delay("alice", "a"))
    assert waits[:4] == [0.1, 0.2, 0.4, 0.8] and waits[-1] == 5.0


def test_others_wait_a_little_whoever_fails() -> None:
    failures = LoginFailures(Clock())
    for i in range(1000):
        failures.failed("alice", "a")
        failures.failed(f"nobody {i}", "a")
    assert failures.delay("alice", "b") == 1.0  # the login is tried from elsewhere
    assert failures.delay("bob", "a") == 0.25  # the address tries others
    assert failures.delay("bob", "b") == 0


def test_a_wait_ends_with_a_success_or_with_time() -> None:
    clock = Clock()
    failures = LoginFailures(clock)
    for _ in range(9):
        failures.failed("alice", "a")
    clock.now = 601
    assert failures.delay("alice", "a") == 0
    failures.failed("alice", "a")
    failures.succeeded("alice", "a")
    assert failures.delay("alice", "a") == 0.1  # as everywhere: somebody failed with this login


def test_failures_do_not_fill_the_memory() -> None:
    failures = LoginFailures(Clock())
    for i in range(20_000):
        failures.failed(f"login {i}", "a")
    assert len(failures._counts) <= 10_000
    assert failures.delay("anybody", "a") == 0.25  # what an address did is remembered over all of them


@pytest.mark.parametrize(
    ("host", "counted"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", ""),
    ],
)
def test_addresses_are_counted_by_whom_they_are_given_to(host: str, counted: str) -> None:
    assert counted_address(host) == counted


def test_the_oldest_of_an_address_gives_way_and_then_the_oldest_of_the_fullest() -> None:
    async def run() -> list[str]:
        unproven, tasks = Unproven(4, 2), []

        async def wait(address: str) -> None:
            task = asyncio.current_task()
            assert task is not None
            with unproven.admitted(task, address):
                await asyncio.sleep(60)

        for address in ("a", "a", "a", "b", "c", "d"):
            tasks.append(asyncio.create_task(wait(address), name=f"{address}{len(tasks)}"))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        ended = [task.get_name() for task in tasks if task.done()]
        unproven.end()
        await asyncio.gather(*tasks, return_exceptions=True)
        return ended

    assert asyncio.run(run()) == ["a0", "a1"]


def test_sessions_are_limited_in_all_and_by_analyst_until_nothing_of_them_runs() -> None:
    sessions = OpenSessions(Limits(sessions=3, sessions_of_analyst=2))
    verifier = verifier_of("x")
    alice, alias = User("alice", "team", verifier), User("alias", "TEAM", verifier)
    bob, task = User("bob", "bob", verifier), None
    first = sessions.add(alice, (3, 0), task)
    sessions.add(alias, (3, 2), task)
    with pytest.raises(TooManySessions, match="of this analyst"):
        sessions.add(alice, (3, 0), task)
    sessions.done(first.number, "client")
    with pytest.raises(TooManySessions):  # its call still runs in the worker
        sessions.add(alice, (3, 0), task)
    sessions.done(first.number, "worker")
    sessions.add(alice, (3, 0), task)
    sessions.add(bob, (3, 0), task)
    with pytest.raises(TooManySessions, match="3 sessions are open"):
        sessions.add(bob, (3, 0), task)


def test_a_cancel_needs_the_sessions_own_key() -> None:
    sessions = OpenSessions(Limits())
    opened = sessions.add(User("bob", "bob", verifier_of("x")), (3, 2), None)
    other = sessions.add(User("eve", "eve", verifier_of("x")), (3, 0), None)
    assert (len(opened.key), len(other.key)) == (32, 4)
    assert sessions.has_key(opened.number, opened.key)
    assert not sessions.has_key(opened.number, opened.key[:4])
    assert not sessions.has_key(opened.number, other.key)
    assert not sessions.has_key(opened.number + 1, bytes(4))


def front_door(sessions: OpenSessions, worker: object) -> FrontDoor:
    others = {"databases": (), "tls": None, "watch": None, "unproven": None, "log": EventLog(io.StringIO())}
    failures = {"failures": LoginFailures(), "wrong_keys": LoginFailures(of_address=0)}
    waiting = {"delayed": Unproven(4, 2), "limits": Limits()}
    return FrontDoor(**others, **failures, **waiting, worker=worker, sessions=sessions)


def test_few_of_an_address_wait_at_a_time_since_logins_failed() -> None:
    async def wait(door: FrontDoor, seconds: float) -> None:
        await door._delay(seconds, "a", asyncio.current_task())

    async def run() -> list[bool]:
        door = front_door(OpenSessions(Limits()), None)
        tasks = [asyncio.create_task(wait(door, seconds)) for seconds in (0, 0.05, 0.05, 0.05, 0.05)]
        await asyncio.gather(*tasks, return_exceptions=True)
        return [task.cancelled() for task in tasks]

    assert asyncio.run(run()) == [False, True, True, False, False]


def test_a_cancel_that_waited_for_wrong_keys_is_for_what_ran_when_it_came() -> None:
    told: list[float | None] = []

    class Worker:
        def cancel(self, number: int, at: float | None) -> None:
            told.append(at)

    sessions = OpenSessions(Limits())
    opened = sessions.add(User("bob", "bob", verifier_of("x")), (3, 0), None)
    door = front_door(sessions, Worker())
    came = []
    for key in (opened.key, bytes(4), bytes(4), opened.key):
        came.append(time.monotonic())
        asyncio.run(door._cancel(CancelRequest(opened.number, key), "a", None))
    assert told[0] is None, "what is about to begin is cancelled as well"
    assert told[1:] == [pytest.approx(came[3], abs=0.05)] and time.monotonic() - came[3] >= 0.2


def test_sessions_of_a_login_that_was_removed_or_is_another_analyst_now_end() -> None:
    class Task:
        cancelled = False

        def cancel(self) -> None:
            self.cancelled = True

    sessions, verifier, tasks = OpenSessions(Limits()), verifier_of("x"), [Task(), Task(), Task()]
    for name, task in zip(("stays", "goes", "moves"), tasks, strict=True):
        sessions.add(User(name, name, verifier), (3, 0), task)
    left = {"stays": User("stays", "stays", verifier), "moves": User("moves", "elsewhere", verifier)}
    sessions.end_unserved(Users(b"", left))
    assert [task.cancelled for task in tasks] == [False, True, True]
