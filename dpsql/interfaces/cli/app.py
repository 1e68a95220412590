"""The `dpsql` command."""

from __future__ import annotations

import sys
from pathlib import Path

import click
from rich.console import Console

from dpsql import __version__
from dpsql.interfaces.cli.admin import check, init, refresh
from dpsql.interfaces.cli.ask import budget, explain, query
from dpsql.interfaces.cli.audit import audit_command
from dpsql.interfaces.cli.calibrate import calibrate
from dpsql.interfaces.cli.demo import run_demo
from dpsql.interfaces.cli.demo_server import serve_demo
from dpsql.interfaces.cli.ledger import ledger
from dpsql.interfaces.cli.outcome import reported
from dpsql.interfaces.cli.own_files.history_command import history
from dpsql.interfaces.cli.serve import serve
from dpsql.interfaces.cli.shell.shell_command import shell
from dpsql.interfaces.cli.tools_of_admins.mock_command import mock
from dpsql.interfaces.cli.user import user


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="dpsql %(version)s")
def main() -> None:
    """Ordinary SQL on private data, answered with differential privacy.

    A policy says who is protected, what may be asked, and how much each analyst may learn. Start with
    `dpsql demo`, or with `dpsql init` on data of your own.

    Exit codes: 0 answered; 1 the query or the policy is refused; 2 wrong usage; 3 the budget does not cover
    the query; 4 it failed, or the ledger cannot be used; 130 it was interrupted.
    """


@main.command()
@click.option(
    "--cache", type=click.Path(file_okay=False, path_type=Path), metavar="FOLDER",
    help="Where the data is put. Default: the user's cache folder.",
)  # fmt: skip
@click.option("--serve", "served", is_flag=True, help="Serve both data sets to PostgreSQL clients instead.")
def demo(cache: Path | None, served: bool) -> None:
    """Play a short session on real data, beside the exact answers."""
    with reported(if_interrupted="the budgets of the demonstration are thrown away"):
        if served:
            sys.exit(serve_demo(Console(), cache))
        run_demo(Console(), cache)


for command in (
    query,
    explain,
    budget,
    history,
    shell,
    check,
    init,
    refresh,
    calibrate,
    mock,
    audit_command,
    ledger,
    serve,
    user,
):
    main.add_command(command)
