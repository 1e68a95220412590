"""One statement after another: queries are answered, commands are done, and an error does not end a dialogue."""

from __future__ import annotations

import time
from contextlib import suppress

import click

from dpsql.dbapi import Connection
from dpsql.errors import Error
from dpsql.interfaces.cli.answer_formats import sheet_of
from dpsql.interfaces.cli.ask import is_plan_for_people, print_plan
from dpsql.interfaces.cli.options import print_answer, style_for
from dpsql.interfaces.cli.outcome import exit_code, show_error
from dpsql.interfaces.cli.own_files.question_log import QuestionLog
from dpsql.interfaces.cli.shell.backslash_commands import Shell, run_command
from dpsql.interfaces.cli.shell.statements import LEAVE, ReadLine, statements
from dpsql.interfaces.cli.spinner import spinner
from dpsql.privacy import Cost

_EXPLAINS = ("\\explain+", "\\explain")


def converse(shell: Shell, read: ReadLine, log: QuestionLog, *, stop_at_error: bool) -> int:
    """Answer what `read` gives until None; returns the exit code of the error that stopped it, else 0."""
    for statement in statements(read):
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
        except KeyboardInterrupt:
            click.echo("interrupted", err=True)
    return 0


def _answer(sql: str, shell: Shell, log: QuestionLog) -> None:
    """Answers a query, or shows the plan that EXPLAIN asks for. An interrupt says what has been charged by then."""
    if is_plan_for_people(sql, shell.style):
        print_plan(shell.connection.explain(sql), with_sql=False)
        return
    began, before = time.monotonic(), _spent(shell.connection)
    try:
        with log.noting(sql) as asked, spinner("answering"):
            sheet = sheet_of(shell.connection.execute(sql))
            asked.charged(sheet.released.cost)
    except KeyboardInterrupt:
        click.echo(_interrupted(before, _spent(shell.connection)), err=True)
        return
    style = style_for(shell.style)
    print_answer(sheet, "expanded" if shell.expanded and style == "table" else style)
    if shell.timing:
        click.echo(f"answered in {time.monotonic() - began:.3f} s", err=True)


def _spent(connection: Connection) -> Cost | None:
    """What the analyst's own account has spent; None where the ledger cannot be asked."""
    with suppress(Error):
        return connection.budget().spent
    return None


def _interrupted(before: Cost | None, now: Cost | None) -> str:
    if before is None or now is None:
        return "interrupted; what was charged stays charged: \\budget says what is left"
    if before == now:
        return "interrupted; nothing was charged"
    epsilon, delta = float(now.epsilon - before.epsilon), float(now.delta - before.delta)
    return (
        f"interrupted; charged epsilon {epsilon:g}, delta {delta:g}, which stays charged: where the draw was kept, "
        "the same query gives its answer for nothing"
    )


def _query_in(statement: str) -> str:
    """The query that a place in an error is a place of."""
    for command in _EXPLAINS:
        if statement.startswith(command):
            return statement.removeprefix(command).lstrip()
    return statement
