"""Copies of a ledger: made while it is used, verified, and never put back where they hand back what was spent."""

from __future__ import annotations

import json
import shutil
import sqlite3
import stat
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import pytest
from answers.shop import make_shop

import dpsql

FIRST, SECOND = "SELECT COUNT(*) FROM orders", "SELECT COUNT(*) FROM orders WHERE amount > 12.5"


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    return make_shop(tmp_path / "shop") / "shop.yaml"


def ask(policy: Path, sql: str) -> None:
    with closing(dpsql.connect(policy, analyst="alice", epsilon=1)) as connection:
        connection.execute(sql)


def spent(policy: Path) -> Fraction:
    with closing(dpsql.connect(policy, analyst="alice")) as connection:
        return connection.budget().spent.epsilon


def ledger_of(policy: Path) -> Path:
    return policy.with_suffix(".ledger")


def lose(ledger: Path) -> None:
    """The ledger is gone; its mark is not."""
    for name in (ledger.name, f"{ledger.name}-wal", f"{ledger.name}-shm"):
        ledger.with_name(name).unlink(missing_ok=True)


def copied(run, policy: Path, to: Path) -> Path:
    assert run("ledger", "backup", str(ledger_of(policy)), str(to)).exit_code == 0
    return to


def test_a_copy_is_made_while_the_ledger_is_in_use(run, policy: Path, tmp_path: Path) -> None:
    with closing(dpsql.connect(policy, analyst="alice", epsilon=1)) as connection:
        connection.execute(FIRST)
        result = run("ledger", "backup", str(ledger_of(policy)), str(tmp_path / "copy"))
        assert result.exit_code == 0 and f"{tmp_path / 'copy'}: 1 entries, the last line of" in result.stderr
        connection.execute(SECOND)
    assert stat.S_IMODE((tmp_path / "copy").stat().st_mode) == 0o600
    assert sorted(p.name for p in tmp_path.glob("copy*")) == ["copy"]
    lose(ledger_of(policy))
    ledger_of(policy).with_name("shop.ledger-mark").unlink()
    assert run("ledger", "restore", str(tmp_path / "copy"), str(ledger_of(policy))).exit_code == 0
    assert spent(policy) == 1


def test_a_copy_never_replaces_a_file(run, policy: Path, tmp_path: Path) -> None:
    ask(policy, FIRST)
    (tmp_path / "copy").write_text("mine")
    result = run("ledger", "backup", str(ledger_of(policy)), str(tmp_path / "copy"))
    assert result.exit_code == 4 and "is there already" in result.stderr
    assert (tmp_path / "copy").read_text() == "mine"
    backup = copied(run, policy, tmp_path / "other")
    result = run("ledger", "restore", str(backup), str(ledger_of(policy)))
    assert result.exit_code == 4 and "move it away first" in result.stderr


def test_the_newest_copy_goes_back_where_the_ledger_was_lost(run, policy: Path, tmp_path: Path) -> None:
    ask(policy, FIRST)
    backup = copied(run, policy, tmp_path / "copy")
    lose(ledger_of(policy))
    result = run("ledger", "restore", str(backup), str(ledger_of(policy)), "--by", "root")
    assert result.exit_code == 0 and "forgotten" not in result.stderr
    assert spent(policy) == 1
    lines = [json.loads(line) for line in run("ledger", "log", str(ledger_of(policy))).stdout.splitlines()]
    (line,) = [line for line in lines if line["what"] == "restore"]
    assert (line["who"], line["entries"], line["lost"]) == ("root", 1, 0)
    assert run("ledger", "verify", str(ledger_of(policy))).exit_code == 0
    assert not list(ledger_of(policy).parent.glob("*restoring*"))


def test_an_old_copy_is_refused_where_more_was_spent(run, policy: Path, tmp_path: Path) -> None:
    ask(policy, FIRST)
    backup = copied(run, policy, tmp_path / "copy")
    ask(policy, SECOND)
    lose(ledger_of(policy))
    result = run("ledger", "restore", str(backup), str(ledger_of(policy)))
    assert result.exit_code == 4 and "what the 1 entries after it spent would be handed back" in result.stderr
    assert not ledger_of(policy).exists() and not list(ledger_of(policy).parent.glob("*restoring*"))


