"""Processes that are killed: no charge is lost, nothing uncharged is handed out, and the next client is served."""

from __future__ import annotations

import itertools
import os
import random
import signal
import threading
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Self

import psycopg
import pytest

import dpsql
from dpsql.accounting.ledger.ledger import Ledger
from server.served import Served, directly, prepare, serving

MOMENTS = 8
EACH = "0.1"
QUESTION = "SELECT COUNT(*) FROM orders WHERE product = {}"


def test_a_worker_that_dies_is_replaced_and_its_sessions_are_told(slow: Served) -> None:
    with slow.connect() as connection:
        worker = slow.worker()
        os.kill(worker, signal.SIGKILL)
        with pytest.raises(psycopg.errors.AdminShutdown, match="what was charged stands"):
            connection.execute("SELECT 1")
    with served_again(slow) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
    assert slow.worker() != worker


def served_again(served: Served) -> psycopg.Connection:
    """A connection to the next worker, which the server says it is starting."""
    for _ in range(200):
        try:
            return served.connect()
        except psycopg.OperationalError as error:
            assert "the server is starting" in str(error) or "ended by the server" in str(error), error
            time.sleep(0.05)
    raise AssertionError("no worker came back")


@pytest.mark.slow
def test_a_listener_that_dies_takes_its_worker_with_it_and_the_next_server_goes_on(tmp_path: Path) -> None:
    prepare(tmp_path)
    question = "SELECT COUNT(*) FROM orders WHERE product = 5"
    with serving(tmp_path, directly(tmp_path, ("shop",))) as first:
        with first.connect() as connection:
            before = connection.execute(question).fetchone()
            first.process.kill()
            with pytest.raises(psycopg.OperationalError):
                connection.execute("SELECT 1")
        ended(first.worker())
    with dpsql.connect(tmp_path / "shop.yaml", analyst="alice") as embedded:
        assert embedded.budget().spent.epsilon == 1
        assert embedded.execute(question).fetchone() == before


class Load:
    """Three clients that ask a new question each time, wherever the server is now."""

    def __init__(self, connect: Callable[[], psycopg.Connection]) -> None:
        self.connect = connect
        self.answered: list[tuple[int, object]] = []
        self.failures: list[psycopg.Error] = []
        self._numbers = itertools.count()
        self._asked = threading.Event()
        self._stop = threading.Event()
        self._seconds = 0.05
        self._threads = [threading.Thread(target=self._ask) for _ in range(3)]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join(60)

    def wait_for(self, moment: int) -> None:
        """Waits for three answers more, and then until so many eighths of the usual time of a query are over."""
        had, until = len(self.answered) + 3, time.monotonic() + 60
        while len(self.answered) < had:
            assert time.monotonic() < until, self.failures[-3:]
            time.sleep(0.005)
        self._asked.clear()
        assert self._asked.wait(60)
        time.sleep(self._seconds * moment / MOMENTS)

    def _ask(self) -> None:
        while not self._stop.is_set():
            try:
                with self.connect() as connection:
                    while not self._stop.is_set():
                        self._ask_once(connection)
            except psycopg.Error as error:
                self.failures.append(error)
                time.sleep(0.02)

    def _ask_once(self, connection: psycopg.Connection) -> None:
        number, began = next(self._numbers), time.monotonic()
        self._asked.set()
        row = connection.execute(QUESTION.format(number)).fetchone()
        self.answered.append((number, row))
        self._seconds = (self._seconds + time.monotonic() - began) / 2


def check_ledger(folder: Path, load: Load, kills: int) -> None:
    """Every answer was charged, and is there when it is asked for again."""
    assert all(isinstance(failure, psycopg.OperationalError) for failure in load.failures)
    with Ledger.open(folder / "shop.ledger", dataset="") as ledger:
        assert ledger.verify() == ()
    with dpsql.connect(folder / "shop.yaml", analyst="carol", epsilon=EACH) as embedded:
        spent = embedded.budget().spent.epsilon
        assert spent / Fraction(EACH) >= len(load.answered) >= 3 * kills
        for number, row in random.sample(load.answered, 3):
            again = embedded.execute(QUESTION.format(number))
            assert again.fetchone() == row and again.release.epsilon == 0
    print(f"{kills} kills, {len(load.answered)} answers, epsilon {float(spent):g} charged")


def test_kills_of_the_worker_lose_no_charge_and_give_no_answer_uncharged(tmp_path: Path, kills: int) -> None:
    prepare(tmp_path)
    with (
        serving(tmp_path, directly(tmp_path, ("shop",))) as served,
        Load(lambda: asking(served)) as load,
    ):
        for number in range(kills):
            load.wait_for(number % MOMENTS)
            died = len(served.of("worker died"))
            os.kill(served.worker(), signal.SIGKILL)
            served.logged("worker died", died + 1)
            served.logged("worker started", died + 2, seconds=60)
    check_ledger(tmp_path, load, kills)


@pytest.mark.slow
def test_kills_of_the_listener_lose_no_charge_and_leave_no_worker(tmp_path: Path, kills: int) -> None:
    prepare(tmp_path)
    servers: list[Served] = []
    with Load(lambda: asking(servers[-1]) if servers else nobody()) as load:
        for number in range(kills):
            with serving(tmp_path, directly(tmp_path, ("shop",))) as served:
                servers.append(served)
                load.wait_for(number % MOMENTS)
                served.process.kill()
                ended(served.worker())
    check_ledger(tmp_path, load, kills)


def asking(served: Served) -> psycopg.Connection:
    """A connection whose queries cost little: many kills take many of them."""
    return served.connect("carol", options=f"-c dpsql.epsilon={EACH}")


def nobody() -> psycopg.Connection:
    raise psycopg.OperationalError("no server has been started yet")


def ended(worker: int) -> None:
    """Waits until a worker has ended, which it does when its listener is gone."""
    until = time.monotonic() + 20
    while os.path.exists(f"/proc/{worker}"):
        assert time.monotonic() < until, "the worker goes on without its listener"
        time.sleep(0.02)
