"""The command line with a ledger in PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from click.testing import CliRunner

import dpsql
from dpsql.interfaces.cli import main

POLICY = """
version: 1
privacy: {unit: visits.patient, max_rows_per_unit: 2}
tables:
  visits: {source: visits.csv, unit_key: patient, columns: {patient: {type: integer}}}
budgets: {dataset: {epsilon: 1}, default: {epsilon: 1, per_query: 0.25}}
"""


def test_a_charge_on_a_server_is_seen_by_every_command(
    tmp_path: Path, fresh_postgres: Callable[[], str]
) -> None:
    (tmp_path / "visits.csv").write_text("patient\n1\n2\n")
    policy, url = tmp_path / "visits.yaml", fresh_postgres()
    policy.write_text(POLICY)
    with dpsql.connect(policy, analyst="alice", ledger=url) as connection:
        connection.execute("SELECT count(*) FROM visits")
    run = CliRunner().invoke
    told = run(main, ["budget", str(policy), "--analyst", "alice", "--ledger", url, "--format", "csv"])
    assert told.exit_code == 0 and "0.75" in told.output
    verified = run(main, ["ledger", "verify", url])
    assert verified.exit_code == 0 and "is as it was written" in verified.output
    assert '"what": "charge"' in run(main, ["ledger", "log", url]).output
    assert not list(tmp_path.glob("*.ledger*"))


def test_a_ledger_that_is_not_there_is_a_usage_error(tmp_path: Path) -> None:
    assert CliRunner().invoke(main, ["ledger", "verify", str(tmp_path / "none")]).exit_code == 2
