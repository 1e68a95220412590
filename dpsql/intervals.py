"""The 95 % interval of every cell of an answer: of the noise alone, pushed through the same formula as the value."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from dpsql.algebra.question import MOMENTS, ORDERED, Aggregate
from dpsql.answers import Interval95
from dpsql.estimate import measure_floats, sum_functional
from dpsql.formula import Floats, Formula, Measured, Weighted, measures_of, value_of, weighted
from dpsql.mechanisms import interval_half_width, laplace_sum
from dpsql.mechanisms.sampler import Sampler
from dpsql.noisy import Integers, Noisy
from dpsql.plan.families import combined
from dpsql.plan.types import Estimator, Family, Linear, Release

_BETA = 0.05
_DRAWS = 400
_FEWEST_DRAWS = 100
_AT_ONCE = 2_000_000
_MOST_EVALUATIONS = 40_000_000


def intervals(
    release: Release, formula: Formula, noisy: Noisy, sampler: Sampler
) -> tuple[Interval95 | None, ...]:
    """The interval of a formula of the release's measures for each group; None where its value is NULL or chosen.

    The noise law is public, so fresh noise subtracted from the released cells gives cells that could have been true;
    the interval holds the middle 95 % of the formula over such draws. That of a weighted sum of counts and sums
    needs no draws.
    """
    if is_chosen(formula, release):
        return (None,) * len(noisy.keys)
    values = _values(release, formula, noisy.cells)
    width = error_of(formula, release)
    if width is not None:
        return tuple(Interval95(float(v) - width, float(v) + width) for v in values)
    draws = max(_FEWEST_DRAWS, min(_DRAWS, _MOST_EVALUATIONS // max(len(values), 1)))
    noise = _noise(release, draws, sampler)
    found: list[Interval95 | None] = []
    block = max(1, _AT_ONCE // draws)
    for start in range(0, len(values), block):
        rows = slice(start, start + block)
        found += _block(release, formula, noisy.cells[rows], noise, values[rows])
    return tuple(found)


def _values(release: Release, formula: Formula, cells: Integers) -> Floats:
    with np.errstate(all="ignore"):
        found = value_of(formula, lambda i: measure_floats(release.estimators[i], cells))
    return np.broadcast_to(found, (len(cells),))


def is_chosen(formula: Formula, release: Release) -> bool:
    """Whether an order statistic or a mode is part of a formula: its error is one of rank, and not of value."""
    return any(release.estimators[i].measure.aggregate in ORDERED for i in measures_of(formula))


def error_of(formula: Formula, release: Release) -> float | None:
    """The half width of a formula's interval where no data enters it: a weighted sum of counts and sums; else None."""
    if isinstance(formula, Measured):
        return half_width(release.estimators[formula.index], release)
    found = weighted(formula)
    if found is None or any(half_width(release.estimators[i], release) is None for i in found.factors):
        return None
    return _weighted_error(found, release)


def mean_error(e: Estimator, release: Release) -> float:
    """X where an average over n values is off by at most about X / n: to first order, for the worst mean."""
    ends = (e.low - e.lo, e.high - e.lo)
    return max(_width(combined((e.step, e.s1), (-e.step * end, e.n)), release) for end in ends)


def _weighted_error(found: Weighted, release: Release) -> float:
    factors = {i: f for i, f in found.factors.items() if f}
    if len(factors) == 1:
        ((i, factor),) = factors.items()
        own = half_width(release.estimators[i], release)
        assert own is not None
        return abs(float(factor)) * own
    parts = ((f, _functional(release.estimators[i])) for i, f in factors.items())
    return _width(combined(*parts), release)


def _functional(e: Estimator) -> Linear:
    return sum_functional(e) if e.measure.aggregate is Aggregate.SUM else e.n


def half_width(e: Estimator, release: Release) -> float | None:
    """The half width of a count's or a sum's interval, which no data enters; None for quotients and choices."""
    quotient = e.measure.aggregate in MOMENTS and e.measure.aggregate is not Aggregate.SUM
    if quotient or e.second is not None or e.measure.aggregate in ORDERED:
        return None
    exact = _single_cell(e, release)
    if exact is not None:
        return exact
    return _width(_functional(e), release)


def _width(functional: Linear, release: Release) -> float:
    """The half width of a weighted sum of cells; 0 where no cell is left in it."""
    scales = (float(abs(c) * f.sensitivity / f.epsilon) for c, f in _weighted(functional, release) if c)
    known = tuple(scales)
    return laplace_sum.half_width(_BETA, known) if known else 0.0


def _weighted(functional: Linear, release: Release) -> list[tuple[Fraction, Family]]:
    return [(c, _family_of(cell, release)) for cell, c in functional]


def _single_cell(e: Estimator, release: Release) -> float | None:
    """The exact half width where a measure is one cell times a constant."""
    functional = e.s1 if e.measure.aggregate is Aggregate.SUM else e.n
    if len(functional) != 1 or (e.measure.aggregate is Aggregate.SUM and e.n and e.lo):
        return None
    (cell, coefficient) = functional[0]
    family = _family_of(cell, release)
    scale = e.step if e.measure.aggregate is Aggregate.SUM else 1
    width = interval_half_width(_BETA, sensitivity=family.sensitivity, epsilon=family.epsilon)
    return float(abs(coefficient) * scale) * width


def _family_of(cell: int, release: Release) -> Family:
    for family in release.families:
        if cell < len(family.cells):
            return family
        cell -= len(family.cells)
    raise IndexError("no family has that cell")


def _noise(release: Release, draws: int, sampler: Sampler) -> Integers:
    """Independent draws of the noise of one group's cells (draws x cells)."""
    columns = []
    for family in release.families:
        zeros = np.zeros(draws * len(family.cells), dtype=np.int64)
        drawn = sampler.discrete_laplace(zeros, sensitivity=family.sensitivity, epsilon=family.epsilon)
        columns.append(np.asarray(drawn).reshape(draws, len(family.cells)))
    joined: Integers = np.hstack([*columns, np.zeros((draws, _chosen(release)), dtype=np.int64)])
    return joined


def _chosen(release: Release) -> int:
    """How many cells at the end of a group have no noise that is added to them."""
    return sum(e.measure.aggregate in ORDERED for e in release.estimators)


def _block(
    release: Release, formula: Formula, cells: Integers, noise: Integers, values: Floats
) -> list[Interval95 | None]:
    possible = (cells[:, None, :] - noise[None, :, :]).reshape(-1, cells.shape[1])
    drawn = _values(release, formula, possible).reshape(len(cells), len(noise))
    found: list[Interval95 | None] = []
    for row, value in zip(drawn, values, strict=True):
        known = row[~np.isnan(row)]
        if np.isnan(value) or len(known) == 0:
            found.append(None)
        else:
            low, high = np.quantile(known, [_BETA / 2, 1 - _BETA / 2])
            found.append(Interval95(float(low), float(high)))
    return found
