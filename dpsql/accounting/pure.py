"""The pure accountant: epsilons add up, and no event may carry a delta."""

from __future__ import annotations

from dpsql.accounting.basic import total, within
from dpsql.accounting.types import UnsupportedEvent
from dpsql.policy.model import AccountantName
from dpsql.privacy import Cost, Event


class Pure:
    """Pure differential privacy under basic composition; private keys, which need a delta, are refused."""

    __slots__ = ()

    @property
    def name(self) -> AccountantName:
        """The policy's word for it."""
        return AccountantName.PURE

    def cost(self, events: tuple[Event, ...]) -> Cost:
        """The sum of the epsilons; UnsupportedEvent for an unknown mechanism or a delta above 0."""
        cost = total(events)
        if cost.delta > 0:
            raise UnsupportedEvent(
                "the pure accountant refuses an event with delta above 0; private keys need approx"
            )
        return cost

    def admits(self, spent: Cost, asked: Cost, limit: Cost) -> bool:
        """Whether the sum stays within the limit; what another accountant spent in delta counts."""
        return within(spent, asked, limit)
