"""The rows of DuckDB's catalogs: databases, schemas, tables, columns, keys, functions and types of the policy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import MappingProxyType
from typing import Final

from dpsql.algebra.functions import FUNCTIONS
from dpsql.algebra.system_tables import CATALOG, MAIN
from dpsql.sql.system_tables.pg_catalog import Named, constraint_texts
from dpsql.sql.system_tables.pg_objects import proc_oids
from dpsql.sql.system_tables.relations import DATABASE, Constraint, Relation, Relations

_TYPES: Final = (
    ("bigint", 8, "NUMERIC"),
    ("boolean", 1, "BOOLEAN"),
    ("date", 4, "DATETIME"),
    ("double", 8, "NUMERIC"),
    ("hugeint", 16, "NUMERIC"),
    ("integer", 4, "NUMERIC"),
    ("smallint", 2, "NUMERIC"),
    ("timestamp", 8, "DATETIME"),
    ("varchar", 16, "STRING"),
)
_SETTINGS: Final = MappingProxyType(
    {
        "access_mode": "read_only",
        "Calendar": "gregorian",
        "default_null_order": "NULLS_LAST",
        "default_order": "ASCENDING",
        "schema": MAIN,
        "search_path": MAIN,
        "TimeZone": "UTC",
    }
)


def _place(one: Relation) -> dict[str, object]:
    return {
        "database_name": CATALOG,
        "database_oid": DATABASE,
        "schema_name": one.report.schema,
        "schema_oid": one.schema,
    }


def _databases(r: Relations) -> Iterator[Named]:
    yield {
        "database_name": CATALOG,
        "database_oid": DATABASE,
        "internal": False,
        "type": "duckdb",
        "readonly": True,
        "encrypted": False,
    }


def _schemas(r: Relations) -> Iterator[Named]:
    for name, oid in r.schemas.items():
        internal = name in ("pg_catalog", "information_schema")
        said = {"oid": oid, "schema_name": name, "internal": internal}
        yield {"database_name": CATALOG, "database_oid": DATABASE} | said


def _tables(r: Relations) -> Iterator[Named]:
    """Without the size that DuckDB estimates: how many rows a table has is nothing that a tool is told."""
    for one in r.tables:
        yield _place(one) | {
            "table_name": one.name,
            "table_oid": one.oid,
            "comment": one.report.comment,
            "internal": False,
            "temporary": False,
            "has_primary_key": one.key is not None,
            "column_count": len(one.attributes),
            "index_count": 0,
            "check_constraint_count": 0,
        }


def _columns(r: Relations) -> Iterator[Named]:
    for one in r.all:
        for column in one.attributes:
            yield _place(one) | {
                "table_name": one.name,
                "table_oid": one.oid,
                "column_name": column.name,
                "column_index": column.number,
                "comment": column.comment,
                "internal": False,
                "is_nullable": column.nullable,
                "data_type": column.type,
                "data_type_id": column.pg_type.oid,
                "is_generated": False,
            }


def _views(r: Relations) -> Iterator[Named]:
    for one in r.views:
        yield _place(one) | {
            "view_name": one.name,
            "view_oid": one.oid,
            "internal": False,
            "temporary": False,
            "column_count": len(one.attributes),
        }


def _constraints(r: Relations) -> Iterator[Named]:
    texts = constraint_texts(r)
    for one in r.tables:
        keys = [(one.key, "PRIMARY KEY")] if one.key is not None else []
        for at, (key, kind) in enumerate([*keys, *((k, "FOREIGN KEY") for k in one.foreign)]):
            yield (
                _key(one, key, kind)
                | {"constraint_index": at, "constraint_text": texts[key.oid]}
                | _referred(key, r)
            )


def _key(one: Relation, key: Constraint, kind: str) -> dict[str, object]:
    return _place(one) | {
        "table_name": one.name,
        "table_oid": one.oid,
        "constraint_type": kind,
        "constraint_name": key.name,
        "constraint_column_indexes": [n - 1 for n in key.columns],
        "constraint_column_names": list(one.named(key.columns)),
    }


def _referred(key: Constraint, r: Relations) -> dict[str, object]:
    if not key.refers_to:
        return {}
    other = r.by_oid(key.refers_to)
    return {"referenced_table": other.name, "referenced_column_names": list(other.named(key.referred))}


def _functions(r: Relations) -> Iterator[Named]:
    """What may be called on private rows; released and public tables may be asked more."""
    oids = proc_oids()
    told = {s.lower(): f.summary for f in FUNCTIONS.values() for s in f.spellings}
    for name, summary in sorted(told.items()):
        yield {
            "database_name": CATALOG,
            "schema_name": MAIN,
            "function_name": name,
            "function_type": "scalar",
            "description": summary,
            "has_side_effects": False,
            "internal": True,
            "function_oid": oids[name],
            "stability": "CONSISTENT",
        }


def _types(r: Relations) -> Iterator[Named]:
    for at, (name, size, category) in enumerate(_TYPES):
        yield {
            "database_name": CATALOG,
            "database_oid": DATABASE,
            "schema_name": MAIN,
            "schema_oid": r.schemas[MAIN],
            "type_oid": at,
            "type_name": name,
            "type_size": size,
            "logical_type": name.upper(),
            "type_category": category,
            "internal": True,
        }


def _settings(r: Relations) -> Iterator[Named]:
    for name, value in _SETTINGS.items():
        yield {"name": name, "value": value, "description": "", "input_type": "VARCHAR", "scope": "GLOBAL"}


def _master(r: Relations) -> Iterator[Named]:
    for one in r.all:
        kind = "view" if one.report.system else "table"
        yield {"type": kind, "name": one.name, "tbl_name": one.name, "rootpage": 0}


def _described(r: Relations) -> Iterator[Named]:
    """What PRAGMA table_info says of each table, by the names that it may be called."""
    for one in r.all:
        key = one.key.columns if one.key is not None else ()
        spelled = {f"{one.report.schema}.{one.name}".lower()}
        spelled |= {one.name.lower()} if one.report.schema == MAIN else set()
        for name in sorted(spelled):
            for column in one.attributes:
                yield {
                    "cid": column.number - 1,
                    "name": column.name,
                    "type": column.type,
                    "notnull": not column.nullable,
                    "pk": column.number in key,
                    "of_table": name,
                }


DUCKDB_ROWS: Final = MappingProxyType[str, Callable[[Relations], Iterator[Named]]](
    {
        "duckdb_databases": _databases,
        "duckdb_schemas": _schemas,
        "duckdb_tables": _tables,
        "duckdb_columns": _columns,
        "duckdb_views": _views,
        "duckdb_constraints": _constraints,
        "duckdb_functions": _functions,
        "duckdb_types": _types,
        "duckdb_settings": _settings,
        "pragma_table_info": _described,
        "sqlite_master": _master,
    }
)
"""What makes the rows of each of DuckDB's catalogs that has any."""
