"""How every DuckDB connection of ours is locked down: no files, no network, no extensions, no new settings."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import duckdb

from dpsql.algebra.scan import text_literal
from dpsql.slotted import dataclass

_NOWHERE = "''"
_BY_STATISTICS = "statistics_propagation,compressed_materialization"
# What DuckDB needs to join tables by conditions and to read the columns that are asked for.
_BY_TEXT = frozenset({"filter_pushdown", "unused_columns", "column_lifetime"})
_CLOSED = (
    "SET python_enable_replacements = false",
    "SET autoinstall_known_extensions = false",
    "SET autoload_known_extensions = false",
    "SET allow_community_extensions = false",
    "SET allow_persistent_secrets = false",
    "SET secret_directory = ''",
    "SET extension_directory = ''",
)

# A file that was replaced, with its size and times as before, must not be answered from what was kept of the old one.
_UNCACHED = (
    "SET enable_external_file_cache = false",
    "SET cache_local_files = false",
    "SET parquet_metadata_cache = false",
)


@dataclass(frozen=True, slots=True)
class Limits:
    """What one engine may take: seconds for a statement, bytes of memory, threads; None is DuckDB's own limit.

    `spill` is a directory for what does not fit into memory, or None for nowhere.
    """

    seconds: float
    memory: int | None = None
    threads: int | None = None
    spill: Path | None = None


def own_directory(limits: Limits) -> Limits:
    """The limits with an empty directory of its own for one engine in the place of `spill`; `remove` removes it."""
    if limits.spill is None:
        return limits
    return replace(limits, spill=Path(tempfile.mkdtemp(prefix="dpsql-", dir=limits.spill)))


def remove(spill: Path | None) -> None:
    """Removes a directory that `own_directory` made, with all that an engine has left in it."""
    if spill is not None:
        shutil.rmtree(spill, ignore_errors=True)


def connect(limits: Limits, *, by_text: bool = False) -> duckdb.DuckDBPyConnection:
    """An empty database in memory under its limits, before any row is read. `by_text`: it plans by texts alone.

    Left alone, DuckDB writes what does not fit into memory to `.tmp` in the working directory, and rewrites expressions
    by the statistics of the stored values: there it failed to bind `split_part(x, 'o', 1) = 'a'` where every x is NULL,
    which tells one database from another.
    """
    connection = duckdb.connect(":memory:")
    connection.execute(f"SET disabled_optimizers = '{_disabled(connection) if by_text else _BY_STATISTICS}'")
    for statement in _UNCACHED:
        connection.execute(statement)
    connection.execute("SET TimeZone = 'UTC'")  # else a moment with a time zone depends on where this runs
    connection.execute(
        f"SET temp_directory = {text_literal(limits.spill) if limits.spill is not None else _NOWHERE}"
    )
    if limits.spill is None:
        connection.execute("SET max_temp_directory_size = '0B'")
    if limits.memory is not None:
        connection.execute(f"SET memory_limit = '{limits.memory}B'")
    if limits.threads is not None:
        connection.execute(f"SET threads = {limits.threads}")
    return connection


def _disabled(connection: duckdb.DuckDBPyConnection) -> str:
    """All that an engine which plans by texts does without, whatever else this DuckDB has."""
    every = connection.execute("SELECT name FROM duckdb_optimizers()").fetchall()
    return ",".join(name for (name,) in every if name not in _BY_TEXT)


def count_progress(connection: duckdb.DuckDBPyConnection) -> None:
    """Lets `query_progress` say how far a statement is, without anything being drawn."""
    connection.execute("SET enable_progress_bar = true")
    connection.execute("SET enable_progress_bar_print = false")


def lock(
    connection: duckdb.DuckDBPyConnection,
    limits: Limits,
    readable: Iterable[Path] = (),
    *,
    counted: bool = False,
) -> None:
    """Closes a connection to the outside for good; only the files in `readable`, and `spill`, stay within its reach.

    `counted` leaves what `count_progress` has set.
    Statements end after `limits.seconds`; one long scalar call is not interrupted. DuckDB cannot tell a file that
    may be read from one that may be written: nothing but our own SELECTs may run where `readable` is not empty.
    """
    for statement in _CLOSED:
        connection.execute(statement)
    if not counted:
        _without_progress(connection)
    paths = ", ".join(text_literal(p) for p in sorted(set(readable)))
    connection.execute(f"SET allowed_paths = [{paths}]")
    connection.execute(f"SET max_execution_time = {int(limits.seconds * 1000)}")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")


def _without_progress(connection: duckdb.DuckDBPyConnection) -> None:
    """Switches the progress bar off where it is on: in a notebook that cannot draw one, DuckDB lets nobody set it."""
    if connection.execute("SELECT current_setting('enable_progress_bar')").fetchall() != [(False,)]:
        connection.execute("SET enable_progress_bar = false")
