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
    working = threading.Lock()
    working.acquire()

    def run() -> None:
        try:
            done.append(work())
        except BaseException as error:
            failed.append(error)
        finally:
            working.release()

    threading.Thread(target=run, name="dpsql", daemon=True).start()
    # An interrupted caller waits on and is interrupted then, so that nothing goes on behind its back.
    interrupted: BaseException | None = None
    while not (done or failed):
        try:
            working.acquire()
        except BaseException as signal:
            interrupted = signal
    if interrupted is not None:
        raise interrupted
    if failed:
        raise failed[0]
    return done[0]
