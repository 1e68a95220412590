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
from dpsql.accounting.ledger import Ledger
from process import killed_worker

ROOT = Path(dpsql.__file__).parents[1]
POLICY = """
version: 1
privacy: {unit: visits.patient, max_rows_per_unit: 2}
tables:
  visits:
    source: visits.csv
    unit_key: patient
    columns: {patient: {type: integer}, note: {type: text}}
budgets: {dataset: {epsilon: 100}, default: {epsilon: 100, per_query: 1/8}}
"""
EACH = Fraction(1, 8)
# How much of the killed query's charge stands.
STANDING = {
    "before_begin": 0,
    "after_insert": 0,
    "after_commit": 1,
    "during the query": 1,
    "after noise": 1,
    "before the reply": 1,
}


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    (tmp_path / "visits.csv").write_text("patient,note\n" + "".join(f"{n},x\n" for n in range(50)))
    (tmp_path / "visits.yaml").write_text(POLICY.replace("1/8", "0.125"))
    return tmp_path / "visits.yaml"


def killed(policy: Path, ledger: str, moment: str, times: int) -> list[dict[str, object]]:
    """What the worker reports, with any error of its own as a failure."""
    done = subprocess.run(
        [sys.executable, "-m", killed_worker.__name__, str(policy), ledger, moment, str(times)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "tests")))},
        capture_output=True,
        text=True,
        timeout=3000,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return [json.loads(line) for line in done.stdout.splitlines()]


def check(policy: Path, ledger: str, moment: str, times: int) -> None:
    reports = killed(policy, ledger, moment, times)
    assert [report["killed"] for report in reports] == [True] * times
    seen = [answer for report in reports for answer in report["seen"]]  # type: ignore[attr-defined]
    assert len(seen) == sum(n % 3 for n in range(times))
    with Ledger.open(ledger) as opened:
        assert opened.verify() == ()
        paid = EACH * (len(seen) + STANDING[moment] * times)
        assert opened.spent("alice").epsilon == opened.spent_dataset().epsilon == paid <= 100
    with dpsql.connect(policy, analyst="alice", ledger=ledger) as connection:
        for answer in seen:
            assert connection.execute(answer["sql"]).fetchall() == [tuple(row) for row in answer["rows"]]
        assert connection.budget().spent.epsilon == paid
        connection.execute("SELECT count(*) FROM visits").fetchall()
        assert connection.budget().spent.epsilon == paid + EACH


@pytest.mark.parametrize("times", [3, pytest.param(200, marks=pytest.mark.slow)])
@pytest.mark.parametrize("moment", STANDING)
def test_a_process_killed_at_any_moment_of_a_query_leaves_every_answer_ever_seen_paid_for(
    policy: Path, tmp_path: Path, moment: str, times: int
) -> None:
    check(policy, str(tmp_path / "visits.ledger"), moment, times)


def test_a_process_killed_before_its_reply_has_paid_on_a_server_too(
    policy: Path, fresh_postgres: object
) -> None:
    assert callable(fresh_postgres)
    check(policy, fresh_postgres(), "before the reply", 2)
