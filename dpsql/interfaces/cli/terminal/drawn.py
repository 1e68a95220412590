"""Tables and the status of long work, drawn with rich."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence

from rich import box
from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from dpsql.slotted import dataclass

_BAR_WIDTH = 24


def print_table(names: Sequence[str], numbers: Sequence[bool], rows: Iterable[Sequence[str]]) -> None:
    """A table to stdout, as wide as the terminal at most; columns of `numbers` stand on the right."""
    Console().print(as_table(names, numbers, rows))


def as_table(names: Sequence[str], numbers: Sequence[bool], rows: Iterable[Sequence[str]]) -> Table:
    """The table that is printed; text stays text, whatever markup it holds."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for name, is_number in zip(names, numbers, strict=True):
        table.add_column(Text(name), justify="right" if is_number else "left", overflow="fold")
    for cells in rows:
        table.add_row(*map(Text, cells))
    return table


def terminal_width() -> int:
    """The columns of the terminal."""
    return Console().width


def cells_of(text: str) -> int:
    """The columns that a text takes on a terminal."""
    return cell_len(text)


def show_status(line: Callable[[], tuple[float | None, str]], ended: threading.Event) -> bool:
    """Draws on stderr what `line` says, a share of the work and a text, until all ended; False if it is no terminal."""
    console = Console(stderr=True)
    if not console.is_terminal:
        return False
    with console.status(_Status(line)):
        ended.wait()
    return True


@dataclass(frozen=True, slots=True)
class _Status:
    """Drawn anew each time that rich refreshes it."""

    line: Callable[[], tuple[float | None, str]]

    def __rich__(self) -> RenderableType:
        share, line = self.line()
        if share is None:
            return Text(line)
        drawn = Table.grid(padding=(0, 1))
        drawn.add_row(ProgressBar(total=1.0, completed=share, width=_BAR_WIDTH), Text(line))
        return drawn
