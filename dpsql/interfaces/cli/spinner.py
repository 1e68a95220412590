"""A spinner on stderr for whatever takes longer than a second."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console


@contextmanager
def spinner(message: str, *, after: float = 1.0) -> Iterator[None]:
    """Show `message` with a spinner once `after` seconds have passed; only where stderr is a terminal."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    status = console.status(message)
    timer = threading.Timer(after, status.start)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        status.stop()
