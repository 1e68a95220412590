"""Broken, locked, foreign, old and missing files: one clear error of our own, and nothing charged."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from ledger_builders import charge, cost, request
from test_ledger_processes import finish, start

from dpsql.accounting.ledger.high_water_mark import Mark
from dpsql.accounting.ledger.ledger import Ledger
from dpsql.accounting.storage.sqlite import Database
from dpsql.errors import InterfaceError, LedgerUnavailable
from dpsql.privacy import FREE


@pytest.fixture
def ledger(path: Path) -> Iterator[Ledger]:
    with Ledger.open(path) as opened:
        yield opened


def fill(path: Path, *keys: str) -> None:
    with Ledger.open(path) as ledger:
        for key in keys:
            ledger.keep(ledger.charge(request(), (charge(key),)), key, b"draw")


def refusal(path: Path) -> str:
    """The error of opening the ledger and charging; no error of SQLite or the system hangs on to it."""
    with pytest.raises(LedgerUnavailable) as caught, Ledger.open(path, timeout=0.05) as ledger:
        ledger.charge(request(), (charge("new"),))
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    return str(caught.value)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    assert "folder does not exist" in refusal(tmp_path / "nowhere" / "shop.ledger")


def test_a_folder_in_the_ledgers_place_is_refused(path: Path) -> None:
    path.mkdir()
    assert "cannot be opened" in refusal(path)


@pytest.mark.parametrize("content", [b"customer_id,amount\n" * 100, b"\0" * 8192, os.urandom(8192)])
def test_a_file_that_is_no_database_is_refused_and_left_alone(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    assert "is damaged or is not a ledger" in refusal(path)
    assert path.read_bytes() == content


def test_a_database_of_another_program_is_refused_and_left_alone(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE songs (title)")
    before = path.read_bytes()
    assert "another program" in refusal(path)
    assert path.read_bytes() == before


def test_a_ledger_of_a_newer_format_is_refused(path: Path) -> None:
    fill(path, "k")
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 99")
    assert "newer dpsql" in refusal(path)


def test_an_empty_file_becomes_a_ledger(path: Path) -> None:
    path.touch()
    fill(path, "k")
    with Ledger.open(path) as ledger:
        assert ledger.spent("alice") == cost("1")


def test_damaged_pages_fail_closed(path: Path) -> None:
    fill(path, *map(str, range(50)))
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + b"\xa5" * (len(whole) - 4096))
    assert "is damaged" in refusal(path)


def test_a_truncated_ledger_fails_closed(path: Path) -> None:
    fill(path, *map(str, range(50)))
    os.truncate(path, 8192)
    assert "is damaged" in refusal(path)


def test_a_ledger_cut_to_nothing_is_not_begun_anew(path: Path) -> None:
    fill(path, "k")
    os.truncate(path, 0)
    assert "an old copy was put in its place" in refusal(path)


@pytest.fixture
def holder(path: Path) -> Iterator[sqlite3.Connection]:
    """Another process's connection that holds the write lock."""
    fill(path, "k")
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("BEGIN IMMEDIATE")
        yield db


def test_a_lock_held_for_too_long_fails_closed(path: Path, holder: sqlite3.Connection) -> None:
    assert "stayed locked" in refusal(path)
    holder.execute("ROLLBACK")
    with Ledger.open(path) as ledger:
        assert ledger.spent_dataset() == cost("1")


@pytest.mark.usefixtures("holder")
def test_a_lock_held_elsewhere_stops_neither_balances_nor_free_repeats(path: Path) -> None:
    with Ledger.open(path, timeout=0.05) as ledger:
        assert ledger.spent("alice") == cost("1")
        assert ledger.charge(request(), (charge("k"),)).charged == FREE


def test_after_a_failed_charge_the_same_ledger_can_be_charged(path: Path, holder: sqlite3.Connection) -> None:
    with Ledger.open(path, timeout=0.05) as ledger:
        with pytest.raises(LedgerUnavailable, match="stayed locked"):
            ledger.charge(request(), (charge("new"),))
        holder.execute("ROLLBACK")
        assert ledger.charge(request(), (charge("new"),)).charged == cost("1")


def test_a_disk_that_takes_no_more_fails_closed_and_loses_no_charge(path: Path) -> None:
    report = json.loads(finish(start("write_until_refused", path)))
    assert "disk" in report["error"]
    assert report["done"] >= 5
    with Ledger.open(path) as ledger:
        assert ledger.spent_dataset() == cost(str(report["done"]))
        assert ledger.charge(request(), (charge("afterwards"),)).charged == cost("1")


