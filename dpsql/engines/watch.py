"""A limit on how long a DuckDB connection works: it is interrupted from a thread beside it.

DuckDB looks for an interrupt between the chunks that it works on. One scalar call that runs long, such as
`repeat('x', 3000000000)`, is not interrupted by this; a child process is killed instead.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import duckdb

_AGAIN_SECONDS = 0.05
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
            if done.wait(_AGAIN_SECONDS):
                return

    thread = threading.Thread(target=interrupt, name="dpsql limit", daemon=True)
    try:
        thread.start()
        yield
    finally:
        done.set()
        thread.join()
