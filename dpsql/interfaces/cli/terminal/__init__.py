"""What is drawn on a terminal. rich is imported when something is drawn first: an answer into a file needs none."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dpsql.interfaces.cli.terminal.drawn import cells_of as cells_of
    from dpsql.interfaces.cli.terminal.drawn import print_table as print_table
    from dpsql.interfaces.cli.terminal.drawn import show_status as show_status
    from dpsql.interfaces.cli.terminal.drawn import terminal_width as terminal_width


def __getattr__(name: str) -> object:
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.drawn"), name)