@pytest.mark.parametrize("mode", [0o444, 0o000])
def test_a_ledger_without_write_permission_is_refused(mode: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "shop.ledger"
        fill(path, "k")
        path.chmod(mode)
        Path(folder).chmod(0o755)
        assert "permissions" in (said := finish(start("as_nobody", path))) or "write access" in said
        path.chmod(0o600)
        with Ledger.open(path) as ledger:
            assert ledger.spent_dataset() == cost("1")


def test_a_folder_without_write_permission_takes_no_new_ledger() -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o555)
        assert "cannot be created" in finish(start("as_nobody", Path(folder) / "shop.ledger"))


def test_an_old_copy_put_back_is_noticed_and_the_newest_serves_again(path: Path, tmp_path: Path) -> None:
    fill(path, "a")
    shutil.copy(path, tmp_path / "old")
    fill(path, "b")
    shutil.copy(path, tmp_path / "newest")
    shutil.copy(tmp_path / "old", path)
    said = refusal(path).replace(str(path), "")
    assert "has fewer entries than were once written" in said
    assert not any(map(str.isdigit, said))  # how many there are is what all analysts asked
    shutil.copy(tmp_path / "newest", path)
    with Ledger.open(path) as ledger:
        assert ledger.spent_dataset() == cost("2")


def test_an_old_copy_is_refused_when_it_is_opened(path: Path) -> None:
    fill(path, "a")
    Mark(path.with_name("shop.ledger-mark")).raise_to(2)
    with pytest.raises(LedgerUnavailable, match="old copy"):
        Ledger.open(path)


def test_an_old_copy_is_refused_when_an_open_ledger_is_charged(ledger: Ledger, path: Path) -> None:
    ledger.charge(request(), (charge("a"),))
    Mark(path.with_name("shop.ledger-mark")).raise_to(2)
    with pytest.raises(LedgerUnavailable, match="old copy"):
        ledger.charge(request(), (charge("b"),))
    assert ledger.spent_dataset() == cost("1")


def test_a_removed_ledger_is_not_begun_anew(path: Path) -> None:
    fill(path, "a")
    path.unlink()
    assert "it was removed" in refusal(path)
    assert not path.exists()


def test_an_admin_who_removes_the_mark_as_well_begins_anew(path: Path) -> None:
    fill(path, "a")
    path.unlink()
    path.with_name("shop.ledger-mark").unlink()
    with Ledger.open(path) as ledger:
        assert ledger.spent_dataset() == FREE


def test_a_ledger_moved_without_its_mark_serves_and_gets_a_new_mark(path: Path, tmp_path: Path) -> None:
    fill(path, "a", "b")
    moved = tmp_path / "moved.ledger"
    path.rename(moved)
    with Ledger.open(moved) as ledger:
        assert ledger.spent_dataset() == cost("2")
    moved.unlink()
    assert "fewer entries than were once written" in refusal(moved)


def test_a_mark_is_never_lowered(tmp_path: Path) -> None:
    mark = Mark(tmp_path / "mark")
    assert mark.read() == 0
    mark.raise_to(5)
    mark.raise_to(4)
    assert mark.read() == 5


@pytest.mark.parametrize("content", [b"7\n", b"0" * 29 + b"\n", b"x" * 30])
def test_a_damaged_mark_fails_closed(path: Path, content: bytes) -> None:
    fill(path, "a")
    path.with_name("shop.ledger-mark").write_bytes(content)
    assert "mark" in refusal(path)


def test_a_ledger_replaced_while_it_is_open_is_noticed(path: Path, tmp_path: Path) -> None:
    with Ledger.open(path) as ledger:
        fill(tmp_path / "other.ledger", "k")
        (tmp_path / "other.ledger").rename(path)
        with pytest.raises(LedgerUnavailable, match="removed or replaced"):
            ledger.charge(request(), (charge("k"),))


def test_a_closed_ledger_is_refused_and_may_be_closed_twice(ledger: Ledger) -> None:
    ledger.close()
    ledger.close()
    with pytest.raises(InterfaceError, match="closed"):
        ledger.charge(request(), (charge("k"),))


@pytest.mark.parametrize(
    ("pragma", "value"), [("journal_mode", "wal"), ("synchronous", 2), ("foreign_keys", 1)]
)
def test_a_commit_is_synced_to_disk_and_references_hold(path: Path, pragma: str, value: object) -> None:
    database = Database.open(path, 1.0)
    assert database.read(lambda db: db.execute(f"PRAGMA {pragma}").fetchone()) == (value,)
    database.close()
