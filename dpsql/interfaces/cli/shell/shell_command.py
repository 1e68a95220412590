"""The command `dpsql shell`."""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path
from typing import Unpack

import click

from dpsql.dbapi import Connection
from dpsql.interfaces.cli.options import (
    Asking,
    format_option,
    no_history_option,
    opened,
    policy_argument,
    query_options,
)
from dpsql.interfaces.cli.outcome import reported
from dpsql.interfaces.cli.own_files.question_log import QuestionLog, question_log
from dpsql.interfaces.cli.own_files.state_folder import state_folder
from dpsql.interfaces.cli.shell.backslash_commands import Shell
from dpsql.interfaces.cli.shell.completion import Names, names_of
from dpsql.interfaces.cli.shell.dialogue import converse
from dpsql.interfaces.cli.shell.line_readers import from_stdin, from_terminal, is_terminal


@click.command()
@policy_argument
@query_options
@format_option
@no_history_option
def shell(policy: Path, style: str | None, no_history: bool, **asking: Unpack[Asking]) -> None:
    """Ask one query after another; \\help inside lists the commands.

    A query ends with a semicolon. Tab completes names of tables, columns and functions where prompt_toolkit is
    installed (dpsql[shell]). Without a terminal, queries are read from stdin and the first error ends the shell with
    its exit code.
    """
    with reported(), opened(policy, **asking) as connection:
        log = question_log(policy, asking["analyst"], kept=not no_history)
        opened_shell = Shell(connection, style)
        if not is_terminal():
            raise SystemExit(converse(opened_shell, from_stdin, log, stop_at_error=True))
        click.echo(f"{policy}, asking as {asking['analyst']}. \\help for help, \\q to leave.", err=True)
        _talk(opened_shell, log, None if no_history else state_folder() / "history")


def _talk(shell: Shell, log: QuestionLog, history: Path | None) -> None:
    with from_terminal(cache(partial(_names, shell.connection)), history) as read:
        converse(shell, read, log, stop_at_error=False)


def _names(connection: Connection) -> Names:
    return names_of(connection.tables())
