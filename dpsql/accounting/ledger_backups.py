"""Copies of a ledger's file, and what becomes of one that is put in the ledger's place.

A copy is a ledger as it was: put back later, it has forgotten what was spent since, and who had spent it could spend it
again. The mark beside a ledger says how far it once went, so that this is noticed where the mark is still there. On
another machine nothing knows of what came after the copy, so that the number of entries and their last moment are told.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from dpsql.accounting.accountants.accountant import Accountants
from dpsql.accounting.ledger import balances as books
from dpsql.accounting.ledger import ledger_pages as pages
from dpsql.accounting.ledger.audit_log import Line
from dpsql.accounting.ledger.high_water_mark import mark_of
from dpsql.accounting.ledger.ledger import Ledger
from dpsql.accounting.ledger.verify import problems
from dpsql.accounting.storage.open_store import is_address
from dpsql.accounting.storage.sqlite import Database, put_in_place
from dpsql.errors import InterfaceError, LedgerUnavailable
from dpsql.slotted import dataclass

_PATIENCE = 5.0
_BEGINNING = b"SQLite format 3\0"


@dataclass(frozen=True, slots=True)
class Copied:
    """How far a copy goes: its number of entries, the last line of its log, and the entries that were known of."""

    entries: int
    last: Line
    known: int = 0

    @property
    def lost(self) -> int:
        """How many entries were written once and are not in the copy."""
        return max(self.known - self.entries, 0)


def back_up(place: str | Path, file: Path) -> Copied:
    """Copy a ledger, as it stands at one moment, into a new file, while others go on using it.

    LedgerUnavailable where the ledger cannot be used or the file cannot be written, InterfaceError for a server's.
    """
    ledger = _file(place, "pg_dump makes a copy")
    with Ledger.open(ledger, dataset=""), closing(Database.open(ledger, _PATIENCE)) as database:
        database.copy_to(file)
    with _copy_of(file, file.with_name(f"{file.name}.checked")) as checked:
        return checked


def restore(file: Path, place: str | Path, who: str, *, accept_loss: bool = False) -> Copied:
    """Put a copy where a ledger belongs and no file is, after all of it was verified; the log says who did so.

    LedgerUnavailable where a file is there already, the copy is not as it was written, or the mark beside the place
    knows of more entries than the copy has, unless their loss is accepted.
    """
    target = _file(place, "pg_restore puts one back").absolute()
    for taken in (target, target.with_name(f"{target.name}-wal")):
        if taken.exists():
            raise LedgerUnavailable(
                f"{taken} is there already; move it away first, but leave the -mark beside it"
            )
    mark, made = mark_of(target), target.with_name(f"{target.name}.restoring")
    highest = mark.read()
    with _copy_of(file, made) as copy:
        copied = Copied(copy.entries, copy.last, highest)
        if copied.lost and not accept_loss:
            raise LedgerUnavailable(
                f"{file} ends at entry {copied.entries}, but entry {highest} was once written here: "
                f"what the {copied.lost} entries after it spent would be handed back. Restore the newest copy"
            )
        put_in_place(made, target)
    if copied.lost:
        mark.path.unlink()
    with Ledger.open(target, dataset="") as book:
        body = {"entries": copied.entries, "known": highest, "lost": copied.lost, "hash": copied.last.hash}
        book.note(who, "restore", body)
    return copied


def _file(place: str | Path, instead: str) -> Path:
    if is_address(place):
        raise InterfaceError(f"a ledger on a server is a part of its database: {instead}")
    return Path(place)


@contextmanager
def _copy_of(file: Path, made: Path) -> Iterator[Copied]:
    """A verified copy of a ledger's file that nobody writes to, for as long as the block lasts and longer if moved."""
    _require_whole(file)
    descriptor = _created(made)
    try:
        with open(descriptor, "wb") as copy, file.open("rb") as source:
            shutil.copyfileobj(source, copy)
        yield _verified(file, made)
    except OSError:
        problem = LedgerUnavailable(
            f"{file} cannot be copied to {made}; check both, and whether the disk is full"
        )
    else:
        return
    finally:
        for name in (made.name, f"{made.name}-wal", f"{made.name}-shm"):
            made.with_name(name).unlink(missing_ok=True)
    raise problem


def _created(made: Path) -> int:
    try:
        return os.open(made, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except FileExistsError:
        problem = LedgerUnavailable(f"{made} is left of another command; remove it if that has ended")
    except OSError:
        problem = LedgerUnavailable(f"{made} cannot be created; check its folder and permissions")
    raise problem


def _require_whole(file: Path) -> None:
    """LedgerUnavailable for a file that is no copy: a ledger in use has a part of its rows in a file beside it."""
    log = file.with_name(f"{file.name}-wal")
    if log.exists() and log.stat().st_size:
        raise LedgerUnavailable(
            f"{file} is in use, or was not closed: its newest rows are in {log}. "
            f"`dpsql ledger backup {file} FILE` makes a copy of all"
        )
    try:
        with file.open("rb") as opened:
            begins = opened.read(len(_BEGINNING))
    except OSError:
        problem = LedgerUnavailable(f"{file} cannot be read; check its permissions")
    else:
        if begins == _BEGINNING:
            return
        problem = LedgerUnavailable(f"{file} is not a ledger")
    raise problem


def _verified(file: Path, made: Path) -> Copied:
    with closing(Database.open(made, _PATIENCE)) as database:
        wrong = database.damage() or database.read(lambda db: tuple(problems(db, Accountants())))
        if wrong:
            raise LedgerUnavailable(f"{file} is not what was written: {wrong[0]}")
        entries, last = database.read(books.last_entry), database.read(pages.last_line)
    if last is None:
        raise LedgerUnavailable(f"{file} holds no ledger: nothing was ever written into it")
    return Copied(entries, last)
