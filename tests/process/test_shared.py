"""Connections that share a process's engines: cheap, used by threads in turn, and with the answers of any other."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from statistics import median

import pytest
from attacks.neighbours import Database

import dpsql
from dpsql.dbapi import Connection
from dpsql.engines.base import EngineQuery, Exact
from dpsql.engines.private_engine import DuckEngine
from dpsql.engines.public_engine import FinishEngine
from dpsql.interfaces import shared_connections as shared
from dpsql.interfaces.shared_connections import ProcessCache
from dpsql.session import refresh_sources

SQL = "SELECT ward, count(*) AS n FROM visits WHERE age > {} GROUP BY ward"
MOST_SECONDS = 0.020
Open = Callable[..., Connection]


@pytest.fixture(name="kept", autouse=True)
def _kept(monkeypatch: pytest.MonkeyPatch) -> Iterator[ProcessCache]:
    """What one process keeps, for one test."""
    kept = ProcessCache()
    monkeypatch.setattr(shared, "_cache", lambda process: kept if process == os.getpid() else ProcessCache())
    yield kept
    kept.close()


@pytest.fixture(name="counted")
def _counted(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """How many engines were opened and verifications made."""
    counted = {"engines": 0, "verified": 0}

    def counting(kind: type, name: str, what: str) -> None:
        original = getattr(kind, name)

        def count(*given: object) -> object:
            counted[what] += 1
            return original(*given)

        monkeypatch.setattr(kind, name, count)

    counting(DuckEngine, "open", "engines")
    counting(DuckEngine, "violations", "verified")
    return counted


@pytest.fixture(name="opened")
def _opened(policy: Path, tmp_path: Path) -> Iterator[Open]:
    with ExitStack() as stack:
        yield lambda **wishes: stack.enter_context(
            shared.connect(policy, **{"analyst": "alice", "ledger": tmp_path / "test.ledger"} | wishes)
        )


def test_a_second_connection_opens_in_less_than_20_ms_also_while_the_first_is_open(opened: Open) -> None:
    opened()
    seconds = []
    for _ in range(9):
        begun = time.perf_counter()
        opened(rows="empty")
        seconds.append(time.perf_counter() - begun)
    assert median(seconds) < MOST_SECONDS


def test_data_is_opened_and_verified_once_for_all_connections(opened: Open, counted: dict[str, int]) -> None:
    first = [opened(analyst=name).execute(SQL.format(30)).fetchall() for name in ("alice", "bob", "eve")]
    assert first[0] == first[1] == first[2]
    assert counted == {"engines": 1, "verified": 1}


def test_each_analyst_pays_from_an_account_of_their_own(opened: Open) -> None:
    alice, bob = opened(analyst="alice"), opened(analyst="bob", epsilon="0.25")
    alice.execute(SQL.format(40))
    bob.execute(SQL.format(40))
    assert (alice.budget().spent.epsilon, float(bob.budget().spent.epsilon)) == (1, 0.25)
    assert alice.execute(SQL.format(40)).release.epsilon == 0


def test_the_answers_are_those_of_a_connection_that_shares_nothing(
    opened: Open, policy: Path, tmp_path: Path
) -> None:
    mine = opened().execute(SQL.format(50)).fetchall()
    with dpsql.connect(policy, analyst="alice", ledger=tmp_path / "test.ledger") as own:
        assert own.execute(SQL.format(50)).fetchall() == mine


def test_threads_use_a_connection_in_turn_and_not_at_once(opened: Open) -> None:
    connection = opened()
    with ThreadPoolExecutor(1) as pool:
        there = pool.submit(lambda: connection.execute(SQL.format(51)).fetchall()).result()
    assert connection.execute(SQL.format(51)).fetchall() == there
    session = connection._session
    assert session is not None
    engine = session._state.engine
    refused: list[dpsql.Error] = []

    class During:
        def run(self, query: EngineQuery, seconds: float | None = None) -> Exact:
            with ThreadPoolExecutor(1) as pool:
                error = pool.submit(connection.budget).exception()
            assert isinstance(error, dpsql.InterfaceError)
            refused.append(error)
            return engine.run(query, seconds)

        def close(self) -> None:
            pass

    session._state.engine = During()
    connection.execute(SQL.format(52))
    assert "in the middle of another query" in str(refused[0])


def test_connections_at_work_at_once_agree_on_every_draw(opened: Open, counted: dict[str, int]) -> None:
    threads, start = 4, threading.Barrier(4, timeout=60)

    def work(thread: int) -> list[object]:
        start.wait()
        found = []
        for age in range(20, 26):
            connection = opened()
            found.append(connection.execute(SQL.format(age)).fetchall())
            connection.close()
        return found

    with ThreadPoolExecutor(threads) as pool:
        first, *others = pool.map(work, range(threads))
    assert all(other == first for other in others)
    assert counted["verified"] == 1 and counted["engines"] <= threads


def test_another_text_of_the_policy_is_another_policy(
    policy: Path, tmp_path: Path, counted: dict[str, int]
) -> None:
    mine = policy.with_name("edited.yaml")
    mine.write_text(policy.read_text("utf-8"), "utf-8")
    with shared.connect(mine, analyst="alice", epsilon=1):
        pass
    mine.write_text(policy.read_text("utf-8").replace("epsilon: 1,", "epsilon: 0.5,"), "utf-8")
    with pytest.raises(dpsql.ProgrammingError, match=r"at most epsilon 0\.5"):
        shared.connect(mine, analyst="alice", epsilon=1)
    with shared.connect(mine, analyst="alice"):
        assert counted["verified"] == 2


def test_changed_data_is_refused_until_it_is_refreshed_and_then_verified_again(
    tmp_path: Path, counted: dict[str, int]
) -> None:
    Database(tmp_path, "with", "listed").session.close()
    policy = tmp_path / "listed.yaml"
    counted.update(engines=0, verified=0)
    with shared.connect(policy, analyst="alice") as first:
        os.utime(tmp_path / "hospital.duckdb", ns=(1, 1))
        with pytest.raises(dpsql.OperationalError, match="being changed"):
            first.execute(SQL.format(20))
        with pytest.raises(dpsql.OperationalError, match="the data has changed"):
            shared.connect(policy, analyst="alice")
        refresh_sources(policy, None, "admin")
        with shared.connect(policy, analyst="alice") as second:
            assert second.execute(SQL.format(20)).fetchall()
    assert counted == {"engines": 2, "verified": 2}


def test_a_mistake_in_the_policy_is_told_at_every_connection(tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text("version: 1\n", "utf-8")
    for _ in range(2):
        with pytest.raises(dpsql.PolicyError, match="privacy"):
            shared.connect(tmp_path / "bad.yaml", analyst="alice")
    with pytest.raises(dpsql.PolicyError, match=r"nowhere\.yaml"):
        shared.connect(tmp_path / "nowhere.yaml", analyst="alice")


def test_an_engine_on_which_a_call_was_cut_off_is_not_used_again(
    opened: Open, monkeypatch: pytest.MonkeyPatch, counted: dict[str, int]
) -> None:
    connection = opened()
    with monkeypatch.context() as patch:
        patch.setattr(DuckEngine, "run", lambda *given: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            connection.execute(SQL.format(70))
    assert counted["engines"] == 1
    assert connection.execute(SQL.format(70)).fetchall() and counted["engines"] == 2


def test_a_closed_connection_leaves_the_engines_to_the_others(opened: Open) -> None:
    first, second = opened(), opened()
    first.close()
    assert second.execute(SQL.format(71)).fetchall()
    with pytest.raises(dpsql.InterfaceError, match="closed"):
        first.execute(SQL.format(71))


def test_what_is_kept_is_closed_in_the_end(
    opened: Open, kept: ProcessCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened().execute(SQL.format(72))
    closed = list[str]()
    for kind in (DuckEngine, FinishEngine):
        monkeypatch.setattr(kind, "close", lambda self: closed.append(type(self).__name__))
    kept.close()
    assert sorted(closed) == ["DuckEngine", "FinishEngine"]


PROGRAM = """
import os, sys, warnings
from dpsql import shared
warnings.simplefilter("ignore")
def asked():
    with shared.connect(sys.argv[1], analyst="alice", ledger=sys.argv[2]) as connection:
        return connection.execute("SELECT count(*) FROM visits").fetchall()
first = asked()
child = os.fork()
if child == 0:
    sys.exit(7 if sys.argv[3] == "idle" or asked() == first else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), asked() == first)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.one_in(18)
@pytest.mark.parametrize("way", ["asks", "idle"])
def test_a_forked_child_keeps_its_own_and_leaves_its_parents_alone(
    policy: Path, tmp_path: Path, way: str
) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(policy), str(tmp_path / "a.ledger"), way],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert ran.stdout == "7 True\n" and "Traceback" not in ran.stderr and "Fatal" not in ran.stderr
