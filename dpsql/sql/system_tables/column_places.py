"""Which column of which table a column of a query is, for drivers that ask a catalog about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from dpsql.algebra.system_tables import MAIN, PUBLIC
from dpsql.slotted import dataclass
from dpsql.sql.ast.traversal import from_items, is_star, named_queries
from dpsql.sql.dialect import Node
from dpsql.sql.system_tables.catalog_relations import relations
from dpsql.sql.system_tables.system_context import SystemContext

Place = tuple[int, int]
"""The number of a table and the place of a column in it, from 1."""
NOWHERE: Place = (0, 0)
Columns = Sequence[tuple[str, Place]]
Tables = Mapping[tuple[str, str], Columns]


def places_of_tables(s: SystemContext) -> Tables:
    """The columns of every table of the policy, by its schema and name in lower case; main is also called public."""
    made = {
        (one.report.schema.lower(), one.name.lower()): [(a.name, (one.oid, a.number)) for a in one.attributes]
        for one in relations(s).tables
    }
    main = {(PUBLIC, name): columns for (schema, name), columns in made.items() if schema == MAIN}
    return made if any(schema == PUBLIC for schema, _ in made) else main | made


def column_places(query: Node, tables: Tables) -> tuple[Place, ...]:
    """The place of each column of a query, NOWHERE for what is computed; nothing where they cannot be told."""
    columns = _Reader(tables).query(query, {})
    return tuple(place for _, place in columns or ())


@dataclass(frozen=True, slots=True)
class _Reader:
    tables: Tables

    def query(self, node: Node, named: Mapping[str, Columns | None]) -> Columns | None:
        """The columns of a query and their places; None where the text does not say which columns it has."""
        for cte in named_queries(node):
            named = {**named, cte.alias.lower(): _renamed(self.query(cte.this, named), cte)}
        if isinstance(node, exp.Subquery):
            return self.query(node.this, named)
        if isinstance(node, exp.SetOperation):
            first = self.query(node.this, named)
            return None if first is None else [(name, NOWHERE) for name, _ in first]
        return self._select(node, named) if isinstance(node, exp.Select) else None

    def _select(self, node: exp.Select, named: Mapping[str, Columns | None]) -> Columns | None:
        sources = [(s.alias_or_name.lower(), self._source(s, named)) for s in from_items(node)]
        columns: list[tuple[str, Place]] = []
        for item in node.expressions:
            column = item.unalias().unnest()
            if is_star(column):
                starred = _starred(column, sources, node)
                if starred is None:
                    return None
                columns += starred
            else:
                place = _place(column, sources) if isinstance(column, exp.Column) else NOWHERE
                columns.append((item.alias_or_name, place))
        return columns

    def _source(self, node: Node, named: Mapping[str, Columns | None]) -> Columns | None:
        if isinstance(node, exp.Subquery):
            return _renamed(self.query(node.this, named), node)
        if not isinstance(node, exp.Table):
            return None
        name = node.name.lower()
        known = (
            named[name] if not node.db and name in named else self.tables.get((node.db.lower() or MAIN, name))
        )
        return _renamed(known, node)


def _renamed(columns: Columns | None, node: Node) -> Columns | None:
    names = node.alias_column_names
    if columns is None or not names:
        return columns
    given = [(name, place) for name, (_, place) in zip(names, columns, strict=False)]
    return [*given, *columns[len(given) :]]


def _starred(star: Node, sources: Sequence[tuple[str, Columns | None]], select: exp.Select) -> Columns | None:
    """The columns that a star stands for; None where the text alone does not say which."""
    own = star.this if isinstance(star, exp.Column) else star
    of = star.table.lower() if isinstance(star, exp.Column) else ""
    merged = any(j.args.get("using") or j.args.get("method") for j in select.args.get("joins") or [])
    if any(own.args.values()) or (merged and not of):
        return None
    columns: list[tuple[str, Place]] = []
    for name, known in sources:
        if of in ("", name):
            if known is None:
                return None
            columns += known
    return columns


def _place(column: exp.Column, sources: Sequence[tuple[str, Columns | None]]) -> Place:
    of = column.table.lower()
    read = [known for name, known in sources if of in ("", name)]
    if any(known is None for known in read):
        return NOWHERE
    found = [p for known in read for name, p in known or () if name.lower() == column.name.lower()]
    return found[0] if len(found) == 1 else NOWHERE
