"""The approx accountant: epsilons add up, and deltas add up."""

from __future__ import annotations

from dpsql.accounting.basic import total, within
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
        """The sum of the epsilons and of the deltas; UnsupportedEvent for an unknown mechanism."""
        return total(events)

    def admits(self, spent: Cost, asked: Cost, limit: Cost) -> bool:
        """Whether both sums stay within the limit."""
        return within(spent, asked, limit)
