"""Processes that are killed: no charge is lost, nothing uncharged is handed out, and the next client is served."""

from __future__ import annotations

import itertools
import os
import random
import signal
import threading
import time
from pathlib import Path

import psycopg
import pytest

import dpsql
from dpsql.accounting.ledger.ledger import Ledger
from server.served import Served, directly, prepare, serving


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


def test_a_listener_that_dies_takes_its_worker_with_it_and_the_next_server_goes_on(tmp_path: Path) -> None:
    prepare(tmp_path)
    question = "SELECT COUNT(*) FROM orders WHERE product = 5"
    with serving(tmp_path, directly(tmp_path, ("shop",))) as first:
        with first.connect() as connection:
            before = connection.execute(question).fetchone()
        worker = first.worker()
        first.process.kill()
        until = time.monotonic() + 10
        while os.path.exists(f"/proc/{worker}") and time.monotonic() < until:
            time.sleep(0.02)
        assert not os.path.exists(f"/proc/{worker}")
    with dpsql.connect(tmp_path / "shop.yaml", analyst="alice") as embedded:
        assert embedded.budget().spent.epsilon == 1
        assert embedded.execute(question).fetchone() == before


def test_kills_under_load_lose_no_charge_and_give_no_answer_uncharged(slow: Served, kills: int) -> None:
    """Three clients ask a new question each time, while the worker is killed at random moments."""
    numbers, stop, answered = itertools.count(), threading.Event(), []

    def ask() -> None:
        while not stop.is_set():
            try:
                with slow.connect("carol") as connection:
                    while not stop.is_set():
                        number = next(numbers)
                        row = connection.execute(
                            f"SELECT COUNT(*) FROM orders WHERE product = {number}"
                        ).fetchone()
                        answered.append((number, row))
            except psycopg.Error:
                time.sleep(0.02)

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(kills):
            had, until = len(answered) + 3, time.monotonic() + 60
            while len(answered) < had:
                assert time.monotonic() < until
                time.sleep(0.01)
            time.sleep(random.random() / 20)
            died = len(slow.of("worker died"))
            os.kill(slow.worker(), signal.SIGKILL)
            slow.logged("worker died", died + 1)
            slow.logged("worker started", len(slow.of("worker died")) + 1, seconds=60)
    finally:
        stop.set()
        for thread in threads:
            thread.join(60)
    with Ledger.open(slow.folder / "shop.ledger", dataset="") as ledger:
        assert ledger.verify() == ()
    with dpsql.connect(slow.folder / "shop.yaml", analyst="carol") as embedded:
        assert embedded.budget().spent.epsilon >= len(answered) >= 3 * kills
        for number, row in random.sample(answered, 3):  # stored with the charge: the same again, for nothing
            again = embedded.execute(f"SELECT COUNT(*) FROM orders WHERE product = {number}")
            assert again.fetchone() == row and again.release.epsilon == 0
