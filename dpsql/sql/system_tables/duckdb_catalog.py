"""The rows of DuckDB's catalogs: databases, schemas, tables, columns, keys, functions and types of the policy."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType
from typing import Final

from dpsql.algebra.functions import FUNCTIONS
from dpsql.algebra.system_tables import MAIN
from dpsql.sql.system_tables.catalog_relations import Constraint, Relation, Relations
from dpsql.sql.system_tables.pg_catalog import Row, RowsOf, constraint_texts
from dpsql.sql.system_tables.pg_objects import one_row, proc_oids

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


def _relation(one: Relation, kind: str = "table") -> dict[str, object]:
    place = {"schema_name": one.report.schema, "schema_oid": one.schema}
    return place | {f"{kind}_name": one.name, f"{kind}_oid": one.oid}


def _schemas(r: Relations) -> Iterator[Row]:
    for name, oid in r.schemas.items():
        internal = name in ("pg_catalog", "information_schema")
        yield {"oid": oid, "schema_name": name, "internal": internal}


def _tables(r: Relations) -> Iterator[Row]:
    """Without the size that DuckDB estimates: how many rows a table has is private."""
    for one in r.tables:
        yield _relation(one) | {
            "comment": one.report.comment,
            "has_primary_key": one.key is not None,
            "column_count": len(one.attributes),
        }


def _columns(r: Relations) -> Iterator[Row]:
    for one in r.all:
        for column in one.attributes:
            yield _relation(one) | {
                "column_name": column.name,
                "column_index": column.number,
                "comment": column.comment,
                "is_nullable": column.nullable,
                "data_type": column.type,
                "data_type_id": column.pg_type.oid,
            }


def _views(r: Relations) -> Iterator[Row]:
    for one in r.views:
        yield _relation(one, "view") | {"column_count": len(one.attributes)}


def _constraints(r: Relations) -> Iterator[Row]:
    texts = constraint_texts(r)
    for one in r.tables:
        for at, key in enumerate(one.keys):
            yield (
                _relation(one)
                | _referred(key, r)
                | {
                    "constraint_index": at,
                    "constraint_text": texts[key.oid],
                    "constraint_type": key.kind,
                    "constraint_name": key.name,
                    "constraint_column_indexes": [n - 1 for n in key.columns],
                    "constraint_column_names": list(one.named(key.columns)),
                }
            )


def _referred(key: Constraint, r: Relations) -> dict[str, object]:
    if key.is_primary:
        return {}
    other = r.by_oid(key.refers_to)
    return {"referenced_table": other.name, "referenced_column_names": list(other.named(key.referred))}


def _functions(r: Relations) -> Iterator[Row]:
    """The functions that may be called on private rows; on public tables there are more."""
    oids = proc_oids()
    summaries = {s.lower(): f.summary for f in FUNCTIONS.values() for s in f.spellings}
    for name, summary in sorted(summaries.items()):
        yield {"function_name": name, "description": summary, "function_oid": oids[name]}


def _types(r: Relations) -> Iterator[Row]:
    for at, (name, size, category) in enumerate(_TYPES):
        named = {"type_oid": at, "type_name": name, "logical_type": name.upper()}
        yield named | {"type_size": size, "type_category": category}


def _settings(r: Relations) -> Iterator[Row]:
    for name, value in _SETTINGS.items():
        yield {"name": name, "value": value}


def _master(r: Relations) -> Iterator[Row]:
    for one in r.all:
        yield {"type": "view" if one.report.system else "table", "name": one.name, "tbl_name": one.name}


def _described(r: Relations) -> Iterator[Row]:
    """The rows of PRAGMA table_info of each table, by each name that the table has."""
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


DUCKDB_ROWS: Final[RowsOf] = MappingProxyType(
    {
        "duckdb.duckdb_databases": one_row,
        "duckdb.duckdb_schemas": _schemas,
        "duckdb.duckdb_tables": _tables,
        "duckdb.duckdb_columns": _columns,
        "duckdb.duckdb_views": _views,
        "duckdb.duckdb_constraints": _constraints,
        "duckdb.duckdb_functions": _functions,
        "duckdb.duckdb_types": _types,
        "duckdb.duckdb_settings": _settings,
        "duckdb.pragma_table_info": _described,
        "duckdb.sqlite_master": _master,
    }
)
"""The functions that make the rows of DuckDB's catalogs."""
