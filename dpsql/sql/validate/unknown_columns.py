"""The column that a query names and none of its tables has, for a refusal that says so."""

from __future__ import annotations

from sqlglot import exp

from dpsql.algebra.catalog import Catalog
from dpsql.algebra.system_tables import MAIN
from dpsql.errors import QueryRefused, Refusal
from dpsql.sql.ast.positions import place_of
from dpsql.sql.ast.traversal import all_of


def unknown_column(tree: exp.Query, catalog: Catalog) -> QueryRefused | None:
    """The refusal of the first column that neither a table of the query nor an alias in it has.

    None where there is no such column, or a table whose columns are not known here.
    """
    own = {a.alias.lower() for a in all_of(tree, exp.Alias, exp.Subquery, exp.CTE, exp.Table) if a.alias}
    own |= {c.name.lower() for a in all_of(tree, exp.TableAlias) for c in a.args.get("columns") or ()}
    for table in all_of(tree, exp.Table):
        columns = _columns(table, catalog)
        if columns is None and table.name.lower() not in own:
            return None
        own |= {table.name.lower(), *(columns or ())}
    for column in all_of(tree, exp.Column):
        if column.name and column.name.lower() not in own:
            reason = f'there is no column "{column.name}"'
            return QueryRefused(reason, place=place_of(column), kind=Refusal.NO_COLUMN)
    return None


def _columns(table: exp.Table, catalog: Catalog) -> frozenset[str] | None:
    found = catalog.names_of(f"{table.db}.{table.name}") if table.db else None
    if found is None and table.db.lower() in ("", MAIN):
        found = catalog.names_of(table.name)
    return found
