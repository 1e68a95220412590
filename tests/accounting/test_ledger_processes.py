"""Many processes on one ledger, processes that die in the middle, and the copies they leave."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from fractions import Fraction
from pathlib import Path

import pytest
from ledger_builders import charge, cost, of_series, request
from places import rows

import dpsql
from dpsql.accounting.ledger import balances as books
from dpsql.accounting.ledger.ledger import Ledger
from dpsql.accounting.storage.protocol import Connection
from dpsql.accounting.types import Step
from dpsql.errors import BudgetExhausted, InterfaceError

WORKER = Path(__file__).with_name("ledger_worker.py")
ROOT = Path(dpsql.__file__).parents[1]


def start(*arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(WORKER), *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process: subprocess.Popen[str], seconds: float = 300) -> str:
    """What the process printed; any error it reports fails the test, and so does one that takes too long."""
    try:
        out, err = process.communicate(timeout=seconds)
    finally:
        process.kill()  # it would go on charging beside the next test
    assert (process.returncode, err) == (0, "")
    return out


@pytest.mark.one_in(20)
@pytest.mark.parametrize(("attempts", "cap"), [(30, 100), pytest.param(200, 1000, marks=pytest.mark.slow)])
def test_eight_processes_racing_to_the_cap_end_exactly_at_the_cap(
    place: str, attempts: int, cap: int
) -> None:
    raced = json.loads(finish(start("race", place, 8, attempts, cap)))
    answered = raced["answered"]
    assert raced["ended"] == [0] * 8
    with Ledger.open(place) as ledger:
        assert sum(answered) == cap == ledger.spent_dataset().epsilon
        assert [ledger.spent(f"analyst{n}").epsilon for n in range(8)] == answered


# How many of the charges of the killed query stand: those of the two steps after the commit.
STANDING = {
    Step.BEFORE_BEGIN: 0,
    Step.AFTER_INSERT: 0,
    Step.AFTER_COMMIT: 1,
    Step.BEFORE_KEEP: 1,
    Step.AFTER_KEEP: 1,
}


@pytest.mark.one_in(6)
@pytest.mark.parametrize("times", [2, pytest.param(200, marks=pytest.mark.slow)])
@pytest.mark.parametrize("step", Step)
def test_a_process_killed_at_any_step_leaves_every_answer_ever_seen_paid_for(
    place: str, step: Step, times: int
) -> None:
    done = finish(start("die", place, step, times), seconds=300 + 20 * times)
    reports = [json.loads(line) for line in done.splitlines()]
    seen = [key for report in reports for key in report["seen"]]
    assert [report["killed"] for report in reports] == [True] * times
    assert len(seen) == sum(n % 3 for n in range(times))
    paid = {key for (key,) in rows(place, "SELECT key FROM charges")}
    stored = {key for (key,) in rows(place, "SELECT key FROM shelf")}
    assert set(seen) <= stored <= paid
    with Ledger.open(place) as ledger:
        assert ledger.spent("alice") == cost(str(len(seen) + STANDING[step] * times))
        assert all(ledger.charge(request(), (of_series(key),)).charged.epsilon == 0 for key in seen)
        assert ledger.verify() == ()
        assert ledger.charge(request(), (charge("afterwards"),)).charged == cost("1")


def test_threads_with_a_ledger_each_race_to_the_cap_and_end_at_it(place: str) -> None:
    answered: list[int] = []

    def race(name: str) -> None:
        with Ledger.open(place, timeout=60) as own:
            for n in range(20):
                try:
                    own.charge(request(name, dataset="50"), (charge(f"{name}.{n}"),))
                except BudgetExhausted:
                    continue
                answered.append(n)

    threads = [threading.Thread(target=race, args=(f"analyst{n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with Ledger.open(place) as ledger:
        assert len(answered) == 50 == ledger.spent_dataset().epsilon


def test_a_ledger_is_refused_in_another_thread_and_goes_on_in_its_own(ledger: Ledger) -> None:
    caught: list[InterfaceError] = []

    def use() -> None:
        try:
            ledger.spent("alice")
        except InterfaceError as error:
            caught.append(error)

    thread = threading.Thread(target=use)
    thread.start()
    thread.join()
    assert "thread" in str(caught[0])
    assert ledger.spent("alice").epsilon == Fraction(0)


def test_a_ledger_is_refused_after_a_fork_where_one_of_the_childs_own_works(place: str) -> None:
    assert json.loads(finish(start("use_after_fork", place))) == {"child": 0, "spent": "3"}
    with Ledger.open(place) as ledger:
        assert ledger.spent_dataset() == cost("3")


def test_entries_that_others_add_while_a_ledger_is_opened_are_no_sign_of_an_old_copy(
    place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Ledger.open(place) as other:
        other.charge(request(), (charge("before"),))
        found = books.last_entry

        def slow(db: Connection) -> int:
            last = found(db)
            monkeypatch.setattr(books, "last_entry", found)
            other.charge(request(), (charge("meanwhile"),))
            return last

        monkeypatch.setattr(books, "last_entry", slow)
        with Ledger.open(place) as late:
            assert late.spent("alice") == cost("2")
