"""The trap of the wrong unit: what is said of it where a policy is opened, and whose rows count."""

from __future__ import annotations

import os
import warnings
from contextlib import closing
from pathlib import Path

import pytest

import dpsql

POLICY = """\
version: 1
privacy: {unit: patients.patient_id, max_rows_per_unit: 3}
tables:
  patients:
    source: patients.csv
    columns: {patient_id: {type: integer}}
  visits:
    source: visits.csv
    unit_key: patient_id
    columns: {visit_id: {type: integer}, patient_id: {type: integer}}
  diagnoses:
    source: diagnoses.csv
    unit_key: visit_id
    columns: {visit_id: {type: integer}, code: {type: text, values: [a, b]}}
budgets:
  dataset: {epsilon: 1000, delta: 1e-6}
  default: {epsilon: 1000, delta: 1e-6, per_query: 200}
"""
TOLD = "tables.diagnoses.unit_key: visit_id looks like the key of visits"
PATH = ("unit_key: visit_id", "unit_path: {visit_id: visits.visit_id}")


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """Patient 9 and visit 7 are listed nowhere else."""
    (tmp_path / "patients.csv").write_text("patient_id\n1\n2\n")
    (tmp_path / "visits.csv").write_text("visit_id,patient_id\n10,1\n11,1\n12,2\n13,9\n")
    (tmp_path / "diagnoses.csv").write_text("visit_id,code\n10,a\n11,a\n12,b\n13,b\n7,a\n")
    (tmp_path / "care.yaml").write_text(POLICY)
    return tmp_path / "care.yaml"


def counted(policy: Path, table: str) -> int:
    with closing(dpsql.connect(policy, analyst="ann")) as connection:
        (number,) = connection.execute(f"SELECT COUNT(*) FROM {table}").fetchone()
    return int(number)


def test_connect_warns_of_it_where_it_was_called(trap: Path) -> None:
    with pytest.warns(dpsql.Warning, match=TOLD) as given:
        dpsql.connect(trap, analyst="ann").close()
    assert [w.filename for w in given] == [__file__]


def test_a_warning_that_is_an_error_is_a_mistake_of_the_policy(trap: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(dpsql.PolicyError, match=TOLD):
            dpsql.connect(trap, analyst="ann")


def test_commands_print_it_and_go_on(run, trap: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "execv", lambda *given: None)
    users = str(trap.with_name("users.yaml"))
    run("user", "add", "ann", "--token", "--users", users)
    for command in (
        ("check", str(trap)),
        ("budget", str(trap), "--analyst", "ann"),
        ("serve", str(trap), "--users", users),
    ):
        result = run(*command)
        assert result.exit_code == 0, result.output
        assert sum(TOLD in line for line in result.stderr.splitlines()) == 1, result.stderr


def test_nothing_is_said_of_the_path_that_is_proposed(run, trap: Path) -> None:
    trap.write_text(POLICY.replace(*PATH))
    assert "looks like" not in run("check", str(trap)).stderr


def test_a_row_whose_path_ends_at_nobody_is_left_out(trap: Path) -> None:
    """Visit 7 has no owner. Patient 9 has: of a unit no more than its key is needed."""
    trap.write_text(POLICY.replace(*PATH))
    assert counted(trap, "diagnoses") == 4
    assert counted(trap, "visits") == 4


def test_a_row_without_a_key_is_left_out(trap: Path) -> None:
    trap.write_text(POLICY.replace(*PATH).replace(
        "unit_key: patient_id\n    columns: {visit_id: {type: integer}, patient_id: {type: integer}}",
        "unit_key: patient_id\n    columns: {visit_id: {type: integer}, patient_id: {type: integer, nullable: true}}",
    ))  # fmt: skip
    trap.with_name("visits.csv").write_text("visit_id,patient_id\n10,1\n11,\n12,2\n13,9\n")
    assert counted(trap, "visits") == 3
    assert counted(trap, "diagnoses") == 3
