"""Work on a stack of its own, so that running out of it never depends on how deep the caller is."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def on_own_stack(work: Callable[[], T]) -> T:
    """What `work` returns, run on a fresh thread while the caller waits; what it raises is raised here."""
    done: list[T] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            done.append(work())
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=run, name="dpsql", daemon=True)
    thread.start()
    _finish(thread)
    if failed:
        raise failed[0]
    return done[0]


def _finish(thread: threading.Thread) -> None:
    """Waits for the thread also where the caller is interrupted, so that nothing goes on behind its back."""
    interrupted: BaseException | None = None
    while thread.is_alive():
        try:
            thread.join()
        except BaseException as signal:
            interrupted = signal
    if interrupted is not None:
        raise interrupted
