"""What goes into the ledger and what comes out of it, as frozen types."""

from __future__ import annotations

import enum
from datetime import UTC, datetime
from fractions import Fraction
from typing import Protocol

from dpsql.errors import InternalError, OperationalError
from dpsql.policy.model import AccountantName, Window
from dpsql.privacy import FREE, Charge, Cost
from dpsql.slotted import dataclass


class UnsupportedEvent(InternalError):
    """An accountant was handed an event that it has no theorem for; nothing was charged."""


class UnpaidRelease(InternalError):
    """A release was to be stored that no charge had paid for; it was not stored."""


class DrawLost(OperationalError):
    """A calibration was charged and not stored: an account that was not charged with the others has no room for it."""

    def __init__(self, owner: str) -> None:
        super().__init__(
            f"by the time that the draw was made, {owner} had no budget left for it: it is lost, and what it cost "
            "stays charged"
        )


DATASET = "dataset"


@dataclass(frozen=True, slots=True)
class Account:
    """Who pays, within which limit, and when the limit begins anew.

    `name` is how the ledger calls it: `dataset`, `analyst alice`, `role sales`. `owner` is how people call it.
    """

    name: str
    owner: str
    limit: Cost
    window: Window = Window.NEVER


@dataclass(frozen=True, slots=True)
class Request:
    """Who asks, under which limits, policy and data version; the same for every release of one query.

    `analyst` is the folded name: two spellings of one name must not become two accounts. `analyst_limit` and
    `dataset_limit` bound running totals, each within its window; `per_query` bounds what one query may charge the
    analyst. `role`, `role_limit` and `role_window` are those of a group of analysts that pays as well. `opening` is
    what every account begins with, beside the calibrations of its ledger: the draws that the policy lists.
    """

    analyst: str
    analyst_limit: Cost
    per_query: Cost
    dataset_limit: Cost
    policy_digest: str
    data_version: int
    accountant: AccountantName
    window: Window = Window.NEVER
    dataset_window: Window = Window.NEVER
    role: str | None = None
    role_limit: Cost = FREE
    role_window: Window = Window.NEVER
    opening: tuple[Charge, ...] = ()

    def __post_init__(self) -> None:
        if not self.analyst:
            raise ValueError("a request needs an analyst's name")
        if self.data_version < 1:
            raise ValueError("data versions are counted from 1")

    @property
    def division(self) -> str:
        """Under which declaration, over which data, a unit is in one part alone: of any other it may be in another."""
        return f"{self.policy_digest}:{self.data_version}"

    @property
    def own_account(self) -> Account:
        """The analyst's account."""
        return Account(f"analyst {self.analyst}", self.analyst, self.analyst_limit, self.window)

    @property
    def role_account(self) -> Account | None:
        """The account of the analyst's role, or None."""
        if self.role is None:
            return None
        return Account(f"role {self.role}", f"role {self.role}", self.role_limit, self.role_window)

    @property
    def dataset_account(self) -> Account:
        """The account of the data, over all analysts together."""
        return Account(DATASET, DATASET, self.dataset_limit, self.dataset_window)

    @property
    def accounts(self) -> tuple[Account, ...]:
        """All that may have to pay."""
        role = self.role_account
        return (self.own_account, *((role,) if role else ()), self.dataset_account)


@dataclass(frozen=True, slots=True)
class Standing:
    """An account at a moment: what it was granted, has spent and has left in its window, which ends at `until`.

    `until` is in seconds since 1970, None where the window never ends. `spent` is that of a unit in the part of the
    partition that has lost most, `parts` that of the parts which were charged by themselves, and `elsewhere` that of
    every other part.
    """

    account: Account
    spent: Cost
    until: int | None = None
    parts: tuple[tuple[str, Cost], ...] = ()
    elsewhere: Cost = FREE

    @property
    def remaining(self) -> Cost:
        """What is left of the limit."""
        return self._left(self.spent)

    @property
    def ends(self) -> datetime | None:
        """When the window ends, in UTC without a zone; None where it never does."""
        return (
            datetime.fromtimestamp(self.until, UTC).replace(tzinfo=None) if self.until is not None else None
        )

    def spent_in(self, part: str) -> Cost:
        """What a unit in that part has lost."""
        return next((cost for name, cost in self.parts if name == part), self.elsewhere)

    def remaining_in(self, part: str) -> Cost:
        """What is left of the limit for a unit in that part."""
        return self._left(self.spent_in(part))

    def _left(self, spent: Cost) -> Cost:
        limit = self.account.limit
        return Cost(
            max(limit.epsilon - spent.epsilon, Fraction(0)), max(limit.delta - spent.delta, Fraction(0))
        )


@dataclass(frozen=True, slots=True)
class StoredReleases:
    """The stored releases that one query may read, and what the query was charged.

    `payloads` are each with its key. `charged` is what the analyst's account paid in this call, as booked.
    `entry` names the durable entry that paid, and is None where nothing was due.
    """

    payloads: tuple[tuple[str, bytes], ...] = ()
    charged: Cost = FREE
    entry: int | None = None

    def get(self, key: str) -> bytes | None:
        """The payload stored under that key, or None."""
        return next((payload for k, payload in self.payloads if k == key), None)

    def missing(self, keys: tuple[str, ...]) -> tuple[str, ...]:
        """Those of the keys that are not stored, in their order, each once."""
        return tuple(key for key in dict.fromkeys(keys) if self.get(key) is None)

    def holding(self, key: str, payload: bytes) -> StoredReleases:
        """The same releases with that payload in the key's place."""
        others = tuple(pair for pair in self.payloads if pair[0] != key)
        return StoredReleases((*others, (key, payload)), self.charged, self.entry)


@dataclass(frozen=True, slots=True)
class Payment:
    """What one query charged an analyst, as booked: when (seconds since 1970), for which releases.

    `stored` says that the analyst has received all of them, so that asking again is free. `free_answers` counts the
    later queries by the analyst that were answered for nothing from one of them.
    """

    time: int
    cost: Cost
    canonical: tuple[str, ...]
    stored: bool
    free_answers: int = 0


@dataclass(frozen=True, slots=True)
class StoredDraw:
    """A stored draw on a path of noise: at which epsilon its event was drawn, and the whole draw's payload."""

    epsilon: Fraction
    payload: bytes


@dataclass(frozen=True, slots=True)
class Beside:
    """What is stored on a path of noise, seen from a draw that is yet to be made, event by event.

    `coarser` are the nearest stored draws at a smaller epsilon, `finer` those at the same or a larger one; None where
    there is none. `count` is how many draws the path has: where it has more by the time that the draw is kept, the draw
    was made beside others.
    """

    count: int
    coarser: tuple[StoredDraw | None, ...]
    finer: tuple[StoredDraw | None, ...]


class Step(enum.StrEnum):
    """The moments of a charge at which a process may die."""

    BEFORE_BEGIN = "before_begin"
    AFTER_INSERT = "after_insert"
    AFTER_COMMIT = "after_commit"
    BEFORE_KEEP = "before_keep"
    AFTER_KEEP = "after_keep"


class Steps(Protocol):
    """Observes every step as it is reached; a test's observer may end the process there."""

    def reached(self, step: Step) -> None:
        """The ledger is at this step."""


class Unobserved:
    """The observer of a ledger in use: it does nothing."""

    __slots__ = ()

    def reached(self, step: Step) -> None:
        """Do nothing."""
