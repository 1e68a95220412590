"""The finished rows of a plan, kept for when the same text is asked again and the same draws stand in the ledger.

What is kept saves the public engine's work and decides nothing: charges, draws, sources and the log are looked up for
every answer as if nothing were kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dpsql.engines.base import Row
from dpsql.release.types import Interval95

Draws = tuple[bytes, ...]

_MOST_ROWS = 1_000
_MOST_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class Finished:
    """The rows of an answer, and the intervals of their cells, which are computed when asked for."""

    rows: tuple[Row, ...]
    intervals: Callable[[], tuple[tuple[Interval95 | None, ...], ...]]


class LastFinished:
    """What one plan was finished to last, and from which draws; threads that share the plan share it."""

    __slots__ = ("_last",)

    def __init__(self) -> None:
        self._last: tuple[Draws, Finished] | None = None

    def of(self, draws: Draws) -> Finished | None:
        """What was kept for exactly these draws, byte by byte, in the order of the plan's releases; or None."""
        last = self._last
        return last[1] if last is not None and last[0] == draws else None

    def keep(self, draws: Draws, finished: Finished) -> None:
        """Keeps a small answer in the place of the one before; one with lists, which a host may change, is not kept."""
        small = len(finished.rows) <= _MOST_ROWS and sum(map(len, draws)) <= _MOST_BYTES
        if small and _hashable(finished.rows):
            self._last = (draws, finished)


def _hashable(rows: tuple[Row, ...]) -> bool:
    try:
        hash(rows)
    except TypeError:
        return False
    return True
