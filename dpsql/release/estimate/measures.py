"""Measures from noisy cells: post-processing only, so that nothing here can cost or leak anything."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import lcm

import numpy as np
import numpy.typing as npt

from dpsql.algebra.expressions import LiteralValue
from dpsql.algebra.facts import MICROS_PER_DAY, value_at
from dpsql.algebra.question import ORDERED, Aggregate, Measure
from dpsql.algebra.types import SqlType
from dpsql.plan.rollup.grouping_set_sums import GroupingSetSums
from dpsql.plan.sums.families import combined
from dpsql.plan.types import Estimator, Linear, Release
from dpsql.release.draw.local_responses import local_columns, local_rows
from dpsql.release.draw.noise import Integers, Noisy, nearest
from dpsql.release.draw.reconcile import rounded_cells
from dpsql.release.estimate.regression import Axis, Joint

Floats = npt.NDArray[np.float64]
_NAN = float("nan")
_SAFE = 2**62


def released_rows(release: Release, noisy: Noisy) -> list[tuple[object, ...]]:
    """The rows of the released table: index, keys, measures, in the declared types."""
    if release.local is not None:
        return local_rows(release.local, noisy)
    measures = [_shown(e, release, noisy) for e in release.estimators]
    return [(i, *key, *(m[i] for m in measures)) for i, key in enumerate(noisy.keys)]


def _shown(e: Estimator, release: Release, noisy: Noisy) -> Sequence[LiteralValue]:
    """The values of a measure; whole numbers of groups with levels are rounded so that their sums are hardly moved."""
    levels = next((p for p in release.parts if isinstance(p, GroupingSetSums)), None)
    if levels is None or not is_whole(e):
        return measure_values(e, noisy.cells)
    numerators, denominator = _whole(_integer_functional(e), noisy.cells)
    below = [n // denominator for n in numerators]
    rest = np.array([n % denominator for n in numerators], dtype=np.float64) / denominator
    return [n + int(r) for n, r in zip(below, rounded_cells(levels, noisy.keys, rest), strict=True)]


def is_whole(e: Estimator) -> bool:
    """Whether a measure is a whole number that adds up: a count, or a sum of integers."""
    return e.measure.sql_type != "DOUBLE" and e.measure.aggregate not in ORDERED


def released_columns(release: Release) -> tuple[tuple[str, str], ...]:
    """The names and declared types of the released table's columns."""
    if release.local is not None:
        return local_columns(release, release.local)
    keys = [(f"k{i}", kind) for i, kind in enumerate(release.keys.types)]
    measures = [(f"a{i}", e.measure.sql_type) for i, e in enumerate(release.estimators)]
    return (("i", "BIGINT"), *keys, *measures)


def measure_values(e: Estimator, cells: Integers) -> Sequence[LiteralValue]:
    """The values of one measure, group by group: integers where its type is one, None for NULL."""
    if e.measure.aggregate in ORDERED:
        return chosen_values(e, cells[:, e.n[0][0]])
    if e.measure.sql_type == "DOUBLE":
        return [None if np.isnan(v) else float(v) for v in measure_floats(e, cells)]
    return _rounded(_integer_functional(e), cells)


def measure_floats(e: Estimator, cells: Integers) -> Floats:
    """The values of one measure as doubles, NaN for NULL: for intervals, and for the measures that are doubles.

    What is chosen and not computed has no intervals, and is NaN.
    """
    if e.measure.aggregate in ORDERED:
        return np.full(len(cells), _NAN)
    return _FORMULAS.get(e.measure.aggregate, _plain)(e, cells)


def chosen_values(e: Estimator, cells: Integers) -> list[LiteralValue]:
    """The values that stand behind the cells of an order statistic or a mode."""
    if e.values:
        return [e.values[int(c)] for c in cells]
    kind = SqlType(e.measure.sql_type)
    return [None if c == 0 else _at(e.step * (e.lo + int(c) - 1), e.measure, kind) for c in cells]


def _at(number: Fraction, measure: Measure, kind: SqlType) -> LiteralValue:
    """A day that is a TIMESTAMP begins at midnight."""
    assert measure.arg is not None
    if measure.arg.type is SqlType.DATE and kind is SqlType.TIMESTAMP:
        number *= MICROS_PER_DAY
    return value_at(number, kind)


def _integer_functional(e: Estimator) -> Linear:
    return sum_functional(e) if e.measure.aggregate is Aggregate.SUM else e.n


def sum_functional(e: Estimator) -> Linear:
    """A sum as a linear function of the cells, in its own units."""
    return combined((e.step, e.s1), (e.step * e.lo, e.n))


