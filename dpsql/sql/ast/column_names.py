"""Names that DuckDB gives to columns without an alias, by their text, and table names of the public query."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from typing import Final

from sqlglot import exp

from dpsql.sql.ast.positions import refuse_node
from dpsql.sql.ast.traversal import all_of, kinds_of
from dpsql.sql.dialect import Node

UNCHANGED: Final = frozenset(
    {
        exp.Count, exp.Sum, exp.Avg, exp.Min, exp.Max, exp.Star, exp.Column, exp.Identifier, exp.Literal, exp.Filter,
        exp.Where, exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.And, exp.Or, exp.Paren, exp.Case, exp.If,
        exp.Add, exp.Sub, exp.Mul, exp.Boolean, exp.Null,
    }
)  # fmt: skip
"""Nodes that rendering only reads."""


_FIELD: Final = re.compile(r"""\"((?:[^"]|"")*->>'(?:[^"]|"")*')\"""")


def default_name(node: Node) -> str:
    """The name DuckDB gives to an unaliased column of a derived table, for the forms that have a simple one."""
    if isinstance(node, exp.Column):
        return node.name
    if isinstance(node, exp.Count) and (node.this is None or isinstance(node.this, exp.Star)):
        return "count_star()"
    if isinstance(node, exp.Func) and isinstance(node.this, exp.Column) and not node.expressions:
        return f"{node.sql_name().lower()}({node.this.name})"
    return node.sql(dialect="duckdb")


def shown(node: Node) -> str:
    """How an expression is written, for people. What the renderer may change it gets a copy of."""
    return with_arrows(node.sql(dialect="duckdb", comments=False, copy=not kinds_of(node) <= UNCHANGED))


def with_arrows(text: str) -> str:
    """SQL with fields of JSON as a query writes them, which are names in quotes in a tree."""
    return _FIELD.sub(lambda found: found[1].replace('""', '"'), text) if "->" in text else text


def unqualified(item: Node, name: str, hidden: Container[str] = (), schema: str | None = None) -> None:
    """Makes a table reference name the public table as the finishing engine knows it, under the same alias.

    Without a `schema` the engine knows it by its name alone: a name of WITH, in lower case in `hidden`, would stand for
    another query.
    """
    if name.lower() in hidden:
        reason = f'WITH gives the name of the table "{name}" to another query'
        raise refuse_node(item, reason, "Use another name in WITH.")
    if not item.alias:
        item.set("alias", exp.TableAlias(this=exp.to_identifier(item.name, quoted=True)))
    item.set("db", exp.to_identifier(schema) if schema is not None else None)
    item.set("this", exp.to_identifier(name, quoted=True))


def without_schemas(tree: Node) -> None:
    """Names of columns lose that of the schema before them, which the finishing engine may not know."""
    for column in all_of(tree, exp.Column):
        column.set("db", None)


def copy_of(name: str, schema: str) -> Node:
    """A table of a schema of the public engine as a source of FROM, under its own name."""
    return exp.Table(
        this=exp.to_identifier(name, quoted=True),
        db=exp.to_identifier(schema, quoted=True),
        alias=exp.TableAlias(this=exp.to_identifier(name, quoted=True)),
    )


def keep_names(changed: Iterable[Node]) -> None:
    """Gives every column of SELECT without a name in which one of the nodes stands the name of what is written."""
    items = {id(item): item for node in changed if (item := _item(node)) is not None}
    for item in items.values():
        text = with_arrows(item.sql(dialect="duckdb", normalize_functions="lower"))  # as DuckDB names it
        around = exp.Alias(alias=exp.to_identifier(text, quoted=True))
        item.replace(around)
        around.set("this", item)


def _item(call: Node) -> Node | None:
    """The column of a SELECT list that a call stands in, if it has no name yet."""
    node = call
    while node.parent is not None:
        if isinstance(node.parent, exp.Select) and node.arg_key == "expressions":
            return None if isinstance(node, exp.Alias) else node
        if isinstance(node, exp.Query):
            return None
        node = node.parent
    return None
