"""Two policies, two spellings of a name, older files and hostile copies on one ledger: nothing begins anew."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from ledger_builders import charge, cost, request

from dpsql.accounting.ledger import Ledger
from dpsql.errors import BudgetExhausted, LedgerUnavailable
from dpsql.policy.model import AccountantName


def test_two_policies_on_one_ledger_add_up_and_each_is_held_to_its_own_limits(ledger: Ledger) -> None:
    strict, loose = request(dataset="2"), replace(request(dataset="4"), policy_digest="another policy")
    ledger.charge(loose, (charge("a"),))
    ledger.charge(strict, (charge("b"),))
    with pytest.raises(BudgetExhausted) as refused:
        ledger.charge(strict, (charge("c"),))
    assert refused.value.account == "dataset"
    ledger.charge(loose, (charge("d"),))
    assert ledger.spent("alice") == ledger.spent_dataset() == cost("3")


def test_two_policies_with_two_accountants_see_each_others_charges(ledger: Ledger) -> None:
    plain = request(limit="1", delta="1e-6")
    concentrated = request(limit="1", delta="1e-6", accountant=AccountantName.ZCDP)
    for n in range(90):
        ledger.charge((plain, concentrated)[n % 2], (charge(f"k{n}", "0.01"),))
    assert ledger.standing(plain)[0].spent.epsilon == cost("0.9").epsilon
    assert ledger.standing(concentrated)[0].spent.epsilon < cost("0.5").epsilon
    ledger.charge(concentrated, (charge("more", "0.15"),))
    with pytest.raises(BudgetExhausted):
        ledger.charge(plain, (charge("no more", "0.01"),))


def test_a_ledger_of_an_older_format_is_refused_and_left_alone(path: Path) -> None:
    with Ledger.open(path) as ledger:
        ledger.charge(request(), (charge("a"),))
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 1")
    with pytest.raises(LedgerUnavailable, match="older dpsql"):
        Ledger.open(path)


def test_a_copy_that_goes_on_elsewhere_is_noticed_when_it_comes_back(path: Path, tmp_path: Path) -> None:
    with Ledger.open(path) as ledger:
        ledger.charge(request(), (charge("a"),))
    shutil.copy(path, tmp_path / "fork.ledger")
    with Ledger.open(path) as ledger:
        ledger.charge(request(), (charge("b"),))
        ledger.charge(request(), (charge("c"),))
    with Ledger.open(tmp_path / "fork.ledger") as fork:
        fork.charge(request(), (charge("d"),))
    shutil.move(tmp_path / "fork.ledger", path)
    for side in ("-wal", "-shm"):
        path.with_name(path.name + side).unlink(missing_ok=True)
    with pytest.raises(LedgerUnavailable, match="old copy"):
        Ledger.open(path)


def test_a_long_history_does_not_slow_down_a_charge_by_reading_it(path: Path) -> None:
    """The plan of every query of a charge is a search, never a scan, whatever has been charged before."""
    with Ledger.open(path) as ledger:
        ledger.charge(request(), (charge("a"),))
    queries = (
        "SELECT totals FROM balances WHERE dataset = 'main' AND account = 'dataset' AND entry <= 9 ORDER BY entry DESC",
        "SELECT id FROM entries WHERE time < 9 ORDER BY time DESC, id DESC LIMIT 1",
        "SELECT id FROM entries WHERE dataset = 'main' AND analyst = 'a' ORDER BY id DESC",
        "SELECT payload FROM shelf WHERE dataset = 'main' AND key = 'k'",
        "SELECT 1 FROM receipts WHERE dataset = 'main' AND account = 'analyst a' AND key = 'k'",
        "SELECT terms FROM grants WHERE dataset = 'main' AND policy_digest = 'p' AND account = 'a' ORDER BY entry DESC",
        "SELECT * FROM balances WHERE entry = 3",
        "SELECT * FROM grants WHERE entry = 3",
    )  # fmt: skip
    with closing(sqlite3.connect(path)) as db:
        for query in queries:
            plan = " ".join(row[3] for row in db.execute(f"EXPLAIN QUERY PLAN {query}"))
            assert "SEARCH" in plan and "SCAN" not in plan and "TEMP" not in plan, (query, plan)
