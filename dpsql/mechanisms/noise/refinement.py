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

One of the four is chosen by a uniform real, of which as many bits are drawn as bounds of the weights need to decide
(`weighted`); within it x is drawn with exact coins. Time: a few tens of microseconds a value; it depends on y.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import numpy as np

from dpsql.mechanisms.coins import Coins, IntegerArray
from dpsql.mechanisms.exact.exact_exp import Bounds, exp_interval
from dpsql.mechanisms.noise.discrete_laplace import draw_geometric, fewest_dtype
from dpsql.mechanisms.parameters import Rational, exact_epsilon, integer, integer_array
from dpsql.mechanisms.selection.weighted import ONE, chosen, less, times

_LAWS = 64
_LEFT, _BETWEEN, _RIGHT, _ATOM = range(4)


def refine(
    values: np.ndarray,
    coarse: np.ndarray,
    *,
    sensitivity: int,
    epsilon: Rational,
    finer: Rational,
    coins: Coins | None = None,
) -> IntegerArray:
    """The values with discrete Laplace noise of scale sensitivity / finer, drawn given what was released of them at
    scale sensitivity / epsilon.

    `values` and `coarse`: integers of one shape, int64 or Python ints; the result has it as well. `sensitivity`: at
    least 1, in L1 over the whole array. ValueError unless
    0 < epsilon < finer and the shapes are the same, TypeError for inexact parameters.
    """
    exact, released = integer_array("values", values), integer_array("coarse", coarse)
    if exact.shape != released.shape:
        raise ValueError("the values and what was released of them have different shapes")
    size = integer("sensitivity", sensitivity, at_least=1)
    rough, fine = exact_epsilon(epsilon) / size, exact_epsilon(finer) / size
    if not rough < fine:
        raise ValueError(f"a refinement needs a larger epsilon than {epsilon}, not {finer}")
    tossed = coins or Coins()
    pairs = zip(exact.reshape(-1).tolist(), released.reshape(-1).tolist(), strict=True)
    noisy = [value + _refined_noise(seen - value, rough, fine, tossed) for value, seen in pairs]
    return fewest_dtype(noisy).reshape(exact.shape)


def _refined_noise(y: int, rough: Fraction, fine: Fraction, coins: Coins) -> int:
    """One value of X of rate `fine`, given that X + W = y is noise of rate `rough` < `fine`."""
    x = _drawn(abs(y), rough, fine, coins)
    return x if y >= 0 else -x


def _drawn(y: int, rough: Fraction, fine: Fraction, coins: Coins) -> int:
    def weights(bits: int) -> tuple[Bounds, ...]:
        a, b = bounds_of(rough, bits), bounds_of(fine, bits)
        s = exp_interval((fine - rough) * y, bits)
        return (*weights_of_sum(a, b, s), atom_weight(a, b, s))

    piece = chosen(weights, coins)
    return y if piece == _ATOM else draw_part(piece, y, rough, fine, coins)


def draw_part(piece: int, y: int, rough: Fraction, fine: Fraction, coins: Coins) -> int:
    """A value x below 0, between 0 and y, or beyond y, whichever the piece says, in proportion to
    e^(-fine |x| - rough |y - x|)."""
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


def weights_of_sum(a: Bounds, b: Bounds, s: Bounds) -> tuple[Bounds, Bounds, Bounds]:
    """Bounds of the weights of x < 0, 0 <= x <= y and x > y where neither law has an atom, from bounds of a, b and s:
    the first three of the module's."""
    apart = times(less(a, b), a, b)
    return apart, times(less(ONE, times(a, b)), less(a, times(b, s))), times(apart, s)


def atom_weight(a: Bounds, b: Bounds, s: Bounds) -> Bounds:
    """Bounds of the weight of x = y by the atom of W."""
    return times(b, less(ONE, times(a, a)), s)


@lru_cache(maxsize=_LAWS)
def bounds_of(rate: Fraction, bits: int) -> Bounds:
    """Bounds of e^-rate, which is public."""
    return exp_interval(rate, bits)
