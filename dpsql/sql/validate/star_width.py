"""How many columns the stars of a query list: SELECT *, * over a name of WITH doubles them with every step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sqlglot import exp

from dpsql.errors import QueryRefused
from dpsql.sql.ast.positions import place_of
from dpsql.sql.ast.traversal import is_star, outermost
from dpsql.sql.dialect import Node

MOST_LISTED = 5_000
"""The most columns that the stars of one query may list, together."""
# The columns of a table: this is a first look, at the text alone.
_OF_A_TABLE = 10


def check_stars_list(tree: Node) -> None:
    """Refuses stars that list more than MOST_LISTED columns. Raises QueryRefused at the SELECT of the last of them."""
    _Widths().query(tree, {})


class _Widths:
    def __init__(self) -> None:
        self._listed = 0

    def query(self, node: Node, known: Mapping[str, int]) -> int:
        """How many columns a query is taken to have; `known` are the widths behind the names of WITH."""
        names = dict(known)
        clause = node.args.get("with_")
        for cte in clause.expressions if clause is not None else ():
            names[cte.alias.lower()] = self.query(cte.this, names)
        inside = outermost(list(node.args.values()), frozenset({id(clause)}))
        widths = {id(q): self.query(q, names) for q in inside}
        if not isinstance(node, exp.Select):
            inner = node.args.get("this")
            return widths.get(id(inner), 1) if isinstance(inner, Node) else 1
        stars = sum(is_star(item) for item in node.expressions)
        if not stars:
            return len(node.expressions)
        listed = stars * sum(_width(source, names, widths) for source in _sources(node))
        self._listed += listed
        if self._listed > MOST_LISTED:
            raise QueryRefused(
                f"the stars of the query list more than {MOST_LISTED} columns",
                place=place_of(node),
                hint="Write * once in each SELECT, or name the columns.",
            )
        return listed + len(node.expressions) - stars


def _sources(select: Node) -> Iterator[Node]:
    clause = select.args.get("from_")
    if clause is not None:
        yield clause.this
    yield from (join.this for join in select.args.get("joins") or ())


def _width(source: Node, names: Mapping[str, int], widths: Mapping[int, int]) -> int:
    if isinstance(source, exp.Table):
        known = names.get(source.name.lower()) if not source.db else None
        return known if known is not None else _OF_A_TABLE
    inner = source.this if isinstance(source, exp.Lateral) else source
    return widths.get(id(inner), 1)
