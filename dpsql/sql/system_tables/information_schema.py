"""The rows of information_schema beyond schemata, tables and columns: keys, views and what an analyst may do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import MappingProxyType
from typing import Final

from dpsql.algebra.system_tables import CATALOG
from dpsql.sql.system_tables.pg_catalog import Named
from dpsql.sql.system_tables.relations import Constraint, Relation, Relations


def _keys(r: Relations) -> Iterator[tuple[Relation, Constraint, str]]:
    for one in r.tables:
        if one.key is not None:
            yield one, one.key, "PRIMARY KEY"
        for key in one.foreign:
            yield one, key, "FOREIGN KEY"


def _table(one: Relation) -> dict[str, object]:
    return {"table_catalog": CATALOG, "table_schema": one.report.schema, "table_name": one.name}


def _constraint(one: Relation, key: Constraint) -> dict[str, object]:
    schema = one.report.schema
    return {"constraint_catalog": CATALOG, "constraint_schema": schema, "constraint_name": key.name}


def _views(r: Relations) -> Iterator[Named]:
    for one in r.views:
        yield _table(one) | {"check_option": "NONE", "is_updatable": "NO", "is_insertable_into": "NO"}


def _key_columns(r: Relations) -> Iterator[Named]:
    for one, key, kind in _keys(r):
        for at, name in enumerate(one.named(key.columns), 1):
            place = at if kind == "FOREIGN KEY" else None
            said = {"column_name": name, "ordinal_position": at, "position_in_unique_constraint": place}
            yield _constraint(one, key) | _table(one) | said


def _constraints(r: Relations) -> Iterator[Named]:
    for one, key, kind in _keys(r):
        said = {"constraint_type": kind, "is_deferrable": "NO", "initially_deferred": "NO", "enforced": "YES"}
        yield _constraint(one, key) | _table(one) | said


def _references(r: Relations) -> Iterator[Named]:
    for one in r.tables:
        for key in one.foreign:
            other = r.by_oid(key.refers_to)
            target = other.key if other.key is not None and other.key.columns == key.referred else None
            yield _constraint(one, key) | {
                "unique_constraint_catalog": CATALOG,
                "unique_constraint_schema": other.report.schema,
                "unique_constraint_name": target.name if target is not None else None,
                "match_option": "NONE",
                "update_rule": "NO ACTION",
                "delete_rule": "NO ACTION",
            }


def _used_columns(r: Relations) -> Iterator[Named]:
    """For each key the columns that it is about: those of the other table for a foreign key."""
    for one, key, kind in _keys(r):
        of, places = (r.by_oid(key.refers_to), key.referred) if kind == "FOREIGN KEY" else (one, key.columns)
        for name in of.named(places):
            yield _table(of) | _constraint(one, key) | {"column_name": name}


def _used_tables(r: Relations) -> Iterator[Named]:
    for one, key, kind in _keys(r):
        yield _table(r.by_oid(key.refers_to) if kind == "FOREIGN KEY" else one) | _constraint(one, key)


def _privileges(r: Relations) -> Iterator[Named]:
    for one in r.all:
        yield _table(one) | _grant(r) | {"with_hierarchy": "NO"}


def _column_privileges(r: Relations) -> Iterator[Named]:
    for one in r.all:
        for column in one.attributes:
            yield _table(one) | _grant(r) | {"column_name": column.name}


def _grant(r: Relations) -> dict[str, object]:
    return {"grantor": CATALOG, "grantee": r.analyst, "privilege_type": "SELECT", "is_grantable": "NO"}


def _database(r: Relations) -> Iterator[Named]:
    yield {"catalog_name": CATALOG}


def _roles(r: Relations) -> Iterator[Named]:
    yield {"grantee": r.analyst, "role_name": r.analyst, "is_grantable": "NO"}


def _character_sets(r: Relations) -> Iterator[Named]:
    yield {"character_set_name": "UTF8", "character_repertoire": "UCS", "form_of_use": "UTF8"}


SCHEMA_ROWS: Final = MappingProxyType[str, Callable[[Relations], Iterator[Named]]](
    {
        "views": _views,
        "key_column_usage": _key_columns,
        "table_constraints": _constraints,
        "referential_constraints": _references,
        "constraint_column_usage": _used_columns,
        "constraint_table_usage": _used_tables,
        "table_privileges": _privileges,
        "role_table_grants": _privileges,
        "column_privileges": _column_privileges,
        "information_schema_catalog_name": _database,
        "enabled_roles": _roles,
        "applicable_roles": _roles,
        "character_sets": _character_sets,
    }
)
"""What makes the rows of each table of information_schema that has any."""
