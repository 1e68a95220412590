"""Tables of a PostgreSQL database, read in one snapshot as Arrow, each column cast by PostgreSQL itself.

The casts have a value for every value of a column. Arrow has no infinite dates, PostgreSQL has moments that 64 bits of
microseconds do not reach, and a numeric may be beyond every double. Whatever is beyond the years that a policy knows is
moved to a day that is beyond them as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

import duckdb

from dpsql.algebra.scan import quoted, text_literal
from dpsql.engines.databases.snapshots import UnfitDatabase, database_of
from dpsql.policy.model import Column, ColumnType, Table
from dpsql.policy.table_sources import DatabaseTable
from dpsql.progress import Phase, Progress
from dpsql.slotted import dataclass

if TYPE_CHECKING:
    from adbc_driver_manager.dbapi import Cursor
    from pyarrow import RecordBatchReader as Reader  # type: ignore[import-untyped]

# Names are PostgreSQL's own, whatever schemas the user has; a policy of rows that would hide some of them is an error.
# Texts come in UTF-8, whatever environment or role say.
_SNAPSHOT = (
    "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY",
    "SET LOCAL search_path = pg_catalog",
    "SET LOCAL row_security = off",
    "SET LOCAL TimeZone = 'UTC'",
    "SET LOCAL client_encoding = 'UTF8'",
)
_IS_SNAPSHOT = "SELECT current_setting('transaction_isolation'), current_setting('transaction_read_only')"
_ENCODING = "SELECT current_setting('server_encoding')"
_RELATION = """SELECT c.oid::int8, c.relkind::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname::text = {schema} AND c.relname::text = {table}"""
# Reading a table reads its partitions and what inherits from it, which may be foreign tables.
_FOREIGN = """WITH RECURSIVE below AS (
    SELECT inhrelid FROM pg_inherits WHERE inhparent = {oid}
    UNION ALL SELECT i.inhrelid FROM pg_inherits i JOIN below b ON i.inhparent = b.inhrelid
)
SELECT relname::text FROM below JOIN pg_class ON oid = inhrelid WHERE relkind = 'f' ORDER BY 1"""
# An enumeration with a cast of its own to text would be read by somebody's function, which may look at other rows.
_COLUMNS = """WITH RECURSIVE found AS (
    SELECT attnum, attname, atttypid AS type, format_type(atttypid, atttypmod) AS written FROM pg_attribute
    WHERE attrelid = {oid} AND attnum > 0 AND NOT attisdropped
    UNION ALL
    SELECT f.attnum, f.attname, t.typbasetype, f.written FROM found f JOIN pg_type t ON t.oid = f.type
    WHERE t.typtype = 'd'
)
SELECT f.attname::text, f.written::text, t.typname::text,
    t.typtype = 'e' AND NOT EXISTS (SELECT 1 FROM pg_cast WHERE castsource = t.oid AND casttarget = 'text'::regtype),
    n.nspname = 'pg_catalog' AND t.typtype = 'b'
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
        foreign = self._fetched(_FOREIGN.format(oid=oid))
        if foreign:
            raise UnfitDatabase(
                f"{written} reads {foreign[0][0]}, a foreign table, which may mix rows of several people; name a table"
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
            snapshot = PostgresSnapshot(cursor)
            if snapshot._fetched(_IS_SNAPSHOT) != [("repeatable read", "on")]:
                raise UnfitDatabase("the database gives no snapshot")
            # In any other a text may have no UTF-8: one would fail the copy or, under SQL_ASCII, every query.
            ((encoding,),) = snapshot._fetched(_ENCODING)
            if encoding != "UTF8":
                raise UnfitDatabase(
                    f"the database keeps its text as {encoding}; only databases in UTF8 are read"
                )
            yield snapshot
    except (Error, pyarrow.ArrowException) as error:
        raise UnfitDatabase(f"the database cannot be read: {str(error).partition(chr(10))[0]}") from None


def _named(name: str, there: tuple[CatalogColumn, ...]) -> CatalogColumn:
    """The column of that name; in any case where no other has it."""
    exact = [c for c in there if c.name == name]
    columns = exact or [c for c in there if c.name.lower() == name.lower()]
    if len(columns) != 1:
        reason = "no column" if not columns else "several columns"
        raise UnfitDatabase(f"the table has {reason} {name}")
    return columns[0]


_INTEGERS = frozenset({"int2", "int4", "int8"})
_DOUBLES = frozenset({"float4", "float8"})
_TEXTS = frozenset({"text", "varchar", "bpchar", "name", "uuid"})
_MOMENTS = frozenset({"date", "timestamp", "timestamptz"})
_JSON = frozenset({"json", "jsonb"})
_ACCEPTED = {
    ColumnType.INTEGER: _INTEGERS,
    ColumnType.FLOAT: _INTEGERS | _DOUBLES | {"numeric"},
    ColumnType.TEXT: _TEXTS,
    ColumnType.BOOLEAN: frozenset({"bool"}),
    ColumnType.DATE: frozenset({"date"}),
    ColumnType.TIMESTAMP: _MOMENTS,
}
_LAST, _FIRST = "290000-01-01", "4000-01-01 BC"
_MOST, _LEAST = "1.7976931348623157e308", "2.2250738585072014e-308"


@dataclass(frozen=True, slots=True)
class CatalogColumn:
    """A column as the catalog has it: `kind` is its type's name there, of a domain that of its base type.

    `is_enum` says that the type is an enumeration, `is_own` that PostgreSQL itself defines it; `written` is the type
    as people write it.
    """

    name: str
    written: str
    kind: str
    is_enum: bool
    is_own: bool


def cast_sql(column: CatalogColumn, wanted: ColumnType, *, is_json: bool = False) -> str | None:
    """The column in a type of the policy's, total; None where it cannot be read as that.

    A text that is JSON to the policy, `is_json`, may be JSON to PostgreSQL as well.
    """
    value = quoted(column.name)
    if is_json and column.is_own and column.kind in _JSON:
        return f"{value}::text"
    if column.is_enum:
        return f"{value}::text" if wanted is ColumnType.TEXT else None
    if not column.is_own or column.kind not in _ACCEPTED[wanted]:
        return None
    match wanted:
        case ColumnType.INTEGER:
            return f"{value}::int8"
        case ColumnType.FLOAT:
            return _double(value) if column.kind == "numeric" else f"{value}::float8"
        case ColumnType.TEXT:
            return f"{value}::text"
        case ColumnType.BOOLEAN:
            return f"{value}::bool"
        case ColumnType.DATE:
            return _within(f"{value}::date", "date")
        case ColumnType.TIMESTAMP:
            zoned = column.kind == "timestamptz"
            moment = f"({value}::timestamptz AT TIME ZONE 'UTC')" if zoned else f"{value}::{column.kind}"
            return f"{_within(moment, 'date' if column.kind == 'date' else 'timestamp')}::timestamp"


def merges(column: CatalogColumn, wanted: ColumnType) -> bool:
    """Whether two values of the column could become one value of the type, and two people one."""
    return wanted is ColumnType.FLOAT and column.kind not in _DOUBLES


def _within(value: str, kind: str) -> str:
    """A moment within what Arrow can hold; infinite ones are beyond every day of a policy afterwards, as before."""
    last, first = f"{kind} '{_LAST}'", f"{kind} '{_FIRST}'"
    return f"(CASE WHEN {value} > {last} THEN {last} WHEN {value} < {first} THEN {first} ELSE {value} END)"


def _double(value: str) -> str:
    """A numeric as a double: NaN is above every number, what is too large is infinite, what is too small is zero."""
    number = f"{value}::numeric"
    return (
        f"(CASE WHEN {number} = 'NaN' THEN float8 'NaN' WHEN {number} > {_MOST} THEN float8 'Infinity' "
        f"WHEN {number} < -{_MOST} THEN float8 '-Infinity' WHEN abs({number}) < {_LEAST} THEN float8 '0' "
        f"ELSE {number}::float8 END)"
    )