def test_a_loss_that_is_accepted_is_told_and_logged(run, policy: Path, tmp_path: Path) -> None:
    ask(policy, FIRST)
    backup = copied(run, policy, tmp_path / "copy")
    ask(policy, SECOND)
    lose(ledger_of(policy))
    result = run("ledger", "restore", str(backup), str(ledger_of(policy)), "--accept-loss")
    assert result.exit_code == 0 and "what 1 later entries spent is forgotten" in result.stderr
    assert spent(policy) == 1
    assert (
        '"what": "restore"' in (log := run("ledger", "log", str(ledger_of(policy))).stdout)
        and '"lost": 1' in log
    )


def test_a_copy_that_was_changed_is_refused(run, policy: Path, tmp_path: Path) -> None:
    ask(policy, FIRST)
    backup = copied(run, policy, tmp_path / "copy")
    with closing(sqlite3.connect(backup)) as db:
        db.execute("DROP TRIGGER log_update")
        db.execute("UPDATE log SET who = 'bob' WHERE what = 'paid'")
        db.commit()
    result = run("ledger", "restore", str(backup), str(tmp_path / "new.ledger"))
    assert result.exit_code == 4 and "is not what was written" in result.stderr
    assert not list(tmp_path.glob("new*"))


def test_the_file_of_a_ledger_in_use_is_no_copy(run, policy: Path, tmp_path: Path) -> None:
    """Its newest rows stand in a file beside it."""
    with closing(dpsql.connect(policy, analyst="alice", epsilon=1)) as connection:
        connection.execute(FIRST)
        result = run("ledger", "restore", str(ledger_of(policy)), str(tmp_path / "new.ledger"))
        assert result.exit_code == 4 and "its newest rows are in" in result.stderr
        shutil.copy(ledger_of(policy).with_name("shop.ledger-wal"), tmp_path / "new.ledger-wal")
    result = run("ledger", "restore", str(ledger_of(policy)), str(tmp_path / "new.ledger"))
    assert result.exit_code == 4 and "new.ledger-wal is there already" in result.stderr


@pytest.mark.parametrize("content", [b"", b"no ledger at all", b"SQLite format 3\0" + b"\0" * 600])
def test_what_is_no_ledger_is_not_put_back(run, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "copy").write_bytes(content)
    assert run("ledger", "restore", str(tmp_path / "copy"), str(tmp_path / "new.ledger")).exit_code == 4
    with closing(sqlite3.connect(tmp_path / "empty")) as db:
        db.execute("VACUUM")
    (tmp_path / "empty").exists() and run(
        "ledger", "restore", str(tmp_path / "empty"), str(tmp_path / "new.ledger")
    )
    assert not (tmp_path / "new.ledger").exists()


def test_what_another_restore_is_at_work_on_is_left_alone(run, policy: Path, tmp_path: Path) -> None:
    ask(policy, FIRST)
    backup = copied(run, policy, tmp_path / "copy")
    (tmp_path / "new.ledger.restoring").write_bytes(b"half")
    result = run("ledger", "restore", str(backup), str(tmp_path / "new.ledger"))
    assert result.exit_code == 4 and "is left of another command" in result.stderr
    assert (tmp_path / "new.ledger.restoring").read_bytes() == b"half"


def test_a_server_has_copies_of_its_own(run, tmp_path: Path) -> None:
    for arguments in (("backup", "postgresql://db/x", str(tmp_path / "copy")),):
        result = run("ledger", *arguments)
        assert result.exit_code == 2 and "pg_dump" in result.stderr
    (tmp_path / "copy").write_bytes(b"")
    result = run("ledger", "restore", str(tmp_path / "copy"), "postgresql://db/x")
    assert result.exit_code == 2 and "pg_restore" in result.stderr
