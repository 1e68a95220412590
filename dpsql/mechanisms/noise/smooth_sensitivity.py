"""The median with noise of its smooth sensitivity: little noise where the data are dense, and still pure privacy.

Requires: integers x_1 <= ... <= x_n, clamped to [lower, upper], one of each unit, that comes or goes with it. The
median is the lower one, x_ceil(n/2), and `lower` for no values at all. x_j is `lower` for j < 1 and `upper` for j > n.

Local sensitivity: the most that the median moves if one value comes or goes. **It must never set the noise by
itself**: it is 0 for (0, 0, 0, 9, 9) and 9 once a 9 is added, so that an answer without noise would tell the two
apart. Within k steps of the data it is at most

    A_k = x_(floor((n + k) / 2) + 1) - x_(floor((n - k) / 2)).

The smooth sensitivity is S = max over k of B_k A_k, with B_0 = 1 and B_(k+1) >= B_k / (1 + h). B_k is held as
an integer over 2^62, rounded upwards, which the inequality allows.

The mechanism: the median plus Z with P(Z = z) proportional to 1 / (s^2 + z^2), a discrete Cauchy law of scale s =
2 S / epsilon, where h = epsilon / 4; then clamped to [lower, upper].

Guarantees: epsilon-differential privacy of the released integer, exactly: no float takes part. S itself, and
the scale of the noise, are private.

Because: let H(v) = 2 #(values <= v) - n, which one value changes by 1. The median is at most v if and only if H(v) >=
0. Let y be k steps from x and z a neighbour of y, and v1 < v2 their medians. If v1 is y's, then H_y(v1) >= 0 and H_y(v2
- 1) <= 0, so that H_x(v1) >= -k and H_x(v2 - 1) <= k: v1 is at least x_ceil((n - k)/2) and v2 at most x_(floor((n +
k)/2) + 1). If v1 is z's, the bounds are -k - 1 and k - 1. For both parities of n + k the wider of the two windows is
A_k. A_k(x) <= A_(k+1)(x') for neighbours x, x': the lower index of A_(k+1) falls by 1 with n or stays as n grows, the
upper one stays or rises by 1, and values move by at most one place. Hence B_k A_k(x) <= (1 + h) B_(k+1) A_(k+1)(x'), so
that S(x) <= (1 + h) S(x') and A_0 <= S. Now compare the laws on x and x'. Moving the centre by at most S: the
derivative of ln(s^2 + t^2) is at most 1/s, so it costs at most S / s = epsilon / 2. Changing the scale by a factor of
at most 1 + h: every weight 1 / (s^2 + z^2) changes by at most (1 + h)^2 in the same direction, and so do their sum and
its quotient with one: it costs at most 2 ln(1 + h) <= 2 h = epsilon / 2. Clamping is post-processing.

The law has no exponential in it, so that its sampler tosses rational coins. With M = ceil(s), the magnitudes lie
in [0, M), [M, 2M), [2M, 4M), ...: a block of length L starting at L has weights of at most 1 / L^2, together 1 / L,
the first one of at most 1 / s^2, together M / s^2. Draw a block in proportion to these, a magnitude uniformly in
it, accept it with the quotient of its weight and the bound, and draw a sign, rejecting (minus, 0).

Time: a geometric number of tries, each accepted with probability at least 1/5 whatever the data, after sorting
and one pass over the ranks.

Accuracy: `cauchy_tail`. Source: Nissim, Raskhodnikova, Smith 2007, Smooth Sensitivity and Sampling in Private Data
Analysis (the framework, the median under substitution, and the Cauchy law as an admissible noise); here for
values that come and go, and for integers.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from dpsql.mechanisms.coins import Coins
from dpsql.mechanisms.noise.geometric import Int64s
from dpsql.mechanisms.parameters import Rational, exact_epsilon, exact_positive, integer, integer_array

ONE = 1 << 62
LIMIT = 1 << 61


def smooth_median(
    values: np.ndarray, *, lower: int, upper: int, epsilon: Rational, coins: Coins | None = None
) -> int:
    """The median of the values in [lower, upper] plus discrete Cauchy noise of its smooth sensitivity.

    `values`: integers, one-dimensional, one of each unit, any number of them.
    """
    ordered = clamped(values, lower, upper)
    budget, source = exact_epsilon(epsilon), coins or Coins()
    scale = 2 * _smooth(ordered, budget / 4) / budget
    return min(max(median_of(ordered) + discrete_cauchy(scale, source), int(lower)), int(upper))


def smooth_sensitivity(values: np.ndarray, *, lower: int, upper: int, epsilon: Rational) -> Fraction:
    """S of the median for a factor of 1 + epsilon / 4 between neighbours; it depends on the data: private."""
    return _smooth(clamped(values, lower, upper), exact_epsilon(epsilon) / 4)


def local_sensitivity(values: np.ndarray, *, lower: int, upper: int, steps: int = 0) -> int:
    """A_k: the most that one value more or less moves the median, of any data within k steps; private."""
    ordered = clamped(values, lower, upper)
    return int(sensitivities(ordered, integer("steps", steps, at_least=0) + 1)[-1])


def clamped(values: np.ndarray, lower: int, upper: int) -> Int64s:
    """The values in order, clamped to [lower, upper], between `lower` and `upper` themselves."""
    low, high = integer("lower", lower, at_least=-LIMIT), integer("upper", upper, at_least=-LIMIT)
    if not low < high < LIMIT:
        raise ValueError(f"a median needs lower < upper, both within 2^61, not {lower} and {upper}")
    exact = integer_array("values", values)
    if exact.ndim != 1:
        raise ValueError(f"values must be one-dimensional, not of shape {exact.shape}")
    inner = np.sort(np.clip(exact, low, high).astype(np.int64))
    return np.concatenate(([low], inner, [high])).astype(np.int64)


def median_of(ordered: Int64s) -> int:
    """The lower median of values as `clamped` gives them."""
    return int(ordered[(ordered.size - 1) // 2])


def sensitivities(ordered: Int64s, count: int) -> Int64s:
    """A_0, ..., A_(count - 1) of values as `clamped` gives them; they never fall."""
    n, k = ordered.size - 2, np.arange(count)
    upper, lower = np.minimum((n + k) // 2 + 1, n + 1), np.maximum((n - k) // 2, 0)
    return np.asarray(ordered[upper] - ordered[lower], dtype=np.int64)


def _smooth(ordered: Int64s, growth: Fraction) -> Fraction:
    """max B_k A_k; A_k is upper - lower from k = n on, where B_k is the greatest at n."""
    apart = sensitivities(ordered, ordered.size - 1)
    whole = int(apart[-1])
    best, decay, factor = 0, ONE, 1 / (1 + growth)
    for moved in apart.tolist():
        best = max(best, decay * moved)
        if decay * whole <= best:
            break
        decay = -(-decay * factor.numerator // factor.denominator)
    return Fraction(best, ONE)


def discrete_cauchy(scale: Rational, coins: Coins | None = None) -> int:
    """One integer z with probability proportional to 1 / (scale^2 + z^2), exactly; scale above 0."""
    square, source = exact_positive("scale", scale) ** 2, coins or Coins()
    p, q, first = square.numerator, square.denominator, math.ceil(scale)
    while True:
        start, length = _block(p, q, first, source)
        z = start + source.below(length)
        bound = start * start * q if start else p
        if source.below(p + z * z * q) < bound and (source.below(2) or z):
            return z if source.below(2) else -z


def _block(p: int, q: int, first: int, coins: Coins) -> tuple[int, int]:
    """Start and length: (0, M) with weight M q / p, and (2^j M, 2^j M) with weight 1 / (2^j M), M = first."""
    if coins.below(first * first * q + 2 * p) < first * first * q:
        return 0, first
    length = first
    while coins.below(2):
        length *= 2
    return length, length


def cauchy_tail(k: int, *, scale: Rational) -> float:
    """A bound of P(|Z| > k) = (2 / pi) arctan(scale / k), near to it for scales above 1; a float.

    Because: the sum of 1 / (s^2 + z^2) over all z is (pi / s) coth(pi s) >= pi / s, and that over z > k at most
    the integral from k.
    """
    reach = integer("k", k, at_least=0)
    return 2 / math.pi * math.atan2(float(exact_positive("scale", scale)), reach)
