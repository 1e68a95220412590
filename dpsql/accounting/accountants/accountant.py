"""The accountant's contract: a charge says what was done, an accountant says what it costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache, reduce
from typing import Protocol

from dpsql.accounting.accountants.plain import Approx, Pure
from dpsql.accounting.accountants.rdp import Rdp
from dpsql.accounting.accountants.zcdp import Zcdp
from dpsql.accounting.ledger.booked_totals import Totals
from dpsql.errors import InternalError
from dpsql.policy.model import AccountantName
from dpsql.privacy import Cost, Event

REMEMBERED = 1024


class Accountant(Protocol):
    """Prices events, and decides by named totals whether a price fits a limit.

    Guarantees: no events cost nothing; the order of events does not matter; totals add up name by name, in whatever
    order they are asked, also where answers decide what is asked next; more events never cost less; whatever is
    admitted within a limit is (epsilon, delta)-private for that limit. Unknown events raise UnsupportedEvent.
    """

    @property
    def name(self) -> AccountantName:
        """The policy's word for it."""

    def cost(self, events: tuple[Event, ...]) -> Cost:
        """What one query requests: the sum of its events' costs; UnsupportedEvent for what cannot be priced."""

    def totals(self, events: tuple[Event, ...]) -> Totals:
        """What the events add to an account, in this accountant's terms, rounded up; never refuses a known event."""

    def admits(self, spent: Totals, requested: Totals, limit: Cost) -> bool:
        """Whether `requested` may be charged where `spent` is already spent and `limit` is granted."""

    def spent(self, totals: Totals, delta: Fraction) -> Cost:
        """What the totals amount to where `delta` is granted; nothing for no totals."""


class Accountants:
    """Every accountant there is; what the same events cost is computed once."""

    __slots__ = ("_all", "totals")

    def __init__(self) -> None:
        self._all: tuple[Accountant, ...] = (Pure(), Approx(), Zcdp(), Rdp())
        self.totals: Callable[[tuple[Event, ...]], Totals] = lru_cache(maxsize=REMEMBERED)(self._totals_of)
        """What the events add to an account, in every accountant's terms."""

    def __iter__(self) -> Iterator[Accountant]:
        return iter(self._all)

    def named(self, name: AccountantName) -> Accountant:
        """The accountant of that name; InternalError for a name without one."""
        accountant = next((one for one in self._all if one.name == name), None)
        if accountant is None:
            raise InternalError(f"there is no accountant called {name!s}")
        return accountant

    def _totals_of(self, events: tuple[Event, ...]) -> Totals:
        return reduce(Totals.__or__, (one.totals(events) for one in self._all))
