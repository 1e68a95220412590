"""System tables in the text that the engine describes: each stands for an empty table in a schema that it has."""

from __future__ import annotations

from sqlglot import exp

from dpsql.algebra.system_tables import stand_in, system_name
from dpsql.sql.ast.traversal import all_of
from dpsql.sql.dialect import Node


def stood_in(tree: Node, sql: str) -> str:
    """The text of a tree with the schema of every system table, and of columns that it qualifies, exchanged."""
    for start, schema in sorted({s.meta["start"]: s for s in _schemas(tree)}.items(), reverse=True):
        sql = f'{sql[:start]}"{stand_in(schema.name)}"{sql[schema.meta["end"] + 1 :]}'
    return sql


def stood_in_tree(tree: Node) -> str:
    """The same of a tree that is no longer what its text says."""
    tree = tree.copy()
    for schema in _schemas(tree):
        schema.replace(exp.to_identifier(stand_in(schema.name), quoted=True))
    return tree.sql(dialect="duckdb", comments=False)


def _schemas(tree: Node) -> list[exp.Identifier]:
    """The names of the schemas of system tables."""
    found = []
    for node in all_of(tree, exp.Table, exp.Column):
        schema = node.args.get("db")
        table = node.table if isinstance(node, exp.Column) else node.name
        if isinstance(schema, exp.Identifier) and system_name(schema.name, table) is not None:
            found.append(schema)
    return found
