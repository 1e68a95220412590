"""A cancelled call is answered at once, goes on, and is stored; it holds its turn until it ends."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import psycopg
import pytest

from dpsql.dbapi import Connection
from dpsql.interfaces.wire.channel import CancelRequests, Opening, SessionSettings
from dpsql.interfaces.wire.conversation import converse
from dpsql.interfaces.wire.startup import StartUp
from wire.openings import Shop
from wire.protocol_scripts import MemoryChannel, client_message, shown
from wire.trust_server import TrustServer, trusting

QUESTION = "SELECT count(*) AS n FROM orders"


@dataclass(slots=True)
class Gate:
    """Holds the calls that come while it is closed, before they begin or when they have ended."""

    before: threading.Event = field(default_factory=threading.Event)
    after: threading.Event = field(default_factory=threading.Event)
    held: threading.Event = field(default_factory=threading.Event)
    running: int = 0

    @contextmanager
    def take(self) -> Iterator[None]:
        self.running += 1
        self._wait(self.before)
        try:
            yield
            self._wait(self.after)
        finally:
            self.running -= 1

    def _wait(self, which: threading.Event) -> None:
        if not which.is_set():
            self.held.set()
        which.wait(20)

    def open(self) -> None:
        self.before.set()
        self.after.set()

    def settle(self) -> None:
        """Waits until no call runs."""
        until = time.monotonic() + 20
        while self.running and time.monotonic() < until:
            time.sleep(0.001)
        assert not self.running

    def close(self, which: threading.Event) -> None:
        self.held.clear()
        which.clear()


@pytest.fixture
def gate() -> Iterator[Gate]:
    gate = Gate()
    gate.open()
    yield gate
    gate.open()


@pytest.fixture
def gated(shop: Shop, gate: Gate) -> Iterator[TrustServer]:
    def opening(packet: StartUp, number: int) -> Opening:
        return replace(shop.of_start_up(packet, number), turn=gate.take)

    with trusting(opening) as running:
        yield running


def cancelled(db: psycopg.Connection, gate: Gate, sql: str) -> float:
    """Cancels a statement that is held; says how long the answer took after that."""
    asked: list[float] = []

    def cancel() -> None:
        assert gate.held.wait(20)
        asked.append(time.monotonic())
        db.cancel_safe()

    thread = threading.Thread(target=cancel)
    thread.start()
    with pytest.raises(psycopg.errors.QueryCanceled) as error:
        db.execute(sql)
    thread.join()
    assert error.value.diag.message_primary == "cancelled; what was charged stands"
    return time.monotonic() - asked[0]


def spent(db: psycopg.Connection) -> float:
    return db.execute("SELECT epsilon_spent FROM dpsql.budget").fetchone()[0]


def test_a_cancelled_call_goes_on_and_is_stored(gated: TrustServer, gate: Gate) -> None:
    with psycopg.connect(gated.url(), autocommit=True) as db:
        gate.close(gate.after)
        assert cancelled(db, gate, QUESTION) < 2
        assert gate.running == 1, "it counts until it ends"
        gate.open()
        assert spent(db) == 1, "its charge stands"
        db.execute(QUESTION)
        assert spent(db) == 1, "its answer was stored: asking again is free"
        assert gate.running == 0


def test_a_call_that_waits_for_its_turn_is_never_made(gated: TrustServer, gate: Gate) -> None:
    with psycopg.connect(gated.url(), autocommit=True) as db:
        gate.close(gate.before)
        cancelled(db, gate, QUESTION)
        gate.open()
        gate.settle()
        assert spent(db) == 0


def threads() -> int:
    return sum(thread.name == "dpsql-calls" for thread in threading.enumerate())


def threads_become(count: int) -> bool:
    until = time.monotonic() + 20
    while threads() != count and time.monotonic() < until:
        time.sleep(0.001)
    return threads() == count


def test_a_session_has_one_thread_for_its_calls_and_another_beside_a_cancelled_one(
    gated: TrustServer, gate: Gate
) -> None:
    assert threads_become(0), "those of the tests before this one end by themselves"
    before = threads()
    with psycopg.connect(gated.url(), autocommit=True) as db:
        for number in range(5):
            assert db.execute(f"SELECT {number}").fetchone() == (number,)
        db.execute("SET dpsql.epsilon = '0.5'")
        assert db.execute("SELECT 7").fetchone() == (7,) and threads() == before + 1
        gate.close(gate.after)
        cancelled(db, gate, QUESTION)
        gate.after.set()
        assert db.execute("SELECT 8").fetchone() == (8,)
        gate.settle()
        assert threads_become(before + 1)
    assert threads_become(before)


def test_a_cancel_while_nothing_runs_changes_nothing(gated: TrustServer) -> None:
    with psycopg.connect(gated.url(), autocommit=True) as db:
        db.cancel_safe()
        time.sleep(0.05)
        assert db.execute("SELECT 1").fetchone() == (1,)


def test_a_cancelled_call_in_a_transaction_may_have_been_charged(gated: TrustServer, gate: Gate) -> None:
    with psycopg.connect(gated.url()) as db:
        told: list[str] = []
        db.add_notice_handler(lambda notice: told.append(notice.message_primary or ""))
        db.execute("SELECT 1")
        gate.close(gate.after)
        cancelled(db, gate, QUESTION)
        gate.open()
        db.rollback()
        assert told == ["what was charged in the transaction stands: a rollback gives nothing back"]


def answered(opening: Opening, *texts: str) -> list[str]:
    """What a conversation answers to these texts."""
    channel = MemoryChannel(tuple(client_message(f"Query {text}") for text in texts))
    converse(channel, opening)
    return shown(channel.received)


def test_a_cancel_between_statements_ends_their_text(shop: Shop) -> None:
    opening = shop.opening()

    def connect(settings: SessionSettings) -> Connection:
        opening.cancelled.cancel()
        return shop.connect(settings)

    said = answered(replace(opening, connect=connect), "SET dpsql.epsilon = '0.5'; BEGIN", "BEGIN")
    assert said == ["C SET", "E 57014", "Z I", "C BEGIN", "Z T"]


def test_a_text_has_a_limited_number_of_statements(shop: Shop) -> None:
    assert answered(shop.opening(), "BEGIN;" + "SAVEPOINT a;" * 999)[-2:] == ["C SAVEPOINT", "Z T"]
    assert answered(shop.opening(), "BEGIN;" * 1_001) == ["E 54000", "Z I"]


def test_a_cancel_is_for_what_runs() -> None:
    requests = CancelRequests()
    requests.cancel()
    requests.begin()
    assert requests.wait_for(lambda: True)
    requests.end()
    requests.cancel()
    requests.begin()
    waiting = threading.Thread(target=lambda: given.append(requests.wait_for(lambda: False)))
    given: list[bool] = []
    requests.cancel()
    waiting.start()
    waiting.join(20)
    assert given == [False], "also one that comes before anybody waits"
    requests.begin()
    assert requests.is_asked(), "it holds for all that was sent together"


def test_a_cancel_that_came_before_what_runs_now_is_dropped() -> None:
    requests = CancelRequests()
    came = time.monotonic()
    requests.begin()
    requests.cancel(came)
    assert not requests.is_asked()
    requests.cancel(time.monotonic())
    assert requests.is_asked()


def test_calls_that_ended_before_anybody_waited_leave_nothing_behind() -> None:
    requests = CancelRequests()
    for _ in range(100):
        requests.begin()
        requests.cancel()
        requests.cancel()
        requests.ended()
        assert requests.wait_for(lambda: True)
        requests.end()
    assert requests._woken.qsize() <= 2
