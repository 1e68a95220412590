"""What the zcdp and the rdp accountant share: how delta is divided, and the minimum with plain addition.

A quarter of the granted delta is set apart for private keys, whose deltas add up; three quarters are for converting
a concentrated total into epsilon. The division is fixed: were delta moved from one to the other as the answers came,
neither filter would be proven.

Because, for any choice of what to ask next: let L be the loss of everything asked outside of the reserved events, c
the constant of the conversion at order alpha, and D the divergence charged. E[e^((alpha - 1) (L - D))] <= 1 at every
stopping time (Feldman and Zrnic 2021; Whitehouse, Ramdas, Rogers and Wu 2023). The delta at
epsilon is at most E[max(0, 1 - e^(epsilon - L))] beside the reserved deltas. Where the plain sum of pure charges stays
within epsilon, L <= epsilon and the term is 0; elsewhere D stayed within the bound that makes c e^((alpha - 1) (D -
epsilon)) at most the delta for conversion. So a total that fits by either way is within the budget.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction

from dpsql.accounting.accountants.basic import EPSILON, is_gaussian, total
from dpsql.accounting.accountants.losses import reserved_delta
from dpsql.accounting.ledger.booked_totals import DELTA_UNITS, EPSILON_UNITS, Totals, rounded_up
from dpsql.errors import LedgerUnavailable
from dpsql.policy.model import AccountantName
from dpsql.privacy import FREE, Cost, Event

RESERVED, GAUSSIANS = "reserved_delta", "gaussians"
CONVERTED_SHARE = 1 - AccountantName.ZCDP.keys_share


def shared_totals(events: tuple[Event, ...]) -> Totals:
    """The plain sum of epsilon, whether it is pure, and the reserved deltas."""
    cost = total(events)
    return Totals.of(
        {
            EPSILON: rounded_up(cost.epsilon, EPSILON_UNITS),
            GAUSSIANS: sum(map(is_gaussian, events)),
            RESERVED: rounded_up(sum(map(reserved_delta, events), Fraction(0)), DELTA_UNITS),
        }
    )


class Filter(ABC):
    """An accountant of a concentrated loss; never dearer than plain addition for pure charges."""

    __slots__ = ()

    @abstractmethod
    def converted(self, totals: Totals, delta: Fraction) -> Fraction:
        """From totals and the delta for conversion, above 0, to an epsilon."""

    def cost(self, events: tuple[Event, ...]) -> Cost:
        """The sum of the epsilons and of the deltas that the events request."""
        return total(events)

    def admits(self, spent: Totals, requested: Totals, limit: Cost) -> bool:
        """Whether spent and requested fit: the reserved deltas into their share, and epsilon by one of the ways."""
        if not requested:
            return True
        after = spent + requested
        if after.exact(RESERVED, DELTA_UNITS) > limit.delta * (1 - CONVERTED_SHARE):
            return False
        if not after.get(GAUSSIANS) and after.exact(EPSILON, EPSILON_UNITS) <= limit.epsilon:
            return True
        share = limit.delta * CONVERTED_SHARE
        return share > 0 and self.converted(after, share) <= limit.epsilon

    def spent(self, totals: Totals, delta: Fraction) -> Cost:
        """The least epsilon proven, with the delta for conversion and the reserved deltas.

        LedgerUnavailable where Gaussian noise was charged and no delta is granted.
        """
        if not totals:
            return FREE
        share = delta * CONVERTED_SHARE
        proven = [self.converted(totals, share)] if share else []
        if not totals.get(GAUSSIANS):
            proven.append(totals.exact(EPSILON, EPSILON_UNITS))
        if not proven:
            raise LedgerUnavailable(
                "the ledger holds Gaussian noise, which needs a delta above 0 in the policy's budgets"
            )
        reserved = totals.exact(RESERVED, DELTA_UNITS)
        return Cost(min(proven), min(share + reserved, 1 - Fraction(1, DELTA_UNITS)))
