"""Tables about the system: what they are called and what columns they have; their rows come from policy and ledger.

They are read by their qualified names alone, in any case: `dpsql.budget`, `information_schema.tables`. The columns
below information_schema are those of DuckDB, which its tools expect; the engine's own catalogue is never read.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType
from typing import Final

Columns = tuple[tuple[str, str], ...]

CATALOG: Final = "dpsql"
"""The name of the database that the tables of a policy are in, as tools ask for it."""
VERSION: Final = "0.1.0"
"""What version() answers, behind the name of the software."""
MAIN: Final = "main"
"""The schema of a table without one."""
PUBLIC: Final = "public"
"""What PostgreSQL calls that schema, and its clients do wherever they are."""


def main_schemas(tables: Iterable[str]) -> tuple[str, ...]:
    """The schemas by which a text may name a table without one; public is another where a table of these is in it."""
    taken = any(name.lower().startswith(f"{PUBLIC}.") for name in tables)
    return (MAIN,) if taken else (MAIN, PUBLIC)


def _of(kind: str, names: str) -> Columns:
    return tuple((name, kind) for name in names.split())


SYSTEM_TABLES: Final = MappingProxyType[str, Columns](
    {
        "dpsql.budget": (
            *_of("DOUBLE", "epsilon_granted epsilon_spent epsilon_remaining epsilon_per_query"),
            *_of("DOUBLE", "delta_granted delta_spent delta_remaining delta_per_query"),
            ("window_ends", "TIMESTAMP"),
            ("queries_left", "BIGINT"),
        ),
        "dpsql.parts": (
            ("part", "VARCHAR"),
            *_of("DOUBLE", "epsilon_spent epsilon_remaining delta_spent delta_remaining"),
        ),
        "dpsql.history": (
            ("number", "BIGINT"),
            ("time", "TIMESTAMP"),
            ("question", "VARCHAR"),
            *_of("DOUBLE", "epsilon delta"),
            ("releases", "BIGINT"),
            ("stored", "BOOLEAN"),
            ("canonical", "VARCHAR"),
            ("free_answers", "BIGINT"),
        ),
        "dpsql.columns": (
            *_of("VARCHAR", "table_schema table_name column_name"),
            ("ordinal_position", "INTEGER"),
            ("type", "VARCHAR"),
            ("nullable", "BOOLEAN"),
            *_of("VARCHAR", "lower upper value_list"),
            *_of("BOOLEAN", "public unit_key"),
        ),
        "information_schema.schemata": _of(
            "VARCHAR",
            "catalog_name schema_name schema_owner default_character_set_catalog default_character_set_schema "
            "default_character_set_name sql_path",
        ),
        "information_schema.tables": _of(
            "VARCHAR",
            "table_catalog table_schema table_name table_type self_referencing_column_name reference_generation "
            "user_defined_type_catalog user_defined_type_schema user_defined_type_name is_insertable_into is_typed "
            "commit_action TABLE_COMMENT",
        ),
        "information_schema.columns": (
            *_of("VARCHAR", "table_catalog table_schema table_name column_name"),
            ("ordinal_position", "INTEGER"),
            *_of("VARCHAR", "column_default is_nullable data_type"),
            *_of("INTEGER", "character_maximum_length character_octet_length numeric_precision"),
            *_of("INTEGER", "numeric_precision_radix numeric_scale datetime_precision"),
            ("interval_type", "VARCHAR"),
            ("interval_precision", "INTEGER"),
            *_of(
                "VARCHAR", "character_set_catalog character_set_schema character_set_name collation_catalog"
            ),
            *_of("VARCHAR", "collation_schema collation_name domain_catalog domain_schema domain_name"),
            *_of("VARCHAR", "udt_catalog udt_schema udt_name scope_catalog scope_schema scope_name"),
            ("maximum_cardinality", "BIGINT"),
            ("dtd_identifier", "VARCHAR"),
            *_of("BOOLEAN", "is_self_referencing is_identity"),
            *_of("VARCHAR", "identity_generation identity_start identity_increment identity_maximum"),
            ("identity_minimum", "VARCHAR"),
            ("identity_cycle", "BOOLEAN"),
            *_of("VARCHAR", "is_generated generation_expression"),
            ("is_updatable", "BOOLEAN"),
            ("COLUMN_COMMENT", "VARCHAR"),
        ),
    }
)
"""The columns and types of every system table by its qualified name, in lower case."""

_STAND_INS: Final = MappingProxyType({"dpsql": "dpsql_own", "information_schema": "dpsql_information_schema"})
"""The schema in which the engine holds empty copies of a schema's tables: it has an information_schema of its own."""


def system_name(schema: str, table: str) -> str | None:
    """The system table of that qualified name in any case, or None."""
    name = f"{schema}.{table}".lower()
    return name if "." not in table and name in SYSTEM_TABLES else None


def stand_in(schema: str) -> str:
    """The schema in which a query on tables without rows finds the system tables of a schema."""
    return _STAND_INS[schema.lower()]
