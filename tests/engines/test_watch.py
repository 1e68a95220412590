"""Statements are interrupted when their time is over, and no statement after them is."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator

import duckdb
import pytest

from dpsql.engines.watch import Watch

LONG = "SELECT count(*) FROM range(100000000) a, range(100000) b WHERE a.range * b.range % 7 = 3"


@pytest.fixture(name="connection")
def _connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        yield connection


def until(true: object, seconds: float = 20) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if true():  # type: ignore[operator]
            return True
        time.sleep(0.01)
    return False


def test_a_statement_is_interrupted_when_its_time_is_over(connection: duckdb.DuckDBPyConnection) -> None:
    watch = Watch(connection)
    for _ in range(2):
        with pytest.raises(duckdb.InterruptException), watch.within(0.1):
            connection.execute(LONG).fetchall()
        with watch.within(60):
            assert connection.execute("SELECT count(*) FROM range(1000000)").fetchall() == [(1_000_000,)]
    watch.close()


class Interrupted:
    """A connection that counts interrupts, each of which takes a while."""

    def __init__(self) -> None:
        self.times = 0

    def interrupt(self) -> None:
        time.sleep(0.02)
        self.times += 1


def test_no_interrupt_comes_after_a_block_has_been_left() -> None:
    connection = Interrupted()
    watch = Watch(connection)  # type: ignore[arg-type]
    with watch.within(0):
        assert until(lambda: connection.times)
    for _ in range(20):
        with watch.within(-1):
            watch.look()
        before = connection.times
        assert watch.look() is not None and connection.times == before
    watch.close()


def test_a_block_is_not_interrupted_for_ever() -> None:
    connection = Interrupted()
    connection.interrupt = lambda: setattr(connection, "times", connection.times + 1)  # type: ignore[method-assign]
    watch = Watch(connection)  # type: ignore[arg-type]
    with watch.within(0):
        for _ in range(2_000):
            watch.look()
        assert 1_000 < connection.times <= 1_201
    watch.close()


def test_the_thread_ends_with_the_watch(connection: duckdb.DuckDBPyConnection) -> None:
    closed, forgotten = Watch(connection), Watch(connection)
    for watch in (closed, forgotten):
        with watch.within(1):
            pass
    threads = [w._thread for w in (closed, forgotten) if w._thread is not None]
    assert len(threads) == 2 and all(t.is_alive() for t in threads)
    closed.close()
    del forgotten, watch
    gc.collect()
    assert until(lambda: not any(t.is_alive() for t in threads))
