"""The command that copies private tables as queries read them: prepare."""

from __future__ import annotations

import time
from pathlib import Path

import click

from dpsql.engines.databases.copies import Copied, copy_databases, remove_copies
from dpsql.engines.prepare_tables import Prepared, prepare_tables
from dpsql.engines.prepared.folder import PreparedFolder, default_folder
from dpsql.interfaces.cli.options import policy_argument
from dpsql.interfaces.cli.outcome import reported
from dpsql.interfaces.cli.terminal.spinner import spinner
from dpsql.policy.load import load_policy
from dpsql.policy.model import Policy
from dpsql.policy.problem_places import placed


@click.command()
@policy_argument
@click.option(
    "--to", "folder", type=click.Path(file_okay=False, path_type=Path), metavar="FOLDER",
    help="Where the copy stands. Default: engine.prepared of POLICY, or else POLICY with the suffix .prepared.",
)  # fmt: skip
@click.option("--remove", is_flag=True, help="Remove the copy instead.")
def prepare(policy: Path, folder: Path | None, remove: bool) -> None:
    """Copy the private tables of POLICY, to be queried faster.

    The copy holds the listed columns with their bounds, lists and lengths applied, the owner of each row, and which
    rows a cap leaves out. Declared facts are verified once. It is read in the place of the sources where POLICY says
    `engine: {prepared: FOLDER}`, as long as neither they nor POLICY have changed; answers and charges are the same.

    The copy is as private as the sources. Nobody else may look into FOLDER. A run that is interrupted leaves the copy
    of the run before.

    \b
    dpsql prepare shop.yaml
    dpsql prepare shop.yaml --remove
    """
    with reported():
        loaded = load_policy(policy)
        place = folder.absolute() if folder is not None else default_folder(loaded)
        if remove:
            had = remove_copies(loaded) | PreparedFolder.of(loaded, place).remove()
            told = "the prepared tables are removed" if had else "nothing of this policy is prepared"
            click.echo(f"{place}: {told}", err=True)
            return
        began = time.monotonic()
        with placed(loaded.path, policy), spinner("reading the policy's sources") as progress:
            for copied in copy_databases(loaded, progress):
                click.echo("\n".join((_told_of_copy(copied), *copied.unread)), err=True)
            made = prepare_tables(loaded, place, progress)
    click.echo(_told(made, time.monotonic() - began), err=True)
    if loaded.engine.prepared != place:
        click.echo(_unused(loaded, place), err=True)


def _told_of_copy(made: Copied) -> str:
    tables = "1 table is" if made.tables == 1 else f"{made.tables} tables are"
    return f"{made.path}: {tables} copied, {made.rows:,} rows; a copy of other rows is served after `dpsql refresh`"


def _told(made: Prepared, seconds: float) -> str:
    tables = "1 table is" if made.tables == 1 else f"{made.tables} tables are"
    rate = made.rows / max(seconds, 0.001)
    size = f"{made.bytes / 2**20:,.1f} MiB"
    return (
        f"{made.folder}: {tables} prepared, {made.rows:,} rows, {size}, {seconds:.1f} s, {rate:,.0f} rows/s"
    )


def _unused(policy: Policy, place: Path) -> str:
    written = place
    if place.is_relative_to(policy.path.parent):
        written = place.relative_to(policy.path.parent)
    return f"it is read once the policy says `engine: {{prepared: {written}}}`"
