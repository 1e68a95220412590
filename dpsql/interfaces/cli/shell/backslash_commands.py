"""The commands of the shell, which begin with a backslash; all of them are free."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from types import MappingProxyType
from typing import Final

import click

from dpsql.dbapi import Connection
from dpsql.interfaces.cli.answer_formats import Sheet
from dpsql.interfaces.cli.ask import print_budget, print_plan
from dpsql.interfaces.cli.options import print_sheet
from dpsql.interfaces.cli.shell.statements import is_complete, without_semicolon
from dpsql.interfaces.cli.terminal.visible import visible
from dpsql.privacy import FREE
from dpsql.release.types import Released
from dpsql.slotted import dataclass
from dpsql.sql.system_tables.reports import TableReport

_COMMAND: Final = re.compile(r"\\([a-z?]+\+?)\s*(.*)", re.DOTALL)
_TEXT: Final = "VARCHAR"
_ROWS: Final = MappingProxyType(
    {"refuse": "refused", "empty": "answered with no row", "mock": "answered with made-up rows"}
)


@dataclass(slots=True)
class Shell:
    """An open shell: its connection, how rows are printed, and the query that was asked last.

    `reopened` gives another connection, for which it is said what becomes of queries for rows of people.
    """

    connection: Connection
    reopened: Callable[[str], Connection]
    style: str | None = None
    expanded: bool = False
    timing: bool = False
    last: str = ""


@dataclass(frozen=True, slots=True)
class Command:
    """A command: how it is written, what it does in a line, and the function, which may give a query to ask."""

    usage: str
    meaning: str
    run: Callable[[Shell, str], str | None]


def run_command(text: str, shell: Shell) -> str | None:
    """Does what a command says; the query to ask next where it gives one. An unknown command shows the help."""
    command = _COMMAND.fullmatch(text.strip())
    name, argument = (command[1], command[2].strip()) if command else ("", "")
    if name not in COMMANDS:
        click.echo(f"there is no command {visible(text.split()[0])}", err=True)
    return COMMANDS.get(name, _HELP).run(shell, argument)


def _explain(shell: Shell, query: str) -> None:
    print_plan(shell.connection.explain(query), with_sql=False)


def _explain_all(shell: Shell, query: str) -> None:
    print_plan(shell.connection.explain(query), with_sql=True)


def _tables(shell: Shell, _: str) -> None:
    rows = [(_name(t), t.comment or "") for t in shell.connection.tables() if not t.system]
    _print(("table", "what it is"), rows, shell)


def _describe(shell: Shell, name: str) -> None:
    """The columns of a table; without a name, all tables, those about the system as well."""
    tables = shell.connection.tables()
    if not name:
        rows = [(_name(t), t.comment or ("about the system" if t.system else "")) for t in tables]
        _print(("table", "what it is"), rows, shell)
        return
    table = next(
        (t for t in tables if name.lower() in (_name(t).lower(), f"{t.schema}.{t.name}".lower())), None
    )
    if table is None:
        click.echo(f"there is no table {visible(name)}; \\d lists them", err=True)
        return
    columns = [
        (c.name, c.type, "yes" if c.nullable else "no", _told(table, c.name, c.comment))
        for c in table.columns
    ]
    _print(("column", "type", "may be NULL", "what is known of it"), columns, shell)


def _name(table: TableReport) -> str:
    return table.name if table.schema == "main" else f"{table.schema}.{table.name}"


def _told(table: TableReport, column: str, comment: str | None) -> str:
    keys = ["unique"] if column in table.primary_key else []
    keys += [f"key of {k.table}.{k.referred[0]}" for k in table.foreign_keys if column in k.columns]
    return "; ".join([*([comment] if comment else []), *keys])


def _print(names: Sequence[str], rows: Sequence[tuple[str, ...]], shell: Shell) -> None:
    print_sheet(Sheet(tuple(names), (_TEXT,) * len(names), tuple(rows), Released(FREE)), shell.style)


def _expand(shell: Shell, _: str) -> None:
    shell.expanded = not shell.expanded
    click.echo(f"each row is {'a block of lines' if shell.expanded else 'a line'} from now on", err=True)


def _time(shell: Shell, _: str) -> None:
    shell.timing = not shell.timing
    click.echo(f"how long an answer took is {'shown' if shell.timing else 'not shown'} from now on", err=True)


def _budget(shell: Shell, _: str) -> None:
    print_budget(shell.connection.budget(), shell.style)


def _rows(shell: Shell, wanted: str) -> None:
    """Another connection takes the place of the open one: its ledger and its sources are the same."""
    if wanted not in _ROWS:
        click.echo(f"write \\rows with one of {', '.join(_ROWS)}", err=True)
        return
    before, shell.connection = shell.connection, shell.reopened(wanted)
    before.close()
    click.echo(f"a query for rows of people is {_ROWS[wanted]} from now on", err=True)


def _edit(shell: Shell, _: str) -> str | None:
    """The last query, as it is saved in the editor; it is asked where it ends with a semicolon."""
    edited = click.edit(f"{shell.last};\n" if shell.last else "", extension=".sql")
    if edited is None or not without_semicolon(edited):
        click.echo("nothing was saved; nothing is asked", err=True)
        return None
    click.echo(edited.rstrip())
    if not is_complete(edited):
        click.echo("there is no semicolon at its end; nothing is asked", err=True)
        shell.last = without_semicolon(edited)
        return None
    return without_semicolon(edited)


def _help(shell: Shell, _: str) -> None:
    click.echo("A query ends with a semicolon and may take several lines. All commands are free.")
    seen = {id(command): command for command in COMMANDS.values()}
    for command in seen.values():
        click.echo(f"  {command.usage:<20} {command.meaning}")


def _leave(shell: Shell, _: str) -> None:
    """Nothing: the dialogue ends before it is asked for this."""


_HELP: Final = Command("\\help", "this text", _help)
COMMANDS: Final = MappingProxyType(
    {
        "explain": Command(
            "\\explain QUERY;", "what the query would release, its cost and its error", _explain
        ),
        "explain+": Command("\\explain+ QUERY;", "the same with the SQL that would run", _explain_all),
        "d": Command("\\d [TABLE]", "all tables, or the columns of one", _describe),
        "dt": Command("\\dt", "the tables of the policy", _tables),
        "budget": Command("\\budget", "what is granted, spent and left", _budget),
        "x": Command("\\x", "each row as a block of lines, or as a line again", _expand),
        "rows": Command(
            "\\rows mock", "show made-up rows where rows of people are asked for; or refuse, or empty", _rows
        ),
        "timing": Command("\\timing", "say how long each answer took, or no longer", _time),
        "e": Command("\\e", "change the last query in your editor ($VISUAL or $EDITOR) and ask it", _edit),
        "help": _HELP,
        "?": _HELP,
        "q": Command(
            "\\q, exit, quit", "leave (also Ctrl-D); Ctrl-C drops what was typed, or stops a query", _leave
        ),
    }
)
"""The commands by their name without the backslash."""
