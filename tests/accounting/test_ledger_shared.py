"""Two policies, two spellings of a name, older files and hostile copies on one ledger: nothing begins anew."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from ledger_builders import charge, cost, request

from dpsql.accounting.ledger.ledger import Ledger
from dpsql.accounting.storage.sqlite import Database
from dpsql.errors import BudgetExhausted, LedgerUnavailable
from dpsql.policy.model import AccountantName, Window


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
    assert ledger.standing(plain).spent.epsilon == cost("0.9").epsilon
    assert ledger.standing(concentrated).spent.epsilon < cost("0.5").epsilon
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


def test_a_long_history_slows_nothing_down_by_being_read(path: Path) -> None:
    """The plan of every statement of a charge, a lookup or a report is a search, whatever has been charged before."""
    asked: list[str] = []
    of = request(role="sales", window=Window.MONTHLY)
    with Ledger.open(path) as ledger:
        database = ledger._database
        assert isinstance(database, Database) and database._db is not None
        database._db.set_trace_callback(asked.append)
        ledger.keep(ledger.charge(of, (charge("a"),)), "a", b"draw")
        ledger.charge(request("bob"), (charge("a"),))
        ledger.received(of, ("a",))
        ledger.received_alike(of, "canonical form of ")
        ledger.note_repeat("alice", ("a",), {"keys": ["a"]})
        ledger.standing(of)
        ledger.repeats_left(of)
        ledger.payments("alice")
        assert len(tuple(ledger.log())) == len(tuple(ledger.export())) + 7
        database._db.set_trace_callback(None)
    queries = {text for text in asked if "SELECT" in text and "FROM" in text}
    assert len(queries) > 20
    with closing(sqlite3.connect(path)) as db:
        for query in queries:
            plan = [row[3] for row in db.execute(f"EXPLAIN QUERY PLAN {query}")]
            assert "r.about" not in query or "receipts_about" in plan[0], plan
            last_row = query.endswith("FROM entries ORDER BY id DESC LIMIT 1") or "FROM log ORDER" in query
            assert last_row or not any(step.startswith("SCAN") for step in plan), (query, plan)
