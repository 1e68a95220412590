"""Noisy cells fitted to earlier draws of the same rows: of what was released alone, so that it costs nothing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dpsql.plan.rollup.fitted_sums import FittedSums, Marginal, places_in_marginal
from dpsql.plan.rollup.grouping_set_sums import places_of
from dpsql.plan.types import Presence, Release, ScaledSums, Sums
from dpsql.release.draw.noise import Integers, Noisy, summed_as
from dpsql.release.draw.perform import joined
from dpsql.release.draw.reconcile import reconciled

Received = tuple[Release, Noisy]


def fitted(release: Release, drawn: Noisy, earlier: Sequence[Received]) -> Noisy:
    """The cells of a release, drawn as `drawn`, that fit its draw and the earlier ones best, in whole numbers.

    `earlier` are those that the release was planned with, each as it was planned and drawn. Its groups stay in order.
    """
    columns: list[Integers] = []
    for part in release.parts:
        assert isinstance(part, Presence | Sums | ScaledSums), "what is fitted consists of sums"
        for i in range(sum(len(f.cells) for f in part.families)):
            column = drawn.cells[:, len(columns)]
            if isinstance(part, FittedSums) and part.marginals[i]:
                column = _cell(release, part, i, column, earlier)
            columns.append(column.reshape(-1, 1))
    return Noisy(drawn.keys, joined(columns, len(drawn.keys)))


def _cell(
    release: Release, part: FittedSums, cell: int, drawn: Integers, earlier: Sequence[Received]
) -> Integers:
    domain, m = release.keys.domain, part.weighed(cell)
    assert domain is not None, "what is fitted has public groups"
    at = places_of(part.axes, domain)
    table = drawn[np.argsort(at)]
    marginals = [_marginal(release, part, of, earlier[of.earlier]) for of in part.marginals[cell]]
    fit: Integers = reconciled(m, [table.reshape(*m.sizes, 1), *marginals]).reshape(-1)[at]
    return fit


def _marginal(release: Release, part: FittedSums, of: Marginal, received: Received) -> Integers:
    """The cells of an earlier draw added up, with the shape of the table, and 1 for an axis that it has not."""
    other, noisy = received
    at = places_in_marginal(release, part.axes, of.axes, other)
    assert at is not None, "it was found to be a marginal when it was planned"
    cells = noisy.cells[:, of.cell]
    shape = tuple(a.size if i in of.axes else 1 for i, a in enumerate(part.axes))
    total: Integers = np.zeros(int(at.max()) + 1, dtype=summed_as(cells.reshape(-1, 1)))
    np.add.at(total, at, cells)
    return total.reshape(*shape, 1)
