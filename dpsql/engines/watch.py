"""A limit on how long a DuckDB connection works: it is interrupted from a thread beside it.

DuckDB looks for an interrupt between the chunks that it works on. One scalar call that runs long, such as
`repeat('x', 3000000000)`, is not interrupted by this; a child process is killed instead.
"""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager

import duckdb

_LOOK_SECONDS = 0.25
_REPEAT_SECONDS = 0.05
_TIMES = 1200  # a minute: if the block's end was itself cut off by a signal, this ends all the same


@contextmanager
def interrupted_after(connection: duckdb.DuckDBPyConnection, seconds: float) -> Iterator[None]:
    """A block whose statements are interrupted from `seconds` on, until it is left.

    Guarantees: no interrupt reaches a statement after the block. DuckDB forgets an interrupt when the next
    statement begins, so that one interrupt between two statements would be none: hence again and again.
    """
    done = threading.Event()

    def interrupt() -> None:
        if done.wait(seconds):
            return
        for _ in range(_TIMES):
            connection.interrupt()
            if done.wait(_REPEAT_SECONDS):
                return

    thread = threading.Thread(target=interrupt, name="dpsql limit", daemon=True)
    try:
        thread.start()
        yield
    finally:
        done.set()
        thread.join()


class Watch:
    """The same for the many short blocks of one connection, one after another, by one thread that looks at the clock.

    A thread for each block takes a millisecond, which is more than most statements. Here a block is interrupted up to
    a quarter of a second late, so that this is for limits and not for deadlines. The thread ends with the watch.
    """

    __slots__ = ("__weakref__", "_closed", "_connection", "_interrupting", "_thread", "_times", "_until")

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection
        self._until: float | None = None
        self._interrupting = False
        self._times = 0
        self._closed = False
        self._thread: threading.Thread | None = None

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """A block whose statements are interrupted from `seconds` on; no interrupt reaches a statement after it.

        *Because* the block's end is written before `_interrupting` is read, and the thread writes `_interrupting`
        before it reads whether the block is still there: one of the two sees the other. There is no lock, so that a
        host's KeyboardInterrupt cannot leave one taken.
        """
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(
                target=_looking, args=(weakref.ref(self),), name="dpsql limit", daemon=True
            )
            self._thread.start()
        self._times = _TIMES
        try:
            self._until = time.monotonic() + seconds
            yield
        finally:
            self._until = None
            while self._interrupting:
                time.sleep(0.001)

    def close(self) -> None:
        """Lets the thread end."""
        self._closed = True

    def look(self) -> float | None:
        """Interrupts a block whose time is over; the seconds until the next look, None after the last."""
        if self._closed:
            return None
        until = self._until
        left = until - time.monotonic() if until is not None else _LOOK_SECONDS
        if left > 0 or self._times <= 0:
            return min(max(left, _REPEAT_SECONDS), _LOOK_SECONDS)
        self._interrupting = True
        try:
            if self._until is until:
                self._connection.interrupt()
        finally:
            self._interrupting = False
        self._times -= 1
        return _REPEAT_SECONDS


def _looking(watched: weakref.ref[Watch]) -> None:
    """Looks after a watch until it is closed or gone; between two looks it is not held."""
    while (watch := watched()) is not None:
        pause = watch.look()
        del watch
        if pause is None:
            return
        time.sleep(pause)
