"""What a server does when it is told to reload or to stop, and when a login is removed."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from dpsql.interfaces.server.logins.users_file import change_users
from server.served import Served, directly, prepare, serving

BY_REGION = "SELECT region, COUNT(*) FROM orders GROUP BY region"


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Served]:
    """A server that the test may change and stop."""
    prepare(tmp_path)
    with serving(tmp_path, directly(tmp_path, ("shop", "slow")), databases=2) as served:
        yield served


def limit(connection: psycopg.Connection) -> float:
    row = connection.execute("SELECT epsilon_granted FROM dpsql.budget").fetchone()
    assert row is not None
    return float(row[0])


def test_a_policy_is_read_again_when_it_is_told_to_and_a_broken_one_is_not_served(slow: Served) -> None:
    policy = slow.folder / "shop.yaml"
    text = policy.read_text()
    with slow.connect() as before, slow.connect(database="slow") as other:
        assert limit(before) == 1000
        policy.write_text(text.replace("default: {epsilon: 1000", "default: {epsilon: nonsense"))
        slow.process.send_signal(signal.SIGHUP)
        slow.logged("policy broken, the former one stays")
        assert limit(before) == 1000
        policy.write_text(text.replace("default: {epsilon: 1000", "default: {epsilon: 7"))
        assert limit(before) == 1000  # not before it is told to
        slow.process.send_signal(signal.SIGHUP)
        slow.logged("policy changed")
        with pytest.raises(psycopg.errors.AdminShutdown, match="the policy has changed"):
            limit(before)
        assert limit(other) == 1000
    with slow.connect() as after:
        assert limit(after) == 7
    policy.write_text(text)
    slow.process.send_signal(signal.SIGHUP)
    slow.logged("policy changed", 2)


def test_a_removed_logins_sessions_end_and_others_go_on(slow: Served) -> None:
    with slow.connect("bob") as removed, slow.connect("alice") as stays:
        change_users(
            slow.folder / "users.yaml",
            lambda had: replace(had, by_login={k: v for k, v in had.by_login.items() if k != "bob"}),
        )
        slow.logged("users read")
        with pytest.raises(psycopg.errors.AdminShutdown):
            removed.execute("SELECT 1")
        assert stays.execute("SELECT 1").fetchone() == (1,)
        with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
            slow.connect("bob")


def test_a_server_that_is_stopped_finishes_what_runs(own: Served) -> None:
    answers: list[list[object]] = []
    with own.connect(database="slow") as busy, own.connect("bob") as idle:
        thread = threading.Thread(target=lambda: answers.append(busy.execute(BY_REGION).fetchall()))
        thread.start()
        time.sleep(0.4)
        own.process.send_signal(signal.SIGTERM)
        own.logged("stopping")
        with pytest.raises(psycopg.OperationalError):
            own.connect("carol")
        with pytest.raises(psycopg.errors.AdminShutdown, match="being stopped"):
            idle.execute("SELECT 1")
        thread.join(10)
        with pytest.raises(psycopg.OperationalError):
            busy.execute("SELECT 1")
    assert [len(rows) for rows in answers] == [4]
    assert own.process.wait(10) == 0
    assert _processes_of(own) == []


def test_the_second_signal_ends_at_once_and_leaves_no_process(own: Served) -> None:
    with own.connect(database="slow") as busy:
        thread = threading.Thread(target=_failing, args=(busy,))
        thread.start()
        time.sleep(0.3)
        began = time.perf_counter()
        for _ in range(2):
            own.process.send_signal(signal.SIGTERM)
            time.sleep(0.1)
        assert own.process.wait(10) == 0
        assert time.perf_counter() - began < 1
        thread.join(10)


def _failing(connection: psycopg.Connection) -> None:
    with pytest.raises(psycopg.Error):
        connection.execute(BY_REGION)


def _processes_of(served: Served) -> list[int]:
    """Processes that are at work for this server: its folder stands in their arguments."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                arguments = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if str(served.folder).encode() in arguments:
                found.append(int(entry.name))
    return found


def test_a_port_that_is_taken_is_said_and_ends_it(server: Served, tmp_path: Path) -> None:
    prepare(tmp_path)
    command = directly(tmp_path, ("shop",), port=server.port)
    ended = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert ended.returncode == 1
    assert "cannot start" in ended.stderr and "in use" in ended.stderr
