"""Work on a stack of its own, so that running out of it never depends on how deep the caller is."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

_WAKE_SECONDS = 0.1


class OwnStack:
    """Does one piece of work at a time, each on a fresh thread, while the caller waits.

    A caller that is interrupted does not wait on; the work is then waited for before the next. Not for several threads
    at once.
    """

    __slots__ = ("_last",)

    def __init__(self) -> None:
        self._last: _Turn | None = None

    def run(self, work: Callable[[], T]) -> T:
        """What `work` returns; what it raises is raised here."""
        self.settle()
        done: list[T] = []
        turn = self._last = _Turn(lambda: done.append(work()))
        try:
            threading.Thread(target=turn.take, name="dpsql", daemon=True).start()
            turn.wait()
        except BaseException:
            turn.cancel()
            raise
        if turn.failure is not None:
            raise turn.failure
        return done[0]

    def settle(self) -> None:
        """Waits until nothing is being done."""
        if self._last is not None:
            self._last.wait()
            self._last = None


class _Turn:
    """One piece of work, to be taken by a thread or cancelled, whichever comes first.

    An interrupt may come between any two steps of whoever waits: so what is waited for is not that a lock is free; the
    lock only wakes.
    """

    __slots__ = ("_by", "_over", "_wake", "_work", "failure")

    def __init__(self, work: Callable[[], None]) -> None:
        self._work = work
        self._by: dict[str, str] = {}
        self._over = False
        self._wake = threading.Lock()
        self._wake.acquire()
        self.failure: BaseException | None = None

    def take(self) -> None:
        if self._by.setdefault("by", "thread") != "thread":
            return
        try:
            self._work()
        except BaseException as error:
            self.failure = error
        self._over = True
        self._wake.release()

    def cancel(self) -> None:
        if self._by.setdefault("by", "nobody") == "nobody":
            self._over = True

    def wait(self) -> None:
        while not self._over:
            self._wake.acquire(timeout=_WAKE_SECONDS)
