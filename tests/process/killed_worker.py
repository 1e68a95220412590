"""A process whose children ask queries and die at one moment of the pipeline, without a chance to clean up."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from dpsql.accounting.types import Step
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
    """A query that nobody else asks."""
    return f"SELECT count(*) FROM visits WHERE note <> '{moment} {child} {question}'"


def ask(policy: Path, ledger: str, moment: str, child: int, writer: int) -> None:
    """Ask until death, and show every answer as an analyst would see it."""
    session = build_session(load_policy(policy), "alice", ledger, (None, None), ExactSampler())
    arm(session, moment, child % 3)
    for question in range(QUESTIONS):
        sql = query(moment, child, question)
        rows = session.answer(sql).rows
        os.write(writer, json.dumps({"sql": sql, "rows": [list(row) for row in rows]}).encode() + b"\n")
    os._exit(0)


def main(policy: str, ledger: str, moment: str, times: str) -> None:
    """Start a child for each time, one after another; print how each ended and what it saw."""
    for child in range(int(times)):
        reader, writer = os.pipe()
        pid = os.fork()
        if pid == 0:
            ask(Path(policy), ledger, moment, child, writer)
        os.close(writer)
        with os.fdopen(reader) as shown:
            seen = [json.loads(line) for line in shown]
        _, status = os.waitpid(pid, 0)
        killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
        print(json.dumps({"killed": killed, "seen": seen}))


if __name__ == "__main__":
    main(*sys.argv[1:])
