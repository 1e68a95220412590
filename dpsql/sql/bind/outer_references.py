"""Columns inside a query that stand for the row around it: a mark on them, and what they are for a released row."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from dpsql.errors import QueryRefused
from dpsql.sql.ast.positions import place_of
from dpsql.sql.ast.traversal import all_of
from dpsql.sql.dialect import Node

OUTER = "of a row around the query"
"""The mark of a column whose table stands around the innermost SELECT that the column is in."""


def marked(tree: Node) -> None:
    """Marks the columns of rows around their SELECT, so that a refusal can say that they are there."""
    names = {id(select): _names(select) for select in all_of(tree, exp.Select)}
    for column in all_of(tree, exp.Column):
        table, around = column.table.lower(), column.find_ancestor(exp.Select)
        if not table or around is None or table in names[id(around)]:
            continue
        while (around := around.find_ancestor(exp.Select)) is not None:
            if table in names[id(around)]:
                column.meta[OUTER] = True


def outer_columns(query: Node) -> tuple[exp.Column, ...]:
    """The columns of a query whose table stands outside of it; a column without a table is taken for one of its own."""
    return tuple(c for c in all_of(query, exp.Column) if c.table and not _is_inside(c, query))


def check_alone(query: Node) -> None:
    """Refuses a query that names the row around it where none is known. Raises QueryRefused at the column."""
    for column in outer_columns(query):
        raise not_known(column)


def not_known(column: exp.Column) -> QueryRefused:
    """The refusal of a column of a row around the query, where a query cannot know that row."""
    return QueryRefused(
        f'the query cannot name the row of "{column.table}" around it',
        place=place_of(column),
        hint="One aggregate of private rows can, by equalities in WHERE; EXISTS and IN can where both rows are of one "
        "unit. Else join.",
    )


def with_released_keys(query: Node, name: str, key: Callable[[exp.Column], Node | None]) -> None:
    """Changes a public query in place to read the keys of the released table `name` around it.

    `key` gives the released column that a column stands for, None for one of another query around it. Raises
    QueryRefused where a source inside has the same name and would take its place.
    """
    for column in outer_columns(query):
        found = key(column)
        if found is None:
            continue
        if any(s.alias_or_name.lower() == name for s in all_of(query, exp.Table, exp.Subquery)):
            raise QueryRefused(
                "a subquery over the same results cannot name a group of the query around it",
                place=place_of(column),
                hint="Join two derived tables, each with the results.",
            )
        is_item = isinstance(column.parent, exp.Select) and column.arg_key == "expressions"
        column.replace(exp.alias_(found, column.name, quoted=True) if is_item else found)


def _is_inside(column: exp.Column, query: Node) -> bool:
    at: Node | None = column
    while at is not None:
        if isinstance(at, exp.Select) and column.table.lower() in _names(at):
            return True
        at = at.parent if at is not query else None
    return False


def _names(select: exp.Select) -> set[str]:
    clause = select.args.get("from_")
    items = [clause.this] if clause is not None else []
    return {
        item.alias_or_name.lower() for item in (*items, *(j.this for j in select.args.get("joins") or ()))
    }
