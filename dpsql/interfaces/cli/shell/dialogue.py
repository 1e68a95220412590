"""One statement after another: queries are answered, commands are done, and an error does not end a dialogue."""

from __future__ import annotations

import time

import click

from dpsql.errors import Error
from dpsql.interfaces.cli.ask import asked_sheet, asks_for_sql, is_plan_for_people, print_plan
from dpsql.interfaces.cli.options import print_answer, style_for
from dpsql.interfaces.cli.outcome import exit_code, show_error, show_interrupt
from dpsql.interfaces.cli.own_files.question_log import QuestionLog
from dpsql.interfaces.cli.shell.backslash_commands import Shell, run_command
from dpsql.interfaces.cli.shell.statements import LEAVE, ReadLine, statements

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
            show_error(error, _query_in(text or statement))
            if stop_at_error:
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
