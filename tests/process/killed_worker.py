"""A process whose children ask queries and die at one moment of the pipeline, without a chance to clean up."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import count
from pathlib import Path
from typing import TextIO

from dpsql.accounting.types import Step
from dpsql.errors import BudgetExhausted
from dpsql.mechanisms.sampler import ExactSampler
from dpsql.policy.load import load_policy
from dpsql.session import Session, build_session

QUESTIONS = 4


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class After:
    """Stands for an object; one method does its work so often and then ends the process."""

    def __init__(self, inner: object, method: str, times: int) -> None:
        self._inner = inner
        self._method = method
        self._left = times

    def __getattr__(self, name: str) -> object:
        found = getattr(self._inner, name)
        return self._counted(found) if name == self._method else found

    def _counted(self, work: Callable[..., object]) -> Callable[..., object]:
        def counted(*args: object, **kwargs: object) -> object:
            result = work(*args, **kwargs)
            self._left -= 1
            if self._left < 0:
                die()
            return result

        return counted


class AtStep:
    """Ends the process at a step of a charge, after so many of them."""

    def __init__(self, step: Step, times: int) -> None:
        self._step = step
        self._left = times

    def reached(self, step: Step) -> None:
        self._left -= step is self._step
        if self._left < 0:
            die()


def arm(session: Session, moment: str, times: int) -> None:
    """Let the session die at the moment of the query after so many answered ones."""
    state = session._state
    if moment == "during the query":  # the engine has the exact values, and nobody else has
        state.engine = After(state.engine, "run", times)  # type: ignore[assignment]
    elif moment == "after noise":
        state.sampler = After(state.sampler, "discrete_laplace", times)  # type: ignore[assignment]
    elif moment == "before the reply":
        state.public = After(state.public, "finish", times)  # type: ignore[assignment]
    else:
        state.ledger._steps = AtStep(Step(moment), times)  # type: ignore[attr-defined]


def query(moment: str, child: int, question: int) -> str:
    """A query that nobody else asks, and that the public engine finishes."""
    return f"SELECT count(*) + 1 FROM visits WHERE note <> '{moment} {child} {question}'"


def show(writer: int, sql: str, session: Session) -> None:
    """Ask, and show the answer as an analyst would see it."""
    rows = session.answer(sql).rows
    os.write(writer, json.dumps({"sql": sql, "rows": [list(row) for row in rows]}).encode() + b"\n")


def opened(policy: Path, ledger: str) -> Session:
    return build_session(load_policy(policy), "alice", ledger, (None, None), ExactSampler())


def ask(policy: Path, ledger: str, moment: str, child: int, writer: int) -> None:
    """Ask until death at a moment."""
    session = opened(policy, ledger)
    arm(session, moment, (child + 1) % 3)
    for question in range(QUESTIONS):
        show(writer, query(moment, child, question), session)
    os._exit(0)


def ask_on(policy: Path, ledger: str, child: int, writer: int) -> None:
    """Ask until the parent kills, or until nothing is left."""
    session = opened(policy, ledger)
    with suppress(BudgetExhausted):
        for question in count():
            show(writer, query("any time", child, question), session)
    os._exit(0)


def at_moments(policy: str, ledger: str, times: str, *moments: str) -> None:
    """Start a child for each moment and time, one after another; print how each ended and what it saw."""
    for moment in moments:
        for child in range(int(times)):
            pid, shown = forked(partial(ask, Path(policy), ledger, moment, child))
            seen = [json.loads(line) for line in shown]
            report(pid, seen)


def at_any_time(policy: str, ledger: str, pairs: str) -> None:
    """Start two children at a time and kill both a while after their first answer; print the same of each."""
    for pair in range(int(pairs)):
        children = [forked(partial(ask_on, Path(policy), ledger, 2 * pair + n)) for n in range(2)]
        first = [shown.readline() for _, shown in children]
        for n, (pid, _) in enumerate(children):
            time.sleep((pair * 7 + n * 3) % 11 / 500)
            os.kill(pid, signal.SIGKILL)
        for (pid, shown), line in zip(children, first, strict=True):
            report(pid, [json.loads(line) for line in (line, *shown) if line])


def forked(task: Callable[[int], None]) -> tuple[int, TextIO]:
    """A child at work, and what it shows."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        task(writer)
    os.close(writer)
    return pid, os.fdopen(reader)


def report(pid: int, seen: list[object]) -> None:
    _, status = os.waitpid(pid, 0)
    killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
    print(json.dumps({"killed": killed, "seen": seen}))


TASKS = {task.__name__: task for task in (at_moments, at_any_time)}

if __name__ == "__main__":
    TASKS[sys.argv[1]](*sys.argv[2:])
