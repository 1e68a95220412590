"""The command `dpsql shell`: one statement after another; an error does not end the dialogue."""

from __future__ import annotations

import time
from contextlib import ExitStack
from functools import cache, partial
from pathlib import Path
from typing import Unpack

import click

from dpsql.dbapi import Connection
from dpsql.errors import Error
from dpsql.interfaces.cli.ask import asked_sheet, asks_for_sql, is_plan_for_people, print_plan
from dpsql.interfaces.cli.options import (
    Asking,
    format_option,
    no_history_option,
    opened,
    policy_argument,
    print_answer,
    query_options,
    style_for,
)
from dpsql.interfaces.cli.outcome import exit_code, reported, show_error, show_interrupt
from dpsql.interfaces.cli.own_files.question_log import QuestionLog, question_log
from dpsql.interfaces.cli.own_files.state_folder import state_folder
from dpsql.interfaces.cli.shell.backslash_commands import Shell, run_command
from dpsql.interfaces.cli.shell.completion import Names, names_of
from dpsql.interfaces.cli.shell.line_readers import from_stdin, from_terminal, is_terminal
from dpsql.interfaces.cli.shell.statements import LEAVE, ReadLine, statements


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

    def reopened(rows: str) -> Connection:
        again: Asking = {**asking, "rows": rows}
        return opened(policy, **again)

    with reported(), ExitStack() as closing_at_the_end:
        log = question_log(policy, asking["analyst"], kept=not no_history)
        opened_shell = Shell(opened(policy, **asking), reopened, style)
        closing_at_the_end.callback(lambda: opened_shell.connection.close())
        if not is_terminal():
            raise SystemExit(converse(opened_shell, from_stdin, log, stop_at_error=True))
        click.echo(f"{policy}, asking as {asking['analyst']}. \\help for help, \\q to leave.", err=True)
        _talk(opened_shell, log, None if no_history else state_folder() / "history")


def _talk(shell: Shell, log: QuestionLog, history: Path | None) -> None:
    with from_terminal(cache(partial(_names, shell)), history) as read:
        converse(shell, read, log, stop_at_error=False)


def _names(shell: Shell) -> Names:
    return names_of(shell.connection.tables())


_EXPLAINS = ("\\explain+", "\\explain")


def converse(shell: Shell, read: ReadLine, log: QuestionLog, *, stop_at_error: bool) -> int:
    """Answer what `read` gives until None; returns the exit code of the error that stopped it, else 0.

    Ctrl-C ends one statement; where errors stop, it is raised.
    """
    for statement in statements(read, typed=not stop_at_error):
        if statement == LEAVE:
            break
        text: str | None = statement
        try:
            if statement.startswith("\\"):
                text = run_command(statement, shell)
            if text is not None:
                shell.last = text
                _answer(text, shell, log)
        except Error as error:
            show_error(error, _query_in(text or statement), mock="\\rows mock")
            if stop_at_error:
                click.echo(
                    "The first error ends what is read from a pipe: nothing behind it was asked.", err=True
                )
                return exit_code(error)
        except KeyboardInterrupt as interrupt:
            if stop_at_error:
                raise
            show_interrupt(interrupt)
    return 0


def _answer(sql: str, shell: Shell, log: QuestionLog) -> None:
    """Answers a query, or shows the plan that EXPLAIN asks for. Raises Interrupted, with what has been charged."""
    if is_plan_for_people(sql, shell.style):
        print_plan(shell.connection.explain(sql), with_sql=asks_for_sql(sql))
        return
    began = time.monotonic()
    sheet = asked_sheet(shell.connection, sql, None, log)
    style = style_for(shell.style)
    print_answer(sheet, "expanded" if shell.expanded and style == "table" else style)
    if shell.timing:
        click.echo(f"answered in {time.monotonic() - began:.3f} s", err=True)


def _query_in(statement: str) -> str:
    """The query that a place in an error is a place of."""
    for command in _EXPLAINS:
        if statement.startswith(command):
            return statement.removeprefix(command).lstrip()
    return statement
