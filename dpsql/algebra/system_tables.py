"""Tables about the system: what they are called and what columns they have; their rows come from policy and ledger.

They are read by their qualified names alone, in any case: `dpsql.budget`, `information_schema.tables`. The columns
below information_schema are those of DuckDB, which its tools expect; the engine's own catalogue is never read.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

Columns = tuple[tuple[str, str], ...]

CATALOG: Final = "dpsql"
"""The name of the database that the tables of a policy are in, as tools ask for it."""
VERSION: Final = "0.1.0"
"""What version() answers, behind the name of the software."""
MAIN: Final = "main"
"""The schema of a table without one."""


def _text(names: str) -> Columns:
    return tuple((name, "VARCHAR") for name in names.split())


def _integers(names: str) -> Columns:
    return tuple((name, "INTEGER") for name in names.split())


SYSTEM_TABLES: Final = MappingProxyType[str, Columns](
    {
        "dpsql.budget": (
            ("epsilon_granted", "DOUBLE"),
            ("epsilon_spent", "DOUBLE"),
            ("epsilon_remaining", "DOUBLE"),
            ("epsilon_per_query", "DOUBLE"),
            ("delta_granted", "DOUBLE"),
            ("delta_spent", "DOUBLE"),
            ("delta_remaining", "DOUBLE"),
            ("delta_per_query", "DOUBLE"),
            ("window_ends", "TIMESTAMP"),
            ("queries_left", "BIGINT"),
        ),
        "dpsql.parts": (
            ("part", "VARCHAR"),
            ("epsilon_spent", "DOUBLE"),
            ("epsilon_remaining", "DOUBLE"),
            ("delta_spent", "DOUBLE"),
            ("delta_remaining", "DOUBLE"),
        ),
        "dpsql.history": (
            ("number", "BIGINT"),
            ("time", "TIMESTAMP"),
            ("question", "VARCHAR"),
            ("epsilon", "DOUBLE"),
            ("delta", "DOUBLE"),
            ("releases", "BIGINT"),
            ("stored", "BOOLEAN"),
            ("canonical", "VARCHAR"),
            ("free_answers", "BIGINT"),
        ),
        "dpsql.columns": (
            ("table_schema", "VARCHAR"),
            ("table_name", "VARCHAR"),
            ("column_name", "VARCHAR"),
            ("ordinal_position", "INTEGER"),
            ("type", "VARCHAR"),
            ("nullable", "BOOLEAN"),
            ("lower", "VARCHAR"),
            ("upper", "VARCHAR"),
            ("value_list", "VARCHAR"),
            ("public", "BOOLEAN"),
            ("unit_key", "BOOLEAN"),
        ),
        "information_schema.schemata": _text(
            "catalog_name schema_name schema_owner default_character_set_catalog default_character_set_schema "
            "default_character_set_name sql_path"
        ),
        "information_schema.tables": _text(
            "table_catalog table_schema table_name table_type self_referencing_column_name reference_generation "
            "user_defined_type_catalog user_defined_type_schema user_defined_type_name is_insertable_into is_typed "
            "commit_action TABLE_COMMENT"
        ),
        "information_schema.columns": (
            *_text("table_catalog table_schema table_name column_name"),
            ("ordinal_position", "INTEGER"),
            *_text("column_default is_nullable data_type"),
            *_integers(
                "character_maximum_length character_octet_length numeric_precision numeric_precision_radix"
            ),
            *_integers("numeric_scale datetime_precision"),
            ("interval_type", "VARCHAR"),
            ("interval_precision", "INTEGER"),
            *_text("character_set_catalog character_set_schema character_set_name"),
            *_text(
                "collation_catalog collation_schema collation_name domain_catalog domain_schema domain_name"
            ),
            *_text("udt_catalog udt_schema udt_name scope_catalog scope_schema scope_name"),
            ("maximum_cardinality", "BIGINT"),
            ("dtd_identifier", "VARCHAR"),
            ("is_self_referencing", "BOOLEAN"),
            ("is_identity", "BOOLEAN"),
            *_text("identity_generation identity_start identity_increment identity_maximum identity_minimum"),
            ("identity_cycle", "BOOLEAN"),
            *_text("is_generated generation_expression"),
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
