"""The sizes of units on a logarithmic scale: how many units have a contribution between two powers of two.

A unit's contribution is a vector of integers, a cell for each group and each measure. Its size t is the sum of |cells|
(L1), or the root of the sum of their squares (L2). Every cell is a multiple of 2^f, f = `shift`: cells are summed,
clamped to `cell_limit`, and only then multiplied by 2^f, so that no product overflows on the data's account and every
later step sees what was clamped.

Requires: the vector of a unit depends on its own rows and public tables alone; its cells are multiples of 2^lowest.

Guarantees: a unit is counted in one bin at most: when it comes or goes, one count moves by 1; when it is replaced, two
counts move by 1, or none.

Because: bin j holds the units with 2^(j-1) < t <= 2^j, and these intervals are disjoint; the last bin holds what is
above as well. A unit of size 0 is in no bin. Bins below f would be empty, since a cell other than 0 is at least 2^f.
Squares are compared with powers of 4, so that no root is taken.

Why 2^f: scaling rounds each cell towards 0. With f = 8 + ceil(log2 min(g, 256)) a unit that has 1 in each of its g <=
256 groups, scaled to the size of 1 in one group, keeps 256 or more in each.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from dpsql.mechanisms.coins import IntegerArray
from dpsql.mechanisms.parameters import integer, integer_array
from dpsql.slotted import dataclass

LIMIT_BITS = 62
SQUARE_BITS = 126
LEAST_SHIFT, MANY_GROUPS = 8, 256


@dataclass(frozen=True, slots=True)
class Bins:
    """The bins lowest .. highest: bin j holds sizes above 2^(j-1) up to 2^j, the highest all above 2^(highest-1)."""

    lowest: int
    highest: int

    def __post_init__(self) -> None:
        low, high = (integer(n, getattr(self, n), at_least=0) for n in ("lowest", "highest"))
        if not low <= high <= LIMIT_BITS:
            raise ValueError(
                f"bins go from lowest to highest, at most {LIMIT_BITS}, not from {low} to {high}"
            )

    def __len__(self) -> int:
        return self.highest - self.lowest + 1

    @property
    def powers(self) -> range:
        """The j of each bin, in order."""
        return range(self.lowest, self.highest + 1)


def checked_bins(bins: Bins) -> Bins:
    """The bins; TypeError unless that is what they are."""
    if not isinstance(bins, Bins):
        raise TypeError(f"bins must be a Bins, not {type(bins).__name__}")
    return bins


def checked_counts(noisy_counts: Sequence[int] | np.ndarray, bins: Bins) -> list[int]:
    """One Python int for each bin; TypeError or ValueError otherwise."""
    counts = noisy_counts if isinstance(noisy_counts, np.ndarray) else np.array(noisy_counts, dtype=object)
    if counts.shape != (len(checked_bins(bins)),):
        raise ValueError(f"{len(bins)} bins have as many noisy_counts, not an array of shape {counts.shape}")
    return [int(c) for c in integer_array("noisy_counts", counts)]


def shift(groups: int) -> int:
    """f, for units that touch up to so many groups: 8 + ceil(log2 min(groups, 256)).

    >>> [shift(g) for g in (1, 2, 3, 256, 10**9)]
    [8, 9, 10, 16, 16]
    """
    touched = min(integer("groups", groups, at_least=1), MANY_GROUPS)
    return LEAST_SHIFT + (touched - 1).bit_length()


def cell_limit(limit: int | None, *, shift: int, squared_cells: int | None = None) -> int:
    """What a summed cell is clamped to before it is multiplied by 2^shift: its public limit, if there is one, at most
    2^(62 - shift).

    `squared_cells`: how many cells a unit's vector has, where their squares are added up: the sum stays at or below
    2^126.
    """
    bits = LIMIT_BITS
    if squared_cells is not None:
        bits = min(bits, (SQUARE_BITS - _bits(integer("squared_cells", squared_cells, at_least=1))) // 2)
    room = 1 << max(bits - integer("shift", shift, at_least=0), 0)
    return room if limit is None else min(integer("limit", limit, at_least=1), room)


def bins_up_to(limit: int | None, *, shift: int) -> Bins:
    """The bins for units whose size before the multiplication by 2^shift is at most a public limit.

    `limit`: of the whole vector, never that of one cell, which would count a unit in five groups as one. None: no limit
    is known.
    """
    least = integer("shift", shift, at_least=0)
    if limit is None:
        return Bins(least, LIMIT_BITS)
    return Bins(least, min(_bits(integer("limit", limit, at_least=1) << least), LIMIT_BITS))


def _bits(limit: int) -> int:
    """The least j with limit <= 2^j."""
    return (limit - 1).bit_length()


def sizes(vectors: np.ndarray) -> IntegerArray:
    """The sum of |cells| of each row of a matrix, exactly."""
    return _summed(_matrix(vectors), 1)


def squared_sizes(vectors: np.ndarray) -> IntegerArray:
    """The sum of the squares of each row of a matrix, exactly."""
    return _summed(_matrix(vectors), 2)


def _matrix(vectors: np.ndarray) -> IntegerArray:
    exact = integer_array("vectors", vectors)
    if exact.ndim != 2:
        raise ValueError(f"vectors must be the rows of a matrix, not of shape {exact.shape}")
    return exact


def _summed(vectors: IntegerArray, power: int) -> IntegerArray:
    """In int64 where no sum can leave it, otherwise on Python ints."""
    if vectors.size == 0:
        return np.zeros(len(vectors), np.int64)
    largest = max(int(vectors.max()), -int(vectors.min()))
    if vectors.dtype != object and largest**power * vectors.shape[1] >= 1 << LIMIT_BITS:
        vectors = vectors.astype(object)
    summed: IntegerArray = (np.abs(vectors) ** power).sum(axis=1)
    return summed


def count_units(sizes: np.ndarray, *, bins: Bins) -> npt.NDArray[np.int64]:
    """How many units are in each bin, given the size of each; exact, and to be released with noise only.

    >>> count_units(np.array([0, 1, 2, 3, 4, 5, 1000]), bins=Bins(0, 3)).tolist()
    [1, 1, 2, 2]
    """
    return _counted("sizes", sizes, bins, 1)


def count_units_squared(squared_sizes: np.ndarray, *, bins: Bins) -> npt.NDArray[np.int64]:
    """How many units are in each bin, given the square of each size: 4^(j-1) < t^2 <= 4^j; exact."""
    return _counted("squared_sizes", squared_sizes, bins, 2)


def _counted(name: str, values: np.ndarray, bins: Bins, power: int) -> npt.NDArray[np.int64]:
    exact = integer_array(name, values)
    checked_bins(bins)
    if exact.size and exact.min() < 0:
        raise ValueError(f"{name} cannot be negative")
    inside = exact[exact > 0]
    edges = [1 << j * power for j in bins.powers[:-1]]
    wide = inside.dtype == object or bool(edges and edges[-1] >= 1 << LIMIT_BITS)
    places = np.zeros(inside.size, np.int64)
    for edge in edges:
        above = (inside.astype(object) if wide else inside) > edge
        places += above.astype(np.int64)
    return np.bincount(places, minlength=len(bins)).astype(np.int64)
