"""dpsql check --exact: exact numbers on a terminal, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from dpsql.engines.exact_counts import exact_counts
from dpsql.errors import PolicyError
from dpsql.interfaces.cli import admin
from dpsql.policy.load import load_policy
from dpsql.progress import Phase

POLICY = """\
version: 1
privacy: {unit: patients.patient_id, max_rows_per_unit: 2}
tables:
  patients:
    source: patients.csv
    columns: {patient_id: {type: integer}}
  visits:
    source: visits.csv
    unit_key: patient_id
    max_rows_per_unit: 3
    columns:
      visit_id: {type: integer}
      patient_id: {type: integer, nullable: true}
      cost: {type: integer, lower: 0, upper: 10, unit_total: 15}
      ward: {type: text, references: wards.name}
  diagnoses:
    source: diagnoses.csv
    unit_path: {visit_id: visits.visit_id}
    columns: {visit_id: {type: integer}, code: {type: text, values: [a]}}
  wards: {source: wards.csv, public: true, columns: {name: {type: text}}}
budgets:
  dataset: {epsilon: 10, delta: 1e-6}
  default: {epsilon: 10, delta: 1e-6, per_query: 1}
"""
# Patient 1 has five visits, patient 2 one, nobody one, and patient 9, who is not in the table, one.
VISITS = (
    "visit_id,patient_id,cost,ward\n1,1,5,A\n2,1,12,A\n3,1,-1,A\n4,1,1,A\n5,1,1,A\n6,2,3,X\n7,,1,A\n8,9,1,B\n"
)


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    files = {"care.yaml": POLICY, "visits.csv": VISITS, "patients.csv": "patient_id\n1\n2\n"}
    files |= {"diagnoses.csv": "visit_id,code\n1,a\n6,b\n7,a\n70,a\n", "wards.csv": "name\nA\nB\n"}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    return tmp_path / "care.yaml"


NONE = "0 of 2 units have more than one row, the busiest 1"
EXPECTED = f"""\
exact: tables.patients: 0 of 2 rows have no owner and are left out
exact: tables.patients.one_row_per_unit: would hold, for much less noise: {NONE}
exact: privacy.max_rows_per_unit: 2 cuts 0 of 2 rows of all of patients, those of 0 of 2 units
exact: tables.visits: 1 of 8 rows have no owner and are left out
exact: tables.visits: 1 of 7 rows, of 1 keys, have a key that is not in patients; each counts as a unit
exact: tables.visits.one_row_per_unit: would not hold: 1 of 3 units have more than one row, the busiest 5
exact: tables.visits.max_rows_per_unit: 3 cuts 2 of 7 rows, those of 1 of 3 units
exact: privacy.max_rows_per_unit: 2 cuts 1 of 5 rows of all of visits, those of 1 of 3 units
exact: tables.visits.columns.cost: of 8 values 1 are moved up to `lower` and 1 down to `upper`
exact: tables.visits.columns.cost.unit_total: 15 cuts 1 of 3 units, and 9.5% of the sum of all
exact: tables.visits.columns.ward: 1 of 8 values are not among the keys wards.name and read as NULL
exact: tables.diagnoses: 2 of 4 rows have no owner and are left out
exact: tables.diagnoses: 0 of 2 rows, of 0 keys, have a key that is not in patients; each counts as a unit
exact: tables.diagnoses.one_row_per_unit: would hold, for much less noise: {NONE}
exact: privacy.max_rows_per_unit: 2 cuts 0 of 2 rows of all of diagnoses, those of 0 of 2 units
exact: tables.diagnoses.columns.code: 1 of 4 values are not on the list and read as NULL
"""


def test_what_keys_caps_bounds_and_lists_do_is_counted(run, policy: Path) -> None:
    before = {p: p.read_bytes() for p in policy.parent.iterdir()}
    result = run("check", str(policy), "--exact", "--even-piped")
    assert result.exit_code == 0, result.output
    told, _, ok = result.stdout.rpartition(f"{policy}: ok")
    assert told == f"{admin.EXACT}\n{EXPECTED}" and ok
    assert "exact:" not in result.stderr
    assert {p: p.read_bytes() for p in policy.parent.iterdir()} == before  # no file is written or changed


def test_without_a_terminal_they_are_refused(run, policy: Path) -> None:
    result = run("check", str(policy), "--exact")
    assert result.exit_code == 2 and "exact:" not in result.output
    assert "--even-piped prints them elsewhere" in result.stderr


def test_on_a_terminal_they_are_printed(run, policy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admin, "is_terminal", lambda: True)
    assert EXPECTED in run("check", str(policy), "--exact").stdout


def test_nothing_exact_is_told_of_a_policy_with_mistakes(run, policy: Path) -> None:
    policy.write_text(
        POLICY.replace("nullable: true", "nullable: false").replace(
            "unit_key", "one_row_per_unit: true\n    unit_key"
        )
    )
    result = run("check", str(policy), "--exact", "--even-piped")
    assert result.exit_code == 1 and "exact:" not in result.output


def test_a_row_that_is_a_unit_has_values_and_no_owners(run, tmp_path: Path) -> None:
    (tmp_path / "meters.csv").write_text("kwh\n1\n30\n")
    text = "version: 1\nprivacy: {unit: meters.*}\ntables:\n  meters: {source: meters.csv, columns: {kwh: {type: "
    text += "integer, lower: 0, upper: 20, unit_total: 10}}}\nbudgets: {dataset: {epsilon: 1}, default: {epsilon: 1}}\n"
    (tmp_path / "p.yaml").write_text(text)
    told = run("check", str(tmp_path / "p.yaml"), "--exact", "--even-piped").stdout
    assert [line for line in told.splitlines() if line.startswith("exact")] == [
        "exact: tables.meters.columns.kwh: of 2 values 0 are moved up to `lower` and 1 down to `upper`",
        "exact: tables.meters.columns.kwh.unit_total: 10 cuts 1 of 2 units, and 47.6% of the sum of all",
    ]


def test_the_command_line_alone_names_the_module() -> None:
    """A contract of the import linter keeps the rest from reaching it."""
    code = Path(admin.__file__).parents[2]
    naming = [p for p in code.rglob("*.py") if "engines.exact_counts" in p.read_text(encoding="utf-8")]
    assert naming == [Path(admin.__file__)]


def test_each_table_and_column_is_a_phase_and_the_connection_is_not_asked_once_it_is_closed(
    policy: Path,
) -> None:
    told = list[Phase]()
    assert exact_counts(load_policy(policy), told.append)
    *counting, last = told
    assert [phase.name for phase in counting] == [
        f"counting exactly, {n} of 10 columns and tables" for n in range(1, 11)
    ]
    assert all(phase.percent is not None for phase in counting) and last.percent is None


def test_the_connection_is_not_asked_after_a_failure_either(policy: Path) -> None:
    told = list[Phase]()

    def tell(phase: Phase) -> None:
        told.append(phase)
        if len(told) == 2:
            raise PolicyError(())

    with pytest.raises(PolicyError):
        exact_counts(load_policy(policy), tell)
    assert told[-1].percent is None
