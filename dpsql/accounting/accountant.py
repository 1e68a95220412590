"""The accountant's contract: a charge says what was done, an accountant says what it costs."""

from __future__ import annotations

from typing import Protocol

from dpsql.accounting.approx import Approx
from dpsql.accounting.pure import Pure
from dpsql.errors import InternalError
from dpsql.policy.model import AccountantName
from dpsql.privacy import Cost, Event


class Accountant(Protocol):
    """Prices events and decides whether a price fits a limit.

    Guarantees: the cost of no events is nothing; the order of events does not matter; more events never cost
    less; adding up the costs of parts never undercounts the whole. Unknown events raise UnsupportedEvent.
    """

    @property
    def name(self) -> AccountantName:
        """The policy's word for it."""

    def cost(self, events: tuple[Event, ...]) -> Cost:
        """What the events cost together, exactly."""

    def admits(self, spent: Cost, asked: Cost, limit: Cost) -> bool:
        """Whether `asked` may be charged where `spent` is already spent and `limit` is granted."""


def accountant(name: AccountantName) -> Accountant:
    """The accountant of that name; InternalError for a name without one."""
    accountants: tuple[Accountant, ...] = (Pure(), Approx())
    found = next((one for one in accountants if one.name == name), None)
    if found is None:
        raise InternalError(f"there is no accountant called {name!s}")
    return found
