"""Where a ledger lies: a file, or a PostgreSQL database."""

from __future__ import annotations

from pathlib import Path

from dpsql.accounting.ledger.high_water_mark import Highest, Unmarked, mark_of
from dpsql.accounting.storage.protocol import Store
from dpsql.accounting.storage.sqlite import Database
from dpsql.errors import LedgerUnavailable

SCHEMES = ("postgresql://", "postgres://")


def is_address(place: str | Path) -> bool:
    """Whether the place is a database server's and not a file's."""
    return isinstance(place, str) and place.startswith(SCHEMES)


def open_store(
    place: str | Path, timeout: float, any_thread: bool, create: bool
) -> tuple[Store, Highest, int]:
    """The database, its mark, and the highest entry that the mark knew before the database was opened.

    A missing file is created; a database without a ledger gets one only with `create`.
    """
    if is_address(place):
        return _server(str(place), timeout, any_thread, create)
    file = Path(place).absolute()
    mark = mark_of(file)
    # Before the file: others may add entries, and raise the mark, while it is opened.
    highest = mark.read()
    if not file.exists():
        mark.require(0, highest)
    return Database.open(file, timeout, any_thread), mark, highest


def _server(url: str, timeout: float, any_thread: bool, create: bool) -> tuple[Store, Highest, int]:
    try:
        from dpsql.accounting.storage.postgres import Postgres
    except ImportError:
        problem = LedgerUnavailable('a ledger in PostgreSQL needs psycopg: pip install "dpsql[postgres]"')
    else:
        return Postgres.open(url, timeout, any_thread, create), Unmarked(), 0
    raise problem
