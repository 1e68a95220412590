"""How lines are read: from a pipe, from a terminal with prompt_toolkit, or from a plain one without it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dpsql.interfaces.cli.own_files.state_folder import private_file
from dpsql.interfaces.cli.shell.completion import Names, candidates, word_before
from dpsql.interfaces.cli.shell.statements import CONTINUED, ReadLine, command_below, is_complete

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import CompleteEvent, Completer, Completion
    from prompt_toolkit.document import Document
    from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

_HISTORY_LINES = 2000


def is_terminal() -> bool:
    """Whether a person types the queries."""
    return sys.stdin.isatty()


def from_stdin(prompt: str) -> str | None:
    """The next line of a pipe."""
    line = sys.stdin.readline()
    return line.rstrip("\n") if line else None


@contextmanager
def from_terminal(names: Callable[[], Names], history: Path | None) -> Iterator[ReadLine]:
    """Reads what a person types, with completion and several lines at a time where prompt_toolkit is installed.

    `history` is a file that only this user can read, or None where nothing is to be kept.
    """
    file = private_file(history) if history is not None else None
    try:
        session = _session(names, file)
    except ImportError:
        with _readline(file):
            yield partial(_asked, input)
        return
    yield partial(_asked, session.prompt)


def _asked(ask: Callable[[str], str], prompt: str) -> str | None:
    try:
        return ask(prompt)
    except EOFError:
        click.echo()
        return None


def _session(names: Callable[[], Names], history: Path | None) -> PromptSession[str]:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.history import FileHistory, InMemoryHistory

    return PromptSession(
        multiline=True,
        prompt_continuation=CONTINUED,
        key_bindings=_bindings(),
        completer=_completer(names),
        complete_while_typing=False,
        history=FileHistory(str(history)) if history is not None else InMemoryHistory(),
        enable_open_in_editor=False,
    )


def _bindings() -> KeyBindings:
    """Enter ends a statement that is whole or a command below one that is not, and else begins a line."""
    from prompt_toolkit.key_binding import KeyBindings

    bindings = KeyBindings()

    @bindings.add("enter")
    def entered(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if is_complete(buffer.text) or command_below(buffer.text):
            buffer.validate_and_handle()
        else:
            buffer.newline(copy_margin=False)

    return bindings


def _completer(names: Callable[[], Names]) -> Completer:
    from prompt_toolkit.completion import Completer, Completion

    class SqlCompleter(Completer):
        """The candidates of the statement that is typed."""

        def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
            before = document.text_before_cursor
            for found in candidates(before, document.text, names()):
                yield Completion(found.text, -len(word_before(before)), display_meta=found.what)

    return SqlCompleter()


@contextmanager
def _readline(history: Path | None) -> Iterator[None]:
    """Line editing and history where the platform has readline."""
    try:
        import readline
    except ImportError:
        yield
        return
    if history is not None:
        with suppress(OSError):
            readline.read_history_file(history)
    try:
        yield
    finally:
        readline.set_history_length(_HISTORY_LINES)
        if history is not None:
            with suppress(OSError):
                readline.write_history_file(history)
