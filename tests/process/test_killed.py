"""A process that is killed in the middle of a query: whatever was ever seen is paid for, and the ledger goes on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

import dpsql
from dpsql.accounting.ledger.ledger import Ledger
from process import killed_worker

ROOT = Path(dpsql.__file__).parents[1]
POLICY = """
version: 1
privacy: {{unit: visits.patient, max_rows_per_unit: 2}}
tables:
  visits:
    source: visits.csv
    unit_key: patient
    columns: {{patient: {{type: integer}}, note: {{type: text}}}}
budgets: {{dataset: {{epsilon: {cap}}}, default: {{epsilon: {cap}, per_query: {each}}}}}
"""
EACH = Fraction(1, 8)
# How much of the killed query's charge stands.
STANDING = {
    "before_begin": 0,
    "after_insert": 0,
    "after_commit": 1,
    "during the query": 1,
    "after noise": 1,
    "before_keep": 1,
    "after_keep": 1,
    "before the reply": 1,
}
Seen = list[dict[str, object]]


@pytest.fixture(params=["file", pytest.param("server", marks=pytest.mark.slow)])
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "file":
        return str(tmp_path / "visits.ledger")
    return str(request.getfixturevalue("fresh_postgres")())


def policy(folder: Path, cap: Fraction) -> Path:
    """A policy under which so much may be spent in all."""
    (folder / "visits.csv").write_text("patient,note\n" + "".join(f"{n},x\n" for n in range(50)))
    (folder / "visits.yaml").write_text(POLICY.format(cap=float(cap), each=float(EACH)))
    return folder / "visits.yaml"


def killed(*arguments: object) -> tuple[list[bool], Seen]:
    """Whether each child of the worker was killed, and what they saw; any error of its own is a failure."""
    done = subprocess.run(
        [sys.executable, "-m", killed_worker.__name__, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "tests")))},
        capture_output=True,
        text=True,
        timeout=36_000,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    reports = [json.loads(line) for line in done.stdout.splitlines()]
    return [report["killed"] for report in reports], [s for report in reports for s in report["seen"]]


def spent(ledger: str) -> Fraction:
    """What a ledger that opens again, and is whole, says was spent."""
    with Ledger.open(ledger) as opened:
        assert opened.verify() == ()
        paid = opened.spent_dataset().epsilon
        assert opened.spent("alice").epsilon == paid
        return paid


def spend_the_rest(path: Path, ledger: str, seen: Seen, cap: Fraction) -> None:
    """What was seen is free for ever and stays the same draw; new questions are answered up to the cap."""
    before = spent(ledger)
    with dpsql.connect(path, analyst="alice", ledger=ledger) as connection:
        for answer in seen:
            rows = connection.execute(str(answer["sql"])).fetchall()
            assert [list(row) for row in rows] == answer["rows"]
        assert connection.budget().spent.epsilon == before
        with pytest.raises(dpsql.BudgetExhausted):
            for n in range(1_000):
                connection.execute(f"SELECT count(*) FROM visits WHERE note <> 'after {n}'")
    assert spent(ledger) == cap


def test_a_process_killed_at_any_moment_of_a_query_leaves_every_answer_ever_seen_paid_for(
    tmp_path: Path, ledger: str, executions: int
) -> None:
    times = executions or 1
    answered, standing = (
        sum((n + 1) % 3 for n in range(times)) * len(STANDING),
        sum(STANDING.values()) * times,
    )
    cap = (answered + standing + 2) * EACH
    path = policy(tmp_path, cap)
    ended, seen = killed("at_moments", path, ledger, times, *STANDING)
    assert ended == [True] * times * len(STANDING)
    assert len(seen) == answered
    assert spent(ledger) == (answered + standing) * EACH
    spend_the_rest(path, ledger, seen, cap)


@pytest.mark.parametrize("ledger", ["file", pytest.param("server", marks=pytest.mark.slow)], indirect=True)
def test_two_processes_killed_again_and_again_at_any_time_never_spend_more_than_the_cap(
    tmp_path: Path, ledger: str, executions: int
) -> None:
    pairs = executions or 1
    cap = 3 * (pairs + 1) * EACH  # the later ones find nothing left
    path = policy(tmp_path, cap)
    _, seen = killed("at_any_time", path, ledger, pairs)
    assert 0 < len(seen) * EACH <= spent(ledger) <= cap
    spend_the_rest(path, ledger, seen, cap)
