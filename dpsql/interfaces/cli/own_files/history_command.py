"""The command `dpsql history`."""

from __future__ import annotations

from collections import deque
from pathlib import Path

import click

from dpsql.interfaces.cli.answer_formats import Sheet
from dpsql.interfaces.cli.options import analyst_option, format_option, policy_argument, print_sheet
from dpsql.interfaces.cli.outcome import reported
from dpsql.interfaces.cli.own_files.question_log import Entry, question_log
from dpsql.privacy import FREE
from dpsql.release.types import Released

_NAMES = ("time", "question", "outcome", "epsilon", "delta")
_TYPES = ("TIMESTAMP", "VARCHAR", "VARCHAR", "DOUBLE", "DOUBLE")


@click.command()
@policy_argument
@analyst_option
@click.option(
    "--last", type=click.IntRange(min=1), default=20, metavar="N", help="How many questions. Default: 20."
)
@format_option
def history(policy: Path, analyst: str, last: int, style: str | None) -> None:
    """Show the questions that you asked under POLICY.

    They stand as you asked them in your own log, which `dpsql query` and `dpsql shell` write into a file that only
    you can read, with the time (UTC), what became of each, and its charge; --no-history there writes nothing. What
    the ledger keeps is in the table dpsql.history.
    """
    with reported():
        entries = deque(question_log(policy, analyst, kept=True).entries(), maxlen=last)
    print_sheet(Sheet(_NAMES, _TYPES, tuple(map(_row, entries)), Released(FREE)), style)


def _row(entry: Entry) -> tuple[object, ...]:
    return (entry.moment, entry.sql, entry.outcome, entry.epsilon, entry.delta)
