"""A short guided session on real data: policy, plan, answers beside the exact ones, a refusal, the budget."""

from __future__ import annotations

import os
import re
import secrets
import sys
import tempfile
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import click
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.syntax import Syntax
from rich.table import Table

from dpsql.dbapi import Connection, Cursor, connect
from dpsql.engines.base import Row
from dpsql.engines.public_files import exact_rows
from dpsql.errors import QueryRefused
from dpsql.interfaces.cli.answer_formats import plain, shown
from dpsql.interfaces.cli.demo_data import prepare_demo_data
from dpsql.interfaces.cli.outcome import reported
from dpsql.interfaces.cli.serve import run_listener
from dpsql.interfaces.cli.user import USERS_FILE
from dpsql.interfaces.server.logins.scram import verifier_of
from dpsql.interfaces.server.logins.users import User
from dpsql.interfaces.server.logins.users_file import change_users
from dpsql.interfaces.server.server_settings import Address, ServerSettings
from dpsql.release.types import Explanation, Interval95
from dpsql.slotted import dataclass

ANALYST = "demo"


@dataclass(frozen=True, slots=True)
class Scene:
    """One data set of the demonstration: its policy, the lines of it to show, and a question."""

    title: str
    policy: str
    shown: str
    files: tuple[tuple[str, str], ...]
    sql: str
    remark: str


SURVEY = Scene(
    title="One row per person: a survey of 6,366 people with a question about affairs",
    policy="fair.yaml",
    shown=r"unit:|affairs:|occupation:|default:",
    files=(("fair", "fair.parquet"), ("occupations", "occupations.csv")),
    sql="""\
SELECT o.occupation, COUNT(*) AS people,
       AVG(CASE WHEN f.affairs > 0 THEN 1 ELSE 0 END) AS had_affairs
FROM fair AS f JOIN occupations AS o ON f.occupation = o.code
GROUP BY o.occupation
ORDER BY people DESC""",
    remark="COUNT and AVG share their noise: together they cost what one of them would.",
)
SHOP = Scene(
    title="Many rows per person: 69,659 purchases of 23,570 customers of a web shop",
    policy="cdnow.yaml",
    shown=r"unit:|max_rows_per_unit:|clipping:|amount:|default:",
    files=(("purchases", "cdnow.parquet"),),
    sql="""\
SELECT date_trunc('month', day) AS month,
       COUNT(*) AS purchases, SUM(amount) AS revenue
FROM purchases
WHERE day < DATE '1997-07-01'
GROUP BY month
ORDER BY month""",
    remark="The limit on what a customer adds is found for this query, from a fifth of its epsilon.",
)
REFUSED = "SELECT age, affairs FROM fair WHERE children > 5"


@click.command()
@click.option(
    "--cache", type=click.Path(file_okay=False, path_type=Path), metavar="FOLDER",
    help="Where the data is put. Default: the user's cache folder.",
)  # fmt: skip
@click.option("--serve", "served", is_flag=True, help="Serve both data sets to PostgreSQL clients instead.")
def demo(cache: Path | None, served: bool) -> None:
    """Play a short session on real data, beside the exact answers."""
    with reported(if_interrupted="the budgets of the demonstration are thrown away"):
        if served:
            sys.exit(serve_demo(Console(), cache, (SURVEY.policy, SHOP.policy), ANALYST))
        run_demo(Console(), cache)


def run_demo(console: Console, cache: Path | None = None) -> None:
    """Print the whole session, charged to a ledger that is thrown away.

    The data goes to `cache` (default: the user's cache folder). Raises OperationalError where the packages
    that hold the data are not installed.
    """
    with console.status("reading the two data sets"):
        folder = prepare_demo_data(cache)
    with tempfile.TemporaryDirectory() as ledgers:
        for scene in (SURVEY, SHOP):
            _play(console, scene, folder, Path(ledgers))
    console.rule("Yours to ask", align="left", style="cyan")
    question = "SELECT religious, AVG(children) FROM fair GROUP BY 1"
    command = f"dpsql query {_from_home(folder / SURVEY.policy)} --analyst alice"
    console.print(f'{command} \\\n    "{question}"', soft_wrap=True, highlight=False)


def _play(console: Console, scene: Scene, folder: Path, ledgers: Path) -> None:
    policy = folder / scene.policy
    console.rule(scene.title, align="left", style="cyan")
    console.print(f"[bold]The policy[/] in {_from_home(policy)}, in part:", soft_wrap=True, highlight=False)
    _print_code(console, _lines_of(policy, scene.shown), "yaml")
    with connect(policy, analyst=ANALYST, ledger=ledgers / f"{scene.policy}.ledger") as connection:
        console.print("[bold]The question[/], as the analyst writes it:")
        _print_code(console, scene.sql, "sql")
        console.print("[bold]The plan[/], free to see before anything is spent:")
        _print_plan(console, connection.explain(scene.sql))
        _print_answer(console, connection.cursor().execute(scene.sql), scene, folder)
        if scene is SURVEY:
            _print_refusal(console, connection, REFUSED)
        _print_budget(console, connection, scene.sql)