def _scaled(linear: Linear, cells: Integers) -> tuple[Integers, int]:
    """A linear function of the cells as exact numerators over one denominator."""
    denominator = lcm(*(c.denominator for _, c in linear)) if linear else 1
    weights = [(i, int(c * denominator)) for i, c in linear]
    used = cells if _fits(cells, sum(abs(w) for _, w in weights)) else cells.astype(object)
    total: Integers = np.zeros(cells.shape[0], dtype=used.dtype)
    for i, weight in weights:
        total = total + used[:, i] * weight
    return total, denominator


def _fits(cells: Integers, weight: int) -> bool:
    """Whether sums of the cells under weights of that size in all stay within 64 bits."""
    if cells.dtype == object or weight >= _SAFE:
        return False
    return not cells.size or max(int(cells.max()), -int(cells.min())) * weight < _SAFE


def _whole(linear: Linear, cells: Integers) -> tuple[list[int], int]:
    """The same as Python integers: twice a denominator may be beyond 64 bits where a column is wide."""
    numerators, denominator = _scaled(linear, cells)
    return numerators.tolist(), denominator


def _rounded(linear: Linear, cells: Integers) -> list[int]:
    numerators, denominator = _whole(linear, cells)
    return [nearest(n, denominator) for n in numerators]


def _float(linear: Linear, cells: Integers) -> Floats:
    """Rounded once, at the end: a count of exactly 2 must not come out just below 2."""
    numerators, denominator = _scaled(linear, cells)
    return numerators.astype(np.float64) / float(denominator)


def _plain(e: Estimator, cells: Integers) -> Floats:
    return _float(e.n, cells)


def _sum(e: Estimator, cells: Integers) -> Floats:
    return _float(sum_functional(e), cells)


def _avg(e: Estimator, cells: Integers) -> Floats:
    """NULL when the noisy count is below 1, else within the bounds."""
    n, s1 = _float(e.n, cells), _float(e.s1, cells)
    enough = n >= 1
    mean = float(e.lo) + s1 / np.where(enough, n, 1.0)
    step = float(e.step)
    return np.where(enough, np.clip(mean * step, e.low * step, e.high * step), _NAN)


def _variance(e: Estimator, cells: Integers, *, sample: bool) -> Floats:
    """Never negative and never above that of half the values at each bound; NULL when the noisy count is too small."""
    n, s1, s2 = _float(e.n, cells), _float(e.s1, cells), _float(e.s2, cells)
    enough = n >= (2 if sample else 1)
    size = np.where(enough, n, 2.0)
    population = np.clip(s2 / size - (s1 / size) ** 2, 0.0, float(Fraction(e.high - e.low, 2)) ** 2)
    corrected = population * size / (size - 1) if sample else population
    return np.where(enough, corrected * float(e.step) ** 2, _NAN)


def joint(e: Estimator, cells: Integers) -> Joint:
    """The noisy sums of a measure of two columns, as doubles."""
    x = e.second
    assert x is not None
    axes = Axis.of(e.step, e.low, e.high), Axis.of(x.step, x.low, x.high)
    n, y1, y2, x1, x2, both = (_float(f, cells) for f in (e.n, e.s1, e.s2, x.s1, x.s2, x.product))
    return Joint(n, y1, y2, x1, x2, both, *axes)


def _deviations(e: Estimator, cells: Integers) -> Floats:
    """n times the variance: at most what half the values at each bound have."""
    return _float(e.n, cells) * _variance(e, cells, sample=False)


_FORMULAS: Mapping[Aggregate, Callable[[Estimator, Integers], Floats]] = {
    Aggregate.SUM: _sum,
    Aggregate.AVG: _avg,
    Aggregate.VAR_SAMP: lambda e, c: _variance(e, c, sample=True),
    Aggregate.VAR_POP: lambda e, c: _variance(e, c, sample=False),
    Aggregate.STDDEV_SAMP: lambda e, c: np.sqrt(_variance(e, c, sample=True)),
    Aggregate.STDDEV_POP: lambda e, c: np.sqrt(_variance(e, c, sample=False)),
    Aggregate.DEVIATIONS: _deviations,
    Aggregate.COVAR_POP: lambda e, c: joint(e, c).covariance(1, 0),
    Aggregate.COVAR_SAMP: lambda e, c: joint(e, c).covariance(2, 1),
    Aggregate.REGR_SXY: lambda e, c: joint(e, c).products(),
    Aggregate.CORR: lambda e, c: joint(e, c).correlation(),
    Aggregate.REGR_SLOPE: lambda e, c: joint(e, c).slope(),
    Aggregate.REGR_INTERCEPT: lambda e, c: joint(e, c).intercept(),
    Aggregate.REGR_R2: lambda e, c: joint(e, c).determination(),
}
