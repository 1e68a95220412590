"""The columns that a SELECT can name: sources by alias, resolved as DuckDB resolves them, without regard to case."""

from __future__ import annotations

import difflib
from dataclasses import dataclass

from sqlglot import exp

from dpsql.algebra.expressions import Expr
from dpsql.errors import QueryRefused
from dpsql.sql.ast.positions import place_of
from dpsql.sql.bind.outer_references import OUTER, not_known
from dpsql.sql.dialect import Node

# A refusal does not list more columns than this.
_MOST_LISTED = 20


@dataclass(frozen=True, slots=True)
class Output:
    """A named column of a source and the expression behind it."""

    name: str
    expr: Expr


@dataclass(frozen=True, slots=True)
class Source:
    """A table, view or derived table of a FROM clause under its alias; `hidden` names may not stand in a query.

    `schema` is what may stand before the alias of a table.
    """

    alias: str
    outputs: tuple[Output, ...]
    hidden: tuple[str, ...] = ()
    schema: str = ""

    def find(self, name: str) -> Expr | None:
        """The expression behind a column name, or None."""
        wanted = name.lower()
        return next((o.expr for o in self.outputs if o.name.lower() == wanted), None)


@dataclass(frozen=True, slots=True)
class Scope:
    """The sources in the order of the text; `merged` are the columns that USING made one.

    `outer` is the scope of the query around a subquery, whose columns the subquery may name as well.
    """

    sources: tuple[Source, ...]
    merged: tuple[Output, ...] = ()
    outer: Scope | None = None

    def find(self, node: exp.Column) -> Expr | None:
        """The expression that a column reference stands for, None where there is none; refused where there are two."""
        self._check_qualifiers(node)
        if node.table:
            source = self.source(node.table)
            if source is None and self.outer is not None:
                return self.outer.find(node)
            return source.find(node.name) if source is not None else None
        merged = next((o.expr for o in self.merged if o.name.lower() == node.name.lower()), None)
        if merged is not None:
            return merged
        found = [expr for s in self.sources if (expr := s.find(node.name)) is not None]
        if len(found) > 1:
            raise QueryRefused(
                f'the column "{node.name}" is ambiguous',
                place=place_of(node),
                hint="Qualify it with its table.",
            )
        if not found and self.outer is not None:
            return self.outer.find(node)
        return found[0] if found else None

    def source(self, alias: str) -> Source | None:
        """The source of that alias in any case, or None."""
        return next((s for s in self.sources if s.alias.lower() == alias.lower()), None)

    def star(self, node: Node) -> tuple[Output, ...]:
        """What `*` or `alias.*` stands for."""
        if isinstance(node, exp.Column):
            source = self.source(node.table)
            if source is None:
                raise self.unknown(node)
            return source.outputs
        merged = {o.name.lower() for o in self.merged}
        rest = (o for s in self.sources for o in s.outputs if o.name.lower() not in merged)
        return (*self.merged, *rest)

    def unknown(self, node: exp.Column) -> QueryRefused:
        """The refusal of a column that no source has, with the nearest name that exists."""
        sources = [s for s in self.sources if not node.table or s.alias.lower() == node.table.lower()]
        if not sources and node.meta.get(OUTER):
            return not_known(node)
        if not sources:
            aliases = ", ".join(s.alias for s in self.sources)
            reason = f'there is no table "{node.table}" in FROM'
            return QueryRefused(reason, place=place_of(node), hint=f"There is: {aliases}.")
        if any(node.name.lower() == h.lower() for s in sources for h in s.hidden):
            return QueryRefused(f'the column "{node.name}" may not be used in a query', place=place_of(node))
        where = f' in "{sources[0].alias}"' if node.table else ""
        reason = f'there is no column "{node.name}"{where}'
        return QueryRefused(reason, place=place_of(node), hint=self._nearest(node.name.lower(), sources))

    def _nearest(self, name: str, sources: list[Source]) -> str:
        """Where a column of that name, or of a similar one, is to be found; else what there is."""
        elsewhere = [s.alias for s in self.sources if s.find(name) is not None]
        if elsewhere:
            return f'"{elsewhere[0]}" has one.'
        names = list(dict.fromkeys(o.name for s in sources for o in s.outputs))
        near = difflib.get_close_matches(name, [n.lower() for n in names], n=1)
        if near:
            return f'Did you mean "{near[0]}"?'
        listed = ", ".join(names[:_MOST_LISTED]) + (", ..." if len(names) > _MOST_LISTED else "")
        return f"There is: {listed}."

    def _check_qualifiers(self, node: exp.Column) -> None:
        schema = node.args.get("db")
        source = self.source(node.table)
        inherited = source is None and self.outer is not None
        known = (
            schema is None
            or inherited
            or (source is not None and source.schema.lower() == schema.name.lower())
        )
        if node.args.get("catalog") is not None or not known:
            raise QueryRefused(
                "a column may be qualified by its table, and by the schema that the table has in FROM, only",
                place=place_of(node),
                hint="Give the table an alias.",
            )
