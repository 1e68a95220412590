"""System tables in the text that the engine describes: each stands for an empty table in a schema that it has."""

from __future__ import annotations

from sqlglot import exp

from dpsql.algebra.system_tables import CATALOG, stand_in, system_name
from dpsql.sql.ast.traversal import all_of
from dpsql.sql.dialect import Node


def is_qualified(node: Node) -> bool:
    """Whether a node names a schema or a database."""
    return isinstance(node, exp.Table | exp.Column) and bool(node.args.get("db") or node.args.get("catalog"))


def stood_in(tree: Node, sql: str) -> str:
    """The text of a tree with the schema of every system table, and of columns that it qualifies, exchanged."""
    for start, end, schema in sorted(_schemas(tree), reverse=True):
        sql = f'{sql[:start]}"{schema}"{sql[end + 1 :]}'
    return sql


def stood_in_tree(tree: Node) -> str:
    """The same of a tree that is no longer what its text says."""
    tree = tree.copy()
    for node in tree.find_all(exp.Table, exp.Column):
        schema = node.args.get("db")
        table = node.table if isinstance(node, exp.Column) else node.name
        if isinstance(schema, exp.Identifier) and system_name(schema.name, table) is not None:
            node.set("db", exp.to_identifier(stand_in(schema.name), quoted=True))
    return tree.sql(dialect="duckdb", comments=False)


def without_catalog(tree: Node) -> None:
    """Leaves out the name of the database before a schema, as in dpsql.main.orders: there is one database."""
    for node in all_of(tree, exp.Table, exp.Column):
        catalog = node.args.get("catalog")
        if isinstance(catalog, exp.Identifier) and catalog.name.lower() == CATALOG:
            node.set("catalog", None)


def _schemas(tree: Node) -> set[tuple[int, int, str]]:
    """From where to where the names of schemas stand, and what is to stand there instead."""
    found = set()
    for node in all_of(tree, exp.Table, exp.Column):
        schema = node.args.get("db")
        table = node.table if isinstance(node, exp.Column) else node.name
        if isinstance(schema, exp.Identifier) and system_name(schema.name, table) is not None:
            found.add((schema.meta["start"], schema.meta["end"], stand_in(schema.name)))
    return found
