"""One path of discrete Laplace noise through all epsilons: what is coarser than a release, and what lies between two.

For an integer vector that moves by at most `sensitivity` in L1, let Y_e be what the discrete Laplace mechanism releases
at epsilon = e, for all e at once: a chain in which each Y_e is Y_f plus W of law W(e, f) for e < f, independent of all
that is finer (`refinement`: W is 0 with probability p0, and of law DLap(a) otherwise). The laws fit together, W(e, g) =
W(e, f) + W(f, g), since their generating functions are quotients; so there is one such chain.

Requires: what is given are values of the chain, and the nearest that are known on either side of what is drawn. A value
beyond the finest needs the exact vector: `refine`. These two need no private value.

Guarantees: what is drawn is the chain's value given all that is known of it. So whatever is drawn, in whatever order,
is together private for the largest epsilon drawn, also where each next one is chosen by those before.

Because: a chain is Markov both ways, so that only the nearest neighbours matter. The probability of everything drawn
is that of the finest value times a factor without the exact vector, namely a product of laws of W; its ratio between
neighbouring databases is that of the finest value alone, at most e^epsilon for its epsilon. With a > b > c for
e^-(epsilon / sensitivity) of the coarse value, of the one in the middle and of the fine one, U = middle - fine has the
law W(b, c), V = coarse - middle the law W(a, b), and U is drawn given U + V = y. For y >= 0 (y < 0 by symmetry) the
weights, divided by what they share and by a^y, with s = (b / a)^y, are in sum

    (b - c) (1 - b c) times the three of `refinement` for u < 0, 0 <= u <= y and u > y, where neither is at its atom
    (b - c) (1 - b c) b (1 - a^2) s        at u = y, where V = 0 by its atom
    c (1 - b^2) (a - b) (1 - a b)        at u = 0, where U = 0 by its atom
    c (1 - b^2) b (1 - a^2)        at u = 0 as well, for y = 0 alone, where both are.

The Markov chain is that of Koufogiannis, Han, Pappas 2015, Gradual Release of Sensitive Data under Differential Privacy
(for the continuous law). Time: a few tens of microseconds a value.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from dpsql.mechanisms.coins import Coins, IntegerArray
from dpsql.mechanisms.exact.exact_exp import Bounds, exp_interval
from dpsql.mechanisms.noise.discrete_laplace import draw_one, fewest_dtype
from dpsql.mechanisms.noise.refinement import atom_weight, bounds_of, draw_part, weights_of_sum
from dpsql.mechanisms.parameters import Rational, exact_epsilon, integer, integer_array
from dpsql.mechanisms.selection.weighted import ONE, chosen, less, plus, times

_ATOM_OF_V, _ATOM_OF_U = 3, 4


def coarsen(
    fine: np.ndarray, *, sensitivity: int, epsilon: Rational, finer: Rational, coins: Coins | None = None
) -> IntegerArray:
    """A coarser release at `epsilon`, from a release at `finer` and nothing else.

    `fine`: integers of any shape, int64 or Python ints. `sensitivity`: at least 1, that of the release. ValueError
    unless 0 < epsilon < finer, TypeError for inexact parameters.
    """
    exact, tossed = integer_array("fine", fine), coins or Coins()
    rough, sharp = _rates(sensitivity, epsilon, finer)
    noisy = [value + _added(rough, sharp, tossed) for value in exact.reshape(-1).tolist()]
    return fewest_dtype(noisy).reshape(exact.shape)


def between(
    coarse: np.ndarray,
    fine: np.ndarray,
    *,
    sensitivity: int,
    epsilon: Rational,
    middle: Rational,
    finer: Rational,
    coins: Coins | None = None,
) -> IntegerArray:
    """A release at `middle`, given the nearest coarser one, at `epsilon`, and the nearest finer one, at `finer`.

    `coarse` and `fine`: integers of one shape, int64 or Python ints. `sensitivity`: at least 1, that of the releases.
    ValueError unless 0 < epsilon < middle < finer and the shapes are the same, TypeError for inexact parameters.
    """
    low, high = integer_array("coarse", coarse), integer_array("fine", fine)
    if low.shape != high.shape:
        raise ValueError("the coarse and the fine values have different shapes")
    rates, tossed = _rates(sensitivity, epsilon, middle, finer), coins or Coins()
    pairs = zip(low.reshape(-1).tolist(), high.reshape(-1).tolist(), strict=True)
    noisy = [sharp + _part_of(rough - sharp, rates, tossed) for rough, sharp in pairs]
    return fewest_dtype(noisy).reshape(low.shape)


def _rates(sensitivity: int, *epsilons: Rational) -> tuple[Fraction, ...]:
    size = integer("sensitivity", sensitivity, at_least=1)
    rates = tuple(exact_epsilon(e) / size for e in epsilons)
    if list(rates) != sorted(set(rates)):
        raise ValueError(
            f"epsilons must grow from the coarser to the finer, not {', '.join(map(str, epsilons))}"
        )
    return rates


def _added(rough: Fraction, fine: Fraction, coins: Coins) -> int:
    """One value of W: what the noise of rate `rough` has beyond that of rate `fine`."""

    def weights(bits: int) -> tuple[Bounds, ...]:
        a, b = bounds_of(rough, bits), bounds_of(fine, bits)
        gap = less(ONE, a)
        return times(b, gap, gap), times(less(a, b), less(ONE, times(a, b)))

    return draw_one(rough, coins) if chosen(weights, coins) else 0


def _part_of(y: int, rates: tuple[Fraction, ...], coins: Coins) -> int:
    """One value of U given U + V = y."""
    drawn = _part(abs(y), rates, coins)
    return drawn if y >= 0 else -drawn


def _part(y: int, rates: tuple[Fraction, ...], coins: Coins) -> int:
    rough, middle, fine = rates

    def weights(bits: int) -> tuple[Bounds, ...]:
        a, b, c = (bounds_of(rate, bits) for rate in (rough, middle, fine))
        return tuple(_weights(a, b, c, exp_interval((middle - rough) * y, bits), zero=y == 0))

    piece = chosen(weights, coins)
    if piece in (_ATOM_OF_V, _ATOM_OF_U):
        return y if piece == _ATOM_OF_V else 0
    return draw_part(piece, y, rough, middle, coins)


def _weights(a: Bounds, b: Bounds, c: Bounds, s: Bounds, *, zero: bool) -> Iterator[Bounds]:
    """Bounds of the weights of the pieces, from bounds of a, b, c and s; both atoms of `zero` are one piece."""
    apart = times(less(b, c), less(ONE, times(b, c)))
    yield from (times(apart, weight) for weight in weights_of_sum(a, b, s))
    yield times(apart, atom_weight(a, b, s))
    both = times(b, less(ONE, times(a, a))) if zero else (Fraction(0), Fraction(0))
    one = times(less(a, b), less(ONE, times(a, b)))
    yield times(c, less(ONE, times(b, b)), plus(one, both))
