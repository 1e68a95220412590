"""The column that a statement about the system names and no table about the system has."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from dpsql.errors import QueryRefused
from dpsql.sql.ast.traversal import all_of
from dpsql.sql.catalog_queries.catalog_query import ALWAYS_THERE, catalog_marks
from dpsql.sql.system_tables.declarations import columns_of_system_table, listed_name
from dpsql.sql.validate.unknown_columns import missing_column


def missing_in_catalogs(sql: str) -> QueryRefused | None:
    """The refusal of such a column; None where there is none, or a table whose columns are not known."""
    marks = catalog_marks(sql)
    if marks is None:
        return None
    tree = marks[0]
    for column in all_of(tree, exp.Column):
        if column.name.lower() in ALWAYS_THERE:
            column.replace(exp.null())
    return missing_column(tree, _columns)


def _columns(schema: str, table: str) -> Mapping[str, bool] | None:
    name = listed_name(schema, table)
    return dict.fromkeys((c for c, _ in columns_of_system_table(name)), True) if name is not None else None
