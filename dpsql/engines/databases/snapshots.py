"""What a snapshot of a database does, whatever database it is: it copies tables, all of one state."""

from __future__ import annotations

from typing import Protocol

import duckdb

from dpsql.policy.model import Table
from dpsql.policy.table_sources import DatabaseTable
from dpsql.progress import Progress


class UnfitDatabase(Exception):
    """A table of a database cannot be copied as the policy says; the text is for the admin."""


class Snapshot(Protocol):
    """One transaction that sees one state of the database."""

    def copy_into(
        self,
        connection: duckdb.DuckDBPyConnection,
        name: str,
        table: Table,
        keys: frozenset[str],
        progress: Progress,
    ) -> tuple[str, ...]:
        """Makes the table `name`, as SQL writes it, on a connection: the listed columns in the policy's types.

        Gives sentences for the admin about what was not read. Raises UnfitDatabase for no table, a view, and a column
        that is not there or cannot be read.
        """


def database_of(table: Table) -> DatabaseTable:
    """The table of a database that a table is a copy of; it has to be one."""
    assert table.source.database is not None
    return table.source.database
