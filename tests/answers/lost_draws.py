"""A ledger as it is once its last draws are lost with the power: their charges stand."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path


def lose_draws(ledger: Path) -> None:
    """Take all draws out of a ledger, and what says that they were received."""
    with closing(sqlite3.connect(ledger)) as db:
        for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
            db.execute(f"DROP TRIGGER {name}")
        for table in ("receipts", "shelf"):
            db.execute(f"DELETE FROM {table}")
        db.commit()
