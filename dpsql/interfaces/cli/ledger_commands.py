"""The admin's commands about a ledger: verify, export, log, balances, backup and restore; summary stands beside."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import click

from dpsql.accounting.ledger.ledger import Ledger
from dpsql.accounting.ledger_backups import Copied, back_up
from dpsql.accounting.ledger_backups import restore as put_back
from dpsql.interfaces.cli.all_balances import balances as balances_of
from dpsql.interfaces.cli.answer_formats import Sheet
from dpsql.interfaces.cli.options import (
    Place,
    existing_ledger,
    format_option,
    login_name,
    policy_argument,
    policys_ledger_argument,
    print_sheet,
)
from dpsql.interfaces.cli.outcome import reported
from dpsql.interfaces.cli.terminal.spinner import spinner
from dpsql.interfaces.cli.tools_of_admins.ledger_summary import summary
from dpsql.privacy import FREE
from dpsql.release.types import Released

file_argument = click.argument("file", type=click.Path(dir_okay=False, path_type=Path))


@click.command()
@click.argument("place", type=Place(exists=True))
@file_argument
def backup(place: str | Path, file: Path) -> None:
    """Copy the ledger in PLACE into a new FILE, while it is in use.

    All lines and totals of the copy are verified. A copy does not know what is spent after it: keep it for the day on
    which the ledger itself is lost, and make another one often.

    \b
    dpsql ledger backup shop.ledger backups/shop-2026-11-23.ledger
    """
    with reported(), spinner("copying and verifying"):
        copied = back_up(place, file)
    click.echo(f"{file}: {_told(copied)}", err=True)


@click.command()
@file_argument
@click.argument("place", type=Place())
@click.option("--by", "who", default=login_name, metavar="NAME", help="Who says so. Default: the login name.")
@click.option(
    "--accept-loss", is_flag=True,
    help="Put the copy back although entries after it are known of: what they spent can be spent again.",
)  # fmt: skip
def restore(file: Path, place: str | Path, who: str, accept_loss: bool) -> None:
    """Put the copy in FILE where the ledger in PLACE was, or is to be on another machine.

    No ledger may be in PLACE. The mark beside it stays where it is: if it knows of entries that the copy lacks, their
    charges would be forgotten, and the copy is refused. On another machine nothing knows of them: compare the last
    entry, which is printed, with what the ledger had. The log says who put a copy back, and what was lost.

    \b
    dpsql ledger restore backups/shop-2026-11-23.ledger shop.ledger
    """
    with reported(), spinner("copying and verifying"):
        copied = put_back(file, place, who, accept_loss=accept_loss)
    click.echo(f"{place}: {_told(copied)}", err=True)
    if copied.lost:
        click.echo(f"what {copied.lost} later entries spent is forgotten, and can be spent again", err=True)


def _told(copied: Copied) -> str:
    last = datetime.fromtimestamp(copied.last.time, UTC)
    return f"{copied.entries} entries, the last line of {last:%Y-%m-%d %H:%M:%S} UTC with hash {copied.last.hash}"


place_argument = click.argument("place", type=Place(exists=True))


@click.group()
def ledger() -> None:
    """Verify, export, read or back up a ledger; for admins."""


for _command in (summary, backup, restore):
    ledger.add_command(_command)


@ledger.command()
@place_argument
def verify(place: str | Path) -> None:
    """Recompute every total from its events, and every hash of the log.

    PLACE is the ledger's file, or its postgresql:// address.
    Exit code 1 where anything is not as it was written.
    """
    with reported(), Ledger.open(place, dataset="") as opened, spinner("verifying") as progress:
        last, wrong = opened.last_line(), opened.verify(progress)
    for problem in wrong:
        click.echo(problem)
    if wrong:
        click.get_current_context().exit(1)
    count, head = (last.id, f", the last with hash {last.hash}") if last is not None else (0, "")
    click.echo(f"every total, draw and line is as it was written; {count} lines{head}", err=True)


@ledger.command()
@place_argument
def export(place: str | Path) -> None:
    """Write every charge as a line of JSON, its events in the words of Google's dp_accounting."""
    with reported(), Ledger.open(place, dataset="") as opened:
        for entry in opened.export():
            click.echo(json.dumps(entry))


@ledger.command()
@place_argument
@click.option("--after", default=0, metavar="NUMBER", help="Only the lines behind this number. Default: all.")
def log(place: str | Path, after: int) -> None:
    """Write the audit log as lines of JSON: who asked what, when, and what was refused, answered and charged."""
    with reported(), Ledger.open(place, dataset="") as opened:
        for line in opened.log(after):
            found = {"line": line.id, "time": datetime.fromtimestamp(line.time, UTC).isoformat()}
            told = {"dataset": line.dataset, "who": line.who, "what": line.what, **json.loads(line.body)}
            click.echo(json.dumps({**found, **told, "hash": line.hash}))


@ledger.command()
@policy_argument
@policys_ledger_argument
@format_option
def balances(policy: Path, place: str | Path | None, style: str | None) -> None:
    """Show what the accounts of POLICY have spent and left: the dataset's, every role's, and its analysts'.

    PLACE is the ledger; default: DPSQL_LEDGER, or else beside the policy. No analyst may see this: what the dataset has
    left tells what others asked.
    """
    with reported():
        found = balances_of(policy, existing_ledger(place, policy))
    rows = tuple(
        (one.account.name, *(float(number) for cost in costs for number in (cost.epsilon, cost.delta)))
        for one in found
        for costs in ((one.account.limit, one.spent, one.remaining),)
    )
    numbers = [f"{what}_{of}" for of in ("granted", "spent", "remaining") for what in ("epsilon", "delta")]
    types = ("VARCHAR", *("DOUBLE" for _ in numbers))
    print_sheet(Sheet(("account", *numbers), types, rows, Released(FREE)), style)
