"""Queries that ask for no row, LIMIT 0 or WHERE 1 = 0, want names and types, which are public."""

from __future__ import annotations

from sqlglot import exp

from dpsql.catalog import Catalog
from dpsql.errors import QueryRefused
from dpsql.sql.bounds import BOUND_NAMES
from dpsql.sql.dialect import Node
from dpsql.sql.local import LOCAL_NAMES
from dpsql.sql.place import place_of
from dpsql.sql.public import check_public
from dpsql.sql.selects import is_release
from dpsql.sql.tables import find_table
from dpsql.sql.walk import tables


def asks_for_no_row(tree: Node) -> bool:
    """Whether the query has no row whatever is in its tables: it ends in LIMIT 0, or its WHERE can hold for none.

    One that aggregates without groups has a row even where no row is aggregated.
    """
    limit = tree.args.get("limit")
    count = (
        limit.args.get("count") if isinstance(limit, exp.Fetch) else limit and limit.args.get("expression")
    )
    if isinstance(count, exp.Literal) and not count.is_string and count.this == "0":
        return True
    if not isinstance(tree, exp.Select) or (tree.args.get("group") is None and is_release(tree)):
        return False
    where = tree.args.get("where")
    return where is not None and _never(where.this)


def _never(condition: Node) -> bool:
    """Whether a condition is false by its constants alone, as tools write it: FALSE, 1 = 0, (0 = 1) AND x > 3."""
    match condition:
        case exp.Paren():
            return _never(condition.this)
        case exp.Boolean():
            return not condition.this
        case exp.And():
            return _never(condition.left) or _never(condition.right)
        case exp.EQ():
            sides = (condition.left, condition.right)
            digits = [s.this for s in sides if isinstance(s, exp.Literal) and not s.is_string]
            return len(digits) == 2 and all(d in ("0", "1", "2") for d in digits) and digits[0] != digits[1]
    return False


def check_probe(tree: Node, catalog: Catalog) -> None:
    """Refuses what may not even be described: table functions and tables that the policy does not name."""
    check_public(tree, catalog, also=LOCAL_NAMES | BOUND_NAMES)
    for table in tables(tree):
        if not isinstance(table.this, exp.Identifier) or table.args.get("catalog") is not None:
            raise QueryRefused("a table function cannot be read", place=place_of(table), hint="Name a table.")
        find_table(table, catalog)
