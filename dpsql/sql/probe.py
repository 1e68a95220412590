"""Queries that ask for no row: LIMIT 0 wants names and types, which are public."""

from __future__ import annotations

from sqlglot import exp

from dpsql.catalog import Catalog
from dpsql.errors import QueryRefused
from dpsql.sql.bounds import BOUND_NAMES
from dpsql.sql.dialect import Node
from dpsql.sql.local import LOCAL_NAMES
from dpsql.sql.place import place_of
from dpsql.sql.public import check_public
from dpsql.sql.tables import find_table
from dpsql.sql.walk import tables


def asks_for_no_row(tree: Node) -> bool:
    """Whether the query ends in LIMIT 0."""
    limit = tree.args.get("limit")
    count = limit.expression if isinstance(limit, exp.Limit) else None
    return isinstance(count, exp.Literal) and not count.is_string and count.this == "0"


def check_probe(tree: Node, catalog: Catalog) -> None:
    """Refuses what may not even be described: table functions and tables that the policy does not name."""
    check_public(tree, catalog, also=LOCAL_NAMES | BOUND_NAMES)
    for table in tables(tree):
        if not isinstance(table.this, exp.Identifier) or table.args.get("catalog") is not None:
            raise QueryRefused("a table function cannot be read", place=place_of(table), hint="Name a table.")
        find_table(table, catalog)
