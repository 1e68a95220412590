"""Composition: what several differentially private releases cost together, each rule with its theorem.

Requires: each release has the guarantee given, whatever the others showed (they may be chosen adaptively, but
the guarantees and their number are fixed beforehand; budgets that end by their own spending are the business of
an accountant).

Guarantees: the guarantee returned, rounded towards more privacy: epsilon, delta and rho of what was done are
rounded upwards, the rho that may be spent downwards.

Because: see each function. The order of strength, for k releases of epsilon each: sequential k epsilon;
advanced about epsilon sqrt(2 k ln(1/delta)); optimal is the best possible for all pure releases; zCDP and Renyi
accounts are simpler, add up, and are better than all of these for Gaussian noise.

Sources: Dwork, McSherry, Nissim, Smith 2006 (sequential); McSherry 2009, Privacy Integrated Queries (parallel); Dwork,
Rothblum, Vadhan 2010, Boosting and Differential Privacy (advanced); Kairouz, Oh, Viswanath 2015, The Composition
Theorem for Differential Privacy (optimal); Bun and Steinke 2016, Concentrated Differential Privacy (zCDP); Mironov
2017, Renyi Differential Privacy; Balle, Barthe, Gaboardi, Hsu, Sato 2020, Hypothesis Testing Interpretations and Renyi
Differential Privacy, and Canonne, Kamath, Steinke 2020, The Discrete Gaussian for Differential Privacy (conversions).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from math import ceil

from dpsql.mechanisms.exact.interval_arithmetic import (
    directed,
    exp_down,
    exp_outward,
    exp_up,
    least_fraction,
    ln_outward,
    ln_up,
    sqrt_outward,
)
from dpsql.mechanisms.parameters import Rational, exact_delta, exact_epsilon, exact_positive, integer
from dpsql.slotted import dataclass

GOLDEN = (5**0.5 - 1) / 2
STEPS = 60
# Above this x, the double x / (1 + x) has too few digits of its distance from 1.
_NEAR_ONE = 1e9
ONE = Decimal(1)

Curve = Callable[[Fraction], Fraction]


@dataclass(frozen=True, slots=True)
class Guarantee:
    """(epsilon, delta)-differential privacy, exact: epsilon >= 0 and 0 <= delta < 1, otherwise ValueError or
    TypeError."""

    epsilon: Fraction
    delta: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        for name, value in (("epsilon", self.epsilon), ("delta", self.delta)):
            object.__setattr__(self, name, _exact_or_zero(name, value))
        if self.delta >= 1:
            raise ValueError(f"delta must be below 1, not {self.delta}: that protects nobody")


def sequential(guarantees: Sequence[Guarantee]) -> Guarantee:
    """The sums of the epsilons and of the deltas.

    Because: for pure guarantees the ratios of probabilities multiply; with deltas, each release is replaced by
    one that is pure except on an event of probability delta (Dwork and Roth 2014, theorem 3.16).
    """
    given = [_exact_guarantee(g) for g in guarantees]
    return Guarantee(sum((g.epsilon for g in given), Fraction(0)), sum((g.delta for g in given), Fraction(0)))


def parallel(guarantees: Sequence[Guarantee], *, parts_per_unit: int = 1) -> Guarantee:
    """The maximum, for releases on disjoint parts of the data of which a unit touches one.

    Where it touches up to `parts_per_unit`, the sums of that many largest epsilons and deltas: under substitute
    a unit that moves from one part to another touches two.

    Because: neighbours are equal in every part that the unit does not touch, so that those releases have the
    same law (McSherry 2009, parallel composition). Which rows make up a part must depend on each row alone.
    """
    most = integer("parts_per_unit", parts_per_unit, at_least=1)
    given = [_exact_guarantee(g) for g in guarantees]
    epsilons = sorted((g.epsilon for g in given), reverse=True)[:most]
    deltas = sorted((g.delta for g in given), reverse=True)[:most]
    return Guarantee(sum(epsilons, Fraction(0)), sum(deltas, Fraction(0)))


def post_processing(guarantee: Guarantee) -> Guarantee:
    """The same guarantee, for whatever is computed from a release and public data.

    Because: P(g(M) in S) = P(M in g^-1(S)), and the guarantee speaks of every set (Dwork and Roth 2014,
    post-processing).
    """
    return guarantee


def advanced(guarantee: Guarantee, *, folds: int, slack: Fraction) -> Guarantee:
    """k releases of (epsilon, delta) are (epsilon sqrt(2 k ln(1/slack)) + k epsilon (e^epsilon - 1), k delta +
    slack)-private.

    Because: the privacy losses are a supermartingale with steps of at most epsilon and a drift of at most
    epsilon (e^epsilon - 1), to which Azuma's inequality applies (Dwork, Rothblum, Vadhan 2010; Dwork and Roth
    2014, theorem 3.20).

    >>> tenth = Guarantee(Fraction(1, 10))
    >>> round(float(advanced(tenth, folds=1000, slack=Fraction(1, 10**6)).epsilon), 3)
    27.14
    """
    k, loss = integer("folds", folds, at_least=1), _exact_guarantee(guarantee).epsilon
    spread = sqrt_outward(2 * k * ln_outward(1 / exact_delta(slack))[1])[1]
    drift = k * loss * (exp_outward(loss)[1] - 1)
    return Guarantee(loss * spread + drift, k * guarantee.delta + slack)


def optimal(guarantee: Guarantee, *, folds: int, slack: Fraction) -> Guarantee:
    """k releases of (epsilon, delta) at the least epsilon of the best possible theorem, for a total delta of 1 -
    (1 - delta)^k (1 - slack).

    ((k - 2i) epsilon, 1 - (1 - delta)^k (1 - delta_i)) holds for i = 0 .. k/2, with delta_i the sum over l < i
    of binomial(k, l) (e^((k - l) epsilon) - e^((k - 2i + l) epsilon)) / (1 + e^epsilon)^k; the largest i with
    delta_i <= slack is taken.

    Because: every (epsilon, delta)-private release is a post-processing of randomized response on a bit with
    probability delta of telling it outright, and for k of those the best test is known: a threshold on the
    number of lies (Kairouz, Oh, Viswanath 2015, theorem 3.3).

    >>> tenth = Guarantee(Fraction(1, 10))
    >>> round(float(optimal(tenth, folds=1000, slack=Fraction(1, 10**6)).epsilon), 3)
    19.4
    """
    k, room = integer("folds", folds, at_least=1), exact_delta(slack)
    excess = _excess(k, _exact_guarantee(guarantee).epsilon)
    low, high = 0, k // 2 + 1  # low fits, high does not
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if excess(middle) <= room else (low, middle)
    return Guarantee((k - 2 * low) * guarantee.epsilon, 1 - (1 - guarantee.delta) ** k * (1 - room))


def _excess(k: int, epsilon: Fraction) -> Callable[[int], Fraction]:
    """i -> delta_i, rounded upwards: the sum over l < i of w_l (1 - e^(-2 (i - l) epsilon)).

    w_l = binomial(k, l) p^k e^(-l epsilon) with p = e^epsilon / (1 + e^epsilon) >= 1/2, in fixed point with
    more than 2k bits, since w_0 may be as small as 2^-k.
    """
    bits = 2 * k + 200
    (shrink_low, shrink_high), one = exp_outward(-epsilon), 1 << bits
    shrink = ceil(shrink_high * one)
    weights, powers = [ceil((1 / (1 + shrink_low)) ** k * one)], [one]
    square = int(shrink_low**2 * one)
    for chosen in range(k // 2):
        weights.append((weights[-1] * (k - chosen) * shrink // (chosen + 1) >> bits) + 1)
        powers.append(powers[-1] * square >> bits)

    def excess(i: int) -> Fraction:
        return Fraction(sum(weights[j] * (one - powers[i - j]) for j in range(i)), one * one)

    return excess


def zcdp_sequential(rhos: Sequence[Rational]) -> Fraction:
    """The sum of the rhos, also where each release depends on the ones before (Bun and Steinke 2016, composition)."""
    return sum((exact_positive("rho", rho) for rho in rhos), Fraction(0))


def zcdp_of_pure(epsilon: Rational) -> Fraction:
    """epsilon^2 / 2: the rho of every epsilon-private release (Bun and Steinke 2016)."""
    return exact_epsilon(epsilon) ** 2 / 2


def zcdp_of_exponential_mechanism(epsilon: Rational) -> Fraction:
    """epsilon^2 / 8: the rho of the exponential mechanism, but not of permute-and-flip.

    Because: its privacy loss lies in an interval of length epsilon, whatever the neighbours, to which
    Hoeffding's lemma applies (Cesar and Rogers 2021, Bounding, Concentrating, and Truncating).
    """
    return exact_epsilon(epsilon) ** 2 / 8


def zcdp_epsilon(rho: Rational, delta: Rational) -> Fraction:
    """An epsilon for which rho-zCDP implies (epsilon, delta)-privacy: `renyi_to_epsilon` at a nearly best order.

    >>> round(float(zcdp_epsilon(Fraction(1, 2), Fraction(1, 10**6))), 3)
    5.222
    """
    cost, level = exact_positive("rho", rho), exact_delta(delta)
    logarithm = math.log(level.denominator) - math.log(level.numerator)
    about = float(cost)

    def size(x: float) -> float:
        return about * (1 + x) + math.log(x / (1 + x)) + (logarithm - math.log1p(x)) / x

    order = 1 + Fraction(_minimum(size))
    return renyi_to_epsilon(order, order * cost, level)


def zcdp_simple_epsilon(rho: Rational, delta: Rational) -> Fraction:
    """rho + 2 sqrt(rho ln(1/delta)), the textbook conversion, for comparison (Bun and Steinke 2016, proposition
    1.3)."""
    cost = exact_positive("rho", rho)
    return cost + 2 * sqrt_outward(cost * ln_outward(1 / exact_delta(delta))[1])[1]


def zcdp_delta(rho: Rational, epsilon: Rational) -> Fraction:
    """A delta for which rho-zCDP implies (epsilon, delta)-privacy: `renyi_to_delta` at a nearly best order; at
    most 1."""
    cost, loss = exact_positive("rho", rho), exact_epsilon(epsilon)

    def size(x: float) -> float:
        exponent = x * float((1 + Fraction(x)) * cost - loss)
        share = math.log(x / (1 + x)) if x <= _NEAR_ONE else -math.log1p(1 / x)
        return exponent - math.log(x) + (1 + x) * share

    order = 1 + Fraction(_minimum(size))
    return renyi_to_delta(order, order * cost, loss)


def zcdp_rho(epsilon: Rational, delta: Rational) -> Fraction:
    """A rho, nearly the largest, with zcdp_epsilon(rho, delta) <= epsilon: what may be spent, rounded downwards."""
    loss, level = exact_epsilon(epsilon), exact_delta(delta)
    return 1 / least_fraction(lambda inverse: zcdp_epsilon(1 / inverse, level) <= loss)


def renyi_of_pure(epsilon: Rational) -> Curve:
    """The Renyi divergence of order alpha of every epsilon-private release: ln((e^(alpha epsilon) + e^((1 -
    alpha) epsilon)) / (1 + e^epsilon)) / (alpha - 1).

    Because: it is that of randomized response, of which every epsilon-private release is a post-processing on each pair
    of neighbours (Mironov 2017; Kairouz, Oh, Viswanath 2015). It is at most epsilon and at most alpha epsilon^2 / 2.
    """
    loss = exact_epsilon(epsilon)
    up, down = directed()
    whole = down.add(ONE, exp_down(-loss, down))

    def divergence(order: Fraction) -> Fraction:
        more = up.add(ONE, exp_up(-(2 * order - 1) * loss, up))
        return loss + Fraction(ln_up(up.divide(more, whole), up)) / (order - 1)

    return divergence


def renyi_of_zcdp(rho: Rational) -> Curve:
    """alpha rho: the divergence of every rho-zCDP release, attained by Gaussian noise (Mironov 2017, proposition 7)."""
    cost = exact_positive("rho", rho)
    return lambda order: order * cost


def renyi_sequential(curves: Sequence[Curve]) -> Curve:
    """The sum at each order, also where each release depends on the ones before (Mironov 2017, proposition 1)."""
    kept = tuple(curves)
    return lambda order: sum((curve(order) for curve in kept), Fraction(0))


def renyi_epsilon(curve: Curve, delta: Rational, *, orders: Sequence[Rational]) -> Fraction:
    """The least epsilon of `renyi_to_epsilon` over the given orders, each above 1.

    The minimum over several orders is sound for a composition fixed beforehand; where the spending decides when
    to stop, the order must be fixed.
    """
    return min(renyi_to_epsilon(order, curve(_order(order)), delta) for order in orders)


def renyi_to_epsilon(order: Rational, divergence: Rational, delta: Rational) -> Fraction:
    """A Renyi divergence D of order alpha implies epsilon = D + ln((alpha - 1) / alpha) - ln(alpha delta) /
    (alpha - 1), at least 0.

    Because: see `renyi_to_delta`, solved for epsilon (Balle et al. 2020).
    """
    return max(_exact_or_zero("divergence", divergence) + renyi_gain(order, delta), Fraction(0))


def renyi_gain(order: Rational, delta: Rational) -> Fraction:
    """ln((alpha - 1) / alpha) - ln(alpha delta) / (alpha - 1), the epsilon of `renyi_to_epsilon` less the divergence;
    it may be below 0."""
    alpha, level = _order(order), exact_delta(delta)
    return ln_outward((alpha - 1) / alpha)[1] + ln_outward(1 / (alpha * level))[1] / (alpha - 1)


def renyi_to_delta(order: Rational, divergence: Rational, epsilon: Rational) -> Fraction:
    """A Renyi divergence D of order alpha implies delta = e^((alpha - 1) (D - epsilon)) (1 - 1/alpha)^alpha /
    (alpha - 1), at most 1.

    Because: delta <= E[max(0, 1 - e^(epsilon - L))] for the loss L, and max(0, 1 - e^-x) <= c e^((alpha - 1) x)
    with the least such c = (1 - 1/alpha)^alpha / (alpha - 1) (Canonne, Kamath, Steinke 2020, proposition 12).
    """
    alpha = _order(order)
    exponent = (alpha - 1) * (_exact_or_zero("divergence", divergence) - exact_epsilon(epsilon))
    exponent += alpha * ln_outward((alpha - 1) / alpha)[1] - ln_outward(alpha - 1)[0]
    return exp_outward(exponent)[1] if exponent < 0 else Fraction(1)


def _exact_guarantee(guarantee: Guarantee) -> Guarantee:
    if not isinstance(guarantee, Guarantee):
        raise TypeError(f"a guarantee must be a Guarantee, not {type(guarantee).__name__}")
    return guarantee


def _order(order: Rational) -> Fraction:
    alpha = exact_positive("order", order)
    if alpha <= 1:
        raise ValueError(f"an order of Renyi divergence must be above 1 here, not {alpha}")
    return alpha


def _exact_or_zero(name: str, value: Rational) -> Fraction:
    return Fraction(0) if value == 0 and not isinstance(value, (bool, float)) else exact_positive(name, value)


def _minimum(size: Callable[[float], float]) -> float:
    """Where on a logarithmic scale a function with one valley is least; every x it may return is sound."""
    low, high = math.log(1e-9), math.log(1e12)
    for _ in range(STEPS):
        left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
        low, high = (low, right) if size(math.exp(left)) < size(math.exp(right)) else (left, high)
    return float(f"{math.exp(low):.12g}")
