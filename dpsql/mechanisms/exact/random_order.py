"""Random order: a uniform permutation, so that the place of a released row says nothing about where it came from.

Guarantees: every order of the places 0 .. size - 1 with the same probability, exactly. No float takes part.

Because: each place gets an independent uniform word of 64 bits, and the places are sorted by their words. Words that
are all distinct are exchangeable, so that every order is equally likely; where two are equal all are drawn again, with
a probability of about size^2 / 2^65.

Time: one word for each place and a sort; nothing of the data is read.

Source: Knuth 1997, The Art of Computer Programming, volume 2, 3.4.2 (the law; the sort replaces its exchanges).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dpsql.mechanisms.coins import Coins
from dpsql.mechanisms.parameters import integer

Places = npt.NDArray[np.int64]


def random_order(size: int, *, coins: Coins | None = None) -> Places:
    """The places 0 .. size - 1 in a uniformly random order. ValueError or TypeError for a size that is no count."""
    count, source = integer("size", size, at_least=0), coins or Coins()
    while True:
        words = source.words(count)
        order = np.argsort(words, kind="stable")
        sorted_words = words[order]
        if not np.any(sorted_words[1:] == sorted_words[:-1]):
            return order.astype(np.int64, copy=False)
