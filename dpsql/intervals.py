"""The 95 % interval of every released cell: of the noise alone, pushed through the same formula as the value."""

from __future__ import annotations

import math
from fractions import Fraction
from statistics import NormalDist

import numpy as np

from dpsql.algebra.question import MOMENTS, Aggregate
from dpsql.answers import Interval95
from dpsql.estimate import measure_floats, sum_functional
from dpsql.mechanisms import cube_sum, interval_half_width, laplace_sum
from dpsql.mechanisms.discrete_gaussian import interval_half_width as gaussian_half_width
from dpsql.mechanisms.sampler import Sampler
from dpsql.noise import noised
from dpsql.noisy import Integers, Noisy
from dpsql.perform import joined
from dpsql.plan.types import Estimator, Family, Release
from dpsql.privacy import Mechanism

_BETA = 0.05
_DRAWS = 400
_FEWEST_DRAWS = 100
_AT_ONCE = 2_000_000
_MOST_EVALUATIONS = 40_000_000


def intervals(release: Release, noisy: Noisy, sampler: Sampler) -> tuple[tuple[Interval95 | None, ...], ...]:
    """For each measure, the interval of each group; None where a value is NULL.

    The noise law is public, so fresh noise subtracted from the released cells gives cells that could have been true;
    the interval holds the middle 95 % of the measure over such draws. A single cell's interval is exact.
    """
    return tuple(_measure(e, release, noisy, sampler) for e in release.estimators)


def half_width(e: Estimator, release: Release) -> float | None:
    """The half width of a count's or a sum's interval, which no data enters; None for quotients."""
    quotient = e.measure.aggregate in MOMENTS and e.measure.aggregate is not Aggregate.SUM
    if quotient or e.second is not None:
        return None
    functional = sum_functional(e) if e.measure.aggregate is Aggregate.SUM else e.n
    weighted = [(c, *_family_of(cell, release)) for cell, c in functional if c]
    if all(f.mechanism is Mechanism.CUBE for _, f, _ in weighted):
        return _in_cube(weighted)
    exact = _single_cell(e, release)
    if exact is not None:
        return exact
    if all(f.variance is not None for _, f, _ in weighted):
        deviation = math.sqrt(sum(float(c**2 * f.variance) for c, f, _ in weighted if f.variance is not None))
        return NormalDist(0, deviation).inv_cdf(1 - _BETA / 2)
    scales = (float(abs(c) * f.sensitivity / f.epsilon) for c, f, _ in weighted)
    return laplace_sum.half_width(_BETA, tuple(scales))


def _in_cube(weighted: list[tuple[Fraction, Family, int]]) -> float:
    """Of a sum of cells of one cube, or of one cell."""
    family = weighted[0][1]
    coefficients = [Fraction(0)] * len(family.cells)
    for c, _, at in weighted:
        coefficients[at] += c
    return cube_sum.half_width(
        _BETA,
        tuple(map(float, coefficients)),
        sensitivity=family.sensitivity,
        epsilon=family.epsilon,
        widths=family.widths,
    )


def _single_cell(e: Estimator, release: Release) -> float | None:
    """The exact half width where a measure is one cell times a constant."""
    functional = e.s1 if e.measure.aggregate is Aggregate.SUM else e.n
    if len(functional) != 1 or (e.measure.aggregate is Aggregate.SUM and e.n and e.lo):
        return None
    (cell, coefficient) = functional[0]
    family, _ = _family_of(cell, release)
    scale = e.step if e.measure.aggregate is Aggregate.SUM else 1
    if family.variance is not None:
        width = gaussian_half_width(Fraction(1, 20), sigma_squared=family.variance)
    else:
        width = interval_half_width(_BETA, sensitivity=family.sensitivity, epsilon=family.epsilon)
    return float(abs(coefficient) * scale) * width


def _family_of(cell: int, release: Release) -> tuple[Family, int]:
    """The family of a cell, and the cell's place in it."""
    for family in release.families:
        if cell < len(family.cells):
            return family, cell
        cell -= len(family.cells)
    raise IndexError("no family has that cell")


def _noise(release: Release, draws: int, sampler: Sampler) -> Integers:
    """Independent draws of the noise of one group's cells (draws x cells)."""
    zeros = ((f, np.zeros((draws, len(f.cells)), dtype=np.int64)) for f in release.families)
    return joined([noised(f, z, sampler) for f, z in zeros], draws)


def _measure(e: Estimator, release: Release, noisy: Noisy, sampler: Sampler) -> tuple[Interval95 | None, ...]:
    values = measure_floats(e, noisy.cells)
    width = half_width(e, release)
    if width is not None:
        return tuple(Interval95(float(v) - width, float(v) + width) for v in values)
    draws = max(_FEWEST_DRAWS, min(_DRAWS, _MOST_EVALUATIONS // max(len(values), 1)))
    noise = _noise(release, draws, sampler)
    found: list[Interval95 | None] = []
    block = max(1, _AT_ONCE // draws)
    for start in range(0, len(values), block):
        found += _block(e, noisy.cells[start : start + block], noise, values[start : start + block])
    return tuple(found)


def _block(e: Estimator, cells: Integers, noise: Integers, values: np.ndarray) -> list[Interval95 | None]:
    possible = (cells[:, None, :] - noise[None, :, :]).reshape(-1, cells.shape[1])
    drawn = measure_floats(e, possible).reshape(len(cells), len(noise))
    found: list[Interval95 | None] = []
    for row, value in zip(drawn, values, strict=True):
        known = row[~np.isnan(row)]
        if np.isnan(value) or len(known) == 0:
            found.append(None)
        else:
            low, high = np.quantile(known, [_BETA / 2, 1 - _BETA / 2])
            found.append(Interval95(float(low), float(high)))
    return found
