"""What one event costs in rho and in Renyi divergence, by the best bound that is proven for its law.

An (epsilon, delta)-private event is, on each pair of neighbours, a post-processing of an epsilon-private one, except
on an event of probability delta (Kairouz, Oh, Viswanath 2015): its delta is reserved, and the rest counts as pure.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from dpsql.accounting.accountants.basic import is_gaussian
from dpsql.mechanisms.analysis import gaussian
from dpsql.mechanisms.analysis.composition import (
    Curve,
    renyi_of_pure,
    renyi_of_zcdp,
    zcdp_of_exponential_mechanism,
)
from dpsql.mechanisms.analysis.curves import (
    renyi_of_discrete_laplace,
    renyi_of_exponential_mechanism,
    zcdp_of_randomized_response,
)
from dpsql.privacy import Event, Mechanism


def rho_of(event: Event) -> Fraction:
    """The event's rho: of a Gaussian from its variance and sensitivity alone, of all else from its epsilon.

    On the integers the divergence of discrete Gaussians is at most the continuous ones' (Canonne, Kamath, Steinke
    2020). The exponential mechanism has bounded range; permute-and-flip has not, and counts like any pure release. So
    has a finer release at epsilon, given the coarser one: the loss of the pair lies between -epsilon and epsilon, and
    that of the coarser one is given.
    """
    if event.variance is not None:
        return gaussian.rho(event.sensitivity, event.variance) if event.sensitivity else Fraction(0)
    if not event.cost.epsilon:
        return Fraction(0)
    if event.refines is not None:
        return zcdp_of_exponential_mechanism(_range_of_refined(event.refines, event.cost.epsilon))
    if event.mechanism is Mechanism.EXPONENTIAL:
        return zcdp_of_exponential_mechanism(event.cost.epsilon)
    return zcdp_of_randomized_response(event.cost.epsilon)


def rho_of_all(events: Iterable[Event]) -> Fraction:
    """The sum of the events' rhos."""
    return sum(map(rho_of, events), Fraction(0))


def curve_of(event: Event) -> Curve:
    """The event's divergence at each order above 1."""
    epsilon, plain_law = event.cost.epsilon, not event.cost.delta and event.sensitivity >= 1
    if event.variance is not None or not epsilon:
        rho = rho_of(event)
        return renyi_of_zcdp(rho) if rho else lambda order: Fraction(0)
    if event.refines is not None:
        return renyi_of_exponential_mechanism(_range_of_refined(event.refines, epsilon))
    if event.mechanism is Mechanism.DISCRETE_LAPLACE and plain_law:
        return renyi_of_discrete_laplace(epsilon, sensitivity=event.sensitivity)
    if event.mechanism is Mechanism.EXPONENTIAL:
        return renyi_of_exponential_mechanism(epsilon)
    return renyi_of_pure(epsilon)


def _range_of_refined(coarser: Fraction, more: Fraction) -> Fraction:
    """The length of the interval in which the loss of a finer release lies, given the coarser one."""
    return 2 * (coarser + more)


def reserved_delta(event: Event) -> Fraction:
    """The probability of the event's bad case: nothing for a Gaussian, whose delta is a matter of conversion."""
    return Fraction(0) if is_gaussian(event) else event.cost.delta
