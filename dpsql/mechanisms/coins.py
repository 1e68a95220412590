"""The only source of randomness: uniform integers and coins of probability exp(-p/q), from the operating system.

Every decision is made on integers, so that each probability is exactly what it says (given uniform bits).
There is no seed, no buffer and no state: a forked process shares nothing with its parent. All draws come from
the one method `random_bytes`, which a test may override.

Time: rejection makes the number of bytes read random. It does not depend on the values that are returned, except that a
coin of probability exp(-p/q) stops at its first failure, so that its time tells something of its outcome.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from dpsql.mechanisms.exact.exact_exp import exp_bounds, exp_uppers

IntegerArray = npt.NDArray[np.int64] | npt.NDArray[np.object_]
Booleans = npt.NDArray[np.bool_]
Words = npt.NDArray[np.uint64]

INT64_LIMIT = 1 << 63


class Coins:
    """Uniform integers and exact coins on the randomness of the operating system; stateless and safe to share."""

    __slots__ = ()

    def random_bytes(self, count: int) -> bytes:
        """`count` uniform bytes; every other method draws from here alone."""
        return os.urandom(count)

    def words(self, count: int) -> Words:
        """`count` uniform 64-bit words."""
        return np.frombuffer(self.random_bytes(8 * count), dtype=np.uint64)

    def below(self, bound: int) -> int:
        """A uniform integer in [0, bound), by rejection on just enough bits; ValueError unless bound >= 1."""
        bits = _bits_below(bound)
        size = (bits + 7) // 8
        while True:
            draw = int.from_bytes(self.random_bytes(size), "little") >> (8 * size - bits)
            if draw < bound:
                return draw

    def integers(self, bound: int, size: int) -> IntegerArray:
        """`size` independent uniform integers in [0, bound): int64 for bounds up to 2^63, Python ints above."""
        bits = _bits_below(bound)
        if bits > 63:
            return self._python_integers(bound, bits, size)
        draws = self._masked(bits, size)
        rejected = np.flatnonzero(draws >= bound) if bound < 1 << bits else np.empty(0, np.intp)
        while rejected.size:
            fresh = self._masked(bits, rejected.size)
            draws[rejected] = fresh
            rejected = rejected[fresh >= bound]
        return draws

    def _masked(self, bits: int, size: int) -> npt.NDArray[np.int64]:
        if bits == 0:
            return np.zeros(size, np.int64)
        width = next(w for w in (8, 16, 32, 64) if w >= bits)
        raw = np.frombuffer(self.random_bytes(size * width // 8), dtype=np.dtype(f"u{width // 8}"))
        return (raw >> (width - bits)).astype(np.int64)

    def _python_integers(self, bound: int, bits: int, size: int) -> npt.NDArray[np.object_]:
        width = (bits + 7) // 8
        raw = self.random_bytes(width * size)
        draws = np.empty(size, dtype=object)
        for i in range(size):
            draw = int.from_bytes(raw[i * width : (i + 1) * width], "little") >> (8 * width - bits)
            draws[i] = draw if draw < bound else self.below(bound)
        return draws

    def bernoulli_exp(self, p: int, q: int) -> bool:
        """True with probability exp(-p/q), exactly; requires p >= 0 and q >= 1, otherwise ValueError.

        Because: for x <= 1 let K be the first k at which a coin of probability x/k fails; P(K > k) = x^k / k!, so that
        P(K odd) = 1 - x + x^2/2! - ... = exp(-x). For x > 1, exp(-x) is a run of floor(x) coins exp(-1) and one coin of
        the rest; the run stops at the first failure, so that a huge x costs no more than a small one. Source: Canonne,
        Kamath, Steinke 2020, The Discrete Gaussian for Differential Privacy, sampling Bernoulli(exp(-gamma)).
        """
        _check_exponent(p, q)
        whole, rest = divmod(p, q)
        while whole:
            if not self._alternating(1, 1):
                return False
            whole -= 1
        return self._alternating(rest, q)

    def _alternating(self, p: int, q: int) -> bool:
        """Bernoulli(exp(-p/q)) for p <= q."""
        odd, bound = True, q
        while self.below(bound) < p:
            odd, bound = not odd, bound + q
        return odd

    def layer(self, weights: Sequence[int]) -> int:
        """The index k with probability proportional to weights[k] * exp(-k), exactly; the first weight is at
        least 1, the others at least 0.

        Because: k is proposed in proportion to integers at or above weights[k] exp(-k) 2^bits, the offset
        within it being uniform, and accepted if and only if that offset, a real number of which further bits
        are drawn while bounds of exp(-k) do not decide, is below weights[k] exp(-k) 2^bits. A proposal is
        rejected with probability about 2^-64.
        """
        bits = 64 + sum(weights).bit_length()
        uppers = exp_uppers(len(weights), bits)
        ends = list(accumulate(w * hi for w, hi in zip(weights, uppers, strict=True)))
        while True:
            draw = self.below(ends[-1])
            k = next(k for k, end in enumerate(ends) if draw < end)
            if self._is_below(draw - (ends[k - 1] if k else 0), weights[k], k, bits):
                return k

    def _is_below(self, offset: int, weight: int, k: int, bits: int) -> bool:
        """Whether a uniform real in [offset, offset + 1) is below weight * exp(-k) * 2^bits."""
        while True:
            lo, hi = exp_bounds(Fraction(k), bits)
            if offset < weight * lo or offset >= weight * hi:
                return offset < weight * lo
            offset, bits = (offset << 64) | int(self.words(1)[0]), bits + 64

    def bernoulli_exp_many(self, numerators: IntegerArray, q: int, p: int = 1) -> Booleans:
        """Independent coins, the i-th true with probability exp(-numerators[i] * p / q), exactly.

        `numerators`: one-dimensional, int64 or Python ints, none negative; p >= 0 and q >= 1; otherwise ValueError.
        Products that leave int64 are computed on Python ints. Because: as `bernoulli_exp`, all elements at once.
        """
        _check_exponent(p, q)
        if numerators.size == 0:
            return np.ones(0, dtype=np.bool_)
        if numerators.min() < 0:
            raise ValueError("a coin of probability exp(-x) needs x >= 0")
        largest = int(numerators.max()) * p
        if largest <= q:
            return self._alternating_many(numerators, q, p)
        exponents = _product(numerators, p, max(largest, q))
        heads = self._runs(exponents // q)
        alive = np.flatnonzero(heads)
        heads[alive] = self._alternating_many(exponents[alive] % q, q, 1)
        return heads

    def _runs(self, lengths: IntegerArray) -> Booleans:
        """For each length whether that many coins exp(-1) in a row all succeed."""
        heads = np.ones(lengths.size, dtype=np.bool_)
        active = np.flatnonzero(lengths > 0)
        done = 0
        while active.size:
            done += 1
            success = self._alternating_many(np.ones(active.size, np.int64), 1, 1)
            heads[active[~success]] = False
            active = active[success]
            active = active[lengths[active] > done]
        return heads

    def _alternating_many(self, numerators: IntegerArray, q: int, p: int) -> Booleans:
        """Bernoulli(exp(-numerators * p / q)) where no exponent exceeds 1.

        The first coin of each run has probability x = n p / q. If every x is at most 2^-s it is tossed as s uniform
        bits that are all 0 and then a coin of probability 2^s x: most elements then cost s bits and no arithmetic.
        """
        odd = np.ones(numerators.size, dtype=np.bool_)
        largest = int(numerators.max()) * p if numerators.size else 0
        if largest == 0:
            return odd
        shift = _spare_bits(largest, q)
        live = np.flatnonzero(self._masked(shift, numerators.size) == 0)
        small, factor, bound = numerators[live], p << shift, q
        while live.size:
            success = np.flatnonzero(self.integers(bound, live.size) < _product(small, factor, bound))
            live, small = live[success], small[success]
            odd[live] = ~odd[live]
            factor, bound = p, bound + q
        return odd


def _bits_below(bound: int) -> int:
    if bound < 1:
        raise ValueError("a uniform integer below a bound needs a bound of at least 1")
    return (bound - 1).bit_length()


def _check_exponent(p: int, q: int) -> None:
    if p < 0 or q < 1:
        raise ValueError("a coin of probability exp(-p/q) needs p >= 0 and q >= 1")


def _spare_bits(largest: int, q: int) -> int:
    """The most s in 0 .. 8 with largest * 2^s <= q, where 0 < largest <= q."""
    return min(8, (q // largest).bit_length() - 1)


def _product(values: IntegerArray, factor: int, limit: int) -> IntegerArray:
    """values * factor, in int64 where the products and whatever is compared with them stay at or below a safe limit."""
    if limit < INT64_LIMIT and values.dtype == np.int64:
        return values * factor
    return values.astype(object) * factor
