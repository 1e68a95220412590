"""Exact sums of groups in, noisy sums out, by way of several levels: each is noised, and all of them are reconciled.

What comes out are whole cells of the groups alone. A total is their sum, so that totals always agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np

from dpsql.mechanisms.sampler import Sampler
from dpsql.plan.rollup.grouping_set_sums import GroupingSetSums, Positions, places_of
from dpsql.plan.rollup.marginals import Floats, Marginals, estimated, rounded
from dpsql.plan.types import Key
from dpsql.release.draw.noise import Integers, noised, summed_as

_WHOLE = 2.0**53


def noised_by_grouping_set(
    part: GroupingSetSums, groups: tuple[Key, ...], exact: Sequence[Integers], sampler: Sampler
) -> list[Integers]:
    """The cells of every family (groups x cells): each level is added up exactly, noised, and reconciled."""
    at = places_of(part.axes, groups)
    return [_family(part, i, cells, at, sampler) for i, cells in enumerate(exact)]


def marginal_cells(part: GroupingSetSums, cells: Integers, at: Positions) -> tuple[Integers, ...]:
    """The exact cells of each level that is released: with the shape of the table, with 1 for an axis it has not.

    `at` are the places of the groups in the table. Each group is in one cell of a level, and counts once.
    """
    m = part.marginals
    table: Integers = np.zeros(cells.shape, dtype=summed_as(cells))
    table[at] = cells
    table = table.reshape(*m.sizes, cells.shape[1])
    return tuple(_summed(table, m, axes) for axes, _ in m.released)


def _family(part: GroupingSetSums, family: int, cells: Integers, at: Positions, sampler: Sampler) -> Integers:
    noisy, width = [], cells.shape[1]
    for (_, families), exact in zip(part.released, marginal_cells(part, cells, at), strict=True):
        drawn = noised(families[family], cast(Integers, exact.reshape(-1, width)), sampler)
        noisy.append(cast(Integers, drawn.reshape(exact.shape)))
    return reconciled(part.marginals, noisy).reshape(-1, width)[at]


def rounded_cells(part: GroupingSetSums, groups: tuple[Key, ...], values: Floats) -> Floats:
    """Whole numbers, one for each group, whose sums over any level are near those of the values."""
    at, sizes = places_of(part.axes, groups), part.marginals.sizes
    table: Floats = np.zeros(len(groups))
    table[at] = values
    return rounded(table.reshape(sizes), len(sizes)).reshape(-1)[at]


def reconciled(m: Marginals, noisy: Sequence[Integers]) -> Integers:
    """Whole numbers for the table that fit all marginals best; each has the shape of the table, with 1 for an axis that
    it has not.

    What is fitted in doubles is how far the marginals are from the sums of the noisy table, where that is one of them:
    of the size of the noise, however large the numbers are.
    """
    shape = (*m.sizes, noisy[0].shape[-1])
    axes = [a for a, _ in m.released]
    base = noisy[axes.index(m.every)] if m.every in axes else np.zeros(shape, dtype=np.int64)
    base = base.astype(summed_as(base.reshape(-1, shape[-1])))
    apart = [_less(n, _summed(base, m, a)) for n, a in zip(noisy, axes, strict=True)]
    return cast(Integers, base + _whole(rounded(estimated(m, apart), len(m.sizes))))


def _summed(table: Integers, m: Marginals, axes: tuple[int, ...]) -> Integers:
    others = tuple(a for a in m.every if a not in axes)
    return cast(Integers, table.sum(axis=others, keepdims=True) if others else table)


def _less(noisy: Integers, summed: Integers) -> Floats:
    exact = noisy.astype(summed_as(noisy.reshape(-1, noisy.shape[-1])))
    return np.asarray(exact - summed, dtype=np.float64)


def _whole(values: Floats) -> Integers:
    if not values.size or float(np.abs(values).max()) < _WHOLE:
        return values.astype(np.int64)
    exact = np.array([int(v) for v in values.flat], dtype=object)
    return cast(Integers, exact.reshape(values.shape))
