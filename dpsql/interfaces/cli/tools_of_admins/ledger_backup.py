"""The admin's commands about copies of a ledger: backup, restore."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from dpsql.accounting.ledger_backups import Copied, back_up
from dpsql.accounting.ledger_backups import restore as put_back
from dpsql.interfaces.cli.options import Place, login_name
from dpsql.interfaces.cli.outcome import reported
from dpsql.interfaces.cli.spinner import spinner

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
