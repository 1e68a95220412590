"""The zcdp accountant: one rho adds up, a filter for any choice of what to ask next.

The rho of a release that depends on earlier answers adds up, also where the sum decides when to stop (Feldman and
Zrnic 2021; Whitehouse, Ramdas, Rogers and Wu 2023). It is converted by the
best known formula (Canonne, Kamath, Steinke 2020; see `composition.renyi_to_epsilon`).
"""

from __future__ import annotations

from fractions import Fraction

from dpsql.accounting.accountants.filters import Filter, shared_totals
from dpsql.accounting.accountants.losses import rho_of_all
from dpsql.accounting.ledger.booked_totals import LOSS_UNITS, Totals, rounded_up
from dpsql.mechanisms.analysis.composition import zcdp_epsilon
from dpsql.policy.model import AccountantName
from dpsql.privacy import Event

RHO = "rho"


class Zcdp(Filter):
    """Zero-concentrated differential privacy."""

    __slots__ = ()
    name = AccountantName.ZCDP

    def totals(self, events: tuple[Event, ...]) -> Totals:
        """The sum of the rhos, in units of 1e-15, beside what the filters share."""
        shared = shared_totals(events)
        return shared | Totals.of({RHO: rounded_up(rho_of_all(events), LOSS_UNITS)})

    def converted(self, totals: Totals, delta: Fraction) -> Fraction:
        """The epsilon of the rho."""
        rho = totals.exact(RHO, LOSS_UNITS)
        return zcdp_epsilon(rho, delta) if rho else Fraction(0)
