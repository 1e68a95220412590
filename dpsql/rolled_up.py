"""Coarser groups of a release as sums of its groups: post-processing of what is public, so that it costs nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dpsql.noisy import Integers, Noisy
from dpsql.plan.types import Keys, Release

_SAFE = 2**62


def rolled_up(release: Release, kept: tuple[int, ...]) -> Release:
    """A release of public groups as if it had only some of its keys: the same parts, and so the same cells."""
    keys = release.keys
    coarser = Keys(tuple(keys.exprs[i] for i in kept), tuple(keys.types[i] for i in kept), None)
    return replace(release, keys=coarser)


def added_up(noisy: Noisy, kept: tuple[int, ...]) -> Noisy:
    """The cells of all groups that agree on the keys kept, added up exactly; without keys there is always one group."""
    places: dict[tuple[object, ...], int] = {} if kept else {(): 0}
    found = [tuple(key[i] for i in kept) for key in noisy.keys]
    at = np.array([places.setdefault(key, len(places)) for key in found], dtype=np.int64)
    total: Integers = np.zeros((len(places), noisy.cells.shape[1]), dtype=_summed_as(noisy.cells))
    np.add.at(total, at, noisy.cells)
    order = dict.fromkeys(found) if kept else {(): None}
    return Noisy(tuple(order), total)


def _summed_as(cells: Integers) -> np.dtype:
    """64 bits where no sum of the cells can leave them, Python integers otherwise."""
    most = max((abs(int(cells.max())), abs(int(cells.min())))) if cells.size else 0
    small = cells.dtype != object and most * max(len(cells), 1) < _SAFE
    return np.dtype(np.int64 if small else object)
