"""How much noise a measure gets: its error to first order as a function of the cells, next to the measure alone.

All of it is public, and only compares choices: doubles are good enough.
"""

from __future__ import annotations

import math

from dpsql.algebra.question import JOINT_DEGREES, MOMENTS, SECOND_MOMENTS, Aggregate
from dpsql.plan.sums.clusters import Cluster
from dpsql.plan.types import Estimator, Linear


def functional(e: Estimator, cluster: Cluster | None, rows: int | None) -> dict[int, float]:
    """What a measure's error is, to first order, as the sizes of the coefficients of the cells.

    Variances and covariances at uniform columns; averages at a mean a quarter of the range off the middle, to either
    side: exactly in the middle an error of the count would do nothing, and the count would get no budget.
    """
    if cluster is None:
        return _added((1.0, e.n))
    w = float(e.high - e.low)
    if e.second is not None:
        here, there, x = w / 2, (e.second.high - e.second.low) / 2, e.second
        return _added((1.0, x.product), (-there, e.s1), (-here, x.s1), (here * there, e.n))
    if e.measure.aggregate is Aggregate.SUM:
        return _added((1.0, e.s1), (float(e.lo), e.n))
    if e.measure.aggregate is Aggregate.AVG:
        means = (w / 4, 3 * w / 4) if e.s2 or e.lo == e.low else (_typical(cluster, rows),)
        errors = [_added((1.0, e.s1), (-mean, e.n)) for mean in means]
        return {i: math.sqrt(sum(f[i] ** 2 for f in errors) / len(errors)) for i in errors[0]}
    mean = w / 2
    return _added((1.0, e.s2), (-2 * mean, e.s1), (w * w / 6, e.n))


def _added(*weighted: tuple[float, Linear]) -> dict[int, float]:
    total: dict[int, float] = {}
    for weight, linear in weighted:
        for i, c in linear:
            total[i] = total.get(i, 0.0) + weight * (c.numerator / c.denominator)
    return total


def _typical(cluster: Cluster, rows: int | None) -> float:
    """A guess of the size of a mean grid value where a sum and a count are separate, less under a total.

    It is the root mean square of a uniform value: the middle alone would be 0 where the range is symmetric, and
    the count would get no budget.
    """
    lo, hi = cluster.grid.lo, cluster.grid.hi
    guess = math.sqrt((lo * lo + lo * hi + hi * hi) / 3)
    if cluster.total is None or cluster.total.unit_total is None or not rows:
        return guess
    return min(guess, cluster.total.unit_total / rows)


def unit_variance(e: Estimator, cluster: Cluster | None, rows: int | None, grouped: bool) -> float:
    """The variance of the measure asked alone at epsilon 1, in the estimator's own grid units."""
    m = float(rows or 1)
    aggregate = e.measure.aggregate
    if cluster is None:
        return 2 * m * m if aggregate is not Aggregate.COUNT_UNITS or grouped else 2.0
    g = cluster.grid
    scale = 1.0 if e.step is g.step else float(g.step / e.step) ** 2
    if aggregate in JOINT_DEGREES and cluster.x is not None:
        return (m * g.width * cluster.x.width) ** 2
    if aggregate is Aggregate.SUM:
        total = cluster.total.unit_total if cluster.total is not None else None
        plain = m * g.magnitude if rows is not None else None
        least = min(x for x in (plain, total) if x is not None)
        return 2 * float(least) ** 2 * scale
    if aggregate in MOMENTS - SECOND_MOMENTS:
        return (m * g.width) ** 2 * scale
    return (m * float(g.width) ** 2 * scale) ** 2
