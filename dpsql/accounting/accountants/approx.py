"""The approx accountant: epsilons add up, and deltas add up."""

from __future__ import annotations

from fractions import Fraction

from dpsql.accounting.accountants.basic import is_nominal, plain_spent, plain_totals, total, within
from dpsql.accounting.ledger.totals import Totals
from dpsql.accounting.types import UnsupportedEvent
from dpsql.policy.model import AccountantName
from dpsql.privacy import Cost, Event


class Approx:
    """Approximate differential privacy under basic composition."""

    __slots__ = ()

    @property
    def name(self) -> AccountantName:
        """The policy's word for it."""
        return AccountantName.APPROX

    def cost(self, events: tuple[Event, ...]) -> Cost:
        """The sum of the epsilons and of the deltas; UnsupportedEvent for an unknown mechanism and for Gaussian noise
        whose cost has no delta."""
        cost = total(events)
        if any(map(is_nominal, events)):
            raise UnsupportedEvent("the approx accountant refuses Gaussian noise without a delta")
        return cost

    def totals(self, events: tuple[Event, ...]) -> Totals:
        """The sums of epsilon and delta."""
        return plain_totals(events)

    def admits(self, spent: Totals, asked: Totals, limit: Cost) -> bool:
        """Whether both sums stay within the limit."""
        return within(spent, asked, limit)

    def spent(self, totals: Totals, delta: Fraction) -> Cost:
        """Both sums."""
        return plain_spent(totals)
