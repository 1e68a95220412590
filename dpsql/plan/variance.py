"""How much noise a measure gets: its error to first order as a function of the cells, next to the measure alone."""

from __future__ import annotations

import math
from fractions import Fraction

from dpsql.algebra.question import JOINT_DEGREES, MOMENTS, SECOND_MOMENTS, Aggregate
from dpsql.plan.clusters import Cluster
from dpsql.plan.families import combined
from dpsql.plan.types import Estimator, Linear


def functional(e: Estimator, cluster: Cluster | None, rows: int | None) -> Linear:
    """What a measure's error is, to first order: averages, variances and covariances at uniform columns."""
    if cluster is None:
        return e.n
    lo, w = Fraction(e.lo), e.high - e.low
    if e.second is not None:
        here, there = Fraction(w, 2), Fraction(e.second.high - e.second.low, 2)
        x = e.second
        return combined((Fraction(1), x.product), (-there, e.s1), (-here, x.s1), (here * there, e.n))
    if e.measure.aggregate is Aggregate.SUM:
        return combined((Fraction(1), e.s1), (lo, e.n))
    mean = Fraction(w, 2) if e.s2 or e.lo == e.low else _typical(cluster, rows)
    if e.measure.aggregate is Aggregate.AVG:
        return combined((Fraction(1), e.s1), (-mean, e.n))
    return combined((Fraction(1), e.s2), (-2 * mean, e.s1), (Fraction(w * w, 6), e.n))


def _typical(cluster: Cluster, rows: int | None) -> Fraction:
    """A guess of the size of a mean grid value where a sum and a count are separate, less under a total.

    It is the root mean square of a uniform value: the middle alone would be 0 where the range is symmetric, and
    the count would get no budget.
    """
    lo, hi = cluster.grid.lo, cluster.grid.hi
    guess = Fraction(math.sqrt(Fraction(lo * lo + lo * hi + hi * hi, 3)))
    if cluster.total is None or cluster.total.unit_total is None or not rows:
        return guess
    return min(guess, Fraction(cluster.total.unit_total, rows))


def unit_variance(e: Estimator, cluster: Cluster | None, rows: int | None, grouped: bool) -> Fraction:
    """The variance of the measure asked alone at epsilon 1, in the estimator's own grid units."""
    m = Fraction(rows or 1)
    aggregate = e.measure.aggregate
    if cluster is None:
        return 2 * m * m if aggregate is not Aggregate.COUNT_UNITS or grouped else Fraction(2)
    g, scale = cluster.grid, (cluster.grid.step / e.step) ** 2
    if aggregate in JOINT_DEGREES and cluster.x is not None:
        return (m * g.width * cluster.x.width) ** 2
    if aggregate is Aggregate.SUM:
        total = cluster.total.unit_total if cluster.total is not None else None
        plain = m * g.magnitude if rows is not None else None
        least = min(x for x in (plain, total) if x is not None)
        return 2 * Fraction(least) ** 2 * scale
    if aggregate in MOMENTS - SECOND_MOMENTS:
        return (m * g.width) ** 2 * scale
    return (m * g.width * g.width * scale) ** 2
