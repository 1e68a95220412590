"""What an admin sees of a ledger: verified, exported, and who asked what."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import pytest
from answers.shop import make_shop

import dpsql

SECRET = "SELECT COUNT(*) FROM orders WHERE amount > 12.5"


@pytest.fixture
def asked(tmp_path: Path) -> Path:
    """The ledger after an answer, its repeat, two refusals, and what releases nothing."""
    make_shop(tmp_path)
    with closing(dpsql.connect(tmp_path / "shop.yaml", analyst="ALICE")) as connection:
        connection.execute(SECRET)
        connection.execute(SECRET)
        for refused in ("SELECT * FROM orders", "SELECT \udc80 FROM orders"):
            with suppress(dpsql.QueryRefused):
                connection.execute(refused)
        connection.execute("SELECT * FROM dpsql.budget")
        connection.execute("SELECT amount FROM orders LIMIT 0")
    return tmp_path / "shop.ledger"


def lines(run, *arguments: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in run("ledger", *arguments).stdout.splitlines()]


def test_the_log_tells_who_asked_what_and_what_came_of_it(run, asked):
    told = [(line["what"], line["who"], line.get("sql")) for line in lines(run, "log", str(asked))]
    assert [t for t in told if t[0] not in ("version", "grant")] == [
        ("charge", "alice", None),
        ("paid", "alice", SECRET),
        ("draw", "alice", None),
        ("stored", "alice", SECRET),
        ("refused", "alice", "SELECT * FROM orders"),
        ("refused", "alice", "SELECT \udc80 FROM orders"),
    ]
    paid, stored = (line for line in lines(run, "log", str(asked)) if line.get("sql") == SECRET)
    assert (paid["epsilon"], stored["epsilon"]) == ("1", "0")
    assert len(lines(run, "log", str(asked), "--after", "3")) == len(lines(run, "log", str(asked))) - 3


def test_the_log_holds_nothing_of_the_data(run, asked):
    log = run("ledger", "log", str(asked)).stdout
    with closing(dpsql.connect(asked.with_name("shop.yaml"), analyst="alice")) as connection:
        (released,) = connection.execute(SECRET).fetchone()
    counted = {"line", "version", "entry", "epsilon", "delta"}  # numbers of the ledger's own
    for line in lines(run, "log", str(asked)):
        told = {value for key, value in line.items() if key not in counted and not isinstance(value, list)}
        assert told.isdisjoint({released, str(released)})
    assert "fingerprint" not in log


def test_a_whole_ledger_verifies_and_one_that_was_changed_does_not(run, asked):
    done = run("ledger", "verify", str(asked))
    assert done.exit_code == 0 and "as it was written" in done.stderr and done.stdout == ""
    with closing(sqlite3.connect(asked)) as db:
        db.execute("DROP TRIGGER log_update")
        db.execute("UPDATE log SET who = 'bob' WHERE what = 'paid'")
        db.commit()
    done = run("ledger", "verify", str(asked))
    assert done.exit_code == 1 and "is not what was written" in done.stdout


def test_every_charge_is_exported_with_its_events(run, asked):
    ((entry,),) = [lines(run, "export", str(asked))]
    (charge,) = entry["charges"]  # type: ignore[misc]
    assert (entry["analyst"], charge["paid_by"]) == ("alice", ["analyst alice", "dataset"])
    assert charge["events"][0]["dp_event"]["class_name"] == "DiscreteLaplaceDpEvent"


def test_a_file_that_is_no_ledger_is_refused(run, tmp_path):
    (tmp_path / "x").write_text("no ledger")
    for command in ("verify", "export", "log"):
        done = run("ledger", command, str(tmp_path / "x"))
        assert done.exit_code == 4 and "is not a ledger" in done.stderr
