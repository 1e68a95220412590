"""The Gaussian mechanism: its guarantees, and the least noise for a given (epsilon, delta).

A law on the real numbers, N(0, sigma^2) in each coordinate. This file draws nothing, for the reason given in
`laplace`: private values are released with `discrete_gaussian` alone. sigma^2 is the parameter, since it is an
exact fraction where sigma is a root.

Requires: a vector that moves by at most `sensitivity` = Delta in L2 between neighbouring databases (given as
`squared_sensitivity` = Delta^2, which is a fraction where Delta is a root: 2 for a histogram of which one
person's cell changes).

Guarantees: rho-zCDP with rho = Delta^2 / (2 sigma^2); and (epsilon, delta)-differential privacy if and only if
delta >= Phi(Delta/(2 sigma) - epsilon sigma/Delta) - e^epsilon Phi(-Delta/(2 sigma) - epsilon sigma/Delta).

Because: the privacy loss ln(p(y)/p'(y)) between N(0, sigma^2 I) and its shift by a vector of length Delta is itself
normal, with mean eta = Delta^2 / (2 sigma^2) and variance 2 eta, whatever the direction. Its moment generating function
gives the Renyi divergence alpha eta of every order (zCDP). (epsilon, delta) holds if and only if P(L >= epsilon) -
e^epsilon P(L' <= -epsilon) <= delta for the losses in both directions, which are the two terms. The expression falls as
sigma grows: so the least sigma is found by bisection, each value being checked with bounds rounded outwards.

The classical sigma = sqrt(2 ln(1.25/delta)) Delta/epsilon is proven for epsilon < 1 only (and is refused
beyond); from some larger epsilon on it is not private. Where it holds it is larger than needed:

>>> e, d = Fraction(1, 2), Fraction(1, 10**6)
>>> classical = classical_sigma_squared(e, d, squared_sensitivity=1)
>>> analytic = analytic_sigma_squared(e, d, squared_sensitivity=1)
>>> round(float(classical) ** 0.5, 3), round(float(analytic) ** 0.5, 3)
(10.598, 8.058)

Sources: Dwork and Roth 2014, appendix A (classical); Balle and Wang 2018, Improving the Gaussian Mechanism for
Differential Privacy, theorem 8 (analytic); Bun and Steinke 2016, Concentrated Differential Privacy,
proposition 1.6 (zCDP).
"""

from __future__ import annotations

import math
from fractions import Fraction

from dpsql.mechanisms.exact.interval_arithmetic import (
    exp_outward,
    least_fraction,
    ln_outward,
    normal_tail,
    sqrt_outward,
)
from dpsql.mechanisms.parameters import (
    Rational,
    exact_delta,
    exact_epsilon,
    exact_level,
    exact_positive,
    integer,
)


def delta(epsilon: Rational, *, squared_sensitivity: Rational, sigma_squared: Rational) -> Fraction:
    """The least delta for which the mechanism is (epsilon, delta)-private, rounded upwards (Balle and Wang).

    >>> round(float(delta(1, squared_sensitivity=1, sigma_squared=1)), 6)
    0.126937
    """
    return _delta(exact_epsilon(epsilon), 1 / (2 * rho(squared_sensitivity, sigma_squared)))


def _delta(epsilon: Fraction, ratio: Fraction) -> Fraction:
    """delta for (sigma / Delta)^2 = ratio: Q(epsilon s - 1/(2s)) - e^epsilon Q(epsilon s + 1/(2s)), s its root.

    The first argument grows with s and is taken too small, the second is taken too large.
    """
    low, high = sqrt_outward(ratio)
    near = normal_tail(epsilon * low - 1 / (2 * low))[1]
    far = normal_tail(epsilon * high + 1 / (2 * low))[0]
    return near - exp_outward(epsilon)[0] * far


def analytic_sigma_squared(epsilon: Rational, delta: Rational, *, squared_sensitivity: Rational) -> Fraction:
    """The least sigma^2 that is (epsilon, delta)-private, up to a factor 1 + 2^-30, rounded upwards (Balle and
    Wang)."""
    loss, level = exact_epsilon(epsilon), exact_delta(delta)
    squared = exact_positive("squared_sensitivity", squared_sensitivity)
    return squared * least_fraction(lambda ratio: _delta(loss, ratio) <= level)


def classical_sigma_squared(epsilon: Rational, delta: Rational, *, squared_sensitivity: Rational) -> Fraction:
    """2 ln(1.25/delta) Delta^2 / epsilon^2, rounded upwards, for comparison; ValueError unless epsilon < 1.

    The theorem asks for c^2 > 2 ln(1.25/delta), which the rounding provides.
    """
    loss, level = exact_epsilon(epsilon), exact_delta(delta)
    if loss >= 1:
        raise ValueError(
            f"the classical sigma is proven for epsilon below 1 only, not for {loss}: use the analytic one"
        )
    squared = exact_positive("squared_sensitivity", squared_sensitivity)
    return 2 * ln_outward(Fraction(5, 4) / level)[1] * squared / loss**2


def zcdp_sigma_squared(rho: Rational, *, squared_sensitivity: Rational) -> Fraction:
    """Delta^2 / (2 rho): the sigma^2 of rho-zCDP, exactly."""
    return exact_positive("squared_sensitivity", squared_sensitivity) / (2 * exact_positive("rho", rho))


def rho(squared_sensitivity: Rational, sigma_squared: Rational) -> Fraction:
    """Delta^2 / (2 sigma^2), exactly: what the mechanism costs under zCDP."""
    squared = exact_positive("squared_sensitivity", squared_sensitivity)
    return squared / (2 * exact_positive("sigma_squared", sigma_squared))


def cdf(x: float, *, sigma_squared: Rational) -> float:
    """P(X <= x)."""
    return math.erfc(-x / math.sqrt(2 * exact_positive("sigma_squared", sigma_squared))) / 2


def quantile(q: Fraction | float, *, sigma_squared: Rational) -> float:
    """The x with P(X <= x) = q, for 0 < q < 1, to the precision of a float."""
    level = float(exact_level("q", q))
    if level > 0.5:
        return -quantile(1 - exact_level("q", q), sigma_squared=sigma_squared)
    low, high = -40.0, 0.0
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if math.erfc(-middle / math.sqrt(2)) / 2 < level else (low, middle)
    return high * math.sqrt(exact_positive("sigma_squared", sigma_squared))


def error_bound(beta: Fraction | float, *, sigma_squared: Rational, cells: int = 1) -> float:
    """What none of d errors exceeds with probability 1 - beta, exactly for independent noise: P(|X| > t) = 1 -
    (1 - beta)^(1/d)."""
    level = float(exact_level("beta", beta))
    each = -math.expm1(math.log1p(-level) / integer("cells", cells, at_least=1))
    return -quantile(each / 2, sigma_squared=sigma_squared)
