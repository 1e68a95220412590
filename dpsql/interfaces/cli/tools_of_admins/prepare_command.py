"""The command that copies private tables as queries read them: prepare."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from rich.console import Console, RenderableType
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from dpsql.engines.databases.copies import Copied, copy_databases, remove_copies
from dpsql.engines.prepare_tables import Prepared, prepare_tables
from dpsql.engines.prepared.folder import PreparedFolder, default_folder
from dpsql.interfaces.cli.options import policy_argument
from dpsql.interfaces.cli.outcome import reported
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
            had = PreparedFolder.of(loaded, place).remove() | remove_copies(loaded)
            told = "the prepared tables are removed" if had else "nothing of this policy is prepared"
            click.echo(f"{place}: {told}", err=True)
            return
        began = time.monotonic()
        with placed(loaded.path, policy), _progress() as progress:
            for copied in copy_databases(loaded, lambda what: progress.begins(what, None, _unknown)):
                click.echo(_told_of_copy(copied), err=True)
            made = prepare_tables(loaded, place, progress)
    click.echo(_told(made, time.monotonic() - began), err=True)
    if loaded.engine.prepared != place:
        click.echo(_unused(loaded, place), err=True)


class _Drawn(Progress):
    """A line of the part that is at work; how far it is is asked whenever it is drawn."""

    def __init__(self, console: Console) -> None:
        super().__init__(
            *(
                SpinnerColumn(),
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.fields[told]}"),
            ),
            TimeElapsedColumn(),
            console=console,
            transient=True,
        )
        self._percent: Callable[[], float] = _unknown

    def begins(self, what: str, rows: int | None, percent: Callable[[], float]) -> None:
        """Shows another part, in the place of the one before."""
        self._percent = percent
        for task in self.task_ids:
            self.remove_task(task)
        self.add_task(what, total=None, told="", rows=rows)

    def get_renderables(self) -> Iterable[RenderableType]:
        for task in self.tasks:
            done = max(self._percent(), 0.0)
            told = told_of(task.fields["rows"], done, task.elapsed or 0.0)
            self.update(task.id, total=100 if done > 0 else None, completed=done, told=told)
        return super().get_renderables()


def told_of(rows: int | None, percent: float, seconds: float) -> str:
    """Rows that are done, rows a second and the seconds that are left, as far as they can be told."""
    if percent <= 0 or seconds <= 0:
        return f"{rows:,} rows" if rows is not None else ""
    left = f"{seconds * (100 - percent) / percent:.0f} s left"
    if rows is None:
        return left
    done = rows * percent / 100
    return f"{done:,.0f} of {rows:,} rows, {done / seconds:,.0f} rows/s, {left}"


class _Silent:
    """Nobody looks on."""

    def begins(self, what: str, rows: int | None, percent: Callable[[], float]) -> None:
        """Says nothing."""


@contextmanager
def _progress() -> Iterator[_Drawn | _Silent]:
    """A line of progress on stderr; only where it is a terminal."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _Silent()
        return
    with _Drawn(console) as drawn:
        yield drawn


def _unknown() -> float:
    return -1.0


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
