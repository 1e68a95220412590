"""Where queries are described: a database apart with the policy's columns and no row, and what else a text may name."""

from __future__ import annotations

from collections.abc import Iterable

import duckdb

from dpsql.algebra.scan import quoted
from dpsql.algebra.system_tables import CATALOG, SYSTEM_TABLES, main_schemas, stand_in
from dpsql.engines.sources.column_types import ENGINE_TYPE
from dpsql.engines.sources.views import TypedTable
from dpsql.errors import Uncopyable
from dpsql.policy.model import Policy

# The calls of our own as far as their names and types go: they are described on tables without rows only.
_OWN_CALLS = {
    "dp_interval_low": "(x) AS CASE WHEN x IS NOT NULL THEN NULL::DOUBLE END",
    "dp_interval_high": "(x) AS CASE WHEN x IS NOT NULL THEN NULL::DOUBLE END",
    "randomized_response": "(x) AS x",
    "rappor": "(x) AS CAST(x AS VARCHAR)",
    "rr_mean": "(x) AS avg(CASE WHEN x THEN 1::DOUBLE ELSE 0::DOUBLE END)",
    "rr_count": "(x, v) AS coalesce(sum(CASE WHEN x = v THEN 1::DOUBLE END), 0)",
    "rappor_count": "(x, v) AS coalesce(sum(CASE WHEN x = v THEN 1::DOUBLE END), 0)",
}


class EmptyTables(Uncopyable):
    """A cursor on the database apart.

    Our own calls and system tables are made when a text first names them: few do, and making all of them takes longer
    than planning a query.
    """

    __slots__ = ("_unmade", "cursor")

    def __init__(self, cursor: duckdb.DuckDBPyConnection) -> None:
        self.cursor = cursor
        self._unmade = {name: (f"CREATE OR REPLACE MACRO {name}{body}",) for name, body in _OWN_CALLS.items()}
        for full in SYSTEM_TABLES:
            schema = stand_in(full.partition(".")[0])
            self._unmade[schema] = (*self._unmade.get(schema, ()), *_system_table(full, schema))

    @classmethod
    def beside(
        cls, connection: duckdb.DuckDBPyConnection, policy: Policy, public: Iterable[TypedTable]
    ) -> EmptyTables:
        """Every visible column of the policy's tables, in another database of a connection."""
        connection.execute(f"ATTACH ':memory:' AS {CATALOG}")
        cursor = connection.cursor()
        cursor.execute(f"USE {CATALOG}")
        typed = {t.table.name: t.columns for t in public}
        for table in policy.tables:
            visible = typed.get(table.name) or [(c.name, c.type) for c in table.columns if not c.hidden]
            columns = ", ".join(f"{quoted(name)} {ENGINE_TYPE[type_]}" for name, type_ in visible)
            schema, _, name = table.name.rpartition(".")
            for known in (schema,) if schema else main_schemas(t.name for t in policy.tables):
                cursor.execute(f"CREATE SCHEMA IF NOT EXISTS {quoted(known)}")
                cursor.execute(
                    f"CREATE TABLE {quoted(known)}.{quoted(name)} ({columns or 'nothing INTEGER'})"
                )
        return cls(cursor)

    def naming(self, text: str) -> duckdb.DuckDBPyConnection:
        """The cursor, with all that a text names. What an interrupt cut off is made again for the next text."""
        written = text.lower()
        for name in [n for n in self._unmade if n in written]:
            for statement in self._unmade[name]:
                self.cursor.execute(statement)
            del self._unmade[name]
        return self.cursor


def _system_table(full: str, schema: str) -> tuple[str, str]:
    """A system table without a row, where a text that is described names it."""
    name = full.partition(".")[2]
    columns = ", ".join(f"{quoted(column)} {kind}" for column, kind in SYSTEM_TABLES[full])
    made = f"CREATE TABLE IF NOT EXISTS {quoted(schema)}.{quoted(name)} ({columns})"
    return f"CREATE SCHEMA IF NOT EXISTS {quoted(schema)}", made
