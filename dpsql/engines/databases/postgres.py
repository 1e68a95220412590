"""Tables of a PostgreSQL database, read in one snapshot as Arrow, each column cast by PostgreSQL itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import duckdb

from dpsql.algebra.scan import quoted, text_literal
from dpsql.engines.databases.postgres_casts import CatalogColumn, cast_sql, merges
from dpsql.engines.databases.snapshots import UnfitDatabase, database_of
from dpsql.policy.model import Column, Table
from dpsql.policy.table_sources import DatabaseTable
from dpsql.progress import Phase, Progress

if TYPE_CHECKING:
    from adbc_driver_manager.dbapi import Cursor
    from pyarrow import RecordBatchReader as Reader  # type: ignore[import-untyped]

# Names are PostgreSQL's own, whatever schemas the user has; a policy of rows that would hide some of them is an error.
_SNAPSHOT = (
    "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY",
    "SET LOCAL search_path = pg_catalog",
    "SET LOCAL row_security = off",
    "SET LOCAL TimeZone = 'UTC'",
)
_IS_SNAPSHOT = "SELECT current_setting('transaction_isolation'), current_setting('transaction_read_only')"
_RELATION = """SELECT c.oid::int8, c.relkind::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname::text = {schema} AND c.relname::text = {table}"""
_COLUMNS = """WITH RECURSIVE found AS (
    SELECT attnum, attname, atttypid AS type, format_type(atttypid, atttypmod) AS written FROM pg_attribute
    WHERE attrelid = {oid} AND attnum > 0 AND NOT attisdropped
    UNION ALL
    SELECT f.attnum, f.attname, t.typbasetype, f.written FROM found f JOIN pg_type t ON t.oid = f.type
    WHERE t.typtype = 'd'
)
SELECT f.attname::text, f.written::text, t.typname::text, t.typtype = 'e', n.nspname = 'pg_catalog' AND t.typtype = 'b'
FROM found f JOIN pg_type t ON t.oid = f.type JOIN pg_namespace n ON n.oid = t.typnamespace
WHERE t.typtype <> 'd' ORDER BY f.attnum"""
_KINDS = {"v": "a view", "m": "a materialized view", "f": "a foreign table"}
_TABLES = ("r", "p")


@dataclass(frozen=True, slots=True)
class PostgresSnapshot:
    """One transaction that sees one state of the database."""

    cursor: Cursor

    def copy_into(
        self,
        connection: duckdb.DuckDBPyConnection,
        name: str,
        table: Table,
        keys: frozenset[str],
        progress: Progress,
    ) -> tuple[str, ...]:
        """Copies a table as `snapshots.Snapshot` says; every value is read. Raises UnfitDatabase as `rows` does."""
        progress(Phase(f"{table.name}: copying from the database"))
        connection.register("found", self.rows(database_of(table), table.source_columns, keys))
        connection.execute(f"CREATE TABLE {name} AS SELECT * FROM found")
        connection.unregister("found")
        return ()

    def rows(self, table: DatabaseTable, columns: tuple[Column, ...], keys: frozenset[str]) -> Reader:
        """The rows of a table, its listed columns in the policy's types.

        Raises UnfitDatabase for no table, a view, and a column that is not there or of another type.
        """
        listed = ", ".join(self._selected(table, columns, keys))
        self.cursor.execute(f"SELECT {listed} FROM {quoted(table.schema)}.{quoted(table.table)}")
        return self.cursor.fetch_record_batch()

    def _selected(
        self, table: DatabaseTable, columns: tuple[Column, ...], keys: frozenset[str]
    ) -> Iterator[str]:
        there = self._columns(table)
        for column in columns:
            found = _named(column.name, there)
            is_json = column.field is not None
            sql = cast_sql(found, column.type, is_json=is_json)
            if sql is None:
                wanted = "json" if is_json else column.type
                raise UnfitDatabase(
                    f"the database has {column.name} as {found.written}, which cannot be read as {wanted}"
                )
            if column.name in keys and merges(found, column.type):
                raise UnfitDatabase(
                    f"the database has {column.name} as {found.written}, of which two values could become one key"
                )
            yield f"{sql} AS {quoted(column.name)}"

    def _columns(self, table: DatabaseTable) -> tuple[CatalogColumn, ...]:
        written = f"{table.schema}.{table.table}"
        names = {"schema": text_literal(table.schema), "table": text_literal(table.table)}
        relations = self._fetched(_RELATION.format(**names))
        if not relations:
            raise UnfitDatabase(f"there is no table {written} in the database, or it may not be seen")
        ((oid, kind),) = relations
        if kind not in _TABLES:
            raise UnfitDatabase(
                f"{written} is {_KINDS.get(str(kind), 'no table')}, which may mix rows of several people; name a table"
            )
        rows = self._fetched(_COLUMNS.format(oid=oid))
        return tuple(CatalogColumn(str(n), str(w), str(k), bool(e), bool(o)) for n, w, k, e, o in rows)

    def _fetched(self, sql: str) -> list[tuple[object, ...]]:
        self.cursor.execute(sql)
        return list(self.cursor.fetchall())


@contextmanager
def postgres_snapshot(address: str) -> Iterator[PostgresSnapshot]:
    """A snapshot of the database at an address; libpq finds the password in PGPASSWORD or PGPASSFILE.

    Raises UnfitDatabase where it cannot be opened, is no snapshot, or is lost.
    """
    try:
        import pyarrow
        from adbc_driver_manager import Error
        from adbc_driver_postgresql import dbapi  # type: ignore[import-untyped]
    except ImportError:
        raise UnfitDatabase("PostgreSQL is read by ADBC: pip install 'dpsql[adbc]'") from None
    try:
        with closing(dbapi.connect(address)) as connection, closing(connection.cursor()) as cursor:
            for statement in _SNAPSHOT:
                cursor.execute(statement)
            found = PostgresSnapshot(cursor)
            if found._fetched(_IS_SNAPSHOT) != [("repeatable read", "on")]:
                raise UnfitDatabase("the database gives no snapshot")
            yield found
    except (Error, pyarrow.ArrowException) as error:
        raise UnfitDatabase(f"the database cannot be read: {str(error).partition(chr(10))[0]}") from None


def _named(name: str, there: tuple[CatalogColumn, ...]) -> CatalogColumn:
    """The column of that name; in any case where no other has it."""
    exact = [c for c in there if c.name == name]
    found = exact or [c for c in there if c.name.lower() == name.lower()]
    if len(found) != 1:
        reason = "no column" if not found else "several columns"
        raise UnfitDatabase(f"the table has {reason} {name}")
    return found[0]
