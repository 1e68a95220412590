"""The rows of any table about the system, whichever catalog it is of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from dpsql.sql.system_tables.context import SystemContext
from dpsql.sql.system_tables.declarations import metadata_columns
from dpsql.sql.system_tables.dpsql_tables import system_rows
from dpsql.sql.system_tables.duckdb_catalog import DUCKDB_ROWS
from dpsql.sql.system_tables.information_schema import SCHEMA_ROWS
from dpsql.sql.system_tables.pg_catalog import RELATION_ROWS, Named
from dpsql.sql.system_tables.pg_objects import OBJECT_ROWS
from dpsql.sql.system_tables.relations import Relations, relations

Rows = Sequence[tuple[object, ...]]
_ROWS: Final[Mapping[str, Mapping[str, Callable[[Relations], Iterator[Named]]]]] = MappingProxyType(
    {
        "pg_catalog": RELATION_ROWS | OBJECT_ROWS,
        "information_schema": SCHEMA_ROWS,
        "duckdb": DUCKDB_ROWS,
    }
)


def rows_of_system_table(name: str, s: SystemContext) -> Rows:
    """The rows of a table about the system, by its qualified name in lower case.

    Those of the system catalogs are a function of the policy and the analyst's name, those of the schema `dpsql` of the
    ledger as well; none of private rows, of which no number is known here.
    """
    columns = metadata_columns(name)
    if columns is None:
        return system_rows(name, s)
    schema, _, table = name.partition(".")
    make = _ROWS[schema].get(table)
    if make is None:
        return ()
    return [tuple(row.get(column) for column, _ in columns) for row in make(relations(s))]
