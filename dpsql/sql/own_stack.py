"""Work on a stack of its own, so that running out of it never depends on how deep the caller is."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import TypeVar

T = TypeVar("T")

_WAKE_SECONDS = 0.1


class OwnStack:
    """Does one piece of work at a time on another thread, while the caller waits.

    The thread stays for more work for some seconds, if any are given: planning a query on a fresh one takes a tenth
    longer. A caller that is interrupted does not wait on; the work is then waited for before the next. Not for several
    threads at once.
    """

    __slots__ = ("_last", "_seconds", "_worker")

    def __init__(self, seconds: float = 0) -> None:
        self._last: _Turn | None = None
        self._seconds = seconds
        self._worker: _Worker | None = None

    def run(self, work: Callable[[], T]) -> T:
        """What `work` returns; what it raises is raised here."""
        self.settle()
        done: list[T] = []
        turn = self._last = _Turn(lambda: done.append(work()))
        try:
            self._hand_over(turn)
            turn.wait()
        except BaseException:
            turn.cancel()
            raise
        if turn.failure is not None:
            raise turn.failure
        return done[0]

    def _hand_over(self, turn: _Turn) -> None:
        """To the thread that stays, and to a new one where that has left, or is just about to."""
        if self._worker is not None:
            self._worker.turns.put(turn)
        if self._worker is None or self._worker.is_gone:
            self._worker = _Worker(self._seconds)
            self._worker.turns.put(turn)
            self._worker.thread.start()

    def settle(self) -> None:
        """Waits until nothing is being done."""
        if self._last is not None:
            self._last.wait()
            self._last = None

    def close(self) -> None:
        """Lets the thread go; it is begun anew where there is more work."""
        if self._worker is not None:
            self._worker.turns.put(None)


class _Worker:
    """A thread that takes turns until none has come for some seconds, or None comes.

    It says that it is gone and looks once more, so that who hands a turn over and then finds it there can rely on it.
    """

    __slots__ = ("_left", "_seconds", "thread", "turns")

    def __init__(self, seconds: float) -> None:
        self._left = False
        self._seconds = seconds
        self.turns: SimpleQueue[_Turn | None] = SimpleQueue()
        self.thread = threading.Thread(target=self._work, name="dpsql", daemon=True)

    @property
    def is_gone(self) -> bool:
        return self._left or not self.thread.is_alive()

    def _work(self) -> None:
        with suppress(Empty):
            while _taken(self.turns.get(timeout=self._seconds)):
                pass
        self._left = True
        with suppress(Empty):
            while True:
                _taken(self.turns.get_nowait())


def _taken(turn: _Turn | None) -> bool:
    """Takes a turn, if it is one."""
    if turn is not None:
        turn.take()
    return turn is not None


class _Turn:
    """One piece of work, to be taken by one thread or cancelled, whichever comes first.

    An interrupt may come between any two steps of whoever waits: so what is waited for is not that a lock is free; the
    lock only wakes.
    """

    __slots__ = ("_by", "_over", "_wake", "_work", "failure")

    def __init__(self, work: Callable[[], None]) -> None:
        self._work = work
        self._by: dict[str, object] = {}
        self._over = False
        self._wake = threading.Lock()
        self._wake.acquire()
        self.failure: BaseException | None = None

    def take(self) -> None:
        if not self._is_first():
            return
        try:
            self._work()
        except BaseException as error:
            self.failure = error
        self._over = True
        self._wake.release()

    def cancel(self) -> None:
        if self._is_first():
            self._over = True

    def _is_first(self) -> bool:
        mine = object()
        return self._by.setdefault("by", mine) is mine

    def wait(self) -> None:
        while not self._over:
            self._wake.acquire(timeout=_WAKE_SECONDS)
