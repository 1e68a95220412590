"""How every DuckDB connection of ours is locked down: no files, no network, no extensions, no new settings."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import duckdb

from dpsql.algebra.scan import text_literal
from dpsql.slotted import dataclass

_BY_STATISTICS = "statistics_propagation,compressed_materialization"
# What DuckDB needs to join tables by conditions and to read the columns that are asked for.
_BY_TEXT = frozenset({"filter_pushdown", "unused_columns", "column_lifetime"})
# A database is opened with these: a statement for each takes longer than opening it does.
_FROM_THE_START: dict[str, str | bool | int | float | list[str]] = {
    "disabled_optimizers": _BY_STATISTICS,
    # A file that was replaced, its size and times as before, must not be answered from what was kept of the old one.
    "enable_external_file_cache": "false",
    "cache_local_files": "false",
    "python_enable_replacements": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "allow_persistent_secrets": "false",
    "extension_directory": "",
}
_UNLOCKED, _SPILL = "dpsql-new-", "dpsql-spill-"
# What is not taken from the start: DuckDB's own extensions know some, and an empty name is the user's own folder there.
_AFTERWARDS = (
    "SET secret_directory = ''",
    "SET parquet_metadata_cache = false",
    "SET GLOBAL TimeZone = 'UTC'",  # else a moment with a time zone depends on where this runs
)


class DirectoryLock:
    """A lock on a directory, by which other processes know that somebody uses it; given up as a process ends."""

    __slots__ = ("_place",)

    def __init__(self, place: int) -> None:
        self._place: int | None = place

    @classmethod
    def of(cls, folder: Path) -> DirectoryLock | None:
        """The lock; None where another process has it or it cannot be taken."""
        try:
            place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            return None
        try:
            fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(place)
            return None
        return cls(place)

    def release(self) -> None:
        """Gives it up; a second call does nothing."""
        place, self._place = self._place, None
        if place is not None:
            os.close(place)


@dataclass(frozen=True, slots=True)
class Limits:
    """What one engine may take: seconds for a statement, bytes of memory, threads; None is DuckDB's own limit.

    `spill` is a directory for what does not fit into memory, or None for nowhere; `lock` is that of one that is the
    engine's own.
    """

    seconds: float
    memory: int | None = None
    threads: int | None = None
    spill: Path | None = None
    lock: DirectoryLock | None = None


def own_directory(limits: Limits) -> Limits:
    """The limits with an empty directory of its own for one engine in the place of `spill`; `remove` removes it.

    What was left by engines of processes that were killed is removed first: nobody has a lock on it any more.
    """
    if limits.spill is None:
        return limits
    for left in limits.spill.glob(f"{_SPILL}*"):
        if (left_lock := DirectoryLock.of(left)) is not None:
            shutil.rmtree(left, ignore_errors=True)
            left_lock.release()
    made = Path(tempfile.mkdtemp(prefix=_UNLOCKED, dir=limits.spill))
    own = DirectoryLock.of(made)
    made = made.rename(made.with_name(made.name.replace(_UNLOCKED, _SPILL, 1)))
    return replace(limits, spill=made, lock=own)


def remove(limits: Limits) -> None:
    """Removes the directory that `own_directory` made, with all that an engine has left in it."""
    if limits.spill is not None:
        shutil.rmtree(limits.spill, ignore_errors=True)
    if limits.lock is not None:
        limits.lock.release()


def connect(limits: Limits, *, by_text: bool = False) -> duckdb.DuckDBPyConnection:
    """An empty database in memory under its limits, before any row is read. `by_text`: it plans by texts alone.

    Left alone, DuckDB writes what does not fit into memory to `.tmp` in the working directory, and rewrites expressions
    by the statistics of the stored values: there it failed to bind `split_part(x, 'o', 1) = 'a'` where every x is NULL,
    which tells one database from another.
    """
    connection = duckdb.connect(":memory:", config=_FROM_THE_START | _spilling(limits) | _bounded(limits))
    for statement in _AFTERWARDS:
        connection.execute(statement)
    if by_text:
        connection.execute(f"SET disabled_optimizers = '{_disabled(connection)}'")
    return connection


def _spilling(limits: Limits) -> dict[str, str]:
    if limits.spill is None:
        return {"temp_directory": "", "max_temp_directory_size": "0B"}
    return {"temp_directory": str(limits.spill)}


def _bounded(limits: Limits) -> dict[str, str]:
    memory = {"memory_limit": f"{limits.memory}B"} if limits.memory is not None else {}
    return memory | ({"threads": str(limits.threads)} if limits.threads is not None else {})


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
