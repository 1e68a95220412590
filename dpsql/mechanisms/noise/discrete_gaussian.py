"""The discrete Gaussian mechanism: integers plus noise of the law P(Y = y) proportional to exp(-y^2 / (2 sigma^2)).

Requires: an integer vector that moves by at most Delta in L2 between neighbouring databases; Delta^2 is given
as `squared_sensitivity` where Delta is a root (2 for a histogram of which one person's cell changes).

Guarantees: rho-zCDP of the whole noisy vector with rho = Delta^2 / (2 sigma^2), exactly: no float takes part.
(epsilon, delta)-differential privacy with the delta that `delta` gives if only one cell can change, and with
that of the zCDP guarantee in general.

Because (zCDP): the Renyi divergence of order alpha between the law and its shift by an integer d is alpha d^2 /
(2 sigma^2) plus ln of a quotient of theta sums, sum over y of exp(-(y - t)^2 / (2 sigma^2)), which is largest
at integer t and so at most 1; divergences of independent cells add up (Canonne, Kamath, Steinke 2020,
concentrated privacy of the discrete Gaussian, of one value and of many).

Because (one cell, moved by d): the loss (d^2 + 2 d y) / (2 sigma^2) grows with y, so that the worst set is
a half line: delta = P(Y > epsilon sigma^2/d - d/2) - e^epsilon P(Y > epsilon sigma^2/d + d/2), as they show.
It grows with d: for each half line {Y >= t} the second term, P(Y >= t + d), falls. The sums are bounded from
both sides: term by term up to sigma = 128, beyond that by the formula of Euler and Maclaurin, whose remainder
is at most 0.0097 times the integral of |f'''|.

Sampling: propose y from discrete Laplace noise of rate r, accept it with probability exp(-(|y| - c)^2 / (2
sigma^2)) with c = r sigma^2, else begin again. Because: exp(-r |y|) times that coin is exp(-y^2 / (2 sigma^2))
times a constant. c = floor(sigma) makes the coin's exponent a whole number over 2 sigma^2, and nearly three
proposals out of four are accepted; below sigma = 1 the rate is 1 and c = sigma^2.

Accuracy: Var Y <= sigma^2, and less than 1e-70 below it from sigma = 3 on; tails are those of `tail_bounds`,
and intervals use them.

Time: the number of proposals is geometric with a mean below 2.3 that depends on sigma alone; a coin stops at
its first failure, so that the time of a toss tells something of the proposal, accepted or not. Where sigma is
above about 2^30, part of the work is done on Python ints, some ten times slower.

Source: Canonne, Kamath, Steinke 2020, The Discrete Gaussian for Differential Privacy.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import cast

import numpy as np

from dpsql.mechanisms.analysis.composition import zcdp_rho
from dpsql.mechanisms.analysis.gaussian import zcdp_sigma_squared
from dpsql.mechanisms.coins import Booleans, Coins, IntegerArray
from dpsql.mechanisms.exact.exact_exp import Bounds, least
from dpsql.mechanisms.exact.interval_arithmetic import (
    exp_outward,
    least_fraction,
    normal_tail,
    root_two_pi,
    sqrt_outward,
)
from dpsql.mechanisms.noise.discrete_laplace import (
    CHUNK,
    FEW,
    SAFE,
    DiscreteLaplace,
    Laws,
    add_noise,
    draw_one,
    fewest_dtype,
)
from dpsql.mechanisms.noise.discrete_laplace import sample as sample_laplace
from dpsql.mechanisms.parameters import (
    Rational,
    exact_delta,
    exact_epsilon,
    exact_level,
    exact_positive,
    integer,
    integer_array,
)
from dpsql.slotted import dataclass

SUMMED = 1 << 14
BITS = 128


@dataclass(frozen=True, slots=True)
class _Proposal:
    """Discrete Laplace noise of a rate, and its coin: exponent (|y| unit - centre)^2 factor / whole."""

    rate: Fraction
    unit: int
    centre: int
    factor: int
    whole: int

    @classmethod
    def of(cls, sigma_squared: Fraction) -> _Proposal:
        n, d = sigma_squared.numerator, sigma_squared.denominator
        if n < d:
            return cls(Fraction(1), d, n, 1, 2 * n * d)
        c = math.isqrt(n // d)
        return cls(c / sigma_squared, 1, c, d, 2 * n)

    def accepts(self, noise: IntegerArray, coins: Coins) -> Booleans:
        """One coin for each proposal."""
        reach = max(int(noise.max()), -int(noise.min())) * self.unit + self.centre
        if noise.dtype == np.int64 and reach * reach * self.factor < SAFE and self.whole < SAFE:
            gaps = np.abs(noise) * self.unit - self.centre
            return coins.bernoulli_exp_many(gaps * gaps * self.factor, self.whole)
        gaps = np.abs(noise.astype(object)) * self.unit - self.centre
        exponents = gaps * gaps * self.factor
        return _both(exponents // self.whole, exponents % self.whole, self.whole, coins)


def _both(runs: IntegerArray, rests: IntegerArray, whole: int, coins: Coins) -> Booleans:
    """Coins exp(-runs) and then coins exp(-rests / whole), in int64 where they fit."""
    if int(runs.max()) < SAFE:
        runs = runs.astype(np.int64)
    heads = coins.bernoulli_exp_many(runs, 1)
    alive = np.flatnonzero(heads)
    left = rests[alive].astype(np.int64 if whole < SAFE else object)
    heads[alive] = coins.bernoulli_exp_many(left, whole)
    return heads


def discrete_gaussian(
    values: np.ndarray,
    *,
    sensitivity: Rational | None = None,
    squared_sensitivity: Rational | None = None,
    rho: Rational | None = None,
    epsilon: Rational | None = None,
    delta: Rational | None = None,
    coins: Coins | None = None,
    laws: Laws = DiscreteLaplace.of,
) -> IntegerArray:
    """Add independent discrete Gaussian noise to every integer of an array, for rho-zCDP or (epsilon, delta).

    `values`: integers of any shape, int64 or Python ints (dtype object); the result has their shape, and is
    int64 where the input is and no sum can overflow. The sensitivity, at least 1, is in L2 over the whole array:
    itself or its square. Either rho, or epsilon and delta, from which sigma^2 follows as in
    `sigma_squared_for`. `laws`: as for `discrete_laplace`.
    """
    exact = integer_array("values", values)
    squared = _squared(sensitivity, squared_sensitivity)
    sigma_squared = sigma_squared_for(
        squared_sensitivity=squared, rho=rho, epsilon=epsilon, delta=delta, cells=max(exact.size, 1)
    )
    return add_noise(exact, sample(exact.size, sigma_squared, coins or Coins(), laws).reshape(exact.shape))


def sample(size: int, sigma_squared: Fraction, coins: Coins, laws: Laws = DiscreteLaplace.of) -> IntegerArray:
    """`size` independent values of the law."""
    proposal = _Proposal.of(exact_positive("sigma_squared", sigma_squared))
    if size <= FEW:
        return fewest_dtype([_one(proposal, coins) for _ in range(size)])
    parts: list[IntegerArray] = []
    missing = size
    while missing > 0:
        tries = sample_laplace(min(CHUNK, missing + missing // 2 + FEW), proposal.rate, coins, laws)
        parts.append(tries[proposal.accepts(tries, coins)][:missing])
        missing -= parts[-1].size
    return cast(IntegerArray, np.concatenate(parts))


def _one(proposal: _Proposal, coins: Coins) -> int:
    while True:
        noise = draw_one(proposal.rate, coins)
        gap = abs(noise) * proposal.unit - proposal.centre
        if coins.bernoulli_exp(gap * gap * proposal.factor, proposal.whole):
            return noise


def _squared(sensitivity: Rational | None, squared: Rational | None) -> Fraction:
    if (sensitivity is None) == (squared is None):
        raise TypeError("the discrete Gaussian takes either sensitivity, in L2, or squared_sensitivity")
    if squared is not None:
        return _at_least_one("squared_sensitivity", squared)
    return _at_least_one("sensitivity", cast(Fraction, sensitivity)) ** 2


def _at_least_one(name: str, value: Rational) -> Fraction:
    exact = exact_positive(name, value)
    if exact < 1:
        raise ValueError(f"{name} must be at least 1, since integers move by 1 or not at all, not {exact}")
    return exact


def sigma_squared_for(
    *,
    squared_sensitivity: Rational,
    rho: Rational | None = None,
    epsilon: Rational | None = None,
    delta: Rational | None = None,
    cells: int = 1,
) -> Fraction:
    """The sigma^2 that `discrete_gaussian` takes for an array of that many cells; exact and public.

    For rho: Delta^2 / (2 rho). For (epsilon, delta): the least at which the exact law of one cell suffices, up
    to a factor 1 + 2^-30, if only one cell can change; otherwise the one of the largest rho whose conversion
    suffices. ValueError or TypeError unless either rho, or epsilon and delta, are given and in range.
    """
    squared = _at_least_one("squared_sensitivity", squared_sensitivity)
    if rho is not None and epsilon is None and delta is None:
        return zcdp_sigma_squared(rho, squared_sensitivity=squared)
    if rho is not None or epsilon is None or delta is None:
        raise TypeError("the discrete Gaussian takes either rho, or epsilon and delta")
    loss, level = exact_epsilon(epsilon), exact_delta(delta)
    if integer("cells", cells, at_least=1) > 1 and squared >= 2:
        return zcdp_sigma_squared(zcdp_rho(loss, level), squared_sensitivity=squared)
    shift = math.isqrt(int(squared))
    return least_fraction(lambda s: _delta(loss, shift, s)[1] <= level)


def delta(epsilon: Rational, *, sensitivity: int, sigma_squared: Rational) -> Fraction:
    """The least delta for which one noisy integer is (epsilon, delta)-private, rounded upwards.

    It moves by at most `sensitivity`, a whole number; all other cells stand still.

    >>> round(float(delta(1, sensitivity=1, sigma_squared=1)), 6)
    0.141351
    """
    shift = integer("sensitivity", sensitivity, at_least=1)
    return _delta(exact_epsilon(epsilon), shift, exact_positive("sigma_squared", sigma_squared))[1]


def _delta(epsilon: Fraction, shift: int, sigma_squared: Fraction) -> Bounds:
    first = math.floor(epsilon * sigma_squared / shift - Fraction(shift, 2)) + 1
    near, far = tail_bounds(first, sigma_squared), tail_bounds(first + shift, sigma_squared)
    low, high = exp_outward(epsilon)
    return near[0] - high * far[1], near[1] - low * far[0]


def tail_bounds(m: int, sigma_squared: Rational) -> Bounds:
    """Bounds of P(Y >= m), exactly rounded outwards."""
    squared = exact_positive("sigma_squared", sigma_squared)
    if m <= 0:
        low, high = tail_bounds(1 - m, squared)
        return 1 - high, 1 - low
    (low, high), (all_low, all_high) = _half_line(m, squared), _half_line(1, squared)
    return low / (1 + 2 * all_high), high / (1 + 2 * all_low)


def tail(k: int, *, sigma_squared: Rational) -> float:
    """P(|Y| >= k) for k >= 0; a float: it is public information."""
    if integer("k", k, at_least=0) == 0:
        return 1.0
    return 2 * float(tail_bounds(k, sigma_squared)[1])


def variance(*, sigma_squared: Rational) -> float:
    """Var Y, by summing the law up to sigma^2 = 100, from where on it equals sigma^2 to a float's precision."""
    squared = exact_positive("sigma_squared", sigma_squared)
    if squared > 100:
        return float(squared)
    twice = 2 * float(squared)
    weights = [math.exp(-y * y / twice) for y in range(1, 400)]
    moment = math.fsum(2 * y * y * w for y, w in enumerate(weights, 1))
    return moment / (1 + 2 * math.fsum(weights))


