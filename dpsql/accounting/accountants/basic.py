"""Basic composition: epsilons and deltas add up (Dwork and Roth 2014, theorem 3.16).

It stays valid where mechanisms and budgets are chosen adaptively and the sum decides when to stop
(Rogers, Roth, Ullman and Vadhan 2016, theorem 3.6).

A finer discrete Laplace draw counts as the difference to the coarser one on its path (`mechanisms.noise_path`), though
given that one it may lose more. Because: the probability of all that was drawn on a path is that of its finest draw
times a factor without the data, so that its loss is at most the largest epsilon, for each outcome and whatever was
asked in between; and an (epsilon, delta)-private event among the others is epsilon-private but with probability delta,
given what came before (Kairouz, Oh, Viswanath 2015).
"""

from __future__ import annotations

from fractions import Fraction

from dpsql.accounting.ledger.booked_totals import DELTA_UNITS, EPSILON_UNITS, Totals, rounded_up
from dpsql.accounting.types import UnsupportedEvent
from dpsql.errors import LedgerUnavailable
from dpsql.privacy import Cost, Event, Mechanism

KNOWN = frozenset(
    {
        Mechanism.DISCRETE_LAPLACE,
        Mechanism.TRUNCATED_GEOMETRIC,
        Mechanism.PERMUTE_AND_FLIP,
        Mechanism.EXPONENTIAL,
        Mechanism.RANDOMIZED_RESPONSE,
        Mechanism.K_RANDOMIZED_RESPONSE,
        Mechanism.RAPPOR,
        Mechanism.CUBE,
        Mechanism.DISCRETE_GAUSSIAN,
        Mechanism.LAPLACE_THRESHOLDING,
        Mechanism.WEIGHTED_SELECTION,
    }
)
EPSILON, DELTA, UNPROVEN, REFINED = "epsilon", "delta", "unproven", "refined"


def checked(events: tuple[Event, ...]) -> tuple[Event, ...]:
    """The events; UnsupportedEvent where the mechanism of one is not known."""
    for event in events:
        if not isinstance(event, Event) or event.mechanism not in KNOWN:
            name = getattr(event, "mechanism", type(event).__name__)
            raise UnsupportedEvent(f"no accountant knows the mechanism {name!s}")
    return events


def is_gaussian(event: Event) -> bool:
    """Whether the event's cost is no pure epsilon: its variance says what it did."""
    return event.mechanism is Mechanism.DISCRETE_GAUSSIAN


def is_nominal(event: Event) -> bool:
    """Whether the event's cost is only what was requested: a Gaussian without a delta."""
    return is_gaussian(event) and not event.cost.delta


def total(events: tuple[Event, ...]) -> Cost:
    """The sum of the events' costs; UnsupportedEvent for an unknown mechanism and for deltas that reach 1."""
    delta = sum((event.cost.delta for event in checked(events)), Fraction(0))
    if delta >= 1:
        raise UnsupportedEvent("the deltas of one query add up to 1 or more, which protects nobody")
    return Cost(sum((event.cost.epsilon for event in events), Fraction(0)), delta)


def plain_totals(events: tuple[Event, ...]) -> Totals:
    """The sums of epsilon and delta, how many of the events have a cost that is only nominal, and what was paid before
    for those that are differences."""
    cost = total(events)
    refined = sum((event.refines for event in events if event.refines is not None), Fraction(0))
    return Totals.of(
        {
            EPSILON: rounded_up(cost.epsilon, EPSILON_UNITS),
            DELTA: rounded_up(cost.delta, DELTA_UNITS),
            UNPROVEN: sum(map(is_nominal, events)),
            REFINED: rounded_up(refined, EPSILON_UNITS),
        }
    )


def in_window(totals: Totals) -> Totals:
    """The totals of what was asked since a moment, given all that was known by then.

    A finer draw counts as its difference to a coarser one. Given that one, its loss is the loss of both together, which
    is at most the finer epsilon, less that of the coarser one, which is at least minus the coarser epsilon: at most the
    sum of both, which is the difference and twice the coarser epsilon.
    """
    return totals + Totals.of({EPSILON: 2 * totals.get(REFINED)})


def plain_spent(totals: Totals) -> Cost:
    """Both sums, delta below 1; LedgerUnavailable where they prove nothing."""
    if totals.get(UNPROVEN):
        raise LedgerUnavailable(
            "the ledger holds Gaussian noise that was charged under zcdp or rdp, whose cost plain addition "
            "does not know; use one of those accountants in the policy"
        )
    return Cost(
        totals.exact(EPSILON, EPSILON_UNITS),
        min(totals.exact(DELTA, DELTA_UNITS), 1 - Fraction(1, DELTA_UNITS)),
    )


def within(spent: Totals, requested: Totals, limit: Cost) -> bool:
    """Whether the sums stay within the limit; what costs nothing always does."""
    if not requested:
        return True
    plain = plain_spent(spent + requested)
    return plain.epsilon <= limit.epsilon and plain.delta <= limit.delta
