"""The sizes of units in powers of the root of 2: how many units have a number between two of them.

The number t of a unit is a whole one: its rows, the largest |value| among them, or the sum of all, in steps of a grid.

Requires: the number of a unit depends on its own rows and public tables alone.

Guarantees: a unit is counted in one bin at most: when it comes or goes, one count moves by 1; when it is replaced, two
counts move by 1, or none.

Because: bin k holds the units with 2^(k-1) < t^2 <= 2^k, and these intervals are disjoint. Squares are compared: thus
no root is taken; for t > 0 the k is the number of binary digits of t^2 - 1. What is above 2^62 counts as 2^62, whose
square is 2^124, the end of the last bin. A unit of number 0 is in no bin. No whole number is in the bins 1 and 3.
"""

from __future__ import annotations

from math import isqrt

import numpy as np
import numpy.typing as npt

from dpsql.mechanisms.clipping.unit_bins import LIMIT_BITS
from dpsql.mechanisms.parameters import integer, integer_array

LARGEST = 1 << LIMIT_BITS
ROOT_BINS = 2 * LIMIT_BITS + 1
"""How many bins there are: k = 0 .. 124."""


def count_by_root(sizes: np.ndarray) -> npt.NDArray[np.int64]:
    """How many units are in each bin, given the number of each; exact, and to be released with noise only.

    >>> count_by_root(np.array([0, 1, 2, 3, 4, 5, 6])).tolist()[:7]
    [1, 0, 1, 0, 2, 1, 1]
    """
    exact = integer_array("sizes", sizes)
    if exact.size and exact.min() < 0:
        raise ValueError("sizes cannot be negative")
    inside = (min(int(t), LARGEST) for t in exact.ravel() if t > 0)
    places = np.array([(t * t - 1).bit_length() for t in inside], np.int64)
    return np.bincount(places, minlength=ROOT_BINS).astype(np.int64)


def largest_size(place: int) -> int:
    """The largest number that is in the bin, or in one before it where the bin can have none.

    >>> [largest_size(k) for k in range(11)]
    [1, 1, 2, 2, 4, 5, 8, 11, 16, 22, 32]
    """
    k = integer("place", place, at_least=0)
    if k >= ROOT_BINS:
        raise ValueError(f"the last place is {ROOT_BINS - 1}, not {k}")
    return isqrt(1 << k)


def smallest_size(place: int) -> int:
    """The smallest number that is in the bin; larger than `largest_size` where the bin can have none."""
    return largest_size(place - 1) + 1 if integer("place", place, at_least=0) else 1
