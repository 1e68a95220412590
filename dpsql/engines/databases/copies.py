"""Copies of databases: all tables that a policy reads of one database, in one snapshot, as a DuckDB file.

Nothing else reads the database. A copy stands in the folder of prepared tables, for its owner alone; it is written
where their runs work, and renamed when it is whole: what a killed run has left is removed by the next one.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, closing
from pathlib import Path

import duckdb

from dpsql.algebra.scan import quoted, text_literal
from dpsql.engines.databases.postgres_tables import postgres_snapshot
from dpsql.engines.databases.snapshots import Snapshot, UnfitDatabase, database_of
from dpsql.engines.databases.sqlite_tables import sqlite_snapshot
from dpsql.engines.prepared.folder import PreparedFolder, sync
from dpsql.engines.sources.column_types import ENGINE_TYPE, columns_of
from dpsql.engines.sources.views import key_columns
from dpsql.errors import OperationalError, PolicyError, Problem
from dpsql.mechanisms.coins import Coins
from dpsql.policy.model import Policy, Table
from dpsql.policy.table_sources import DatabaseTable
from dpsql.progress import Phase, Progress
from dpsql.slotted import dataclass

_COPY = "copy"
_MARK_BYTES = 16
_OWNER_ALONE = 0o600


@dataclass(frozen=True, slots=True)
class Copied:
    """A copy that was made: its file, how many tables it has, and how many rows. For the admin alone.

    `unread` has a sentence for each table that lacks rows of the database, and for each column that lacks values.
    """

    path: Path
    tables: int
    rows: int
    unread: tuple[str, ...]


def copy_databases(policy: Policy, progress: Progress) -> tuple[Copied, ...]:
    """Copies the tables of every database that a policy reads; `progress` is told of each table.

    A copy that was there before stays until the new one is whole. Raises PolicyError where a table is not as the policy
    says or the database cannot be read, and OperationalError where the copy cannot be written.
    """
    files: dict[Path, list[Table]] = {}
    for table in policy.tables:
        if table.source.database is not None:
            files.setdefault(table.source.path, []).append(table)
    return tuple(_copied(policy, path, tables, progress) for path, tables in files.items())


def remove_copies(policy: Policy) -> bool:
    """Removes the copies of a policy; whether there was any."""
    paths = {t.source.path for t in policy.tables if t.source.database is not None}
    had = [path for path in paths if path.exists()]
    for path in had:
        path.unlink()
    return bool(had)


def _copied(policy: Policy, path: Path, tables: list[Table], progress: Progress) -> Copied:
    place, mark = PreparedFolder.of(policy, path.parent), Coins().random_bytes(_MARK_BYTES).hex()
    place.prepare(policy)
    try:
        with place.one_run(), place.workshop(mark) as workshop:
            unfinished = workshop / path.name
            rows, unread = _written(policy, unfinished, tables, progress)
            sync(unfinished)
            unfinished.rename(path)
            sync(path.parent)
    except (duckdb.Error, OSError) as error:
        raise OperationalError(f"the copy cannot be written: {str(error).partition(chr(10))[0]}") from None
    return Copied(path, len(tables), rows, unread)


def _written(
    policy: Policy, file: Path, tables: list[Table], progress: Progress
) -> tuple[int, tuple[str, ...]]:
    """Writes all tables of one database; the number of their rows, and what was not read."""
    rows, at = 0, ""
    unread: list[str] = []
    with closing(duckdb.connect(":memory:")) as connection:
        connection.execute("SET temp_directory = ''")
        connection.execute(f"ATTACH {text_literal(file)} AS {_COPY} (TYPE duckdb)")
        file.chmod(_OWNER_ALONE)
        try:
            with _snapshot(database_of(tables[0])) as snapshot:
                for table in tables:
                    at = f".{table.name}.source"
                    made, lacking = _write(connection, snapshot, policy, table, progress)
                    rows, unread = rows + made, [*unread, *lacking]
        except UnfitDatabase as error:
            raise PolicyError((Problem(str(policy.path), None, f"tables{at}", str(error)),)) from None
        progress(Phase("writing the copy"))
        connection.execute(f"CHECKPOINT {_COPY}")
        connection.execute(f"DETACH {_COPY}")
    return rows, tuple(unread)


def _snapshot(database: DatabaseTable) -> AbstractContextManager[Snapshot]:
    if database.file is not None:
        return sqlite_snapshot(database.file)
    return postgres_snapshot(database.address)


def _write(
    connection: duckdb.DuckDBPyConnection, found: Snapshot, policy: Policy, table: Table, progress: Progress
) -> tuple[int, tuple[str, ...]]:
    name = f"{_COPY}.main.{quoted(table.source.table)}"
    unread = found.copy_into(connection, name, table, key_columns(policy, table), progress)
    wanted = [(c.name, ENGINE_TYPE[c.type]) for c in table.source_columns]
    if [(c.name, c.written) for c in columns_of(connection, name)] != wanted:
        raise UnfitDatabase("the database gave columns of other types than it was asked for")
    return int(connection.execute(f"SELECT count(*) FROM {name}").fetchall()[0][0]), unread
