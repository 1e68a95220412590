"""Aggregates that gather the values of rows into a text or a list: over the rows of one released table alone.

A list of the rows of a join has no bound, and is one row to the limit on the rows of an answer.
"""

from __future__ import annotations

import re

from sqlglot import exp

from dpsql.errors import QueryRefused
from dpsql.sql.ast.descriptions import name_of
from dpsql.sql.ast.positions import place_of
from dpsql.sql.ast.traversal import all_of, named_query
from dpsql.sql.dialect import Node
from dpsql.sql.public.render import SCHEMA

_RELEASED = re.compile(r"r\d+")


def check_gathered(tree: Node) -> None:
    """Refuses STRING_AGG, LIST and their like in a query that has been cut, over anything but one released table."""
    for node in all_of(tree, exp.GroupConcat, exp.ArrayAgg):
        select = node.find_ancestor(exp.Select)
        in_window = node.find_ancestor(exp.Window, exp.Select) is not select
        if select is None or in_window or not _of_one_release(select):
            raise QueryRefused(
                f"{name_of(node)} is not supported but over the rows of one released table",
                place=place_of(node),
                hint="Aggregate the private rows in a subquery, join in there, and gather its rows around it.",
            )


def _of_one_release(query: Node) -> bool:
    """Whether a query has at most the rows of one released table."""
    while isinstance(query, exp.Subquery):
        query = query.this
    if not isinstance(query, exp.Select) or query.args.get("joins") or query.args.get("from_") is None:
        return False
    source = query.args["from_"].this
    if isinstance(source, exp.Subquery):
        return _of_one_release(source)
    if not isinstance(source, exp.Table):
        return False
    if source.db:
        return source.db == SCHEMA and bool(_RELEASED.fullmatch(source.name))
    named = named_query(source)
    return named is not None and _of_one_release(named)
