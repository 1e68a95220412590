"""Equal keys as equal numbers: what is asked of very many groups is asked of arrays of these."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.int64]
_ROOM = 2**62


def numbered(groups: Sequence[tuple[object, ...]], places: Sequence[int]) -> Numbers:
    """A number for each group: those that agree at these places have the same, from 0 as they appear."""
    if not places:
        return np.zeros(len(groups), dtype=np.int64)
    numbers, size = _values(group[places[0]] for group in groups)
    for place in places[1:]:
        more, width = _values(group[place] for group in groups)
        if size * width > _ROOM:
            numbers, size = _as_they_appear(numbers)
        numbers, size = numbers * width + more, size * width
    return _as_they_appear(numbers)[0] if len(places) > 1 else numbers


def firsts(numbers: Numbers) -> Numbers:
    """Where each of the numbers from 0 first appears."""
    return np.unique(numbers, return_index=True)[1].astype(np.int64)


def most_alike(groups: Sequence[tuple[object, ...]], places: Sequence[int]) -> int:
    """The most groups that agree at these places; 1 without groups."""
    return int(np.bincount(numbered(groups, places)).max()) if groups else 1


def _values(values: Iterable[object]) -> tuple[Numbers, int]:
    """Equal values as equal numbers, from 0 as they appear, and how many values there are."""
    number_of: dict[object, int] = {}
    numbers = np.array([number_of.setdefault(v, len(number_of)) for v in values], dtype=np.int64)
    return numbers, len(number_of)


def _as_they_appear(numbers: Numbers) -> tuple[Numbers, int]:
    """The same numbers from 0, in the order in which they first appear."""
    _, first, inverse = np.unique(numbers, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[inverse.reshape(-1)], len(first)
