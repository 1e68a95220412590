"""Who spent what, and the questions that cost most."""

from __future__ import annotations

import json
import shutil
from contextlib import closing
from pathlib import Path

import pytest
from answers.shop import make_shop

import dpsql

BIG, SMALL = "SELECT COUNT(*) FROM orders WHERE amount > 12.5", "SELECT COUNT(*)\nFROM orders"


@pytest.fixture
def policy(paid: Path, tmp_path: Path) -> Path:
    """A copy of what was paid for."""
    return shutil.copytree(paid, tmp_path / "copy") / "shop.yaml"


@pytest.fixture(scope="module")
def paid(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Alice and bob paid for one draw, alice for a small one too; zoe, who is deleted, for another."""
    file = make_shop(tmp_path_factory.mktemp("paid")) / "shop.yaml"
    edited(file, "  analysts: {alice: {epsilon: 8, delta: 1e-7, per_query: 2, window: monthly}, zoe: {}}")
    for analyst, sql, epsilon in (
        ("alice", BIG, 2),
        ("bob", BIG, 2),
        ("alice", SMALL, "0.25"),
        ("zoe", SMALL, "0.5"),
    ):
        with closing(dpsql.connect(file, analyst=analyst, epsilon=epsilon)) as connection:
            connection.execute(sql)
            connection.execute(sql)
    return file.parent


def edited(policy: Path, *more: str) -> None:
    before = policy.read_text().partition("budgets:\n")[0]
    default = "  default: {epsilon: 5, delta: 1e-7, per_query: 2}"
    lines = ("budgets:", "  dataset: {epsilon: 100, delta: 1e-6}", default, *more)
    policy.write_text(before + "\n".join(lines) + "\n")


def told(run, policy: Path, *options: str) -> dict[str, list[dict[str, object]]]:
    result = run("ledger", "summary", str(policy), str(policy.with_suffix(".ledger")), "--json", *options)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_every_account_is_told_with_what_it_is_granted(run, policy: Path) -> None:
    edited(
        policy,
        "  analysts: {alice: {epsilon: 8, delta: 1e-7, per_query: 2, window: monthly}, eve: {revoked: true}}",
    )
    accounts = {a["account"]: a for a in told(run, policy)["accounts"]}
    assert {n: (a["spent"]["epsilon"], a["granted"]["epsilon"], a["note"]) for n, a in accounts.items()} == {
        "dataset": (2.75, 100, None),
        "analyst alice": (2.25, 8, None),
        "analyst bob": (2, 5, "not named: has the default"),
        "analyst eve": (0, 0, "revoked"),
        "analyst zoe": (0.5, 5, "not named: has the default"),
    }
    assert accounts["analyst alice"]["window"] == "monthly" and accounts["analyst alice"]["ends"]
    assert accounts["dataset"]["ends"] is None


def test_an_account_that_is_granted_nothing_any_more_keeps_what_it_spent(run, policy: Path) -> None:
    edited(policy, "  unknown_analysts: refuse", "  analysts: {alice: {revoked: true}, eve: {}}")
    accounts = {a["account"]: a for a in told(run, policy)["accounts"]}
    assert accounts["analyst alice"]["spent"]["epsilon"] == 2.25
    assert (accounts["analyst alice"]["note"], accounts["analyst zoe"]["note"]) == (
        "revoked",
        "not named: refused",
    )
    assert accounts["analyst zoe"]["granted"] == {"epsilon": 0, "delta": 0}
    assert accounts["analyst eve"]["note"] is None


def test_the_largest_questions_come_first_with_their_texts(run, policy: Path) -> None:
    largest = told(run, policy, "--largest", "3")["largest"]
    assert [(q["analyst"], q["epsilon"], q["sql"]) for q in largest] == [
        ("alice", 2, BIG),
        ("bob", 2, BIG),
        ("zoe", 0.5, SMALL),
    ]
    assert len(told(run, policy)["largest"]) == 4 and told(run, policy, "--largest", "0")["largest"] == []


def test_a_table_for_people(run, policy: Path) -> None:
    result = run("ledger", "summary", str(policy), str(policy.with_suffix(".ledger")))
    assert result.exit_code == 0
    rows = {
        line.split()[0]: " ".join(line.split()[1:]) for line in result.stdout.splitlines() if line.strip()
    }
    assert rows["dataset"] == "2.75 of 100 0 of 1e-06 never"
    assert rows["alice"].startswith("2.25 of 8 0 of 1e-07 20")  # when its window ends
    assert rows["bob"] == "2 of 5 0 of 1e-07 never not named: has the"
    assert "SELECT COUNT(*) FROM orders" in " ".join(result.stdout.split())


@pytest.mark.parametrize("command", ["summary", "balances"])
def test_the_ledger_beside_the_policy_is_the_one_where_none_is_named(
    run, policy: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = run("ledger", command, str(policy), str(policy.with_suffix(".ledger")))
    assert named.exit_code == 0 and run("ledger", command, str(policy)).stdout == named.stdout
    moved = policy.with_suffix(".ledger").rename(policy.with_name("elsewhere.ledger"))
    missing = run("ledger", command, str(policy))
    assert missing.exit_code == 2 and "there is no ledger" in missing.stderr
    assert not policy.with_suffix(".ledger").exists()
    monkeypatch.setenv("DPSQL_LEDGER", str(moved))
    assert run("ledger", command, str(policy)).stdout == named.stdout


def test_the_datasets_budget_is_shown_on_demand(run, paid: Path) -> None:
    policy = paid / "shop.yaml"  # in its place: a ledger knows its sources
    result = run("budget", str(policy), "--dataset", "--format", "csv", "--analyst", "bob")
    assert result.stdout.splitlines()[1:3] == ["limit,100.0,1e-06", "spent,2.75,0.0"]
    assert (
        run("budget", str(policy), "--format", "csv", "--analyst", "bob").stdout.splitlines()[2]
        == "spent,2.0,0.0"
    )