def _lines_of(policy: Path, pattern: str) -> str:
    lines = policy.read_text(encoding="utf-8").splitlines()
    return textwrap.dedent("\n".join(line for line in lines if re.match(rf"\s*(?:{pattern})", line)))


def _print_code(console: Console, text: str, language: str) -> None:
    code = Syntax(text, language, theme="ansi_dark", background_color="default", word_wrap=True)
    console.print(Padding(code, (0, 0, 1, 2)))


def _print_plan(console: Console, plan: Explanation) -> None:
    head, *rows = plan.release_rows()
    table = _table(*head)
    for row in rows:
        table.add_row(*map(escape, row))
    console.print(Padding(table, (0, 0, 1, 2)))


def _print_answer(console: Console, cursor: Cursor, scene: Scene, folder: Path) -> None:
    """The private answer, each number with its interval, beside what plain SQL would have disclosed."""
    names = [str(column[0]) for column in cursor.description or ()]
    files = tuple((name, folder / file) for name, file in scene.files)
    exact = {row[0]: row for row in exact_rows(files, scene.sql)}
    table = _table(names[0], *(part for name in names[1:] for part in (name, "exact")))
    for row, intervals in zip(cursor.fetchall(), cursor.release.intervals, strict=True):
        table.add_row(_plain(row[0]), *_cells(row, intervals, exact[row[0]]))
    console.print(f"[bold]The answer[/], for epsilon {float(cursor.release.epsilon):g}:", highlight=False)
    console.print(Padding(table, (0, 0, 0, 2)))
    console.print("The exact numbers stand here only because this data is public; no analyst sees them.")
    console.print(scene.remark, highlight=False)
    for note in cursor.release.bias:
        console.print(f"Note: {note}.", highlight=False, markup=False)
    console.print()


def _cells(row: Row, intervals: Sequence[Interval95 | None], exact: Row) -> Iterator[str]:
    for value, interval, true in zip(row[1:], intervals[1:], exact[1:], strict=True):
        yield escape(shown(value, Interval95(interval.low, interval.high) if interval is not None else None))
        yield f"[dim]{_plain(true)}[/]"


def _print_refusal(console: Console, connection: Connection, sql: str) -> None:
    console.print("[bold]A question about single people[/] is refused, and costs nothing:")
    _print_code(console, sql, "sql")
    try:
        connection.cursor().execute(sql)
    except QueryRefused as refusal:
        console.print(
            Padding(f"[red]{type(refusal).__name__}[/]: {escape(str(refusal))}", (0, 0, 1, 2)),
            highlight=False,
        )


def _print_budget(console: Console, connection: Connection, sql: str) -> None:
    again = connection.cursor().execute(sql).release.epsilon
    budget = connection.budget()
    console.print(
        f"[bold]The budget[/]: epsilon {float(budget.limit.epsilon):g} granted, "
        f"{float(budget.spent.epsilon):g} spent, {float(budget.remaining.epsilon):g} left. "
        f"The same question once more gets the same answer for {float(again):g}.\n",
        highlight=False,
    )


def _table(*headings: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False, collapse_padding=True, show_edge=False)
    for i, heading in enumerate(headings):
        table.add_column(heading, justify="left" if i == 0 else "right", no_wrap=i > 0)
    return table


def _plain(value: object) -> str:
    match value:
        case datetime():
            return value.date().isoformat()
        case int():
            return f"{value:,}"
        case float():
            return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3f}"
    return escape(plain(value))


def _from_home(path: Path) -> str:
    """The path as people type it, with ~ for their home folder."""
    home = Path.home()
    return f"~/{path.relative_to(home).as_posix()}" if path.is_relative_to(home) else str(path)


_ADDRESS = ("127.0.0.1", 5439)


def serve_demo(
    console: Console, cache: Path | None, policies: Sequence[str], analyst: str, listen: Address = _ADDRESS
) -> int:
    """Serves until it is interrupted; the exit code. Raises OperationalError where the data is not installed."""
    with console.status("reading the two data sets"):
        folder = prepare_demo_data(cache)
    password = secrets.token_urlsafe(12)
    with tempfile.TemporaryDirectory() as temporary:
        users = Path(temporary) / USERS_FILE
        login = User(analyst, analyst, verifier_of(password))
        change_users(users, lambda empty: replace(empty, by_login={analyst: login}))
        databases = {Path(policy).stem: folder / policy for policy in policies}
        ledgers = {name: str(Path(temporary) / f"{name}.ledger") for name in databases}
        settings = ServerSettings(databases, listen, users, None, ledgers, len(os.sched_getaffinity(0)))
        host, port = listen
        for name in databases:
            command = f"PGPASSWORD={password} psql -h {host} -p {port} -U {analyst} {name}"
            console.print(command, soft_wrap=True, highlight=False)
        console.print("Ctrl-C ends it; the budgets of this run are thrown away.", highlight=False)
        return run_listener(settings)
