"""The commands on real data, through the real session: an answer, its repetition, a refusal, an empty budget."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import duckdb
import pytest

POLICY = """\
version: 1
privacy:
  unit: orders.customer
  max_rows_per_unit: 5
tables:
  orders:
    source: orders.parquet
    unit_key: customer
    columns:
      customer: {type: integer}
      amount: {type: float, lower: 0, upper: 500, step: 0.01}
      region: {type: text, values: [north, south]}
budgets:
  dataset: {epsilon: 10}
  default: {epsilon: 2, per_query: 1}
accountant: pure
"""
BY_REGION = "SELECT region, COUNT(*) AS n, AVG(amount) AS mean FROM orders GROUP BY region ORDER BY region"


@pytest.fixture
def policy(tmp_path: Path) -> str:
    rows = "SELECT i // 5 AS customer, (i % 997) / 2.0 AS amount, if(i % 4 = 0, 'north', 'south') AS region"
    duckdb.execute(f"COPY ({rows} FROM range(20000) AS t(i)) TO '{tmp_path / 'orders.parquet'}'")
    (tmp_path / "shop.yaml").write_text(POLICY)
    return str(tmp_path / "shop.yaml")


def test_the_package_is_the_command(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["python -m dpsql", "--help"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_module("dpsql", run_name="__main__")
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("Usage: dpsql [OPTIONS] COMMAND")


def test_an_answer_is_near_the_truth_and_its_intervals_hold_it(run, policy):
    read = json.loads(run("query", policy, BY_REGION, "--format", "json").stdout)
    assert [row[0] for row in read["rows"]] == ["north", "south"]
    assert [row[1] for row in read["rows"]] == pytest.approx([5000, 15000], abs=300)
    assert [row[2] for row in read["rows"]] == pytest.approx([249, 249], abs=20)
    for row, (key, *noisy) in zip(read["rows"], read["intervals"], strict=True):
        assert key is None
        assert all(low <= value <= high for value, (low, high) in zip(row[1:], noisy, strict=True))
    assert read["charged"] == {"epsilon": 1.0, "delta": 0.0}


def test_the_same_question_is_answered_again_for_nothing(run, policy):
    first = run("query", policy, BY_REGION, "--analyst", "alice")
    again = json.loads(run("query", policy, BY_REGION, "--analyst", "alice", "--format", "json").stdout)
    assert again["charged"]["epsilon"] == 0
    assert [str(row[1]) for row in again["rows"]] == [
        line.split(",")[1] for line in first.stdout.splitlines()[1:]
    ]
    assert "spent,1.0,0.0\n" in run("budget", policy, "--analyst", "alice").stdout


def test_an_explanation_costs_nothing(run, policy):
    assert "discrete laplace" in run("explain", policy, BY_REGION, "--analyst", "alice").stdout
    assert "mechanism" in run("query", policy, f"EXPLAIN {BY_REGION}", "--analyst", "alice").stdout
    assert "spent,0.0,0.0\n" in run("budget", policy, "--analyst", "alice").stdout


def test_a_bare_row_is_refused_with_a_caret_and_no_charge(run, policy):
    result = run("query", policy, "SELECT region,\n  amount FROM orders", "--analyst", "alice")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("line ") and any(
        line.strip() == "^" for line in result.stderr.splitlines()
    )
    assert "spent,0.0,0.0\n" in run("budget", policy, "--analyst", "alice").stdout


def test_an_exhausted_budget_is_exit_code_3_and_says_what_is_left(run, policy):
    codes = [
        run("query", policy, "SELECT COUNT(*) FROM orders WHERE amount > ?", "--param", str(i)).exit_code
        for i in range(3)
    ]
    assert codes == [0, 0, 3]


@pytest.mark.parametrize("epsilon", ["nan", "-1", "0", "5", "one"])
def test_an_epsilon_that_makes_no_sense_or_is_too_large_is_wrong_usage(run, policy, epsilon):
    result = run("query", policy, "SELECT COUNT(*) FROM orders", "--epsilon", epsilon)
    assert (result.exit_code, result.stdout) == (2, "") and "epsilon" in result.stderr


def test_changed_data_is_served_again_after_a_refresh(run, policy):
    sql = "SELECT COUNT(*) FROM orders"
    assert run("query", policy, sql, "--analyst", "alice").exit_code == 0
    duckdb.execute(
        "COPY (SELECT 1 AS customer, 2.5 AS amount, 'north' AS region) "
        f"TO '{Path(policy).parent / 'orders.parquet'}'"
    )
    refused = run("query", policy, sql, "--analyst", "alice")
    assert refused.exit_code == 4 and "dpsql refresh" in refused.stderr
    assert run("refresh", policy, "--by", "root").exit_code == 0
    assert run("query", policy, sql, "--analyst", "alice").exit_code == 0
    assert "spent,2.0,0.0\n" in run("budget", policy, "--analyst", "alice").stdout


def test_a_shell_script_asks_explains_and_shows_the_budget(run, policy):
    script = f"\\explain {BY_REGION};\n{BY_REGION};\n\\budget\n"
    result = run("shell", policy, "--analyst", "alice", stdin=script)
    assert result.exit_code == 0, result.stderr
    assert (
        "discrete laplace" in result.stdout and "north," in result.stdout and "remaining,1.0" in result.stdout
    )
