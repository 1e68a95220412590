"""What goes into the ledger and what comes out of it, as frozen types."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Protocol

from dpsql.errors import InternalError
from dpsql.policy.model import AccountantName
from dpsql.privacy import FREE, Cost


class UnsupportedEvent(InternalError):
    """An accountant was handed an event that it has no theorem for; nothing was charged."""


class UnpaidRelease(InternalError):
    """A release was to be stored that no charge had paid for; it was not stored."""


@dataclass(frozen=True, slots=True)
class Request:
    """Who asks, under which limits, policy and data version; the same for every release of one query.

    `analyst` is the folded name: two spellings of one name must not become two accounts. `analyst_limit` and
    `dataset_limit` bound running totals, `per_query` bounds what one query may charge the analyst.
    """

    analyst: str
    analyst_limit: Cost
    per_query: Cost
    dataset_limit: Cost
    policy_digest: str
    data_version: int
    accountant: AccountantName

    def __post_init__(self) -> None:
        if not self.analyst:
            raise ValueError("a request needs an analyst's name")
        if self.data_version < 1:
            raise ValueError("data versions are counted from 1")


@dataclass(frozen=True, slots=True)
class Shelf:
    """The stored releases that one query may read, and what the query was charged.

    `stored` pairs keys with payloads. `charged` is what the analyst's account paid in this call, as booked.
    `entry` names the durable entry that paid, and is None where nothing was due.
    """

    stored: tuple[tuple[str, bytes], ...] = ()
    charged: Cost = FREE
    entry: int | None = None

    def get(self, key: str) -> bytes | None:
        """The payload stored under that key, or None."""
        return next((payload for k, payload in self.stored if k == key), None)

    def missing(self, keys: tuple[str, ...]) -> tuple[str, ...]:
        """Those of the keys that are not stored, in their order, each once."""
        return tuple(key for key in dict.fromkeys(keys) if self.get(key) is None)

    def holding(self, key: str, payload: bytes) -> Shelf:
        """The same shelf with that payload in the key's place."""
        others = tuple(pair for pair in self.stored if pair[0] != key)
        return Shelf((*others, (key, payload)), self.charged, self.entry)


@dataclass(frozen=True, slots=True)
class Payment:
    """What one query charged an analyst, as booked: when (seconds since 1970), for which releases.

    `stored` says that the analyst has received all of them, so that asking again is free.
    """

    time: int
    cost: Cost
    canonical: tuple[str, ...]
    stored: bool


class Step(enum.StrEnum):
    """The moments of a charge at which a process may die."""

    BEFORE_BEGIN = "before_begin"
    AFTER_INSERT = "after_insert"
    AFTER_COMMIT = "after_commit"
    BEFORE_KEEP = "before_keep"
    AFTER_KEEP = "after_keep"


class Steps(Protocol):
    """Is told of every step as it is reached; a test's observer may end the process there."""

    def reached(self, step: Step) -> None:
        """The ledger is at this step."""


class Unobserved:
    """The observer of a ledger in use: it does nothing."""

    __slots__ = ()

    def reached(self, step: Step) -> None:
        """Do nothing."""
