"""The admin's commands: check, init, refresh."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import click

from dpsql.engines.databases.described_databases import describe
from dpsql.engines.exact_counts import exact_counts
from dpsql.engines.prepared.fitting import Unfit, fitting
from dpsql.engines.sources.fingerprints import sources_of
from dpsql.engines.sources.unread_values import cut_texts, left_out, unread_json
from dpsql.errors import PolicyError, Problem
from dpsql.interfaces.cli.lint import compared_with_sources, warnings
from dpsql.interfaces.cli.options import (
    is_terminal,
    ledger_option,
    login_name,
    policy_argument,
    print_sheet,
)
from dpsql.interfaces.cli.outcome import reported
from dpsql.interfaces.cli.terminal.spinner import spinner
from dpsql.interfaces.cli.tools_of_admins.column_errors import column_errors
from dpsql.policy.load import load_policy
from dpsql.policy.model import Policy, Table
from dpsql.policy.problem_places import placed
from dpsql.policy.rules.sources import SQLITE
from dpsql.policy.schema import json_schema
from dpsql.policy.skeleton import SourceTable, skeleton
from dpsql.progress import Phase
from dpsql.session import accept_sources, check_data, refresh_sources, unlisted_values

SCHEMA = "policy.schema.json"
EXACT = (
    "Exact numbers about private rows, without any noise: do not copy them into a policy, a report or a mail."
)


@click.command()
@policy_argument
@click.option(
    "--exact", is_flag=True,
    help="Also count, exactly and for this terminal alone, what keys, caps, bounds and lists do to the rows.",
)  # fmt: skip
@click.option(
    "--explain", "explained", is_flag=True,
    help="Also say how far off COUNT, SUM and AVG of each column are at the policy's per_query.",
)  # fmt: skip
@click.option("--even-piped", is_flag=True, help="With --exact: print them although stdout is no terminal.")
def check(policy: Path, exact: bool, explained: bool, even_piped: bool) -> None:
    """Check POLICY: every mistake, and what is worth a second look.

    Listed columns are compared with the sources, and declared facts (one_row_per_unit, nullable) are
    verified on their rows. Lines of CSV files that are left out, and values read as NULL, are counted. So are
    values that are not on their column's list, and the keys of public tables that columns reference are looked at.
    Warnings leave the exit code 0; mistakes make it 1.

    With --explain it plans a COUNT, a SUM and an AVG of each column, as the first analyst of the policy would ask them
    over a whole table, and prints the 95 % error of each. Nothing is charged, and no row is read for it.

    With --exact it also says how many rows have no owner, or a key that the unit's table lacks, whether
    one_row_per_unit would hold, and how many rows and values each cap, bound and list cuts. Nobody is charged for these
    numbers, and each of them may give a person away: they are printed on a terminal, and kept nowhere.
    """
    if exact and not (is_terminal() or even_piped):
        raise click.UsageError("exact numbers are for a terminal; --even-piped prints them elsewhere")
    with reported():
        loaded = load_policy(policy)
        with placed(loaded.path, policy):
            _check_sources(loaded)
            if explained:
                with spinner("planning"):
                    errors = column_errors(loaded)
                click.echo(
                    f"95 % errors of questions about a whole table at epsilon {errors.epsilon}, {errors.analyst}:"
                )
                print_sheet(errors.sheet, "table")
            for line in _prepared(loaded):
                click.echo(line, err=True)
            if exact:
                with spinner("counting exactly") as progress:
                    counts = exact_counts(loaded, progress)
                click.echo("\n".join((EXACT, *(f"exact: {count}" for count in counts))))
    public = sum(table.public for table in loaded.tables)
    click.echo(
        f"{policy}: ok, {_tables(len(loaded.tables) - public, 'private')}, {_tables(public, 'public')}"
    )


def _prepared(loaded: Policy) -> tuple[str, ...]:
    """Whether the prepared tables that the policy names are read, and if not, why; nothing where it names none."""
    folder = loaded.engine.prepared
    if folder is None:
        return ()
    prepared = fitting(loaded, folder, sources_of(loaded))
    if isinstance(prepared, Unfit):
        return (f"warning: engine.prepared: not used, and the sources are read: {prepared.reason}",)
    return (f"{folder}: the prepared tables fit, and are read in the place of the sources",)


def _check_sources(loaded: Policy) -> None:
    """Warns of what is worth a second look. Raises PolicyError for what does not fit the sources."""
    with spinner("comparing with the sources") as progress:
        problems, notes = compared_with_sources(loaded)
        if not problems and all(map(_is_here, loaded.tables)):
            progress(Phase("verifying declared facts"))
            problems = check_data(loaded)
            progress(Phase("looking for lines that are left out"))
            notes = (*notes, *left_out(loaded))
            progress(Phase("looking for texts that are cut"))
            notes = (*notes, *cut_texts(loaded))
            progress(Phase("looking for JSON that cannot be read"))
            notes = (*notes, *unread_json(loaded))
            progress(Phase("looking for values that are not listed"))
            notes += unlisted_values(loaded) if not problems else ()
    for warning in (*notes, *warnings(loaded)):
        click.echo(f"warning: {warning}", err=True)
    if problems:
        raise PolicyError(problems)


def _is_here(table: Table) -> bool:
    return bool(table.source.parts) or table.source.path.is_file()


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...", type=click.Path())
@click.option(
    "--output", "-o", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    help="Write a new file instead of stdout; sources are then relative to it.",
)  # fmt: skip
def init(sources: tuple[str, ...], output: Path | None) -> None:
    """Write a policy to fill in, for DuckDB, SQLite, Parquet, CSV or JSON files.

    It holds names and types. What has to be decided (who is protected, bounds, public values, budgets) is
    left open, with a comment on how to choose it without looking at the data. Beside a file that is written stands
    policy.schema.json, by which editors complete it.

    \b
    dpsql init shop.duckdb countries.csv -o shop.yaml
    """
    with reported(), spinner("reading names and types"):
        tables = tuple(t for source in sources for t in _described(source))
    text = skeleton(tuple(_relative(table, output) for table in tables))
    if output is None:
        click.echo(text, nl=False)
        return
    _write_new(output, f"# yaml-language-server: $schema=./{SCHEMA}\n{text}")
    schema = output.with_name(SCHEMA)
    if not schema.exists():
        _write_new(schema, json.dumps(json_schema(), indent=2) + "\n")
    click.echo(f"{output}: {_tables(len(tables))}; fill it in, then run: dpsql check {output}", err=True)


def _described(source: str) -> tuple[SourceTable, ...]:
    """The tables of a source, of which there is one at least. Raises PolicyError."""
    tables = describe(source)
    if not tables:
        raise PolicyError((Problem(source, None, "", "there is no table in it"),))
    return tables


@click.command()
@policy_argument
@ledger_option
@click.option("--by", "who", default=login_name, metavar="NAME", help="Who says so. Default: the login name.")
@click.option("--same", is_flag=True, help="The files were moved or restored; what is in them is the same.")
def refresh(policy: Path, ledger: str | Path | None, who: str, same: bool) -> None:
    """Record that the data behind POLICY has changed.

    From then on every question counts as new and is charged again: stored answers belong to the data they
    were drawn from. Nothing is served without this where a file is another, where it stands in another place,
    or where DuckDB has another version; and of a dataset's sources only those that were recorded last.

    With --same, files are compared with what was recorded, byte by byte, and no answer becomes new.
    """
    told = "nothing was charged; `dpsql ledger log` says whether the change was recorded"
    with reported(if_interrupted=told), spinner("reading the policy's sources"):
        if same:
            count = accept_sources(policy, ledger, who)
        else:
            refresh_sources(policy, ledger, who)
    files = "file is" if same and count == 1 else "files are"
    told = f"{count} {files} accepted as copies" if same else "a new version of the data is recorded"
    click.echo(f"{policy}: {told}", err=True)


def _write_new(file: Path, text: str) -> None:
    try:
        with file.open("x", encoding="utf-8") as opened:
            opened.write(text)
    except OSError as error:
        raise click.ClickException(f"{file} is not written: {error.strerror}") from None


def _tables(count: int, kind: str = "") -> str:
    return " ".join(filter(None, (str(count), kind, "table" if count == 1 else "tables")))


def _relative(table: SourceTable, output: Path | None) -> SourceTable:
    """The table with its source as a policy at `output` would name it."""
    address = f"{SQLITE}///" if table.source_text.startswith(SQLITE) else ""
    path = table.source_text.removeprefix(address)
    if output is None or Path(path).is_absolute():
        return table
    return replace(table, source_text=address + Path(os.path.relpath(path, output.parent)).as_posix())
