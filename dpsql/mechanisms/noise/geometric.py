"""The geometric law P(G >= j) = exp(-rate * j), j = 0, 1, ..., drawn exactly by inversion of one uniform word.

One-sided: the geometric mechanism of counts adds two-sided noise, as the discrete Laplace of sensitivity 1; see
`discrete_laplace`, which is built on this.

Requires: a rational rate above 0. The table has about 8.3 / rate entries; callers keep the rate above 2^-6.

Guarantees: exactly that law, in a time that hardly depends on the value drawn: one table look-up, a binary search for a
few per cent of the words, a further word with probability about 2^-12, finer arithmetic with probability about 2^-54.

Because: for U uniform in [0, 1), G = max {j : U < exp(-rate j)} has the law. Of U the first 63 bits w are known: w <
floor(exp(-rate j) 2^63) proves U < exp(-rate j), and w > that floor proves the opposite. Only for w equal to one of the
floors further bits of U are drawn, until bounds of exp(-rate j) of the same precision decide. The table ends at J =
least with exp(-rate J) <= 2^-12; given G >= J, G - J has the law of G (no memory) and is drawn afresh.

Source: Devroye 1986, Non-Uniform Random Variate Generation, III.2 (inversion, guide tables) and X.2 (geometric law).
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from dpsql.mechanisms.coins import Coins, Words
from dpsql.mechanisms.exact.exact_exp import exp_bounds, exp_floors
from dpsql.slotted import dataclass

WORD_BITS = 63
GUIDE_BITS = 12
UNSURE = -1

Int64s = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class GeometricTable:
    """The law of one rate: `floors` are floor(exp(-rate j) 2^63) for j = J .. 1 (ascending), `guide` maps the
    leading 12 bits of a word to its value, or to UNSURE where one of the floors has the same leading bits."""

    rate: Fraction
    floors: Words
    guide: npt.NDArray[np.int16]

    @classmethod
    def of(cls, rate: Fraction) -> GeometricTable:
        """The table of a rate above 0."""
        size = (9 * rate.denominator) // rate.numerator + 1  # 9 > 12 ln 2
        floors = np.array(exp_floors(rate, size, WORD_BITS)[::-1], dtype=np.uint64)
        cells = np.arange(1 << GUIDE_BITS, dtype=np.uint64)
        leading = floors >> np.uint64(WORD_BITS - GUIDE_BITS)
        guide = (size - np.searchsorted(leading, cells, side="right")).astype(np.int16)
        guide[leading.astype(np.intp)] = UNSURE
        return cls(rate, floors, guide)

    def draw(self, words: Words, coins: Coins) -> Int64s:
        """One value for each uniform 63-bit word; further randomness comes from the coins."""
        size = len(self.floors)
        values = self._within_table(words, coins)
        beyond = np.flatnonzero(values == size)
        while beyond.size:
            more = self._within_table(coins.words(beyond.size) >> np.uint64(64 - WORD_BITS), coins)
            values[beyond] += more
            beyond = beyond[more == size]
        return values

    def _within_table(self, words: Words, coins: Coins) -> Int64s:
        """min(G, J) for each word."""
        values: Int64s = self.guide[words >> np.uint64(WORD_BITS - GUIDE_BITS)].astype(np.int64)
        unsure = np.flatnonzero(values == UNSURE)
        values[unsure] = self._search(words[unsure], coins)
        return values

    def _search(self, words: Words, coins: Coins) -> Int64s:
        size = len(self.floors)
        values = size - np.searchsorted(self.floors, words, side="right")  # how many floors exceed the word
        following = self.floors[size - 1 - np.minimum(values, size - 1)]
        for i in np.flatnonzero((values < size) & (following == words)):
            values[i] = self._refine(int(words[i]), int(values[i]), coins)
        return values

    def _refine(self, word: int, value: int, coins: Coins) -> int:
        """min(G, J) for a word that equals the floor of value + 1, with as many more bits of U as it takes."""
        uniform, bits = word, WORD_BITS
        while value < len(self.floors):
            lo, hi = exp_bounds(self.rate * (value + 1), bits)
            if uniform >= hi:
                return value
            if uniform < lo:
                value += 1
            else:
                uniform, bits = (uniform << 64) | int(coins.words(1)[0]), bits + 64
        return value