def interval_half_width(beta: Fraction | float, *, sigma_squared: Rational, cells: int = 1) -> int:
    """The least k >= 0 for which the bounds prove that none of d errors exceeds it, with probability 1 - beta.

    For d cells by a union bound: P(|Y| > k) <= beta / d.
    """
    level = exact_level("beta", beta) / integer("cells", cells, at_least=1)
    squared = exact_positive("sigma_squared", sigma_squared)
    logarithm = math.log(2) + math.log(level.denominator) - math.log(level.numerator)
    guess = int(sqrt_outward(squared)[1] * Fraction(math.sqrt(2 * logarithm)))
    return least(lambda k: 2 * tail_bounds(k + 1, squared)[1] <= level, guess)


def _half_line(m: int, sigma_squared: Fraction) -> Bounds:
    """The sum of exp(-y^2 / (2 sigma^2)) over y >= m, for m >= 1."""
    return _summed(m, sigma_squared) if sigma_squared <= SUMMED else _euler_maclaurin(m, sigma_squared)


def _summed(m: int, sigma_squared: Fraction) -> Bounds:
    """f(m) times 1 + q_0 + q_0 q_1 + ... with q_j = exp(-(2m + 2j + 1) / (2 sigma^2)), in fixed point.

    What follows the last term t is below t q / (1 - q), q the next quotient: they fall.
    """
    one = 1 << BITS
    step, quotient = _fixed(-1 / sigma_squared), _fixed(-(m + Fraction(1, 2)) / sigma_squared)
    low, high, total_low, total_high = one, one, one, one
    while high > 4:
        low, high = low * quotient[0] >> BITS, (high * quotient[1] >> BITS) + 1
        quotient = quotient[0] * step[0] >> BITS, (quotient[1] * step[1] >> BITS) + 1
        total_low, total_high = total_low + low, total_high + high
    total_high += high * quotient[1] // (one - quotient[1]) + 1
    first_low, first_high = exp_outward(-m * m / (2 * sigma_squared))
    return first_low * Fraction(total_low, one), first_high * Fraction(total_high, one)


