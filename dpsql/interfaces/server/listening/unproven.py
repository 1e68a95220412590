"""The connections that have not logged in: a limited number of them, and none keeps others out."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager


class Unproven:
    """At `most` such connections, or at those `of_address`, the oldest one of an address gives way.

    Where all addresses together are too many, it is the address with the most. A client's pool may open all its
    connections at once, each of which needs a moment to log in.
    """

    __slots__ = ("_most", "_of_address", "_tasks")

    def __init__(self, most: int, of_address: int) -> None:
        self._most, self._of_address = most, of_address
        self._tasks: dict[asyncio.Task[None], str] = {}  # in the order of their arrival

    @contextmanager
    def admitted(self, task: asyncio.Task[None], address: str) -> Iterator[None]:
        """A block in which the task, whose connection came from that address, has not logged in."""
        self._make_room(address)
        self._tasks[task] = address
        try:
            yield
        finally:
            self._tasks.pop(task, None)

    def end(self) -> None:
        """Ends all of them."""
        for task in self._tasks:
            task.cancel()

    def _make_room(self, address: str) -> None:
        counts = Counter(self._tasks.values())
        if counts[address] >= self._of_address:
            self._drop(address)
        elif counts.total() >= self._most:
            self._drop(max(counts, key=counts.__getitem__))

    def _drop(self, address: str) -> None:
        oldest = next(task for task, of in self._tasks.items() if of == address)
        del self._tasks[oldest]
        oldest.cancel()
