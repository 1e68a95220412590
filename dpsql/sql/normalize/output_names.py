"""Names of the columns of SELECT: one that is computed is called after its text, which the gate may change."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from dpsql.sql.dialect import Node


def keep_names(changed: Iterable[Node]) -> None:
    """Gives every column of SELECT without a name in which one of the nodes stands the name of what is written."""
    items = {id(item): item for node in changed if (item := _item(node)) is not None}
    for item in items.values():
        text = item.sql(dialect="duckdb", normalize_functions="lower")  # as DuckDB names it
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
