"""What a session needs of a ledger; SQLite's is `ledger.Ledger`."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Protocol

from dpsql.accounting.ledger.recorded_sources import Active, Sources
from dpsql.accounting.types import Beside, Payment, Request, Standing, StoredReleases
from dpsql.privacy import Charge, Cost


class Book(Protocol):
    """Charges that are durable before any data is touched, and the releases that they paid for.

    Guarantees: what `charge` returns is paid for, whatever becomes of this process; no account ever exceeds the limit
    that it was charged under; a key stands for one draw for ever. Whatever stands in the way is LedgerUnavailable, and
    nothing was charged.
    """

    def charge(self, request: Request, charges: tuple[Charge, ...]) -> StoredReleases:
        """Charge a query's releases in one durable transaction and return those that are stored."""

    def keep(self, stored: StoredReleases, key: str, payload: bytes, beside: int = 0) -> StoredReleases:
        """Store a drawn release durably; what is stored then, with the draw under the key, or without one where the
        draw's path has other draws by now than the `beside` it was made beside."""

    def beside(self, charge: Charge) -> Beside:
        """The stored draws on a charge's path of noise that are nearest to it."""

    def credit(self, request: Request, charge: Charge) -> tuple[Fraction, ...]:
        """What the analyst has paid for each event of a charge by coarser draws on its path."""

    def received(self, request: Request, keys: tuple[str, ...]) -> frozenset[str]:
        """Those of the keys whose draws the analyst has received."""

    def received_alike(self, request: Request, beginning: str) -> tuple[tuple[Charge, int], ...]:
        """What the analyst has received about the rows that this beginning names, each with its payment's number."""

    def standing(self, request: Request) -> Standing:
        """The analyst's account as it stands now, and nothing of what others did."""

    def repeats_left(self, request: Request) -> int | None:
        """About how many more queries like the analyst's last one the analyst's budget allows."""

    def spent(self, analyst: str) -> Cost:
        """What that analyst's queries were asked at, added up plainly."""

    def spent_dataset(self) -> Cost:
        """What the dataset's draws were asked at, added up plainly."""

    def payments(self, analyst: str) -> tuple[Payment, ...]:
        """What that analyst's account has paid, query by query."""

    def note(self, who: str, what: str, body: Mapping[str, object]) -> None:
        """A line in the audit log."""

    def note_repeat(self, analyst: str, keys: tuple[str, ...], body: Mapping[str, object]) -> None:
        """A line in the audit log: the analyst got draws again for nothing."""

    def data_version(self) -> int:
        """The current data version, counted from 1."""

    def active(self) -> Active:
        """The current data version and what it is read from."""

    def first_seen(self, sources: Sources) -> Active:
        """Record what the current version is served from, unless that was done."""

    def accept(self, copies: Sources, version: int, who: str) -> None:
        """Record files as copies of what that version is read from."""

    def refresh(self, sources: Sources, who: str) -> int:
        """Begin a new data version that is read from these sources and return its number."""

    def close(self) -> None:
        """Let go of the ledger; a second call does nothing."""
