"""The command that writes a made-up dataset: mock."""

from __future__ import annotations

from pathlib import Path

import click

from dpsql.interfaces.cli.options import policy_argument
from dpsql.interfaces.cli.outcome import reported
from dpsql.interfaces.cli.terminal.spinner import spinner
from dpsql.policy.load import load_policy
from dpsql.stages.made_up.mock_dataset import write_mock_dataset

_MOST = 1_000_000


@click.command()
@policy_argument
@click.option(
    "--rows", "count", type=click.IntRange(1, _MOST), default=1_000, show_default=True, metavar="NUMBER",
    help="How many rows a private table has at most.",
)  # fmt: skip
@click.option(
    "--to", "folder", required=True, type=click.Path(path_type=Path), metavar="FOLDER",
    help="The folder, which must not be there yet.",
)  # fmt: skip
def mock(policy: Path, count: int, folder: Path) -> None:
    """Write made-up rows on which POLICY runs.

    They are for dashboards and tests. What POLICY says is all that is used: no private source is opened, and the same
    policy gives the same rows. Keys lead to rows that exist; lists, bounds, lengths and declared facts hold. Numbers
    are spread evenly, so that no answer means anything. Public tables are copied. POLICY is written beside the rows,
    without its comments, and with a dataset name of its own.

    \b
    dpsql mock shop.yaml --rows 1000 --to mock
    dpsql query mock/shop.yaml "SELECT COUNT(*) FROM orders"
    """
    if folder.exists():
        raise click.UsageError(f"{folder} is there already; name a new folder")
    with reported():
        loaded = load_policy(policy)
        try:
            with spinner("making rows up"):
                path = write_mock_dataset(loaded, folder, count)
        except OSError as error:
            raise click.ClickException(f"{folder} is not written: {error.strerror}") from None
    click.echo(f"{path}: made-up rows for every private table; no answer about them means anything")
