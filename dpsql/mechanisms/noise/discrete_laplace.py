"""The discrete Laplace mechanism: integers plus noise of the law P(Z = z) = (1 - a) / (1 + a) * a^|z|.

With a = exp(-epsilon / sensitivity). Also called the two-sided geometric mechanism; the geometric mechanism of
counts is this one at sensitivity 1, `geometric_mechanism`.

Requires: an integer vector that moves by at most `sensitivity` in L1 between neighbouring databases.

Guarantees: epsilon-differential privacy of the whole noisy vector, exactly: no float takes part.

Because: for outputs y and inputs x, x' the ratio of probabilities is a^(sum |y_i - x_i| - |y_i - x'_i|),
which by the triangle inequality is at most a^(-sensitivity) = exp(epsilon). Adding something that depends on
the noisy vector alone changes nothing.

Two samplers of the same law; up to 16 values the first is quicker, since the second needs tables:

- One value at a time (Canonne, Kamath, Steinke 2020, sampling a discrete Laplace): with epsilon / sensitivity = p/q, a
  uniform U in [0, q) kept with probability exp(-U/q), V a run of coins exp(-1); then U + qV is geometric of
  rate 1/q and its quotient by p geometric of rate p/q. Its time grows with the number of coins, V.
- Many values: the magnitude G is H * 2^k + L. By a^(h 2^k + l) = a^(h 2^k) * a^l the two are independent; H
  is geometric of rate 2^k p/q (see `geometric`), and L, with P(L = l) proportional to a^l on [0, 2^k), is k
  uniform bits kept with probability exp(-l p/q). k is the largest with 2^k p/q <= 1/32, or 0, where there is
  no L: so nearly every L is kept and the table of H is short.

In both a fair sign is drawn, and the pair (minus, 0) is rejected: otherwise 0 would come twice as often as it should.

Time: the first sampler's tells something of the noise it draws, the second's next to nothing (it repeats what
it rejected, and one draw in 4096 needs a second word).

Sources: Ghosh, Roughgarden, Sundararajan 2012, Universally Utility-Maximizing Privacy Mechanisms (the law and its
optimality for counts); Canonne, Kamath, Steinke 2020, The Discrete Gaussian for Differential Privacy (exact sampling).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import cast

import numpy as np

from dpsql.mechanisms.coins import Booleans, Coins, IntegerArray
from dpsql.mechanisms.exact.exact_exp import Bounds, exp_interval, is_positive, least
from dpsql.mechanisms.noise.geometric import GeometricTable, Int64s
from dpsql.mechanisms.parameters import Rational, exact_epsilon, exact_level, integer, integer_array
from dpsql.slotted import dataclass

FEW = 16
CHUNK = 1 << 16
SPARE_BITS = 5
SAFE = 1 << 62


@dataclass(frozen=True, slots=True, eq=False)
class DiscreteLaplace:
    """The law of one rate = epsilon / sensitivity with the tables of the vectorised sampler; immutable."""

    rate: Fraction
    low_bits: int
    high: GeometricTable

    @classmethod
    def of(cls, rate: Fraction) -> DiscreteLaplace:
        """The law of a rate above 0; building its table takes up to a millisecond."""
        room = rate.denominator // (rate.numerator << SPARE_BITS)
        low_bits = max(room.bit_length() - 1, 0)
        return cls(rate, low_bits, GeometricTable.of(rate * (1 << low_bits)))

    def sample(self, size: int, coins: Coins) -> IntegerArray:
        """`size` >= 1 independent values: int64, or Python ints where the scale is above about 2^50."""
        parts = [self._chunk(min(CHUNK, size - start), coins) for start in range(0, size, CHUNK)]
        return cast(IntegerArray, np.concatenate(parts))

    def _chunk(self, size: int, coins: Coins) -> IntegerArray:
        negative, high, low = self._draw(size, coins)
        rejected = np.flatnonzero(negative & (high == 0) & (low == 0))
        while rejected.size:
            signs, highs, lows = self._draw(rejected.size, coins)
            negative[rejected], high[rejected], low[rejected] = signs, highs, lows
            rejected = rejected[signs & (highs == 0) & (lows == 0)]
        magnitude = self._joined(high, low)
        np.negative(magnitude, out=magnitude, where=negative)
        return magnitude

    def geometric(self, size: int, coins: Coins) -> IntegerArray:
        """`size` >= 1 independent values of the one-sided law P(G >= j) = exp(-rate j), j = 0, 1, ..."""
        _, high, low = self._draw(size, coins)
        return self._joined(high, low)

    def _joined(self, high: Int64s, low: IntegerArray) -> IntegerArray:
        wide = (int(high.max()) + 1) << self.low_bits > SAFE
        return ((high.astype(object) if wide else high) << self.low_bits) + low

    def _draw(self, size: int, coins: Coins) -> tuple[Booleans, Int64s, IntegerArray]:
        """A sign and the two parts of a magnitude, before (minus, 0) is rejected."""
        words = coins.words(size)
        high = self.high.draw(words >> np.uint64(1), coins)
        return (words & np.uint64(1)).astype(np.bool_), high, self._low(size, coins)

    def _low(self, size: int, coins: Coins) -> IntegerArray:
        p, q = self.rate.numerator, self.rate.denominator
        low = coins.integers(1 << self.low_bits, size)
        rejected = np.flatnonzero(~coins.bernoulli_exp_many(low, q, p))
        while rejected.size:
            fresh = coins.integers(1 << self.low_bits, rejected.size)
            low[rejected] = fresh
            rejected = rejected[~coins.bernoulli_exp_many(fresh, q, p)]
        return low


Laws = Callable[[Fraction], DiscreteLaplace]


def discrete_laplace(
    values: np.ndarray,
    *,
    sensitivity: int,
    epsilon: Rational,
    coins: Coins | None = None,
    laws: Laws = DiscreteLaplace.of,
) -> IntegerArray:
    """Add independent discrete Laplace noise of scale sensitivity / epsilon to every integer of an array.

    `values`: integers of any shape, int64 or Python ints (dtype object); the result has their shape. It is int64 where
    the input is and no sum can overflow, otherwise Python ints; which of the two, is a matter of storage that must not
    be shown. `sensitivity`: at least 1, in L1 over the whole array. `laws` gives the tables of a rate: a caller with a
    cache passes it.
    """
    exact = integer_array("values", values)
    noise = sample(exact.size, _rate(sensitivity, epsilon), coins or Coins(), laws).reshape(exact.shape)
    return add_noise(exact, noise)


def geometric_mechanism(values: np.ndarray, *, epsilon: Rational, coins: Coins | None = None) -> IntegerArray:
    """The discrete Laplace mechanism at sensitivity 1, as for a count: a = e^-epsilon, P(|Z| >= k) = 2 a^k / (1
    + a)."""
    return discrete_laplace(values, sensitivity=1, epsilon=epsilon, coins=coins)


def sample(size: int, rate: Fraction, coins: Coins, laws: Laws = DiscreteLaplace.of) -> IntegerArray:
    """`size` independent values of the law of a rate = epsilon / sensitivity, by whichever sampler is quicker."""
    if size > FEW:
        return laws(rate).sample(size, coins)
    return fewest_dtype([draw_one(rate, coins) for _ in range(size)])


def draw_one(rate: Fraction, coins: Coins) -> int:
    """One value of the law of a rate, without tables (Canonne, Kamath, Steinke 2020)."""
    while True:
        magnitude = draw_geometric(rate, coins)
        if not coins.below(2):
            return magnitude
        if magnitude:
            return -magnitude


def draw_geometric(rate: Fraction, coins: Coins) -> int:
    """One value of the one-sided law P(G >= j) = exp(-rate j), without tables."""
    p, q = rate.numerator, rate.denominator
    remainder = coins.below(q)
    while not coins.bernoulli_exp(remainder, q):
        remainder = coins.below(q)
    quotient = 0
    while coins.bernoulli_exp(1, 1):
        quotient += 1
    return (remainder + q * quotient) // p


def fewest_dtype(values: list[int]) -> IntegerArray:
    """The integers as int64 where all of them are well inside it, otherwise as Python ints."""
    wide = any(abs(v) >= SAFE for v in values)
    return np.array(values, dtype=object if wide else np.int64)


def add_noise(values: IntegerArray, noise: IntegerArray) -> IntegerArray:
    """Their sum: int64 where both are and it cannot overflow, otherwise Python ints."""
    small = values.size == 0 or all(
        a.dtype == np.int64 and int(a.min()) > -SAFE and int(a.max()) < SAFE for a in (values, noise)
    )
    return values + noise if small else values.astype(object) + noise.astype(object)


def _rate(sensitivity: int, epsilon: Rational) -> Fraction:
    return exact_epsilon(epsilon) / integer("sensitivity", sensitivity, at_least=1)


def tail(k: int, *, sensitivity: int, epsilon: Rational) -> float:
    """P(|Z| >= k) = 2 a^k / (1 + a) for k >= 1, and 1 for k = 0; a float: it is public information."""
    rate = _rate(sensitivity, epsilon)
    if integer("k", k, at_least=0) == 0:
        return 1.0
    return 2 * math.exp(-float(rate * k)) / (1 + math.exp(-float(rate)))


def variance(*, sensitivity: int, epsilon: Rational) -> float:
    """Var Z = 2 a / (1 - a)^2; a float: it is public information."""
    rate = float(_rate(sensitivity, epsilon))
    return 2 * math.exp(-rate) / math.expm1(-rate) ** 2


def interval_half_width(beta: Fraction | float, *, sensitivity: int, epsilon: Rational) -> int:
    """The least k >= 0 with P(|Z| > k) <= beta, exactly, for 0 < beta < 1; the 95 % interval has beta = 0.05."""
    rate, level = _rate(sensitivity, epsilon), exact_level("beta", beta)

    def covers(k: int) -> bool:
        def slack(bits: int) -> Bounds:  # of beta (1 + a) - 2 a^(k+1)
            (lo, hi), (far_lo, far_hi) = exp_interval(rate, bits), exp_interval(rate * (k + 1), bits)
            return level * (1 + lo) - 2 * far_hi, level * (1 + hi) - 2 * far_lo

        return is_positive(slack)

    logarithm = math.log(level.denominator) - math.log(level.numerator) + math.log(2)
    logarithm -= math.log1p(math.exp(-rate))
    return least(covers, int(Fraction(logarithm) / rate))
