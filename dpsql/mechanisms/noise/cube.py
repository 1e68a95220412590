"""The cube mechanism, the K-norm mechanism of a box: one noise for a vector of integers that moves in L-infinity.

For vectors v of d integers and widths w_1 .. w_d, let |v| be the least whole r with |v_j| <= r w_j for all j: the
norm max |v_j| / w_j, rounded up. The noise has the law P(Z = z) proportional to exp(-epsilon |z| / sensitivity).

Requires: one or more integer vectors; the sum of |change| over the vectors is at most `sensitivity` between
neighbouring databases. With all widths 1 that is the L-infinity norm. With a first width of 1 it fits a count
beside sums of values centred in their range: a row adds 1 to n and at most w_j to the j-th sum.

Guarantees: epsilon-differential privacy of all noisy vectors together, exactly: no float takes part.

Because: |z + v| <= |z| + |v|, since a sum of boxes r and s lies in the box r + s; so the probability of an
output changes by at most exp(epsilon |change| / sensitivity) for each vector, and the exponents add up.

Sampling: with a = exp(-epsilon / sensitivity) and V(r) = (2 r w_1 + 1) .. (2 r w_d + 1), the number of points in
the box r, draw r with probability proportional to V(r) a^r and then a uniform point of that box. Because: the
point z gets the sum of a^r over r >= |z|, which is proportional to a^|z|.

And r: V(r) = the sum of c_i binomial(r, i) for i = 0 .. d, where the c_i are the forward differences of V at 0,
whole and positive. So the law of r is a mixture: i with weight c_i b^i, b = a / (1 - a), and then i plus i + 1
independent geometric numbers of rate epsilon / sensitivity, since the sum of binomial(r, i) a^r over r is a^i /
(1 - a)^(i + 1) and that is the generating function of i plus such a sum. i is drawn by inversion.

Accuracy: |Z| exceeds t with probability a^(t + 1) (the sum of c_i(t + 1) b^i - V(t)) / (the sum of c_i b^i), where
c_i(s) are the forward differences of V at s. For large sensitivity / epsilon the variance of coordinate j is (d +
1) (d + 2) / 3 (w_j sensitivity / epsilon)^2. For a count and k sums of values from 0 to w, each computed from its
centred sum and the count, that is (k + 2) (k + 3) / 6 (w sensitivity / epsilon)^2, against 2 k^2 for independent
noise at epsilon / k.

Time: d + 1 geometric numbers and d uniform ones for each vector, hardly depending on what is drawn, except that up
to 16 vectors at a time take runs of coins that grow with the noise divided by its scale (as one discrete Laplace
value does); Python ints where sensitivity / epsilon times a width comes near 2^60.

Source: Hardt and Talwar 2010, On the Geometry of Differential Privacy (the K-norm mechanism).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import cast

import numpy as np

from dpsql.mechanisms.coins import Coins, IntegerArray
from dpsql.mechanisms.exact.exact_exp import exp_bounds, least
from dpsql.mechanisms.exact.inversion import draw_indices
from dpsql.mechanisms.noise.discrete_laplace import (
    FEW,
    SAFE,
    DiscreteLaplace,
    Laws,
    add_noise,
    draw_geometric,
    fewest_dtype,
)
from dpsql.mechanisms.parameters import Rational, exact_epsilon, exact_level, integer, integer_array

GUARD = 8
WORD_BITS = 62


def cube(
    values: np.ndarray,
    *,
    sensitivity: int,
    epsilon: Rational,
    widths: Sequence[int] | None = None,
    coins: Coins | None = None,
    laws: Laws = DiscreteLaplace.of,
) -> IntegerArray:
    """Add noise of the law exp(-epsilon |z| / sensitivity) to every vector along the last axis of an array.

    `values`: integers of one axis or more, the last of length d >= 1; the result has their shape, and is int64
    where the input is and no sum can overflow, otherwise Python ints. `widths`: d integers of at least 1, all 1
    by default (L-infinity). `laws`: as for `discrete_laplace`.
    """
    exact = integer_array("values", values)
    if exact.ndim == 0 or exact.shape[-1] == 0:
        raise ValueError(
            "the cube mechanism needs vectors: an array whose last axis has at least one element"
        )
    box = _widths(widths if widths is not None else (1,) * exact.shape[-1])
    if len(box) != exact.shape[-1]:
        raise ValueError(f"vectors of {exact.shape[-1]} elements need as many widths, not {len(box)}")
    rate, count = _rate(sensitivity, epsilon), exact.size // len(box)
    return add_noise(exact, _sample(count, rate, box, coins or Coins(), laws).reshape(exact.shape))


def _sample(size: int, rate: Fraction, widths: Sequence[int], coins: Coins, laws: Laws) -> IntegerArray:
    """`size` independent vectors, one in each row."""
    if size == 0:
        return np.empty((0, len(widths)), np.int64)
    radii = _radii(size, rate, widths, coins, laws)
    if max(int(radii.max()), 1) * max(widths) >= SAFE >> 2:  # where all are 0, too: a width itself has to fit
        radii = radii.astype(object)
    columns = [_below_each(2 * radii * w + 1, coins) - radii * w for w in widths]
    return cast(IntegerArray, np.stack(columns, axis=1))


def _radii(size: int, rate: Fraction, widths: Sequence[int], coins: Coins, laws: Laws) -> IntegerArray:
    """`size` independent r with probability proportional to V(r) exp(-rate r)."""
    degrees = draw_indices(size, lambda bits: _cuts(rate, _differences(widths, 0), bits), coins)
    draw = _geometrics(size, rate, coins, laws)
    radii: IntegerArray = degrees.copy()
    for step in range(len(widths) + 1):
        chosen = np.flatnonzero(degrees >= step)
        if chosen.size:
            more = draw(chosen.size)
            if int(radii.max()) + int(more.max()) >= SAFE:
                radii = radii.astype(object)
            radii[chosen] += more
    return radii


def _geometrics(size: int, rate: Fraction, coins: Coins, laws: Laws) -> Callable[[int], IntegerArray]:
    """Draws so many geometric numbers, of a table only if there are enough vectors to make it worth while."""
    if size > FEW:
        law = laws(rate)
        return lambda count: law.geometric(count, coins)
    return lambda count: fewest_dtype([draw_geometric(rate, coins) for _ in range(count)])


def _below_each(bounds: IntegerArray, coins: Coins) -> IntegerArray:
    """A uniform integer in [0, b) for each bound b: the remainder of a word below the largest multiple of b."""
    if bounds.dtype == object:
        return np.array([coins.below(int(b)) for b in bounds], dtype=object)
    ends = (1 << WORD_BITS) // bounds * bounds
    draws = np.asarray(coins.integers(1 << WORD_BITS, bounds.size), dtype=np.int64)
    rejected = np.flatnonzero(draws >= ends)
    while rejected.size:
        fresh = coins.integers(1 << WORD_BITS, rejected.size)
        draws[rejected] = fresh
        rejected = rejected[fresh >= ends[rejected]]
    return draws % bounds


def _points(radius: int, widths: Sequence[int]) -> int:
    """V(r), the number of integer points in the box r."""
    return math.prod(2 * radius * w + 1 for w in widths)


def _differences(widths: Sequence[int], start: int) -> list[int]:
    """The forward differences of V at a radius: V(start + r) is the sum of the i-th times binomial(r, i)."""
    row = [_points(start + r, widths) for r in range(len(widths) + 1)]
    found = []
    while row:
        found.append(row[0])
        row = [after - before for before, after in pairwise(row)]
    return found


def _cuts(rate: Fraction, weights: Sequence[int], bits: int) -> list[tuple[int, int]]:
    """Bounds of the cumulative probabilities of i, times 2^bits: weights c_i a^i (1 - a)^(d - i), normalised.

    A sum up to i over all of them is least where its own terms are least and the others largest.
    """
    degree = len(weights) - 1
    spare = (rate.denominator // rate.numerator).bit_length() + 2  # the bits that 1 - a loses
    length = bits + GUARD + max(weights).bit_length() + degree * spare
    low, high = exp_bounds(rate, length)
    low_rest, high_rest = (1 << length) - high, (1 << length) - low
    least_products = _products(weights, low, low_rest, length, up=False)
    most_products = _products(weights, high, high_rest, length, up=True)
    unit = max(m.bit_length() + e for m, e in most_products) - length
    least_terms = [_shifted(m, e - unit, up=False) for m, e in least_products]
    most_terms = [_shifted(m, e - unit, up=True) for m, e in most_products]
    all_least, all_most = sum(least_terms), sum(most_terms)
    cuts = []
    below = zip(accumulate(least_terms), accumulate(most_terms), strict=True)
    for least_below, most_below in list(below)[:-1]:
        least_whole, most_whole = least_below + all_most - most_below, most_below + all_least - least_below
        cuts.append(((least_below << bits) // least_whole, -(-(most_below << bits) // most_whole)))
    return cuts


def _products(
    weights: Sequence[int], base: int, rest: int, length: int, *, up: bool
) -> list[tuple[int, int]]:
    """c_i base^i rest^(d - i) as m 2^e, m of about `length` bits, rounded downwards or upwards."""
    degree = len(weights) - 1
    bases, rests = _powers(base, degree, length, up), _powers(rest, degree, length, up)
    pairs = zip(weights, bases, reversed(rests), strict=True)
    return [_cropped(c * m * n, by + more, length, up) for c, (m, by), (n, more) in pairs]


def _powers(base: int, degree: int, length: int, up: bool) -> list[tuple[int, int]]:
    powers = [(1, 0)]
    for _ in range(degree):
        m, e = powers[-1]
        powers.append(_cropped(m * base, e, length, up))
    return powers


def _cropped(m: int, e: int, length: int, up: bool) -> tuple[int, int]:
    by = max(m.bit_length() - length, 0)
    return _shifted(m, -by, up=up), e + by


def _shifted(m: int, by: int, *, up: bool) -> int:
    """m 2^by, whole: rounded downwards or upwards."""
    if by >= 0:
        return m << by
    return -(-m >> -by) if up else m >> -by


def norm_tail(t: int, *, sensitivity: int, epsilon: Rational, widths: Sequence[int]) -> float:
    """P(|Z| > t): that some coordinate j exceeds t w_j; a float: it is public information."""
    box, radius = _widths(widths), integer("t", t, at_least=0)
    rate = _rate(sensitivity, epsilon)
    beyond = _sum(_differences(box, radius + 1), rate) - _points(radius, box)
    return math.exp(-rate * (radius + 1)) * float(beyond / _sum(_differences(box, 0), rate))


def interval_radius(
    beta: Fraction | float, *, sensitivity: int, epsilon: Rational, widths: Sequence[int]
) -> int:
    """The least t >= 0 with P(|Z| > t) <= beta, to the precision of a float: with probability 1 - beta every
    coordinate j is off by t w_j at most."""
    level, rate = exact_level("beta", beta), _rate(sensitivity, epsilon)
    guess = int((len(widths) - math.log(level)) / rate)
    return least(
        lambda t: norm_tail(t, sensitivity=sensitivity, epsilon=epsilon, widths=widths) <= level, guess
    )


def variance(place: int, *, sensitivity: int, epsilon: Rational, widths: Sequence[int]) -> float:
    """Var Z_j = E[r w_j (r w_j + 1)] / 3 for the coordinate j = `place`, counted from 0."""
    box, rate = _widths(widths), _rate(sensitivity, epsilon)
    width = box[integer("place", place, at_least=0)]
    b, weights = _odds(rate), _differences(box, 0)
    first = second = Fraction(0)
    for i, c in enumerate(weights):
        share, mean = c * b**i, i + (i + 1) * b
        first += share * mean
        second += share * ((i + 1) * b * (1 + b) + mean**2)
    return float((width**2 * second + width * first) / (3 * _sum(weights, rate)))


def variances(*, sensitivity: int, epsilon: Rational, widths: Sequence[int]) -> tuple[float, ...]:
    """`variance` of every coordinate at once, in doubles throughout: for comparing choices."""
    box, rate = _widths(widths), float(_rate(sensitivity, epsilon))
    none = -math.expm1(-rate)
    b, log_b = math.exp(-rate) / none, -rate - math.log(none)  # b may be 0 for a double
    sizes = [math.log(c) + i * log_b for i, c in enumerate(_differences(box, 0))]
    largest = max(sizes)
    weights = [math.exp(size - largest) for size in sizes]
    means = [i + (i + 1) * b for i in range(len(weights))]
    first = math.fsum(w * mean for w, mean in zip(weights, means, strict=True)) / math.fsum(weights)
    spread = [(i + 1) * b * (1 + b) + mean**2 for i, mean in enumerate(means)]
    second = math.fsum(w * s for w, s in zip(weights, spread, strict=True)) / math.fsum(weights)
    return tuple((float(w) ** 2 * second + w * first) / 3 for w in box)


def _sum(weights: Sequence[int], rate: Fraction) -> Fraction:
    """The sum of c_i b^i, with b to the precision of a float."""
    b = _odds(rate)
    return sum((c * b**i for i, c in enumerate(weights)), Fraction(0))


def _odds(rate: Fraction) -> Fraction:
    """b = a / (1 - a) = 1 / (e^rate - 1)."""
    return Fraction(math.exp(-rate)) / Fraction(-math.expm1(-rate))


def _widths(widths: Sequence[int]) -> tuple[int, ...]:
    exact = tuple(integer("a width", w, at_least=1) for w in widths)
    if not exact:
        raise ValueError("the cube mechanism needs at least one width")
    return exact


def _rate(sensitivity: int, epsilon: Rational) -> Fraction:
    return exact_epsilon(epsilon) / integer("sensitivity", sensitivity, at_least=1)
