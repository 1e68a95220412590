"""What is checked of a query that is left of private rows: it will run on released and public tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from dpsql.algebra.question import Question
from dpsql.catalog import Catalog
from dpsql.sql.dialect import Node
from dpsql.sql.gathered import check_gathered
from dpsql.sql.one_row import check_one_row
from dpsql.sql.public import check_public
from dpsql.sql.room import check_public_room
from dpsql.sql.size import check_correlated
from dpsql.sql.walk import all_of


def check_rest(
    tree: Node, catalog: Catalog, params: Mapping[str, object], questions: Sequence[Question]
) -> None:
    """Refuses what could fail, or take too long, on results; names of columns lose that of the schema before them."""
    check_public(tree, catalog, params)
    check_gathered(tree)
    check_correlated(tree)
    check_public_room(tree, catalog)
    check_one_row(tree, {}, catalog, questions)
    for column in all_of(tree, exp.Column):
        column.set("db", None)
