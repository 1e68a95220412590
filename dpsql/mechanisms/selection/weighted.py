"""A choice among pieces whose weights are known by bounds alone: a uniform real, of which as many bits are drawn as the
bounds need to decide.

Weights are sums and products of positive numbers such as e^-x, and differences of them that are positive. No float
takes part, and each piece has exactly its share.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from dpsql.mechanisms.coins import Coins
from dpsql.mechanisms.exact.exact_exp import Bounds

ONE: Bounds = (Fraction(1), Fraction(1))
_WORD = 64


def times(x: Bounds, *others: Bounds) -> Bounds:
    """Bounds of a product of numbers that are not negative."""
    for y in others:
        x = x[0] * y[0], x[1] * y[1]
    return x


def plus(x: Bounds, y: Bounds) -> Bounds:
    """Bounds of a sum."""
    return x[0] + y[0], x[1] + y[1]


def less(x: Bounds, y: Bounds) -> Bounds:
    """Bounds of a difference that is known not to be negative."""
    return max(x[0] - y[1], Fraction(0)), max(x[1] - y[0], Fraction(0))


def chosen(weights: Callable[[int], tuple[Bounds, ...]], coins: Coins) -> int:
    """The place of a piece, in proportion to its weight: where a uniform real in [0, sum of the weights) falls.

    `weights(bits)` bounds every weight, the more closely the more bits; they must not all be 0.
    """
    uniform = bits = 0
    while True:
        uniform, bits = (uniform << _WORD) | int(coins.words(1)[0]), bits + _WORD
        piece = _decided(Fraction(uniform, 1 << bits), Fraction(uniform + 1, 1 << bits), weights(bits))
        if piece is not None:
            return piece


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
