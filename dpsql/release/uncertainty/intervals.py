"""The 95 % interval of every cell of an answer: of the noise alone, pushed through the same formula as the value."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import TypedDict

import numpy as np

from dpsql.algebra.formula import Floats, Formula, Measured, Weighted, measures_of, value_of, weighted
from dpsql.algebra.question import MOMENTS, ORDERED, Aggregate
from dpsql.mechanisms import interval_half_width
from dpsql.mechanisms.analysis import cube_sum, laplace_sum, noise_sum
from dpsql.mechanisms.noise.discrete_gaussian import interval_half_width as gaussian_half_width
from dpsql.mechanisms.sampler import Sampler
from dpsql.plan.sums.families import combined
from dpsql.plan.types import Blended, Estimator, Family, Linear, Release
from dpsql.privacy import Mechanism
from dpsql.release.draw.noise import Integers, Noisy, blended_noise, noised
from dpsql.release.draw.perform import joined
from dpsql.release.estimate.measures import measure_floats, sum_functional
from dpsql.release.types import Interval95
from dpsql.slotted import dataclass

_BETA = 0.05
_DRAWS = 400
_LAWS = 256
_FEWEST_DRAWS = 100
_AT_ONCE = 2_000_000
_MOST_EVALUATIONS = 40_000_000
_MANY = 64
_SMALL = 0.05
# P(|X| > 1.96 deviations) = 0.05 for a normal X.
_NORMAL = 1.959964


class _Cube(TypedDict):
    """The parameters of a cube's noise."""

    sensitivity: int
    epsilon: Fraction
    widths: tuple[int, ...]


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
    noise = noise_of(release, draws, sampler)
    ends: list[Interval95 | None] = []
    block = max(1, _AT_ONCE // draws)
    for start in range(0, len(values), block):
        rows = slice(start, start + block)
        ends += _block(release, formula, noisy.cells[rows], noise, values[rows])
    return tuple(ends)


def _values(release: Release, formula: Formula, cells: Integers) -> Floats:
    with np.errstate(all="ignore"):
        values = value_of(formula, lambda i: measure_floats(release.estimators[i], cells))
    return np.broadcast_to(values, (len(cells),))


def is_chosen(formula: Formula, release: Release) -> bool:
    """Whether an order statistic or a mode is part of a formula: its error is one of rank, and not of value."""
    return any(release.estimators[i].measure.aggregate in ORDERED for i in measures_of(formula))


def error_of(formula: Formula, release: Release) -> float | None:
    """The half width of a formula's interval where no data enters it: a weighted sum of counts and sums; else None."""
    if isinstance(formula, Measured):
        return half_width(release.estimators[formula.index], release)
    total = weighted(formula)
    if total is None or any(half_width(release.estimators[i], release) is None for i in total.factors):
        return None
    return _weighted_error(total, release)


def mean_error(e: Estimator, release: Release) -> float:
    """X where an average over n values is off by at most about X / n: to first order, for the worst mean."""
    ends = (e.low - e.lo, e.high - e.lo)
    return max(width_of([(release, [(e.step, e.s1), (-e.step * end, e.n)])]) for end in ends)


def _weighted_error(total: Weighted, release: Release) -> float:
    factors = {i: f for i, f in total.factors.items() if f}
    if len(factors) == 1:
        ((i, factor),) = factors.items()
        own = half_width(release.estimators[i], release)
        assert own is not None
        return abs(float(factor)) * own
    return width_of([(release, [(f, functional_of(release.estimators[i])) for i, f in factors.items()])])


def functional_of(e: Estimator) -> Linear:
    """A count or a sum as a weighted sum of its group's cells."""
    return sum_functional(e) if e.measure.aggregate is Aggregate.SUM else e.n


def half_width(e: Estimator, release: Release) -> float | None:
    """The half width of a count's or a sum's interval, which no data enters; None for quotients and choices."""
    quotient = e.measure.aggregate in MOMENTS and e.measure.aggregate is not Aggregate.SUM
    if quotient or e.second is not None or e.measure.aggregate in ORDERED:
        return None
    exact = _single_cell(e, release)
    if exact is not None:
        return exact
    return width_of([(release, [(Fraction(1), functional_of(e))])])


def width_of(sums: Sequence[tuple[Release, Sequence[tuple[Fraction, Linear]]]]) -> float:
    """The half width of a sum over groups with noise of their own: of each, its release and weighted sums of its cells.

    0 where no cell is left in it.
    """
    used: list[tuple[Family, dict[int, Fraction]]] = []
    for release, parts in sums:
        of_group: dict[Family, dict[int, Fraction]] = {}
        for cell, c in combined(*parts):
            if c:
                family, at = _family_of(cell, release)
                of_group.setdefault(family, {})[at] = abs(c)
        used += of_group.items()
    if not used:
        return 0.0
    largest = max(c for _, cells in used for c in cells.values())
    noises = (_noises(f, {i: c / largest for i, c in cells.items()}) for f, cells in used)
    return float(largest) * _half_width(tuple(n for independent in noises for n in independent))


def _noises(family: Family, cells: dict[int, Fraction]) -> tuple[_Noise, ...]:
    """The independent noises that a weighted sum of one family's cells has."""
    if not isinstance(family, Blended):
        return (_Noise.of(family, cells),)
    return tuple(
        replace(_Noise.of(noise, cells), factor=factor, times=times) for factor, times, noise in family.noises
    )


@dataclass(frozen=True, slots=True)
class _Noise:
    """The noise of one family's cells, and how often each counts in a sum; for a cube all of them, zeros as well.

    It is the sum of `times` such noises, each multiplied by `factor`.
    """

    mechanism: Mechanism
    sensitivity: int
    epsilon: Fraction
    variance: Fraction | None
    widths: tuple[int, ...]
    coefficients: tuple[Fraction, ...]
    factor: float = 1.0
    times: int = 1

    @classmethod
    def of(cls, family: Family, cells: dict[int, Fraction]) -> _Noise:
        cube = family.mechanism is Mechanism.CUBE
        kept = range(len(family.cells)) if cube else sorted(cells)
        widths = family.widths if cube else tuple(family.width(i) for i in kept)
        times = tuple(cells.get(i, Fraction(0)) for i in kept)
        return cls(family.mechanism, family.sensitivity, family.epsilon, family.variance, widths, times)

    def cube(self) -> _Cube:
        return {"sensitivity": self.sensitivity, "epsilon": self.epsilon, "widths": self.widths}

    def floats(self) -> tuple[float, ...]:
        return tuple(map(float, self.coefficients))

    def scales(self) -> list[float]:
        """Of Laplace noise."""
        sizes = (c * w for c, w in zip(self.coefficients, self.widths, strict=True))
        return [float(size * self.sensitivity / self.epsilon) for size in sizes]

    @property
    def alone(self) -> bool:
        return (self.factor, self.times) == (1.0, 1)

    def law(self) -> noise_sum.Law:
        one = self._one()
        return one if self.alone else noise_sum.repeated(one, self.factor, self.times)

    def _one(self) -> noise_sum.Law:
        if self.mechanism is Mechanism.CUBE:
            return noise_sum.of_cube(self.floats(), **self.cube())
        if self.variance is None:
            return noise_sum.of_laplace(self.scales())
        sizes = (c * w for c, w in zip(self.coefficients, self.widths, strict=True))
        return noise_sum.of_gaussian(float(sum(s * s for s in sizes)) * float(self.variance))


@lru_cache(maxsize=_LAWS)
def _half_width(noises: tuple[_Noise, ...]) -> float:
    """The half width of a sum of independent noises: computed with care, once for many queries."""
    if len(noises) > _MANY:
        return _half_width_of_many(noises)
    if not all(n.alone for n in noises):
        return noise_sum.half_width(_BETA, [n.law() for n in noises])
    if all(n.mechanism is Mechanism.DISCRETE_LAPLACE for n in noises):
        return laplace_sum.half_width(_BETA, tuple(b for n in noises for b in n.scales()))
    first = noises[0]
    if len(noises) == 1 and first.mechanism is Mechanism.CUBE and sum(map(bool, first.coefficients)) <= 2:
        return cube_sum.half_width(_BETA, first.floats(), **first.cube())
    return noise_sum.half_width(_BETA, [n.law() for n in noises])


def _half_width_of_many(noises: tuple[_Noise, ...]) -> float:
    """The same of many noises: normal where they are of many sizes and none is a great part of the sum."""
    laws = [noise_sum.repeated(n.law(), 1.0, times) for n, times in Counter(noises).items()]
    variance = math.fsum(law.variance for law in laws)
    if len(laws) > _MANY and max(law.variance for law in laws) < _SMALL * variance:
        return _NORMAL * math.sqrt(variance)
    return noise_sum.half_width(_BETA, laws)


def _single_cell(e: Estimator, release: Release) -> float | None:
    """The exact half width where a measure is one cell times a constant."""
    functional = e.s1 if e.measure.aggregate is Aggregate.SUM else e.n
    if len(functional) != 1 or (e.measure.aggregate is Aggregate.SUM and e.n and e.lo):
        return None
    (cell, coefficient) = functional[0]
    family, at = _family_of(cell, release)
    scale = e.step if e.measure.aggregate is Aggregate.SUM else 1
    if family.mechanism is Mechanism.CUBE or isinstance(family, Blended):
        return None
    if family.variance is not None:
        width = _gaussian(family.variance * family.width(at) ** 2)
    else:
        size = family.sensitivity * family.width(at)
        width = _laplace(size, family.epsilon)
    return float(abs(coefficient) * scale) * width


@lru_cache(maxsize=_LAWS)
def _laplace(sensitivity: int, epsilon: Fraction) -> int:
    """The same under discrete Laplace noise."""
    return interval_half_width(_BETA, sensitivity=sensitivity, epsilon=epsilon)


@lru_cache(maxsize=_LAWS)
def _gaussian(variance: Fraction) -> int:
    """The half width of a cell's interval under a discrete Gaussian: computed with care, once for many cells."""
    return gaussian_half_width(Fraction(1, 20), sigma_squared=variance)


def _family_of(cell: int, release: Release) -> tuple[Family, int]:
    """The family of a cell, and the cell's place in it."""
    for family in release.families:
        if cell < len(family.cells):
            return family, cell
        cell -= len(family.cells)
    raise IndexError("no family has that cell")


def noise_of(release: Release, draws: int, sampler: Sampler) -> Integers:
    """Independent draws of the noise of one group's cells (draws x cells)."""
    zeros = ((f, np.zeros((draws, len(f.cells)), dtype=np.int64)) for f in release.families)
    columns = [
        blended_noise(f, draws, sampler) if isinstance(f, Blended) else noised(f, z, sampler)
        for f, z in zeros
    ]
    # Cells at the end of a group have no noise that is added to them.
    chosen = sum(e.measure.aggregate in ORDERED for e in release.estimators)
    return joined([*columns, np.zeros((draws, chosen), dtype=np.int64)], draws)


def _block(
    release: Release, formula: Formula, cells: Integers, noise: Integers, values: Floats
) -> list[Interval95 | None]:
    possible = (cells[:, None, :] - noise[None, :, :]).reshape(-1, cells.shape[1])
    drawn = _values(release, formula, possible).reshape(len(cells), len(noise))
    numbers = ~np.isnan(drawn)
    ends: list[Interval95 | None] = [None] * len(values)
    whole = np.flatnonzero(numbers.all(axis=1) & ~np.isnan(values))
    for i, low, high in zip(whole, *_outermost(drawn[whole]), strict=True):
        ends[i] = Interval95(float(low), float(high))
    for i in np.flatnonzero(~numbers.all(axis=1) & ~np.isnan(values)):
        ends[i] = middle(drawn[i])
    return ends


def middle(drawn: Floats, least: int = 1) -> Interval95 | None:
    """The middle 95 % of the numbers among draws; None where there are fewer than `least`."""
    numbers = drawn[~np.isnan(drawn)]
    if len(numbers) < least:
        return None
    low, high = _outermost(numbers)
    return Interval95(float(low), float(high))


def _outermost(drawn: Floats) -> tuple[Floats, Floats]:
    """The least and the greatest of the middle 95 %, along the last axis: draws themselves, as some may be infinite."""
    last = drawn.shape[-1] - 1
    low, high = math.floor(last * _BETA / 2), math.ceil(last * (1 - _BETA / 2))
    ordered = np.partition(drawn, (low, high), axis=-1)
    return ordered[..., low], ordered[..., high]
