"""The column that a query names and none of its tables has, for a refusal that says so."""

from __future__ import annotations

from sqlglot import exp

from dpsql.algebra.catalog import Catalog
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
        info = catalog.named(table.db, table.name)
        if info is None and table.name.lower() not in own:
            return None
        own |= {table.name.lower(), *(c.name.lower() for c in (info.columns if info is not None else ()))}
    for column in all_of(tree, exp.Column):
        if column.name and column.name.lower() not in own:
            reason = f'there is no column "{column.name}"'
            return QueryRefused(reason, place=place_of(column), kind=Refusal.NO_COLUMN)
    return None
