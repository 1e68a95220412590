"""The pure accountant: epsilons add up, and no event may carry a delta."""

from __future__ import annotations

from fractions import Fraction

from dpsql.accounting.accountants.basic import is_gaussian, plain_spent, plain_totals, total, within
from dpsql.accounting.ledger.totals import Totals
from dpsql.accounting.types import UnsupportedEvent
from dpsql.policy.model import AccountantName
from dpsql.privacy import Cost, Event


class Pure:
    """Pure differential privacy under basic composition; private keys and Gaussian noise, which need a delta, are
    refused."""

    __slots__ = ()

    @property
    def name(self) -> AccountantName:
        """The policy's word for it."""
        return AccountantName.PURE

    def cost(self, events: tuple[Event, ...]) -> Cost:
        """The sum of the epsilons; UnsupportedEvent for an unknown mechanism, a delta above 0 or Gaussian noise."""
        cost = total(events)
        if cost.delta > 0:
            raise UnsupportedEvent(
                "the pure accountant refuses an event with delta above 0; private keys need approx"
            )
        if any(map(is_gaussian, events)):
            raise UnsupportedEvent("the pure accountant refuses Gaussian noise, which is not pure")
        return cost

    def totals(self, events: tuple[Event, ...]) -> Totals:
        """The sums of epsilon and delta."""
        return plain_totals(events)

    def admits(self, spent: Totals, asked: Totals, limit: Cost) -> bool:
        """Whether the sum stays within the limit; what another accountant spent in delta counts."""
        return within(spent, asked, limit)

    def spent(self, totals: Totals, delta: Fraction) -> Cost:
        """Both sums."""
        return plain_spent(totals)
