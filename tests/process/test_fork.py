"""A forked child may not use its parent's connection, may open its own, and never repeats its parent's randomness."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from attacks.neighbours import Watched

import dpsql
from dpsql.dbapi import Connection
from dpsql.mechanisms.sampler import ExactSampler

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here"),
    pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning"),
]
SQL = "SELECT ward, count(*) FROM visits GROUP BY ward"
PATIENCE = 60


def in_child(work: Callable[[], object], leave: Callable[[int], object] = os._exit) -> tuple[str, int]:
    """What the work's result or error is in a forked child, and how the child ended (negative: by a signal)."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(PATIENCE)
        try:
            said = str(work())
        except dpsql.Error as error:
            said = f"{type(error).__name__}: {error}"
        except BaseException:
            said = traceback.format_exc()
        os.write(writing, said.encode())
        os.close(writing)
        leave(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.read().decode()
    return said, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.one_in(4)
@pytest.mark.parametrize("use", ["execute", "explain", "budget", "cursor"])
def test_a_connection_is_refused_in_a_forked_child_before_it_touches_anything(
    connection: Connection, use: str
) -> None:
    cursor = connection.cursor()
    session = connection._session
    assert session is not None
    watched = Watched(session._state.engine)
    session._state.engine = watched
    uses: dict[str, Callable[[], object]] = {
        "execute": lambda: connection.execute(SQL),
        "explain": lambda: connection.explain(SQL),
        "budget": lambda: connection.budget(),
        "cursor": lambda: cursor.execute(SQL),
    }
    said, ended = in_child(uses[use])
    assert said == (
        "InterfaceError: the connection was opened before a fork; open another in the child process"
    )
    assert ended == 0 and watched.queries == 0
    assert connection.budget().spent.epsilon == 0


def test_closing_in_a_child_leaves_the_parents_connection_alone(connection: Connection) -> None:
    assert in_child(connection.close) == ("None", 0)
    assert len(connection.execute(SQL).fetchall()) == 3

    def closed() -> object:
        connection.close()
        return connection.execute(SQL)

    assert in_child(closed)[0].startswith("InterfaceError")


PROGRAM = """
import os, sys, warnings, dpsql
warnings.simplefilter("ignore")
con = dpsql.connect(sys.argv[1], analyst="alice", ledger=sys.argv[2])
cur = con.execute("SELECT count(*) FROM visits")
child = os.fork()
if child == 0:
    if sys.argv[3] == "dropped":
        del con, cur
    elif sys.argv[3] == "closed":
        con.close()
        del con, cur
    sys.exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), len(con.execute("SELECT count(*) FROM visits").fetchall()))
"""


@pytest.mark.one_in(4)
@pytest.mark.parametrize("way", ["kept", "dropped", "closed"])
def test_a_child_that_ends_as_programs_do_does_not_crash_on_its_parents_engines(
    policy: Path, tmp_path: Path, way: str
) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(policy), str(tmp_path / "a.ledger"), way],
        capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert ran.stdout == "7 1\n" and "Traceback" not in ran.stderr and "Fatal" not in ran.stderr


def test_a_forked_child_opens_a_connection_of_its_own(
    connection: Connection, policy: Path, tmp_path: Path
) -> None:
    rows = connection.execute(SQL).fetchall()

    def own() -> object:
        with dpsql.connect(policy, analyst="alice", ledger=tmp_path / "test.ledger") as mine:
            return mine.execute(SQL).fetchall() == rows, mine.execute(SQL).release.epsilon

    assert in_child(own) == ("(True, Fraction(0, 1))", 0)


def test_parent_and_child_draw_different_noise_from_one_sampler() -> None:
    sampler, zeros = ExactSampler(), np.zeros(64, dtype=np.int64)

    def draw() -> list[int]:
        noise = sampler.discrete_laplace(zeros, sensitivity=1000, epsilon=1)
        return [int(v) for v in noise]

    draw()
    children = [in_child(draw)[0] for _ in range(3)]
    draws = {str(draw()), *children}
    assert len(draws) == 4 and all(text.startswith("[") for text in draws)
    assert len({text.split(",")[0] for text in draws}) > 1


def test_parent_and_child_draw_different_keeps_and_choices_from_one_sampler() -> None:
    sampler, level = ExactSampler(), np.zeros(4096, dtype=np.int64)

    def choose() -> int:
        return sampler.permute_and_flip(level, epsilon=1, score_range=1)

    children = [in_child(choose)[0] for _ in range(3)]
    assert len({str(choose()), *children}) > 1
