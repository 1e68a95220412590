"""The rdp accountant: Renyi divergences of a fixed list of orders add up, each with its own part of delta.

At each single order the sum is a filter for any choice of what to ask next (Feldman and Zrnic 2021). To
stop only when no order fits any more, the delta for conversion is divided evenly among the orders: the bad events of
the orders, each within its part, are together within the whole (union bound).
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from dpsql.accounting.accountants.filters import Filter, shared_totals
from dpsql.accounting.accountants.losses import curve_of
from dpsql.accounting.ledger.booked_totals import LOSS_UNITS, Totals, rounded_up
from dpsql.mechanisms.analysis.composition import renyi_gain, renyi_sequential
from dpsql.policy.model import AccountantName
from dpsql.privacy import Event

# The list is part of the ledger's format: another list would find no totals of its orders in what was booked.
ORDERS = tuple(Fraction(n, 2) for n in (3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 512, 1024))


class Rdp(Filter):
    """Renyi differential privacy."""

    __slots__ = ("_gains",)
    name = AccountantName.RDP

    def __init__(self) -> None:
        # What an order's divergence costs on top when it is converted depends on the budget's delta alone.
        self._gains = lru_cache(maxsize=64)(_gains)

    def totals(self, events: tuple[Event, ...]) -> Totals:
        """The sum of the divergences at each order, in units of 1e-15, beside what the filters share."""
        shared = shared_totals(events)
        curve = renyi_sequential([curve_of(event) for event in events])
        return shared | Totals.of({_name(o): rounded_up(curve(o), LOSS_UNITS) for o in ORDERS})

    def converted(self, totals: Totals, delta: Fraction) -> Fraction:
        """The least epsilon of any order."""
        divergences = (totals.exact(_name(o), LOSS_UNITS) for o in ORDERS)
        least = min(d + gain for d, gain in zip(divergences, self._gains(delta), strict=True))
        return max(least, Fraction(0))


def _gains(delta: Fraction) -> tuple[Fraction, ...]:
    """For each order, epsilon less the divergence, where each has an even part of delta."""
    part = delta / len(ORDERS)
    return tuple(renyi_gain(order, part) for order in ORDERS)


def _name(order: Fraction) -> str:
    return f"renyi_{float(order):g}"
