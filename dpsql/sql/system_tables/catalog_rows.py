"""The rows of any system table, whichever catalog it belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Final

from dpsql.algebra.system_tables import SYSTEM_TABLES
from dpsql.sql.system_tables.catalog_relations import relations
from dpsql.sql.system_tables.declarations import columns_of_system_table, constants_of, same_table
from dpsql.sql.system_tables.dpsql_tables import system_rows
from dpsql.sql.system_tables.duckdb_catalog import DUCKDB_ROWS
from dpsql.sql.system_tables.information_schema import SCHEMA_ROWS
from dpsql.sql.system_tables.pg_catalog import RELATION_ROWS, RowsOf
from dpsql.sql.system_tables.pg_columns import DATABASE_NAME
from dpsql.sql.system_tables.pg_objects import OBJECT_ROWS
from dpsql.sql.system_tables.system_context import SystemContext

Rows = Sequence[tuple[object, ...]]
ROWS_OF: Final[RowsOf] = MappingProxyType({**RELATION_ROWS, **OBJECT_ROWS, **SCHEMA_ROWS, **DUCKDB_ROWS})
"""The functions that make the rows of each table; all others are empty, such as those of triggers and statistics."""


def rows_of_system_table(name: str, s: SystemContext) -> Rows:
    """The rows of a system table, by its qualified name in lower case.

    Catalogs depend on the policy and the analyst's name alone, tables of the schema `dpsql` on the ledger as well; none
    depends on private rows.
    """
    make = ROWS_OF.get(same_table(name))
    if make is None:
        return system_rows(name, s) if name in SYSTEM_TABLES else ()
    columns = columns_of_system_table(name)
    constants = {c: s.client.database if v == DATABASE_NAME else v for c, v in constants_of(name).items()}
    rows = ({**constants, **row} for row in make(relations(s)))
    return [tuple(row.get(column) for column, _ in columns) for row in rows]
