"""What is typed, as whole statements: a query ends at its semicolon, a command at the end of its line.

A command may also stand on a line below an unfinished query, which goes on afterwards.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import click

PROMPT, CONTINUED = "dpsql> ", "  ...> "
LEAVE = "\\q"
ReadLine = Callable[[str], str | None]
"""Gives what was typed after a prompt, one line or several; None at the end. Raises KeyboardInterrupt for Ctrl-C."""

_LEAVING = frozenset({"exit", "quit"})
_CLOSED = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|/\*.*?\*/|\$(\w*)\$.*?\$\1\$""", re.DOTALL)
_OPENED = re.compile(r"""['"]|/\*|\$\w*\$""")


def statements(read: ReadLine, *, typed: bool = True) -> Iterator[str]:
    """Whole statements without their semicolon, and commands; the last of a pipe may lack its semicolon.

    Ctrl-C drops what is being typed, as the end does; where nobody types, Ctrl-C is raised.
    """
    held = ""
    while True:
        try:
            line = read(CONTINUED if held else PROMPT)
        except KeyboardInterrupt:
            if not typed:
                raise
            click.echo(err=True)
            held = ""
            continue
        if line is None:
            break
        held = f"{held}\n{line}" if held else line
        if command := command_below(held):
            held = held.rpartition("\n")[0]
            yield command
        elif is_complete(held):
            if statement := without_semicolon(held):
                yield LEAVE if statement.lower() in _LEAVING else statement
            held = ""
    if not typed and (statement := without_semicolon(held)):
        yield statement


def is_complete(text: str) -> bool:
    """Whether a statement ends here: a semicolon outside literals and comments, or a one-line command."""
    if _is_command(text) or text.strip().lower() in _LEAVING:
        return True
    bare = _bare(text)
    return not bare.strip() or (not _OPENED.search(bare) and bare.rstrip().endswith(";"))


def command_below(text: str) -> str:
    """The command that is the last line below an unfinished query; nothing where there is none."""
    query, _, last = text.rpartition("\n")
    below = bool(query.strip()) and not is_in_literal(f"{query}\n")
    return last.strip() if below and _is_command(last) else ""


def _is_command(line: str) -> bool:
    start = line.strip()
    return start.startswith("\\") and not start.startswith("\\explain")


def is_in_literal(text: str) -> bool:
    """Whether the text ends inside a literal, a quoted name or a comment."""
    in_comment = any(f[0].startswith("--") and f.end() == len(text) for f in _CLOSED.finditer(text))
    return in_comment or _OPENED.search(_bare(text)) is not None


def without_semicolon(text: str) -> str:
    """The text without blank edges and final semicolons; nothing where only comments are left."""
    return text.strip().rstrip(";").rstrip() if _bare(text).strip(" \t\n;") else ""


def _bare(text: str) -> str:
    """The text with every complete literal replaced by a letter and every complete comment by a blank."""
    return _CLOSED.sub(lambda found: " " if found[0].startswith(("--", "/*")) else "x", text)
