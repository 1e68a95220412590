"""Coins that take every possible path: the exact law of whatever is computed with them, as fractions.

A coin exp(-x) becomes a coin 2^-x (x a whole number), so that all probabilities are rational: e is replaced
by 2 throughout, in a mechanism and in its guarantee alike. `SeededCoins` repeats itself; `ScriptedCoins` says
what it is told.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction

import numpy as np

from dpsql.mechanisms import Coins


class Truncated(Exception):
    """A path became longer than was asked for."""


class TreeCoins(Coins):
    """One path through the tree of outcomes: it follows a prefix of choices and then takes the first each
    time."""

    def __init__(self, prefix: Sequence[int], depth: int) -> None:
        self.path = list(prefix)
        self.branches: list[int] = []
        self.weight = Fraction(1)
        self.depth = depth

    def choose(self, weights: Sequence[Fraction]) -> int:
        """An outcome, with the probabilities given (those of 0 must be left out by the caller)."""
        if len(weights) == 1:
            return 0
        place = len(self.branches)
        if place == self.depth:
            raise Truncated
        if place == len(self.path):
            self.path.append(0)
        self.branches.append(len(weights))
        self.weight *= weights[self.path[place]]
        return self.path[place]

    def random_bytes(self, count: int) -> bytes:
        raise AssertionError("an enumerated law must not read random bytes")

    def below(self, bound: int) -> int:
        return self.choose([Fraction(1, bound)] * bound)

    def integers(self, bound: int, size: int) -> np.ndarray:
        return np.array([self.below(bound) for _ in range(size)], dtype=np.int64)

    def layer(self, weights: Sequence[int]) -> int:
        """k in proportion to weights[k] * 2^-k."""
        masses = [w * Fraction(1, 2**k) for k, w in enumerate(weights)]
        total = sum(masses)
        open_layers = [k for k, mass in enumerate(masses) if mass]
        return open_layers[self.choose([masses[k] / total for k in open_layers])]

    def bernoulli_exp(self, p: int, q: int) -> bool:
        return self.coin(Fraction(p, q))

    def bernoulli_exp_many(self, numerators: np.ndarray, q: int, p: int = 1) -> np.ndarray:
        return np.array([self.coin(Fraction(int(n) * p, q)) for n in numerators], dtype=bool)

    def coin(self, exponent: Fraction) -> bool:
        """True with probability 2^-exponent."""
        assert exponent.denominator == 1 and exponent >= 0
        success = Fraction(1, 2 ** int(exponent))
        return success == 1 or self.choose([success, 1 - success]) == 0


class ByteTreeCoins(TreeCoins):
    """A tree over uniform draws alone: coins are made of them by the code under test."""

    bernoulli_exp_many = Coins.bernoulli_exp_many
    bernoulli_exp = Coins.bernoulli_exp
    layer = Coins.layer


def law(
    run: Callable[[Coins], Hashable], kind: type[TreeCoins] = TreeCoins, depth: int = 60
) -> Counter[Hashable]:
    """The exact probability of every outcome of `run`; paths that grow too long are counted under
    Truncated."""
    outcomes: Counter[Hashable] = Counter()
    prefix: list[int] | None = []
    while prefix is not None:
        coins = kind(prefix, depth)
        try:
            outcome = run(coins)
        except Truncated:
            outcome = Truncated
        outcomes[outcome] += coins.weight
        prefix = following(coins.path[: len(coins.branches)], coins.branches)
    assert sum(outcomes.values()) == 1
    return outcomes


def following(path: list[int], branches: list[int]) -> list[int] | None:
    """The next path in lexicographic order, or None after the last."""
    while path and path[-1] + 1 == branches[len(path) - 1]:
        path.pop()
    return [*path[:-1], path[-1] + 1] if path else None


class SeededCoins(Coins):
    """The same bytes for the same seed."""

    def __init__(self, seed: int) -> None:
        self.source = random.Random(seed)

    def random_bytes(self, count: int) -> bytes:
        return self.source.randbytes(count)


class ScriptedCoins(Coins):
    """Gives the bytes it was told, and fails when they run out."""

    def __init__(self, script: bytes) -> None:
        self.script = script

    def random_bytes(self, count: int) -> bytes:
        assert count <= len(self.script), "the script has run out"
        given, self.script = self.script[:count], self.script[count:]
        return given


def words(*values: int) -> bytes:
    """64-bit words as the bytes that make them."""
    return np.array(values, dtype=np.uint64).tobytes()
