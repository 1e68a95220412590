"""The pure and the approx accountant: epsilons add up, and deltas add up (see `basic`)."""

from __future__ import annotations

from fractions import Fraction

from dpsql.accounting.accountants.basic import (
    is_gaussian,
    is_nominal,
    plain_spent,
    plain_totals,
    total,
    within,
)
from dpsql.accounting.ledger.booked_totals import Totals
from dpsql.accounting.types import UnsupportedEvent
from dpsql.policy.model import AccountantName
from dpsql.privacy import Cost, Event


class Approx:
    """Approximate differential privacy; Gaussian noise whose cost has no delta is refused."""

    __slots__ = ()
    name = AccountantName.APPROX

    def cost(self, events: tuple[Event, ...]) -> Cost:
        """The sum of the epsilons and of the deltas."""
        cost = total(events)
        if any(map(is_nominal, events)):
            raise UnsupportedEvent("the approx accountant refuses Gaussian noise without a delta")
        return cost

    def totals(self, events: tuple[Event, ...]) -> Totals:
        return plain_totals(events)

    def admits(self, spent: Totals, requested: Totals, limit: Cost) -> bool:
        return within(spent, requested, limit)

    def spent(self, totals: Totals, delta: Fraction) -> Cost:
        return plain_spent(totals)


class Pure(Approx):
    """Pure differential privacy; private keys and Gaussian noise, which need a delta, are refused."""

    __slots__ = ()
    name = AccountantName.PURE

    def cost(self, events: tuple[Event, ...]) -> Cost:
        """The sum of the epsilons."""
        cost = total(events)
        if cost.delta > 0:
            raise UnsupportedEvent(
                "the pure accountant refuses an event with delta above 0; private keys need approx"
            )
        if any(map(is_gaussian, events)):
            raise UnsupportedEvent("the pure accountant refuses Gaussian noise, which is not pure")
        return cost