def _fixed(x: Fraction) -> tuple[int, int]:
    low, high = exp_outward(x)
    return int(low * (1 << BITS)), int(high * (1 << BITS)) + 1


def _euler_maclaurin(m: int, sigma_squared: Fraction) -> Bounds:
    """The integral from m, plus f(m)/2, minus f'(m)/12, up to 0.0097 times the integral of |f'''|.

    With u = m/sigma, |f'''| integrates to (u^2 - 1) f(m) / sigma^2 for u^2 >= 3, where f''' has one sign, and
    to less than 1.9 / sigma^2 over any half line.
    """
    value = exp_outward(-m * m / (2 * sigma_squared))
    local = Fraction(1, 2) + m / (12 * sigma_squared)
    u_squared = m * m / sigma_squared
    third = (u_squared - 1) * value[1] if u_squared >= 3 else Fraction(19, 10)
    error = Fraction(97, 10_000) * third / sigma_squared
    low, high = _integral(m, sigma_squared)
    return max(low + local * value[0] - error, Fraction(0)), high + local * value[1] + error


def _integral(m: int, sigma_squared: Fraction) -> Bounds:
    """sqrt(2 pi) sigma Q(m / sigma)."""
    (low, high), (root_low, root_high) = sqrt_outward(sigma_squared), root_two_pi()
    return root_low * low * normal_tail(m / low)[0], root_high * high * normal_tail(m / high)[1]
