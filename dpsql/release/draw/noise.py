"""The noise of a family's cells: the one place where a family's mechanism is turned into a draw."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import cast

import numpy as np

from dpsql.errors import InternalError
from dpsql.mechanisms.sampler import Sampler
from dpsql.plan.rollup.grouping_set_sums import variances_of
from dpsql.plan.types import Blended, Family
from dpsql.privacy import Mechanism
from dpsql.release.draw.noisy import Integers

_FEW = 32


def noised(family: Family, cells: Integers, sampler: Sampler) -> Integers:
    """The cells of every group (groups x cells) with the noise of the family; fails closed for any other mechanism."""
    if family.mechanism is Mechanism.CUBE:
        return sampler.cube(
            cells, sensitivity=family.sensitivity, epsilon=family.epsilon, widths=family.widths
        )
    if len(set(family.widths)) > 1:
        return _by_width(family, cells, sampler)
    flat, width = cells.reshape(-1), family.width(0)
    if family.mechanism is Mechanism.DISCRETE_LAPLACE:
        noisy = sampler.discrete_laplace(flat, sensitivity=family.sensitivity * width, epsilon=family.epsilon)
    elif family.mechanism is Mechanism.DISCRETE_GAUSSIAN and family.variance is not None:
        rho = family.sensitivity**2 / (2 * family.variance)
        noisy = sampler.discrete_gaussian(
            flat, squared_sensitivity=(family.sensitivity * width) ** 2, rho=rho
        )
    else:
        raise InternalError("a family of sums has no such noise; this is a bug in dpsql")
    return cast(Integers, np.asarray(noisy).reshape(cells.shape))


def blended_noise(family: Blended, draws: int, sampler: Sampler) -> Integers:
    """Draws of the noise of cells that are computed from noisy ones (draws x cells), for telling how sure they are.

    A sum of many independent noises is taken for normal.
    """
    total = np.zeros((draws, len(family.cells)))
    for factor, times, noise in family.noises:
        total += factor * _summed(noise, times, draws, sampler).astype(np.float64)
    return np.rint(total).astype(np.int64)


def _summed(family: Family, times: int, draws: int, sampler: Sampler) -> Integers:
    width = len(family.cells)
    if times <= _FEW:
        each = noised(family, np.zeros((draws * times, width), dtype=np.int64), sampler)
        return cast(Integers, each.reshape(draws, times, width).sum(axis=1))
    columns = [
        np.asarray(
            sampler.discrete_gaussian(
                np.zeros(draws, dtype=np.int64), squared_sensitivity=1, rho=1 / (2 * Fraction(v * times))
            )
        )
        for v in variances_of(family)
    ]
    return cast(Integers, np.stack(columns, axis=1))


def _by_width(family: Family, cells: Integers, sampler: Sampler) -> Integers:
    """The cells of each width with their noise, at their places."""
    found: list[Integers] = [cells[:, i : i + 1] for i in range(cells.shape[1])]
    for width in dict.fromkeys(family.widths):
        at = [i for i, w in enumerate(family.widths) if w == width]
        alike = replace(family, widths=(width,) * len(at))
        noisy = noised(alike, cells[:, at], sampler)
        for column, i in enumerate(at):
            found[i] = noisy[:, column : column + 1]
    return cast(Integers, np.hstack(found))
