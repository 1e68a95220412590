"""A spinner on stderr for whatever takes longer than a second, with the time that has passed."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from rich.console import Console
from rich.text import Text


@dataclass(frozen=True, slots=True)
class _Elapsed:
    """A message with the seconds since `began`, made anew whenever it is drawn."""

    message: str
    began: float

    def __rich__(self) -> Text:
        return Text(f"{self.message}, {time.monotonic() - self.began:.0f} s")


@contextmanager
def spinner(message: str, *, after: float = 1.0) -> Iterator[None]:
    """Show `message` with a spinner once `after` seconds have passed; only where stderr is a terminal."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    status = console.status(_Elapsed(message, time.monotonic()))
    timer = threading.Timer(after, status.start)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        status.stop()
