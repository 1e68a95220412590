"""The system catalogs' tables: their columns and types, as PostgreSQL 16 and DuckDB 2.0 have them.

Numbers that PostgreSQL gives to objects are BIGINT, as in DuckDB's own catalogs.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from dpsql.algebra.system_tables import SYSTEM_TABLES, Columns
from dpsql.sql.system_tables.pg_columns import EMPTY_TABLES, TABLES

_KINDS: Final = MappingProxyType(
    {"": "VARCHAR", "o": "BIGINT", "i": "INTEGER", "b": "BOOLEAN", "f": "DOUBLE", "t": "TIMESTAMP"}
)
_VIEWS: Final = frozenset(
    {"duckdb_columns", "duckdb_constraints", "duckdb_databases", "duckdb_schemas", "duckdb_tables"}
)
_FUNCTIONS: Final = (
    "duckdb_columns duckdb_constraints duckdb_databases duckdb_functions duckdb_indexes duckdb_schemas "
    "duckdb_extensions duckdb_keywords "
    "duckdb_sequences duckdb_settings duckdb_tables duckdb_types duckdb_views"
)
CALLED: Final = MappingProxyType(
    {name: f"duckdb.{name}" for name in _FUNCTIONS.split()}
    | {"pg_get_keywords": "pg_catalog.pg_get_keywords"}
)
"""The tables that are read by a call without arguments, and where they are listed."""


def _columns(spelled: str) -> Columns:
    """The columns that a text lists: `oid:o relname indkey:i[]`, text where nothing is said."""
    found = []
    for item in spelled.split():
        name, _, kind = item.partition(":")
        found.append((name, f"{_KINDS[kind.removesuffix('[]')]}{'[]' if kind.endswith('[]') else ''}"))
    return tuple(found)


def metadata_columns(name: str) -> Columns | None:
    """The columns of a table of the system catalogs by its qualified name in lower case, or None."""
    spelled = TABLES.get(name, EMPTY_TABLES.get(name))
    return None if spelled is None else _columns(spelled)


def listed_name(schema: str, table: str) -> str | None:
    """The qualified name of a system table as a statement names it, in any case and with or without its schema."""
    schema, table = schema.lower(), table.lower()
    if schema == "" and table == "sqlite_master":
        return "duckdb.sqlite_master"
    if schema == "" and table in _VIEWS:
        return CALLED[table]
    name = f"{schema or 'pg_catalog'}.{table}"
    known = name in SYSTEM_TABLES or (metadata_columns(name) is not None and schema != "duckdb")
    return name if known and name != "pg_catalog.pg_get_keywords" else None


def columns_of_system_table(name: str) -> Columns:
    """The columns of any table about the system by its qualified name."""
    found = metadata_columns(name)
    return SYSTEM_TABLES[name] if found is None else found
