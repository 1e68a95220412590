"""Refinement: from discrete Laplace noise at epsilon_1 to finer noise at epsilon_2 > epsilon_1, for the difference.

Requires: an integer vector that moves by at most `sensitivity` in L1 between neighbouring databases; `coarse` is what
the discrete Laplace mechanism released of exactly these values at `epsilon`, and `finer` > `epsilon` is what both
releases together may cost. One coarse release is refined once; the finer one takes its place, and may be refined in
its turn.

Guarantees: the pair (coarse, fine) together is `finer`-differentially private, on every path, and `fine` alone has
exactly the law of the discrete Laplace mechanism at `finer`. So under an accountant that adds up epsilons, `finer` -
`epsilon` is due for the second release. It is *not* the cost of the second release by itself, given the first one:
accountants of rho or of Renyi divergences charge it as a fresh draw at `finer`.

Because: with a = e^(-epsilon / sensitivity) > b = e^(-finer / sensitivity), a variable of law DLap(a) is the sum of
independent X of law DLap(b) and W, where W = 0 with probability p0 = (b / a) (1 - a)^2 / (1 - b)^2 and W has the law
DLap(a) otherwise: the generating function of DLap(c) is (1 - c)^2 / ((1 - c z) (1 - c / z)), and

    (1 - a)^2 (1 - b z) (1 - b / z) / ((1 - b)^2 (1 - a z) (1 - a / z))
        = p0 + (1 - p0) (1 - a)^2 / ((1 - a z) (1 - a / z)),

as (1 - b z)(1 - b / z) = (b / a) (1 - a z)(1 - a / z) + (1 - b / a) (1 - a b). So the coarse release is the fine one
plus W, which depends on nothing private: the pair is post-processing of the fine release. What is drawn here is the
fine noise given the coarse one, which makes the joint law of the pair that of (fine, fine + W). Koufogiannis, Han,
Pappas 2015, Gradual Release of Sensitive Data under Differential Privacy (for the continuous law).

How: the noise X given X + W = y >= 0 (for y < 0 by symmetry) has weights P(X = x) P(W = y - x). Divided by what they
share, and by a^y, with s = (b / a)^y, these are in sum

    (a - b) a b        over x < 0, where -x - 1 is geometric of ratio a b
    (1 - a b) (a - b s)        over 0 <= x <= y, where x is geometric of ratio b / a and cut off above y
    (a - b) a b s        over x > y, where x - y - 1 is geometric of ratio a b
    b (1 - a^2) s        at x = y, where W = 0 by its atom.

One of the four is chosen by a uniform real, of which as many bits are drawn as bounds of the weights need to decide;
within it x is drawn with exact coins. No float takes part. Time: a few tens of microseconds a value; it depends on y.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import numpy as np

from dpsql.mechanisms.coins import Coins, IntegerArray
from dpsql.mechanisms.discrete_laplace import draw_geometric, fewest_dtype
from dpsql.mechanisms.exact_exp import Bounds, exp_interval
from dpsql.mechanisms.parameters import exact_epsilon, integer, integer_array

_WORD = 64
_LAWS = 64
_LEFT, _BETWEEN, _RIGHT, _ATOM = range(4)


def refine(
    values: np.ndarray,
    coarse: np.ndarray,
    *,
    sensitivity: int,
    epsilon: Fraction | int,
    finer: Fraction | int,
    coins: Coins | None = None,
) -> IntegerArray:
    """The values with discrete Laplace noise of scale sensitivity / finer, drawn given what was released of them at
    scale sensitivity / epsilon.

    `values` and `coarse`: integers of one shape, int64 or Python ints; the result has it as well. `sensitivity`: at
    least 1, in L1 over the whole array. Guarantee, proof and source: see the module. ValueError unless
    0 < epsilon < finer and the shapes are the same, TypeError for inexact parameters.
    """
    exact, known = integer_array("values", values), integer_array("coarse", coarse)
    if exact.shape != known.shape:
        raise ValueError("the values and what was released of them have different shapes")
    size = integer("sensitivity", sensitivity, at_least=1)
    rough, fine = exact_epsilon(epsilon) / size, exact_epsilon(finer) / size
    if not rough < fine:
        raise ValueError(f"a refinement needs a larger epsilon than {epsilon}, not {finer}")
    tossed = coins or Coins()
    pairs = zip(exact.reshape(-1).tolist(), known.reshape(-1).tolist(), strict=True)
    found = [value + _refined_noise(seen - value, rough, fine, tossed) for value, seen in pairs]
    return fewest_dtype(found).reshape(exact.shape)


def _refined_noise(y: int, rough: Fraction, fine: Fraction, coins: Coins) -> int:
    """One value of X of rate `fine`, given that X + W = y is noise of rate `rough` < `fine`."""
    x = _drawn(abs(y), rough, fine, coins)
    return x if y >= 0 else -x


def _drawn(y: int, rough: Fraction, fine: Fraction, coins: Coins) -> int:
    piece = _piece(y, rough, fine, coins)
    if piece == _ATOM:
        return y
    if piece == _BETWEEN:
        return _cut_geometric(fine - rough, y, coins)
    beyond = 1 + draw_geometric(rough + fine, coins)
    return -beyond if piece == _LEFT else y + beyond


def _cut_geometric(rate: Fraction, most: int, coins: Coins) -> int:
    """One value of the law proportional to exp(-rate x) on 0 .. most, by whichever proposal is rejected less."""
    while rate * (most + 1) < 1:
        x = coins.below(most + 1)
        if coins.bernoulli_exp((rate * x).numerator, (rate * x).denominator):
            return x
    while (x := draw_geometric(rate, coins)) > most:
        pass
    return x


def _weights(a: Bounds, b: Bounds, s: Bounds) -> tuple[Bounds, Bounds, Bounds, Bounds]:
    """Bounds of the weights of the four pieces, from bounds of a, b and s: each factor is a difference of positive
    numbers, bounded below by 0."""
    one = (Fraction(1), Fraction(1))
    apart = _times(_less(a, b), _times(a, b))
    between = _times(_less(one, _times(a, b)), _less(a, _times(b, s)))
    return apart, between, _times(apart, s), _times(_times(b, _less(one, _times(a, a))), s)


def _times(x: Bounds, y: Bounds) -> Bounds:
    return x[0] * y[0], x[1] * y[1]


def _less(x: Bounds, y: Bounds) -> Bounds:
    return max(x[0] - y[1], Fraction(0)), max(x[1] - y[0], Fraction(0))


def _piece(y: int, rough: Fraction, fine: Fraction, coins: Coins) -> int:
    """A piece in proportion to its weight: where a uniform real in [0, sum of the weights) falls."""
    uniform = bits = 0
    while True:
        uniform, bits = (uniform << _WORD) | int(coins.words(1)[0]), bits + _WORD
        a, b = _public_bounds(rough, fine, bits)
        found = _weights(a, b, exp_interval((fine - rough) * y, bits))
        piece = _decided(Fraction(uniform, 1 << bits), Fraction(uniform + 1, 1 << bits), found)
        if piece is not None:
            return piece


@lru_cache(maxsize=_LAWS)
def _public_bounds(rough: Fraction, fine: Fraction, bits: int) -> tuple[Bounds, Bounds]:
    """Bounds of a and b, which are public."""
    return exp_interval(rough, bits), exp_interval(fine, bits)


def _decided(low: Fraction, high: Fraction, found: tuple[Bounds, ...]) -> int | None:
    """The piece in which every share between low and high of the whole falls, whatever the weights are within their
    bounds; None where that is not yet known."""
    least, most = sum((lo for lo, _ in found), Fraction(0)), sum((hi for _, hi in found), Fraction(0))
    before: Bounds = Fraction(0), Fraction(0)
    for piece, (lo, hi) in enumerate(found):
        after = before[0] + lo, before[1] + hi
        if low * least >= before[1] and high * most <= after[0]:
            return piece
        before = after
    return None
