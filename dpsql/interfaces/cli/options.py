"""Arguments and options that several commands share, and how a command connects and prints."""

from __future__ import annotations

import getpass
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType
from typing import Required, TypedDict, TypeVar, Unpack

import click

from dpsql.accounting.storage.open_store import is_address
from dpsql.dbapi import Connection, connect
from dpsql.errors import InterfaceError, Warning
from dpsql.interfaces.cli import terminal
from dpsql.interfaces.cli.answer_formats import (
    Sheet,
    as_csv,
    as_expanded,
    as_json,
    as_markdown,
    cells_for_people,
)
from dpsql.interfaces.cli.terminal.spinner import spinner
from dpsql.release.render.notebook import ESTIMATED
from dpsql.session import default_ledger

F = TypeVar("F", bound=Callable[..., object])
ROWS = ("refuse", "empty", "mock")
FORMATS = ("table", "csv", "json", "markdown")
_WRITERS = MappingProxyType(
    {"csv": as_csv, "json": as_json, "markdown": as_markdown, "expanded": as_expanded}
)


def login_name() -> str:
    """The name of the user who runs the command; a usage error where the system has none."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        raise click.UsageError("the system has no login name; say who asks") from None


class Place(click.ParamType):  # type: ignore[type-arg]  # click before 8.4 takes none
    """A ledger's place: a server's address, or a file, which with `exists` must exist."""

    name = "place"

    def __init__(self, exists: bool = False) -> None:
        self._file: click.Path = click.Path(exists=exists, dir_okay=False, path_type=Path)

    def convert(
        self, value: str | Path, param: click.Parameter | None, ctx: click.Context | None
    ) -> str | Path:
        """The address as it is; a usage error for a file that cannot be one."""
        if is_address(value):
            return value
        return Path(str(self._file.convert(str(value), param, ctx)))


def existing_ledger(given: str | Path | None, policy: Path) -> str | Path:
    """The place that is given, or the ledger beside the policy; a usage error where there is none."""
    if given is not None:
        return given
    beside = default_ledger(policy)
    if policy.is_file() and not beside.is_file():  # a policy that is not there has its own sentence
        raise click.UsageError(f"there is no ledger {beside} beside the policy; say where it is, as PLACE")
    return beside


policy_argument = click.argument("policy", type=click.Path(dir_okay=False, path_type=Path))
analyst_option = click.option(
    "--analyst", default=login_name, envvar="DPSQL_ANALYST", metavar="NAME",
    help="Who asks and is charged. Default: DPSQL_ANALYST, or else the login name.",
)  # fmt: skip
ledger_option = click.option(
    "--ledger", envvar="DPSQL_LEDGER", type=Place(), metavar="PLACE",
    help="The file, or postgresql://... address, that charges are kept in. Default: DPSQL_LEDGER, or else beside the "
    "policy.",
)  # fmt: skip
policys_ledger_argument = click.argument(
    "place", type=Place(exists=True), required=False, envvar="DPSQL_LEDGER"
)
epsilon_option = click.option(
    "--epsilon", metavar="NUMBER", help="What one query may cost. Default: the policy's per_query."
)
delta_option = click.option(
    "--delta", metavar="NUMBER", help="The delta one query may cost. Default: the policy's per_query."
)
accuracy_option = click.option(
    "--accuracy", metavar="NUMBER",
    help="The 95 % error that every count and sum may have; the query then costs the least that promises it.",
)  # fmt: skip
rows_option = click.option(
    "--rows", type=click.Choice(ROWS), default="refuse", show_default=True,
    help="What becomes of a query for rows of people: refused, answered with no row, or with made-up rows.",
)  # fmt: skip
format_option = click.option(
    "--format", "style", type=click.Choice(FORMATS),
    help="How to print rows. Default: table on a terminal, csv otherwise.",
)  # fmt: skip
param_option = click.option(
    "--param", "params", multiple=True, metavar="VALUE",
    help="A value for the next ?, or $name=VALUE. Numbers, dates, true, false and null are typed; "
    "'single quotes' make text. Repeat for more.",
)  # fmt: skip


no_history_option = click.option(
    "--no-history", "no_history", is_flag=True,
    help="Keep nothing of what is asked in files of yours; the ledger's log is kept all the same.",
)  # fmt: skip


class Asking(TypedDict, total=False):
    """The values of `query_options` by name."""

    analyst: Required[str]
    ledger: str | Path | None
    epsilon: str | None
    delta: str | None
    accuracy: str | None
    rows: str


def query_options(command: F) -> F:
    """The options of every command that plans a query for an analyst."""
    return analyst_option(ledger_option(epsilon_option(delta_option(accuracy_option(rows_option(command))))))


def opened(policy: Path, **asking: Unpack[Asking]) -> Connection:
    """A connection, with a spinner while the policy's sources are verified; warnings about the policy go to stderr."""
    try:
        with spinner("opening the policy's sources"), warnings.catch_warnings(record=True) as given:
            warnings.simplefilter("always", Warning)
            opened = connect(policy, **asking)
    except InterfaceError:
        source = click.get_current_context().get_parameter_source("analyst")
        if source is click.core.ParameterSource.DEFAULT:
            name = asking["analyst"]
            click.echo(f"asked as {name}, the login name; --analyst or DPSQL_ANALYST says who asks", err=True)
        raise
    for warning in given:
        click.echo(f"warning: {warning.message}", err=True)
    return opened


def text_of(sql: str) -> str:
    """The query itself, or what stdin holds for `-`."""
    return sys.stdin.read() if sql == "-" else sql


def is_terminal() -> bool:
    """Whether rows go to a person's terminal."""
    return sys.stdout.isatty()


def print_answer(sheet: Sheet, style: str | None) -> None:
    """Rows to stdout; beside a table for people, stderr has the charge, what the intervals mean, and the notes."""
    if print_sheet(sheet, style) in ("table", "expanded", "markdown"):
        print_charge(sheet)


def print_sheet(sheet: Sheet, style: str | None) -> str:
    """Rows to stdout in the given style, or in the one that fits stdout; returns that style."""
    chosen = style_for(style)
    if chosen == "table":
        terminal.print_table(*cells_for_people(sheet))
    else:
        sys.stdout.write(_WRITERS[chosen](sheet))
    return chosen


def style_for(style: str | None) -> str:
    """The given style, or the one that fits stdout."""
    return style or ("table" if is_terminal() else "csv")


def print_charge(sheet: Sheet) -> None:
    """To stderr: how many rows, the charge, what the intervals mean, and the notes."""
    released, count = sheet.released, len(sheet.rows)
    intervals = [i for row in released.intervals for i in row if i is not None]
    meaning = "; ± is a 95 % interval of the noise alone" if intervals else ""
    if any(i.total for i in intervals):
        meaning += f"; (to ...) is {ESTIMATED}"
    click.echo(f"{count} row{'' if count == 1 else 's'}; charged {released.cost}{meaning}", err=True)
    for note in released.notes:
        click.echo(f"note: {note}", err=True)
