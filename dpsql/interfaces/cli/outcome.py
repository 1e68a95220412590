"""How a command ends: errors as plain sentences on stderr, with the place in the query, and an exit code."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

from dpsql.errors import (
    MADE_UP_ROWS,
    BudgetExhausted,
    Error,
    InterfaceError,
    InternalError,
    Interrupted,
    OperationalError,
    Place,
    ProgrammingError,
    QueryRefused,
)
from dpsql.interfaces.cli import terminal
from dpsql.interfaces.cli.terminal.visible import visible
from dpsql.release.interrupted_charge import NOTHING

REFUSED, USAGE, EXHAUSTED, FAILED = 1, 2, 3, 4
INTERRUPTED = 130  # 128 and the number of the signal, as shells have it
_MARGIN = 60


def exit_code(error: Error) -> int:
    """1: the query or the policy is refused; 2: wrong usage; 3: the budget is exhausted; 4: it failed."""
    match error:
        case BudgetExhausted():
            return EXHAUSTED
        case OperationalError() | InternalError():
            return FAILED
        case QueryRefused():
            return REFUSED
        case InterfaceError() | ProgrammingError():
            return USAGE
    return REFUSED


@contextmanager
def reported(sql: str = "", *, if_interrupted: str = NOTHING) -> Iterator[None]:
    """End the command with the error's exit code after saying on stderr what is wrong and where in `sql`.

    After Ctrl-C it says what was charged: what Interrupted says, or else `if_interrupted`.
    """
    try:
        yield
    except Error as error:
        show_error(error, sql)
        raise SystemExit(exit_code(error)) from None
    except KeyboardInterrupt as interrupt:
        show_interrupt(interrupt, if_interrupted)
        raise SystemExit(INTERRUPTED) from None


def show_interrupt(interrupt: KeyboardInterrupt, otherwise: str = NOTHING) -> None:
    """What was charged by then, on stderr, on a line below the terminal's ^C."""
    told = str(interrupt) if isinstance(interrupt, Interrupted) else otherwise
    click.echo(f"\ninterrupted; {told}", err=True)


def show_error(error: Error, sql: str = "", *, mock: str = "--rows mock") -> None:
    """The error's sentences on stderr; a refused query's line stands between the reason and the hint.

    `mock` is how made-up rows are asked for where the error is shown.
    """
    lines = tuple(visible(line) for line in str(error).split("\n"))
    if isinstance(error, QueryRefused) and error.place is not None:
        hint = (visible(error.hint),) if error.hint else ()
        lines = (visible(f"{error.place}: {error.reason}"), *pointed_at(sql, error.place), *hint)
    text = "\n".join(lines).replace(MADE_UP_ROWS, f"{mock} shows made-up rows.")
    click.echo(text, err=True)


def pointed_at(sql: str, place: Place) -> tuple[str, ...]:
    """The line of the place, cut around it if long, and a caret below it; nothing without such a line."""
    lines = sql.split("\n")
    if not 1 <= place.line <= len(lines):
        return ()
    line = visible(lines[place.line - 1].rstrip("\r"), width_kept=True)
    at = min(place.column - 1, len(line))
    start, end = max(0, at - _MARGIN), at + _MARGIN
    head, tail = ("…" if start else "") + line[start:at], line[at:end] + ("…" if line[end:] else "")
    return (f"  {head}{tail}", f"  {' ' * terminal.cells_of(head)}^")
