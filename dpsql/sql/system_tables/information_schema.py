"""The rows of information_schema except schemata and tables: columns, keys, views and privileges."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType
from typing import Final

from dpsql.sql.system_tables.catalog_relations import Attribute, Constraint, Relation, Relations
from dpsql.sql.system_tables.pg_catalog import Row, RowsOf
from dpsql.sql.system_tables.pg_objects import one_row


def _table(one: Relation) -> dict[str, object]:
    return {"table_schema": one.report.schema, "table_name": one.name}


def _constraint(one: Relation, key: Constraint) -> dict[str, object]:
    return {"constraint_schema": one.report.schema, "constraint_name": key.name}


def _columns(r: Relations) -> Iterator[Row]:
    udt = {"udt_catalog": r.database, "udt_schema": "pg_catalog"}
    for one in r.all:
        for column in one.attributes:
            yield (
                _table(one)
                | udt
                | {
                    "table_catalog": r.database,
                    "column_name": column.name,
                    "ordinal_position": column.number,
                    "is_nullable": "YES" if column.nullable else "NO",
                    "data_type": column.type,
                    "udt_name": column.pg_type.name,
                    "is_identity": False,
                }
            )


_NOT_GRANTED: Final = frozenset({"sql_parts", "transforms"})
"""What PostgreSQL lets nobody read but its owner."""


def _listed(r: Relations) -> Iterator[Relation]:
    """The relations that PostgreSQL's information_schema lists: the policy's tables first."""
    yield from r.all
    yield from (one for one in r.catalogs if one.name not in _NOT_GRANTED and not one.name.startswith("_pg_"))


def _pg_schemata(r: Relations) -> Iterator[Row]:
    for name in r.schemas:
        yield {"schema_name": name}


def _pg_tables(r: Relations) -> Iterator[Row]:
    for one in _listed(r):
        is_view = one.kind == "v"
        kind = {"table_type": "VIEW" if is_view else "BASE TABLE", "is_insertable_into": _no_or_yes(is_view)}
        yield _table(one) | kind


def _no_or_yes(is_view: bool) -> str:
    """Whether PostgreSQL could change rows of such a relation, whoever asks: what a role may do, privileges say."""
    return "NO" if is_view else "YES"


def _pg_columns(r: Relations) -> Iterator[Row]:
    for one in _listed(r):
        for column in one.attributes:
            yield (
                _table(one)
                | _measures(column)
                | {
                    "column_name": column.name,
                    "ordinal_position": column.number,
                    "is_nullable": "YES" if column.nullable else "NO",
                    "data_type": "ARRAY" if column.pg_type.name.startswith("_") else column.pg_type.sql,
                    "udt_schema": "pg_catalog",
                    "udt_name": column.pg_type.name,
                    "dtd_identifier": str(column.number),
                    "is_updatable": _no_or_yes(one.kind == "v"),
                }
            )


_BITS: Final = MappingProxyType({"int2": 16, "int4": 32, "int8": 64, "float4": 24, "float8": 53})
_LONGEST_TEXT: Final = 1 << 30


def _measures(column: Attribute) -> dict[str, object]:
    """The precision of a column's numbers or moments, and the most bytes of its texts."""
    name = column.pg_type.name
    if name in _BITS:
        scale = 0 if name.startswith("int") else None
        return {"numeric_precision": _BITS[name], "numeric_precision_radix": 2, "numeric_scale": scale}
    if name == "numeric":
        shape = column.modifier - 4
        sizes = {"numeric_precision": shape >> 16, "numeric_scale": shape & 0xFFFF} if shape >= 0 else {}
        return {"numeric_precision_radix": 10, **sizes}
    if name in ("varchar", "text"):
        return {"character_octet_length": _LONGEST_TEXT}
    if name in ("timestamp", "timestamptz", "time", "interval"):
        return {"datetime_precision": 6}
    return {"datetime_precision": 0} if name == "date" else {}


def _views(r: Relations) -> Iterator[Row]:
    yield from map(_table, r.views)


def _key_columns(r: Relations) -> Iterator[Row]:
    for one, key in r.constraints:
        for at, name in enumerate(one.named(key.columns), 1):
            place = None if key.is_primary else at
            column = {"column_name": name, "ordinal_position": at, "position_in_unique_constraint": place}
            yield _constraint(one, key) | _table(one) | column


def _constraints(r: Relations) -> Iterator[Row]:
    for one, key in r.constraints:
        yield _constraint(one, key) | _table(one) | {"constraint_type": key.kind}


def _references(r: Relations) -> Iterator[Row]:
    for one, key in r.constraints:
        if not key.is_primary:
            other = r.by_oid(key.refers_to)
            target = other.key if other.key is not None and other.key.columns == key.referred else None
            yield _constraint(one, key) | {
                "unique_constraint_schema": other.report.schema,
                "unique_constraint_name": target.name if target is not None else None,
                **dict.fromkeys(("update_rule", "delete_rule"), "NO ACTION"),
            }


def _used_columns(r: Relations) -> Iterator[Row]:
    """The columns that each key refers to: those of the other table for a foreign key."""
    for one, key in r.constraints:
        of, places = (one, key.columns) if key.is_primary else (r.by_oid(key.refers_to), key.referred)
        for name in of.named(places):
            yield _table(of) | _constraint(one, key) | {"column_name": name}


def _used_tables(r: Relations) -> Iterator[Row]:
    for one, key in r.constraints:
        yield _table(one if key.is_primary else r.by_oid(key.refers_to)) | _constraint(one, key)


def _privileges(r: Relations) -> Iterator[Row]:
    for one in r.all:
        yield _table(one) | {"grantee": r.analyst}


def _column_privileges(r: Relations) -> Iterator[Row]:
    for one in r.all:
        for column in one.attributes:
            yield _table(one) | {"grantee": r.analyst, "column_name": column.name}


def _enabled_roles(r: Relations) -> Iterator[Row]:
    yield {"role_name": r.analyst}


def _roles(r: Relations) -> Iterator[Row]:
    yield {"grantee": r.analyst, "role_name": r.analyst}


SCHEMA_ROWS: Final[RowsOf] = MappingProxyType(
    {
        "information_schema.columns": _columns,
        "postgresql.schemata": _pg_schemata,
        "postgresql.tables": _pg_tables,
        "postgresql.columns": _pg_columns,
        "information_schema.views": _views,
        "information_schema.key_column_usage": _key_columns,
        "information_schema.table_constraints": _constraints,
        "information_schema.referential_constraints": _references,
        "information_schema.constraint_column_usage": _used_columns,
        "information_schema.constraint_table_usage": _used_tables,
        "information_schema.table_privileges": _privileges,
        "information_schema.column_privileges": _column_privileges,
        "information_schema.information_schema_catalog_name": one_row,
        "information_schema.enabled_roles": _enabled_roles,
        "information_schema.applicable_roles": _roles,
        "information_schema.character_sets": one_row,
    }
)
"""The functions that make the rows of information_schema."""
