"""The mark beside a ledger: its highest entry ever, so that an old copy put back in its place is noticed."""

from __future__ import annotations

import os
import time
import zlib
from pathlib import Path
from typing import Protocol

from dpsql.errors import LedgerUnavailable
from dpsql.slotted import dataclass

RECORD = 30
ATTEMPTS = 20


class Highest(Protocol):
    """The highest entry that a ledger is known to have had."""

    def read(self) -> int:
        """That entry, 0 where none is known."""

    def raise_to(self, entry: int) -> None:
        """Record that the ledger has this entry; a lower number changes nothing."""

    def require(self, entry: int, highest: int) -> None:
        """LedgerUnavailable for a ledger whose last entry lies below what was known before."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One number with a checksum in a file; it never runs ahead of the ledger, and lags by charges in flight.

    It is written after the commit it speaks of and is not synced to disk: what it misses is detection, never
    a charge. A copy of the ledger together with its mark cannot be told from the original.
    """

    path: Path

    def read(self) -> int:
        """0 where there is no mark yet; LedgerUnavailable for a damaged one."""
        for _ in range(ATTEMPTS):
            number = _parse(self._content())
            if number is not None:
                return number
            time.sleep(0.001)  # another process may be writing the record at this moment
        raise LedgerUnavailable(
            f"the mark {self.path} beside the ledger is damaged; "
            "if the ledger is certainly the newest one, remove the mark"
        )

    def raise_to(self, entry: int) -> None:
        if entry <= self.read():
            return
        try:
            descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT, 0o600)
            try:
                os.write(descriptor, _record(entry))
            finally:
                os.close(descriptor)
        except OSError:
            problem = LedgerUnavailable(f"the mark {self.path} beside the ledger cannot be written")
        else:
            return
        raise problem

    def require(self, entry: int, highest: int) -> None:
        if entry < highest:
            raise LedgerUnavailable(
                f"the ledger beside {self.path} has fewer entries than were once written: "
                "an old copy was put in its place, or it was removed. Put the newest ledger back; "
                "to accept the loss of the newer charges, remove the mark"
            )

    def _content(self) -> bytes:
        try:
            descriptor = os.open(self.path, os.O_RDONLY)
            try:
                return os.read(descriptor, 2 * RECORD)  # a longer file is no mark, which shows by then
            finally:
                os.close(descriptor)
        except FileNotFoundError:
            return b""
        except OSError:
            problem = LedgerUnavailable(
                f"the mark {self.path} beside the ledger cannot be read: check its permissions"
            )
        raise problem


def mark_of(ledger: Path) -> Mark:
    """The mark beside a ledger's file."""
    return Mark(ledger.with_name(f"{ledger.name}-mark"))


class Unmarked:
    """No mark: a ledger on a server has no file to put one beside, and its store remembers where it was."""

    __slots__ = ()

    def read(self) -> int:
        return 0

    def raise_to(self, entry: int) -> None:
        pass

    def require(self, entry: int, highest: int) -> None:
        pass


def _record(entry: int) -> bytes:
    number = b"%020d" % entry
    return b"%s %08x\n" % (number, zlib.crc32(number))


def _parse(content: bytes) -> int | None:
    """The recorded number; 0 for an empty file, None for anything that is not a whole record."""
    if not content:
        return 0
    number = content[:20]
    whole = len(content) == RECORD and number.isdigit() and content == _record(int(number))
    return int(number) if whole else None
