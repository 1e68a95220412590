"""The ledger's integers: named totals that add up, each in a fixed unit and rounded up.

An entry books the totals of every accountant, whichever one the policy names: a policy that changes its accountant
finds what was spent before in the new one's own terms.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from math import ceil

from dpsql.accounting.types import UnsupportedEvent
from dpsql.privacy import Cost
from dpsql.slotted import dataclass

EPSILON_UNITS = 10**9
DELTA_UNITS = 10**18
# Of rho and of Renyi divergences: a million roundings up are together below one unit of epsilon.
LOSS_UNITS = 10**15
LARGEST = 2**63 - 1
COMPACT = json.JSONEncoder(separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class Totals:
    """Integers by name, in the order of their names; what is not named is 0. They add up name by name."""

    amounts: tuple[tuple[str, int], ...] = ()

    def __post_init__(self) -> None:
        before = ""
        for name, amount in self.amounts:
            if name <= before:
                raise ValueError("totals are listed by name, each name once")
            if type(amount) is not int or amount <= 0:
                raise ValueError("a total is a whole number above 0; what is 0 is left out")
            before = name

    @classmethod
    def of(cls, amounts: Mapping[str, int]) -> Totals:
        """Totals of these integers, each at least 0."""
        return cls(tuple(sorted((name, amount) for name, amount in amounts.items() if amount)))

    @classmethod
    def read(cls, text: str) -> Totals:
        """The totals that `written` wrote; ValueError for anything else."""
        amounts = json.loads(text)
        if not isinstance(amounts, dict):
            raise ValueError("totals are written as one JSON object")
        return cls.of(amounts)

    def written(self) -> str:
        """Compact JSON, the same for equal totals."""
        return COMPACT.encode(dict(self.amounts))

    def get(self, name: str) -> int:
        """The total of that name."""
        return next((amount for other, amount in self.amounts if other == name), 0)

    def exact(self, name: str, units: int) -> Fraction:
        """The total of that name as a number."""
        return Fraction(self.get(name), units)

    def __add__(self, other: Totals) -> Totals:
        if not other.amounts:
            return self
        added = dict(self.amounts)
        for name, amount in other.amounts:
            added[name] = added.get(name, 0) + amount
        return Totals.of(added)

    def times(self, count: int) -> Totals:
        """The same so many times."""
        return Totals.of({name: count * amount for name, amount in self.amounts})

    def __sub__(self, earlier: Totals) -> Totals:
        """What was added since; ValueError where `earlier` was never a part of these."""
        mine, before = dict(self.amounts), dict(earlier.amounts)
        return Totals.of({name: mine.get(name, 0) - before.get(name, 0) for name in mine | before})

    def __or__(self, other: Totals) -> Totals:
        """Both together, where one name means one thing."""
        return Totals.of(dict(self.amounts) | dict(other.amounts))

    def __bool__(self) -> bool:
        return bool(self.amounts)


def rounded_up(value: Fraction, units: int) -> int:
    """The least number of units that covers the value."""
    return ceil(value * units)


def booked(cost: Cost) -> tuple[int, int]:
    """The least units of epsilon and delta that cover the cost; UnsupportedEvent where 64 bits do not hold them."""
    epsilon, delta = rounded_up(cost.epsilon, EPSILON_UNITS), rounded_up(cost.delta, DELTA_UNITS)
    if epsilon > LARGEST or delta >= DELTA_UNITS:
        raise UnsupportedEvent(
            "a cost is too large to be booked: epsilon must stay below 9e9 and delta below 1"
        )
    return epsilon, delta


def cost_of(epsilon: int, delta: int) -> Cost:
    """The exact cost of that many units."""
    return Cost(Fraction(epsilon, EPSILON_UNITS), Fraction(delta, DELTA_UNITS))
