"""Whose call runs next: as many at once as there are engines, and every analyst's turn comes."""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager

from dpsql.interfaces.wire.failures import TooManyCalls


class FairQueue:
    """Gives `places` to callers: to the analyst with the fewest running, then to the one whose turn was longest ago.

    An analyst has at most `most` calls running and waiting, and gets its turns in the order in which it asked.
    """

    __slots__ = ("_changed", "_most", "_places", "_running", "_turns", "_waiting")

    def __init__(self, places: int, most: int) -> None:
        self._changed = threading.Condition()
        self._places = places
        self._most = most
        self._running: Counter[str] = Counter()
        self._turns: dict[str, int] = {}
        self._waiting: deque[tuple[str, object]] = deque()

    @contextmanager
    def turn(self, analyst: str) -> Iterator[None]:
        """A block that runs in a place. Raises TooManyCalls."""
        self._enter(analyst)
        try:
            yield
        finally:
            with self._changed:
                self._running[analyst] -= 1
                self._changed.notify_all()

    def settle(self) -> None:
        """Waits until nothing runs or waits."""
        with self._changed:
            self._changed.wait_for(lambda: not self._running.total() and not self._waiting)

    def _enter(self, analyst: str) -> None:
        mine = (analyst, object())
        with self._changed:
            if self._running[analyst] + sum(of == analyst for of, _ in self._waiting) >= self._most:
                raise TooManyCalls(
                    f"{self._most} calls of this analyst run or wait already, and nothing was charged for this one; "
                    "ask again when one has ended"
                )
            if self._waiting or self._running.total() >= self._places:
                self._waiting.append(mine)
                self._changed.wait_for(lambda: self._next() is mine)
                self._waiting.remove(mine)
            self._running[analyst] += 1
            self._turns[analyst] = 1 + max(self._turns.values(), default=0)
            self._changed.notify_all()

    def _next(self) -> tuple[str, object] | None:
        if self._running.total() >= self._places or not self._waiting:
            return None
        return min(self._waiting, key=lambda waiting: self._rank(waiting[0]))

    def _rank(self, analyst: str) -> tuple[int, int]:
        return self._running[analyst], self._turns.get(analyst, 0)
