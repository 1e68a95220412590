"""The system catalogs' tables: their columns and types, as PostgreSQL 16 and DuckDB 2.0 have them.

OIDs are BIGINT, as in DuckDB's own catalogs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Final

from dpsql.algebra.system_tables import SYSTEM_TABLES, Columns
from dpsql.sql.system_tables.pg_columns import COLUMNS

_TYPES: Final = MappingProxyType(
    {"": "VARCHAR", "o": "BIGINT", "i": "INTEGER", "b": "BOOLEAN", "f": "DOUBLE", "t": "TIMESTAMP"}
)
_VALUES: Final = MappingProxyType[str, Callable[[str], object]](
    {"": str, "o": int, "i": int, "b": lambda text: text == "t", "f": float}
)
_SAME: Final = MappingProxyType(
    {
        "pg_catalog.pg_stat_all_tables": "pg_catalog.pg_stat_user_tables",
        "information_schema.role_table_grants": "information_schema.table_privileges",
    }
)
"""Tables with the columns and the rows of another."""
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
"""The tables that are read by a call without arguments, and their qualified names."""


@dataclass(frozen=True, slots=True)
class Declared:
    """The columns of a table with their types, and the value of each column that has one in every row."""

    columns: Columns
    constants: Mapping[str, object]


@cache
def declared_tables() -> Mapping[str, Declared]:
    """The tables of the system catalogs by their qualified names in lower case."""
    columns: dict[str, list[tuple[str, str]]] = {}
    constants: dict[str, dict[str, object]] = {}
    table = ""
    for word in COLUMNS.split():
        spelled, given, value = word.partition("=")
        name, _, kind = spelled.partition(":")
        if "." in name:
            table = name
            columns[table], constants[table] = [], {}
            continue
        element = kind.removesuffix("[]")
        columns[table].append((name, f"{_TYPES[element]}{kind[len(element) :]}"))
        if given:
            constants[table][name] = _VALUES[element](value)
    tables = {name: Declared(tuple(listed), constants[name]) for name, listed in columns.items()}
    return tables | {name: tables[other] for name, other in _SAME.items()}


@cache
def list_columns() -> frozenset[str]:
    """The columns of system tables that hold lists; no column of the same name holds anything else."""
    tables = declared_tables().values()
    return frozenset(name for table in tables for name, kind in table.columns if kind.endswith("[]"))


def constants_of(name: str) -> Mapping[str, object]:
    """The values that are the same in every row of a table, by column."""
    declared = declared_tables().get(name)
    return {} if declared is None else declared.constants


def same_table(name: str) -> str:
    """The table that has the columns and the rows of this one: most have their own."""
    return _SAME.get(name, name)


def listed_name(schema: str, table: str) -> str | None:
    """The qualified name of a system table as a statement names it, in any case and with or without its schema."""
    schema, table = schema.lower(), table.lower()
    if schema == "" and table == "sqlite_master":
        return "duckdb.sqlite_master"
    if schema == "" and table in _VIEWS:
        return CALLED[table]
    name = f"{schema or 'pg_catalog'}.{table}"
    exists = name in SYSTEM_TABLES or (name in declared_tables() and schema != "duckdb")
    return name if exists and name != "pg_catalog.pg_get_keywords" else None


def columns_of_system_table(name: str) -> Columns:
    """The columns of any table about the system by its qualified name."""
    declared = declared_tables().get(name)
    return SYSTEM_TABLES[name] if declared is None else declared.columns
