"""Global sensitivity: how far a query's answer moves at most between neighbouring databases.

The L1 and L2 sensitivities of a vector-valued query f are the largest |f(x) - f(x')|_1 and |f(x) - f(x')|_2 over
all neighbours x, x'. L2 is kept as its square, which is a fraction where the sensitivity is a root.

Requires: a person owns `rows` rows, one unless said otherwise, and each value lies in [lower, upper]; where a
person may own fewer, a missing row is a row with the value 0: the interval must hold 0. Neighbours differ in all
rows of one person, present or absent (add_remove), or replaced by as many others (substitute).

Guarantees: no pair of neighbours differs by more, and some pair does by as much.

Because: see each function; in short, a row adds its own contribution, and the worst replacement takes one
contribution away and adds the opposite one.

Source: Dwork, McSherry, Nissim, Smith 2006, Calibrating Noise to Sensitivity in Private Data Analysis; Dwork and
Roth 2014, 3.3 and 3.5 (counts, histograms).
"""

from __future__ import annotations

import math
from fractions import Fraction

from dpsql.mechanisms.parameters import Rational, exact_positive, integer
from dpsql.privacy import Neighbours
from dpsql.slotted import dataclass


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """The global sensitivity of a query in both norms, exactly: L1, and the square of L2."""

    l1: Fraction
    l2_squared: Fraction

    @property
    def l2(self) -> float:
        """The L2 sensitivity, to the precision of a float."""
        return math.sqrt(self.l2_squared)


def count(neighbours: Neighbours | str, *, rows: int = 1) -> Sensitivity:
    """Of the number of rows that satisfy a condition: `rows` under both relations.

    Because: a person's rows all count or none does; replaced, they may all cease to count.
    """
    _neighbours(neighbours)
    return _one(Fraction(integer("rows", rows, at_least=1)))


def total(lower: Rational, upper: Rational, neighbours: Neighbours | str, *, rows: int = 1) -> Sensitivity:
    """Of a sum of values in [lower, upper]: rows * max(|lower|, |upper|) under add_remove, rows * (upper - lower)
    under substitute.

    Because: a presence adds between rows * lower and rows * upper, and a replacement may move each of a person's
    rows from one end of the interval to the other.
    """
    relation, m = _neighbours(neighbours), integer("rows", rows, at_least=1)
    low, high = _interval(lower, upper)
    return _one(m * (max(abs(low), abs(high)) if relation is Neighbours.ADD_REMOVE else high - low))


def mean(lower: Rational, upper: Rational, n: int, neighbours: Neighbours | str) -> Sensitivity:
    """Of a sum of values in [lower, upper] divided by a public constant n, one row for each person: that of the
    sum over n.

    Under substitute n is the number of people and this is their mean: (upper - lower) / n. Under add_remove the
    number of people is itself private and moves: n is then a constant that does not follow it, and a mean by
    the true number takes two releases, a sum and a count.
    """
    return _one(total(lower, upper, neighbours).l1 / integer("n", n, at_least=1))


def histogram(neighbours: Neighbours | str, *, rows: int = 1) -> Sensitivity:
    """Of the number of rows in each of two or more disjoint cells: L1 1 and L2 1 for one row under add_remove,
    2 and sqrt(2) under substitute, times `rows`.

    Because: a person's rows add up to `rows` over the cells, and their L2 norm is largest if all are in one; a
    replacement may move them all from one cell to another.
    """
    relation, m = _neighbours(neighbours), integer("rows", rows, at_least=1)
    return Sensitivity(Fraction(m * relation.factor), Fraction(m**2 * relation.factor))


def _one(size: Fraction) -> Sensitivity:
    """Of a single number, where both norms are the absolute value."""
    return Sensitivity(size, size**2)


def _neighbours(neighbours: Neighbours | str) -> Neighbours:
    if not isinstance(neighbours, str) or neighbours not in tuple(Neighbours):
        raise ValueError(f"neighbours must be add_remove or substitute, not {neighbours!r}")
    return Neighbours(neighbours)


def _interval(lower: Rational, upper: Rational) -> tuple[Fraction, Fraction]:
    low, high = (_exact_bound(name, v) for name, v in (("lower", lower), ("upper", upper)))
    if low > high:
        raise ValueError(f"lower ({low}) must not be above upper ({high})")
    return low, high


def _exact_bound(name: str, value: Rational) -> Fraction:
    """The value as a Fraction of any sign."""
    if isinstance(value, (int, Fraction)) and not isinstance(value, bool) and value <= 0:
        return Fraction(value)
    return exact_positive(name, value)
