"""What is checked of a query that is left of private rows: it will run on released and public tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from dpsql.algebra.catalog import Catalog
from dpsql.algebra.question import Question
from dpsql.sql.ast.traversal import all_of
from dpsql.sql.dialect import Node
from dpsql.sql.public.cross_join_size import check_public_room
from dpsql.sql.public.list_aggregates import check_gathered
from dpsql.sql.public.render import check_public
from dpsql.sql.split.scalar_cardinality import check_one_row
from dpsql.sql.validate.query_size import check_correlated


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
