"""Processes that the tests start: they race for a budget, die in a charge, or meet a full disk."""

from __future__ import annotations

import json
import os
import resource
import signal
import sys

from ledger_builders import charge, of_series, request

from dpsql.accounting.ledger.ledger import Ledger
from dpsql.accounting.types import Step
from dpsql.errors import BudgetExhausted, InterfaceError, LedgerUnavailable


class Death:
    """Ends the process at a step, without a chance to clean up."""

    def __init__(self, step: Step, after: int) -> None:
        self.step = step
        self.left = after

    def reached(self, step: Step) -> None:
        self.left -= step is self.step
        if step is self.step and self.left < 0:
            os.kill(os.getpid(), signal.SIGKILL)


def race(place: str, racers: str, attempts: str, cap: str) -> None:
    """Start so many processes, which race for one cap; print how many answers each got."""
    answers = [os.pipe() for _ in range(int(racers))]
    children = []
    for n, (_, writer) in enumerate(answers):
        children.append(os.fork())
        if children[-1] == 0:
            os.write(writer, str(_raced(place, f"analyst{n}", int(attempts), cap)).encode())
            os._exit(0)
        os.close(writer)
    ended = [os.waitpid(child, 0)[1] for child in children]
    print(json.dumps({"ended": ended, "answered": [int(os.read(reader, 20)) for reader, _ in answers]}))


def _raced(place: str, name: str, attempts: int, cap: str) -> int:
    """Asks new questions at epsilon 1 until the attempts are used up; how many were answered."""
    answered = 0
    with Ledger.open(place, timeout=60) as ledger:
        for n in range(attempts):
            key = f"{name}.{n}"
            try:
                stored = ledger.charge(request(name, dataset=cap), (charge(key),))
            except BudgetExhausted:
                continue
            ledger.keep(stored, key, b"draw")
            answered += 1
    return answered


def die(place: str, step: str, times: str) -> None:
    """Start a child for each time, which dies at the step of a charge; print every answer that was seen."""
    for n in range(int(times)):
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            _answer_until_death(place, Step(step), n, writer)
        os.close(writer)
        with os.fdopen(reader) as answers:
            seen = answers.read().split()
        _, status = os.waitpid(child, 0)
        print(json.dumps({"killed": os.WTERMSIG(status) == signal.SIGKILL, "seen": seen}))


def _answer_until_death(place: str, step: Step, n: int, writer: int) -> None:
    with Ledger.open(place, steps=Death(step, n % 3)) as ledger:
        for question in range(4):
            key = f"{step}.{n}.{question}"
            asked = of_series(key)
            stored = ledger.charge(request(), (asked,))
            stored = ledger.keep(stored, key, key.encode(), ledger.beside(asked).count)
            os.write(writer, (stored.get(key) or b"") + b"\n")
    os._exit(0)


def write_until_refused(place: str) -> None:
    """Charge until the file may not grow any more; print the number of charges and the error."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
    done = 0
    with Ledger.open(place) as ledger:
        try:
            while True:
                ledger.charge(request(), (charge(f"k{done}"),))
                done += 1
        except LedgerUnavailable as error:
            print(json.dumps({"done": done, "error": str(error)}))


def use_after_fork(place: str) -> None:
    """Use an open ledger in a forked child, then in the parent; print what each got."""
    with Ledger.open(place) as ledger:
        ledger.charge(request(), (charge("before"),))
        child = os.fork()
        if child == 0:
            os._exit(_uses_after_fork(ledger, place))
        _, status = os.waitpid(child, 0)
        ledger.charge(request(), (charge("after"),))
        print(json.dumps({"child": os.WEXITSTATUS(status), "spent": str(ledger.spent("alice").epsilon)}))


def _uses_after_fork(ledger: Ledger, place: str) -> int:
    """0 if the inherited ledger refuses with the right words, and one of the child's own works."""
    try:
        ledger.charge(request(), (charge("in the child"),))
    except InterfaceError as error:
        ledger.close()
        with Ledger.open(place) as own:
            own.charge(request(), (charge("in the child"),))
        return 0 if "fork" in str(error) else 2
    return 1


def as_nobody(place: str) -> None:
    """Give up root's powers, then open and charge; print the error."""
    if os.geteuid() == 0:
        os.setuid(65534)
    try:
        with Ledger.open(place) as ledger:
            ledger.charge(request(), (charge("k"),))
    except LedgerUnavailable as error:
        print(error)


TASKS = {task.__name__: task for task in (race, die, write_until_refused, use_after_fork, as_nobody)}

if __name__ == "__main__":
    TASKS[sys.argv[1]](*sys.argv[2:])
