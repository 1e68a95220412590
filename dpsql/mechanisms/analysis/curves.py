"""Renyi curves and rhos of single mechanisms: what composes best, each bound with its proof.

Requires: exact parameters, and orders alpha above 1.

Guarantees: a curve maps alpha to an upper bound of the Renyi divergence of order alpha between the laws of the
release on neighbouring databases, in either direction; a rho is an upper bound of divergence / alpha over all
orders. All are rounded upwards (`outward`).

Because: see each function.

Sources: Mironov 2017, Renyi Differential Privacy; Bun and Steinke 2016, Concentrated Differential Privacy; Kearns
and Saul 1998, Large Deviation Methods for Approximate Probabilistic Inference; Cesar and Rogers 2021, Bounding,
Concentrating, and Truncating; Harrison and Manurangsi 2026, Exact zCDP Characterizations for Fundamental
Differentially Private Mechanisms.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from dpsql.mechanisms.analysis.composition import Curve, renyi_of_pure, zcdp_of_exponential_mechanism
from dpsql.mechanisms.exact.interval_arithmetic import directed, exp_down, exp_outward, exp_up, ln_up
from dpsql.mechanisms.parameters import Rational, exact_epsilon, exact_positive, integer

ONE = Decimal(1)


def zcdp_of_randomized_response(epsilon: Rational) -> Fraction:
    """epsilon tanh(epsilon / 2), the least rho of every epsilon-private release; at most epsilon^2 / 2.

    Because: every epsilon-private release is a post-processing of randomized response, whose loss is epsilon with
    probability p = e^epsilon / (1 + e^epsilon) and -epsilon otherwise. Its mean is mu = epsilon tanh(epsilon / 2),
    and its best sub-Gaussian variance is (2 epsilon)^2 (2p - 1) / (2 ln(p / (1 - p))) = 2 mu (Kearns and Saul
    1998), so that E[e^(s L)] <= e^(s mu + s^2 mu) = e^((alpha - 1) alpha mu) for s = alpha - 1. It is attained
    as alpha goes to 1.
    """
    loss = exact_epsilon(epsilon)
    low = exp_outward(-loss)[0]
    return min(loss * (1 - low) / (1 + low), loss * loss / 2)


def renyi_of_discrete_laplace(epsilon: Rational, *, sensitivity: int) -> Curve:
    """The divergence of a vector with independent discrete Laplace noise of parameter a = e^(-epsilon/sensitivity)
    per coordinate, where neighbours differ by at most `sensitivity` in L1.

    ln(A e^((alpha - 1) epsilon) + B e^(-alpha epsilon)) / (alpha - 1), with q = a^(2 alpha - 1),
    A = (1 + q (1 - a) / (1 - q)) / (1 + a) and B = (a - q) / ((1 - q) (1 + a)).

    Because: for a shift by d = 1, 2, ... the sum over k of P(k)^alpha P(k - d)^(1 - alpha) falls into the k <= 0, the
    k >= d and the geometric series between them, and is A a^((1 - alpha) d) + B a^(alpha d), with A, B >= 0 and
    A + B = 1. Its logarithm is convex in d and 0 at d = 0, so that divergences of several shifted coordinates, which
    add up, are together at most that of one coordinate that takes the whole shift, and more shift never costs less.
    For sensitivity 1 it is the curve of randomized response.
    """
    loss, steps = exact_epsilon(epsilon), integer("sensitivity", sensitivity, at_least=1)
    generic = renyi_of_pure(loss)
    up, down = directed()
    a_low, a_high = exp_down(-loss / steps, down), exp_up(-loss / steps, up)
    more = down.add(ONE, a_low)

    def divergence(order: Fraction) -> Fraction:
        alpha = exact_positive("order", order)
        power = -loss * (2 * alpha - 1)
        q_low, q_high = exp_down(power / steps, down), exp_up(power / steps, up)
        if q_high >= 1:  # a is too near 1 for the digits at hand
            return generic(alpha)
        rest = down.subtract(ONE, q_high)
        middle = up.divide(up.multiply(q_high, up.subtract(ONE, a_low)), rest)
        large = up.divide(up.add(ONE, middle), more)
        small = up.divide(max(up.subtract(a_high, q_low), Decimal(0)), down.multiply(rest, more))
        factor = up.add(large, up.multiply(small, exp_up(power, up)))
        return loss + Fraction(ln_up(factor, up)) / (alpha - 1)

    return divergence


def renyi_of_exponential_mechanism(epsilon: Rational) -> Curve:
    """alpha epsilon^2 / 8, or the curve of every epsilon-private release where that is less.

    Because: the loss of the exponential mechanism, but not of permute-and-flip, lies in an interval of length
    epsilon, whatever the neighbours (Cesar and Rogers 2021).
    """
    rho, generic = zcdp_of_exponential_mechanism(epsilon), renyi_of_pure(epsilon)
    return lambda order: min(order * rho, generic(order))
