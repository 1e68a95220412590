"""What stderr shows while somebody waits: the phase, how far it is, the time that has passed and the time left.

A terminal has a spinner and a bar, anything else a plain line every ten seconds. Work that ends at once shows nothing.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import click

from dpsql.interfaces.cli import terminal
from dpsql.progress import Phase, Progress

AFTER_SECONDS = 2.0
_BETWEEN_LINES = 10.0
_LEAST_SHARE, _LEAST_SECONDS = 0.02, 2.0


class _Watched:
    """The phase that is under way, and since when; what is drawn of it is made anew each time.

    The lock keeps a phase from being asked for its percentage once the next is told.
    """

    def __init__(self, name: str) -> None:
        self._lock = threading.Lock()
        self._began = self._phase_began = time.monotonic()
        self._phase = Phase(name)

    def tell(self, phase: Phase) -> None:
        """Takes the place of the phase before; one of the same name is the same, further on."""
        with self._lock:
            if phase.name != self._phase.name:
                self._phase_began = time.monotonic()
            self._phase = phase

    def line(self) -> tuple[float | None, str]:
        """How much of the phase is done, and the phase in one line."""
        with self._lock:
            now, phase, share = time.monotonic(), self._phase, self._phase.share
            return share, told(phase, share, now - self._began, now - self._phase_began)


def told(phase: Phase, share: float | None, passed: float, in_phase: float) -> str:
    """A phase in words, `passed` seconds after all began: `share` of it is done, in `in_phase` seconds."""
    parts = [phase.name]
    if phase.unit and phase.total is not None:
        done = phase.done if phase.percent is None else phase.total * (share or 0)
        parts.append(f"{done:,.0f} of {phase.total:,.0f} {phase.unit}")
        if done and in_phase >= _LEAST_SECONDS:
            parts.append(f"{done / in_phase:,.0f} a second")
    elif phase.unit:
        parts.append(f"{phase.done:,.0f} {phase.unit}")
    elif share is not None:
        parts.append(f"{share:.0%}")
    parts.append(_time(passed))
    if share is not None and share >= _LEAST_SHARE and in_phase >= _LEAST_SECONDS:
        parts.append(f"about {_time(in_phase * (1 - share) / share)} left")
    return ", ".join(parts)


def _time(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"


@contextmanager
def spinner(name: str, *, after: float = AFTER_SECONDS) -> Iterator[Progress]:
    """Shows on stderr what the block is doing, once `after` seconds have passed.

    The block tells its phases to what it is given; without that there are `name` and the time that has passed.
    """
    watched, ended = _Watched(name), threading.Event()
    show = threading.Thread(target=_shown, args=(watched, after, ended), daemon=True)
    show.start()
    try:
        yield watched.tell
    finally:
        ended.set()
        show.join()


def _shown(watched: _Watched, after: float, ended: threading.Event) -> None:
    if ended.wait(after) or terminal.show_status(watched.line, ended):
        return
    while not ended.wait(_BETWEEN_LINES):
        click.echo(watched.line()[1], err=True)
