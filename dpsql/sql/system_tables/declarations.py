"""The system catalogs' tables: their columns and types, as PostgreSQL 16 and DuckDB 2.0 have them.

OIDs are BIGINT, as in DuckDB's own catalogs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import cache
from types import MappingProxyType
from typing import Final

from dpsql.algebra.system_tables import SYSTEM_TABLES, Columns
from dpsql.slotted import dataclass
from dpsql.sql.system_tables.duckdb_columns import DUCKDB_COLUMNS
from dpsql.sql.system_tables.pg_columns import COLUMNS
from dpsql.sql.system_tables.pg_empty_columns import EMPTY_COLUMNS
from dpsql.sql.system_tables.pg_types import pg_type_of
from dpsql.sql.system_tables.schema_columns import SCHEMA_COLUMNS

_TYPES: Final = MappingProxyType(
    {
        **dict.fromkeys(("oid", "xid", "regproc", "regtype", "regclass", "int8"), "BIGINT"),
        **dict.fromkeys(("int2", "int4"), "INTEGER"),
        **dict.fromkeys(("float4", "float8", "numeric"), "DOUBLE"),
        **dict.fromkeys(("timestamp", "timestamptz"), "TIMESTAMP"),
        "bool": "BOOLEAN",
        "interval": "INTERVAL",
        "int2vector": "INTEGER[]",
        "oidvector": "BIGINT[]",
        "anyarray": "VARCHAR[]",
    }
)
"""The type in which the engine holds a type of PostgreSQL's; text for any other."""
_VALUES: Final = MappingProxyType[str, Callable[[str], object]](
    {
        "BIGINT": int,
        "INTEGER": int,
        "DOUBLE": float,
        "VARCHAR": str,
        "BOOLEAN": lambda text: text == "t",
        "INTERVAL": lambda text: timedelta(seconds=float(text)),
    }
)
_SAME: Final = MappingProxyType(
    {
        "pg_catalog.pg_stat_all_tables": "pg_catalog.pg_stat_user_tables",
        "pg_catalog.pg_statio_all_tables": "pg_catalog.pg_statio_user_tables",
        "information_schema.role_table_grants": "information_schema.table_privileges",
    }
)
"""Tables with the columns and the rows of another."""
_OWN_SCHEMAS: Final = frozenset({"duckdb", "functions", "postgresql"})
"""What tables are declared in that have another name in a query."""
SHAPED: Final = MappingProxyType(
    {f"information_schema.{name}": f"postgresql.{name}" for name in ("schemata", "tables", "columns")}
)
"""The tables of information_schema that have DuckDB's columns, and those that are declared as PostgreSQL has them."""
_VIEWS: Final = frozenset(
    {"duckdb_columns", "duckdb_constraints", "duckdb_databases", "duckdb_schemas", "duckdb_tables"}
)
_FUNCTIONS: Final = (
    "duckdb_columns duckdb_constraints duckdb_databases duckdb_functions duckdb_indexes duckdb_schemas "
    "duckdb_extensions duckdb_keywords "
    "duckdb_sequences duckdb_settings duckdb_tables duckdb_types duckdb_views"
)
_KEYWORDS: Final = "pg_catalog.pg_get_keywords"
CALLED: Final = MappingProxyType(
    {name: f"duckdb.{name}" for name in _FUNCTIONS.split()}
    | {
        "pg_cursor": "pg_catalog.pg_cursors",
        "pg_get_keywords": _KEYWORDS,
        "pg_lock_status": "pg_catalog.pg_locks",
        "pg_prepared_statement": "pg_catalog.pg_prepared_statements",
        "pg_show_all_settings": "pg_catalog.pg_settings",
        "pg_timezone_abbrevs": "pg_catalog.pg_timezone_abbrevs",
        "pg_timezone_names": "pg_catalog.pg_timezone_names",
    }
)
"""The tables that are read by a call without arguments, and their qualified names."""


