"""Basic composition: epsilons and deltas add up (Dwork and Roth 2014, theorem 3.16).

It stays valid where mechanisms and budgets are chosen adaptively and the sum decides when to stop
(Rogers, Roth, Ullman and Vadhan 2016, theorem 3.6).
"""

from __future__ import annotations

from fractions import Fraction

from dpsql.accounting.types import UnsupportedEvent
from dpsql.privacy import FREE, Cost, Event, Mechanism

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
    }
)


def total(events: tuple[Event, ...]) -> Cost:
    """The sum of the events' costs; UnsupportedEvent for a mechanism whose cost is not known to add up."""
    for event in events:
        if not isinstance(event, Event) or event.mechanism not in KNOWN:
            name = getattr(event, "mechanism", type(event).__name__)
            raise UnsupportedEvent(f"basic composition does not know the mechanism {name!s}")
    delta = sum((event.cost.delta for event in events), Fraction(0))
    if delta >= 1:
        raise UnsupportedEvent("the deltas of one query add up to 1 or more, which protects nobody")
    return Cost(sum((event.cost.epsilon for event in events), Fraction(0)), delta)


def within(spent: Cost, asked: Cost, limit: Cost) -> bool:
    """Whether spent and asked together stay within the limit; what costs nothing always does."""
    fits = spent.epsilon + asked.epsilon <= limit.epsilon and spent.delta + asked.delta <= limit.delta
    return fits or asked == FREE
