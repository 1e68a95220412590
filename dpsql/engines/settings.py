"""How every DuckDB connection of ours is locked down: no files, no network, no extensions, no new settings."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import duckdb

_CLOSED = (
    "SET python_enable_replacements = false",
    "SET autoinstall_known_extensions = false",
    "SET autoload_known_extensions = false",
    "SET allow_community_extensions = false",
    "SET allow_persistent_secrets = false",
    "SET enable_progress_bar = false",
)


def lock(
    connection: duckdb.DuckDBPyConnection,
    *,
    seconds: int,
    readable: Iterable[Path] = (),
    memory: str | None = None,
) -> None:
    """Closes a connection to the outside for good; only the files in `readable` can still be read.

    `seconds` limits one statement (a long scalar call is not interrupted).
    """
    for statement in _CLOSED:
        connection.execute(statement)
    paths = ", ".join("'" + str(p).replace("'", "''") + "'" for p in sorted(set(readable)))
    connection.execute(f"SET allowed_paths = [{paths}]")
    if memory is not None:
        connection.execute(f"SET memory_limit = '{memory}'")
    connection.execute(f"SET max_execution_time = {seconds * 1000}")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
