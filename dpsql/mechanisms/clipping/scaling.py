"""Scaling: a unit whose contribution is larger than the threshold tau is made smaller, all its cells alike.

Requires: integer vectors, one of each unit; a threshold tau >= 1 that is public (a released histogram chose it).

Guarantees: after `scaled` the sum of |cells| of every unit is at most tau; after `scaled_by_root` the sum of their
squares is at most tau^2. A unit's vector depends on itself and tau alone. A unit at or below tau is left alone, and no
cell changes its sign or grows.

Because (L1): where t = sum |c| > tau, each cell becomes sign(c) floor(|c| tau / t), and the sum of these is at most tau
sum |c| / t = tau.

Because (L2): where ss = sum c^2 > tau^2, each cell becomes sign(c) floor(|c| tau / s) with a whole s, s^2 >= ss, and
the squares add up to at most tau^2 ss / s^2 <= tau^2. s is `root_above`, the least such number.

For an engine whose only root is a float's (`root_from`): any whole h >= 1 will do as a hint, since s = ceil((h +
ceil(ss / h)) / 2) is at least (h + ss / h) / 2 >= sqrt(ss), the arithmetic mean of two numbers being at least their
geometric mean; and s - 1 is taken if its square suffices. No property of the float is needed for that. Where (h -
sqrt(ss))^2 < 2 h, as it is for the root of a double cast to an integer, s is the least such number.

Doubles alone would do as well, as ceil(sqrt(ss) (1 + 2^-50)) + 1, for 1 <= ss <= 2^126: with u = 2^-53, a conversion
that adds two rounded halves gives at least ss (1 - u)^2, a correctly rounded root at least sqrt(ss) (1 - u)^2, and the
rounded product at least sqrt(ss) (1 - u)^3 (1 + 8 u) > sqrt(ss); a ceiling of a double is exact. But ceil(sqrt(ss))
lies below the norm for half of all large ss, and the unit keeps more than tau.
"""

from __future__ import annotations

import math

import numpy as np

from dpsql.mechanisms.clipping.unit_bins import LIMIT_BITS, sizes, squared_sizes
from dpsql.mechanisms.coins import IntegerArray
from dpsql.mechanisms.parameters import integer, integer_array


def scaled(vectors: np.ndarray, *, tau: int) -> IntegerArray:
    """Each row of a matrix with a sum of |cells| of at most tau.

    >>> scaled(np.array([[3, -3], [1, 1]]), tau=4).tolist()
    [[2, -2], [1, 1]]
    """
    limit = integer("tau", tau, at_least=1)
    totals = sizes(vectors)
    return _divided(integer_array("vectors", vectors), limit, totals, totals > limit)


def scaled_by_root(vectors: np.ndarray, *, tau: int) -> IntegerArray:
    """Each row of a matrix with a sum of squared cells of at most tau^2.

    >>> scaled_by_root(np.array([[30, -40], [3, 4]]), tau=10).tolist()
    [[6, -8], [3, 4]]
    """
    limit = integer("tau", tau, at_least=1)
    squares = squared_sizes(vectors).astype(object)
    roots = np.array([root_above(int(s)) for s in squares.tolist()], dtype=object)
    return _divided(integer_array("vectors", vectors), limit, roots, squares > limit**2)


def _divided(vectors: IntegerArray, tau: int, roots: IntegerArray, larger: np.ndarray) -> IntegerArray:
    """sign(c) floor(|c| tau / root) in the rows that are larger, on Python ints where a product needs them."""
    result = vectors.copy()
    chosen = np.flatnonzero(larger)
    if not chosen.size:
        return result
    rows = vectors[chosen]
    largest, divisors = max(int(rows.max()), -int(rows.min())), roots[chosen]
    if rows.dtype == object or max(largest * tau, int(divisors.max())) >= 1 << LIMIT_BITS:
        rows = rows.astype(object)
    result[chosen] = np.sign(rows) * (np.abs(rows) * tau // divisors.astype(rows.dtype)[:, np.newaxis])
    return result


def root_above(square: int) -> int:
    """The least whole s with s^2 >= square.

    >>> [root_above(x) for x in (0, 1, 2, 4, 5, 2**126 - 1)] == [0, 1, 2, 2, 3, 2**63]
    True
    """
    value = integer("square", square, at_least=0)
    return math.isqrt(value - 1) + 1 if value else 0


def root_from(square: int, *, hint: int) -> int:
    """A whole s with s^2 >= square, from any hint of at least 1: what an engine computes from its own root.

    >>> root_from(50, hint=7), root_from(50, hint=1)
    (8, 25)
    """
    value, start = integer("square", square, at_least=1), integer("hint", hint, at_least=1)
    above = (start + (value + start - 1) // start + 1) // 2
    return above - 1 if (above - 1) ** 2 >= value else above
