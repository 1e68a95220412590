"""A line below a notebook's cell while a query runs: the seconds that have passed, and nothing of what it does."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from importlib import import_module
from typing import Protocol

from dpsql.privacy import Cost
from dpsql.release.interrupted_charge import charge_told

_AFTER_SECONDS = 2.0
_BETWEEN_SECONDS = 1.0


class _Shown(Protocol):
    """Something below a cell that can be replaced, as IPython's DisplayHandle."""

    def update(self, data: dict[str, str], *, raw: bool) -> None: ...


_Display = Callable[[str], _Shown]


@contextmanager
def waiting_line(spent: Callable[[], Cost]) -> Iterator[None]:
    """A block that asks one query; above two seconds a notebook shows the time that has passed, until it ends.

    Where a notebook's cell is interrupted, Interrupted says what was charged; `spent` asks what the account has spent.
    Elsewhere than in a notebook nothing is done and nothing asked.
    """
    display = _display()
    if display is None:
        yield
        return
    ended = threading.Event()
    # The kernel knows by the context which cell an output belongs to.
    line = threading.Thread(target=copy_context().run, args=(_line, display, ended), daemon=True)
    line.start()
    try:
        with charge_told(spent):
            yield
    finally:
        ended.set()
        line.join()


def _line(display: _Display, ended: threading.Event) -> None:
    began = time.monotonic()
    if ended.wait(_AFTER_SECONDS):
        return
    shown = display(_text(began))
    while not ended.wait(_BETWEEN_SECONDS):
        shown.update({"text/plain": _text(began)}, raw=True)
    shown.update({"text/plain": "", "text/html": ""}, raw=True)


def _text(began: float) -> str:
    return f"answering, {time.monotonic() - began:.0f} s"


def _display() -> _Display | None:
    """What shows a text below the running cell; None where no notebook runs. IPython is not imported for it."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if getattr(shell, "kernel", None) is None:
        return None
    display: Callable[..., _Shown] = import_module("IPython.display").display
    return lambda text: display({"text/plain": text}, raw=True, display_id=True)