ALWAYS_EMPTY: Final = frozenset(
    {
        *("pg_available_extensions", "pg_available_extension_versions"),
        *("aclexplode", "pg_listening_channels", "pg_options_to_table", "pg_partition_tree", "ts_token_type"),
    }
)
"""The functions that have no row here, whatever their arguments; declared as tables of `functions`."""


@dataclass(frozen=True, slots=True)
class Declared:
    """The columns of a table with their types, and the value of each column that has one in every row.

    `types` are the names of PostgreSQL's types, in the order of the columns.
    """

    columns: Columns
    types: tuple[str, ...]
    constants: Mapping[str, object]


@cache
def declared_tables() -> Mapping[str, Declared]:
    """The tables of the system catalogs by their qualified names in lower case."""
    written: dict[str, list[str]] = {}
    table = ""
    for word in (*COLUMNS.split(), *EMPTY_COLUMNS.split(), *SCHEMA_COLUMNS.split(), *DUCKDB_COLUMNS.split()):
        if "." in word.partition("=")[0]:
            table = word
            written[table] = []
        else:
            written[table].append(word)
    tables = {name: _declared(words) for name, words in written.items()}
    return tables | {name: tables[other] for name, other in _SAME.items()}


def _declared(words: list[str]) -> Declared:
    columns: list[tuple[str, str]] = []
    types: list[str] = []
    constants: dict[str, object] = {}
    for word in words:
        spelled, given, value = word.partition("=")
        name, _, kind = spelled.partition(":")
        types.append(kind or "text")
        columns.append((name, held_as(types[-1])))
        if given:
            constants[name] = _VALUES[columns[-1][1]](value)
    return Declared(tuple(columns), tuple(types), constants)


def held_as(pg_type: str) -> str:
    """The type of DuckDB's in which values of a type of PostgreSQL's are held."""
    if pg_type.startswith("_"):
        return f"{_TYPES.get(pg_type[1:], 'VARCHAR')}[]"
    return _TYPES.get(pg_type, "VARCHAR")


@cache
def list_columns() -> frozenset[str]:
    """The columns of system tables that hold lists; no column of the same name holds anything else."""
    tables = declared_tables().values()
    return frozenset(name for table in tables for name, kind in table.columns if kind.endswith("[]"))


@cache
def function_columns() -> frozenset[str]:
    """The columns of system tables that hold functions by OID; no column of the same name holds anything else."""
    tables = declared_tables().values()
    return frozenset(
        name for t in tables for (name, _), kind in zip(t.columns, t.types, strict=True) if kind == "regproc"
    )


@cache
def transaction_columns() -> frozenset[str]:
    """The columns of system tables that hold numbers of transactions, with those that every table has."""
    tables = declared_tables().values()
    named = (n for t in tables for (n, _), kind in zip(t.columns, t.types, strict=True) if kind == "xid")
    return frozenset({"xmin", "xmax", *named})


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
    exists = name in SYSTEM_TABLES or (name in declared_tables() and schema not in _OWN_SCHEMAS)
    return name if exists and name != _KEYWORDS else None


def columns_of_system_table(name: str) -> Columns:
    """The columns of any table about the system by its qualified name."""
    declared = declared_tables().get(name)
    return SYSTEM_TABLES[name] if declared is None else declared.columns


def pg_types_of_system_table(name: str) -> tuple[str, ...]:
    """The names of PostgreSQL's types of the columns of any table about the system."""
    declared = declared_tables().get(name)
    return (
        tuple(pg_type_of(kind).name for _, kind in SYSTEM_TABLES[name])
        if declared is None
        else declared.types
    )


def catalog_tables() -> Mapping[str, Declared]:
    """The tables of pg_catalog and information_schema as PostgreSQL lists them, by their qualified names."""
    tables = declared_tables()
    own = {n: t for n, t in tables.items() if n.partition(".")[0] not in _OWN_SCHEMAS and n != _KEYWORDS}
    return own | {name: tables[other] for name, other in SHAPED.items()}
