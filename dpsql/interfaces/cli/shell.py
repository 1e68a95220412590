"""A small shell: statements over several lines until a semicolon, a history, and a few commands."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Unpack

import click

from dpsql.dbapi import Connection
from dpsql.errors import Error
from dpsql.interfaces.cli.answer_formats import sheet_of
from dpsql.interfaces.cli.ask import print_budget
from dpsql.interfaces.cli.options import (
    Asking,
    format_option,
    opened,
    policy_argument,
    print_answer,
    query_options,
)
from dpsql.interfaces.cli.outcome import exit_code, reported, show_error
from dpsql.interfaces.cli.spinner import spinner

PROMPT, CONTINUED = "dpsql> ", "  ...> "
HELP = """\
A query ends with a semicolon and may take several lines.
  \\explain QUERY;   what the query would release and cost; free
  \\budget           what is granted, spent and left
  \\help             this text
  \\q                leave (also Ctrl-D); Ctrl-C drops what was typed"""

_HISTORY_LINES = 2000
_CLOSED = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|/\*.*?\*/|\$(\w*)\$.*?\$\1\$""", re.DOTALL)
_OPENED = re.compile(r"""['"]|/\*|\$\w*\$""")

ReadLine = Callable[[str], str | None]


@click.command()
@policy_argument
@query_options
@format_option
def shell(policy: Path, style: str | None, **asking: Unpack[Asking]) -> None:
    """Ask one query after another; \\help inside lists the commands.

    A query ends with a semicolon. Without a terminal, queries are read from stdin and the first error ends
    the shell with its exit code.
    """
    with reported(), opened(policy, **asking) as connection:
        if not is_terminal():
            raise SystemExit(converse(connection, _from_stdin, style, stop_at_error=True))
        click.echo(f"{policy}, asking as {asking['analyst']}. \\help for help, \\q to leave.", err=True)
        with _history(Path(click.get_app_dir("dpsql")) / "history"):
            converse(connection, _from_terminal, style, stop_at_error=False)


def converse(connection: Connection, read: ReadLine, style: str | None, *, stop_at_error: bool) -> int:
    """Answer what `read` gives until None; returns the exit code of the error that stopped it, else 0."""
    for statement in statements(read):
        if statement == "\\q":
            break
        try:
            _perform(connection, statement, style)
        except Error as error:
            show_error(error, _query_in(statement))
            if stop_at_error:
                return exit_code(error)
        except KeyboardInterrupt:
            click.echo("interrupted; what was charged stays charged", err=True)
    return 0


def statements(read: ReadLine) -> Iterator[str]:
    """Whole statements without their semicolon, and commands; the last may lack its semicolon."""
    held = ""
    while True:
        try:
            line = read(CONTINUED if held else PROMPT)
        except KeyboardInterrupt:
            click.echo(err=True)
            held = ""
            continue
        if line is None:
            break
        held = f"{held}\n{line}" if held else line
        if is_complete(held):
            if statement := _without_semicolon(held):
                yield statement
            held = ""
    if statement := _without_semicolon(held):
        yield statement


def is_complete(text: str) -> bool:
    """Whether a statement ends here: a semicolon outside literals and comments, or a one-line command."""
    if text.lstrip().startswith("\\") and not text.lstrip().startswith("\\explain"):
        return True
    bare = _bare(text)
    return not bare.strip() or (not _OPENED.search(bare) and bare.rstrip().endswith(";"))


def _perform(connection: Connection, statement: str, style: str | None) -> None:
    if statement == "\\budget":
        print_budget(connection.budget(), style)
    elif statement.startswith("\\explain"):
        click.echo(str(connection.explain(_query_in(statement))))
    elif statement.startswith("\\"):
        click.echo(HELP)
    else:
        with spinner("answering"):
            sheet = sheet_of(connection.execute(statement))
        print_answer(sheet, style)


def _query_in(statement: str) -> str:
    return statement.removeprefix("\\explain").lstrip() if statement.startswith("\\explain") else statement


def _without_semicolon(text: str) -> str:
    """The text without blank edges and final semicolons; nothing where only comments are left."""
    return text.strip().rstrip(";").rstrip() if _bare(text).strip(" \t\n;") else ""


def _bare(text: str) -> str:
    """The text with every complete literal replaced by a letter and every complete comment by a blank."""
    return _CLOSED.sub(lambda found: " " if found[0].startswith(("--", "/*")) else "x", text)


def _from_stdin(prompt: str) -> str | None:
    line = sys.stdin.readline()
    return line.rstrip("\n") if line else None


def _from_terminal(prompt: str) -> str | None:
    try:
        return input(prompt)
    except EOFError:
        click.echo()
        return None


def is_terminal() -> bool:
    """Whether a person types the queries."""
    return sys.stdin.isatty()


@contextmanager
def _history(path: Path) -> Iterator[None]:
    """Line editing and a history that only this user can read, where the platform has readline."""
    try:
        import readline
    except ImportError:
        yield
        return
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
        readline.read_history_file(path)
    try:
        yield
    finally:
        readline.set_history_length(_HISTORY_LINES)
        with suppress(OSError):
            readline.write_history_file(path)
