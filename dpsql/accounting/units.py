"""The ledger's integers: epsilon in units of 1e-9 and delta in units of 1e-18, rounded up."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from dpsql.accounting.types import UnsupportedEvent
from dpsql.privacy import Cost

EPSILON_UNITS = 10**9
DELTA_UNITS = 10**18
LARGEST = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Amount:
    """A cost in the ledger's integer units; never less than the exact cost it stands for."""

    epsilon: int = 0
    delta: int = 0

    def __add__(self, other: Amount) -> Amount:
        return Amount(self.epsilon + other.epsilon, self.delta + other.delta)

    @property
    def cost(self) -> Cost:
        """The same amount as an exact cost."""
        return Cost(Fraction(self.epsilon, EPSILON_UNITS), Fraction(self.delta, DELTA_UNITS))


def rounded_up(cost: Cost) -> Amount:
    """The least amount that covers the cost; UnsupportedEvent where a 64-bit integer does not hold it."""
    amount = Amount(ceil(cost.epsilon * EPSILON_UNITS), ceil(cost.delta * DELTA_UNITS))
    if amount.epsilon > LARGEST or amount.delta >= DELTA_UNITS:
        raise UnsupportedEvent(
            "a cost is too large to be booked: epsilon must stay below 9e9 and delta below 1"
        )
    return amount


def bookable(limit: Cost) -> Cost:
    """The limit, or the most that a 64-bit running total holds, whichever is less."""
    return Cost(min(limit.epsilon, Fraction(LARGEST, EPSILON_UNITS)), limit.delta)
