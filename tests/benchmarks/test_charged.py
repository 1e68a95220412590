"""The ledger that benchmarks fill in bulk is the one that charging would have made."""

from __future__ import annotations

import importlib
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from dpsql.accounting.ledger.ledger import Ledger
from dpsql.accounting.storage.sqlite_schema import NAMES
from dpsql.policy.model import AccountantName

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
NOW = 1_700_000_000


def tables(path: Path) -> dict[str, list[tuple[object, ...]]]:
    with closing(sqlite3.connect(path)) as db:
        return {name: sorted(db.execute(f"SELECT * FROM {name}").fetchall()) for name in NAMES}


def test_a_ledger_filled_in_bulk_has_the_rows_of_one_charged_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    charged = importlib.import_module("charged")
    monkeypatch.setattr(charged, "ANALYSTS", 3)
    monkeypatch.setattr(charged, "BATCH", 7)
    charged.fill(tmp_path / "bulk", 40, lambda: NOW)
    with Ledger.open(tmp_path / "single", clock=lambda: NOW) as ledger:
        for n in range(40):
            charged.one_by_one(ledger, n, AccountantName.RDP)
    assert tables(tmp_path / "bulk") == tables(tmp_path / "single")
    with Ledger.open(tmp_path / "bulk") as ledger:
        assert ledger.verify() == ()
    assert (tmp_path / "bulk-mark").read_bytes() == (tmp_path / "single-mark").read_bytes()
