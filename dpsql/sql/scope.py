"""The columns that a SELECT can name: sources by alias, resolved as DuckDB resolves them, without regard to case."""

from __future__ import annotations

import difflib
from dataclasses import dataclass

from sqlglot import exp

from dpsql.algebra.expr import Expr
from dpsql.errors import QueryRefused
from dpsql.sql.dialect import Node
from dpsql.sql.place import place_of


@dataclass(frozen=True, slots=True)
class Output:
    """A named column of a source and the expression behind it."""

    name: str
    expr: Expr


@dataclass(frozen=True, slots=True)
class Source:
    """A table, view or derived table of a FROM clause under its alias; `hidden` names may not stand in a query."""

    alias: str
    outputs: tuple[Output, ...]
    hidden: tuple[str, ...] = ()

    def find(self, name: str) -> Expr | None:
        """The expression behind a column name, or None."""
        wanted = name.lower()
        return next((o.expr for o in self.outputs if o.name.lower() == wanted), None)


@dataclass(frozen=True, slots=True)
class Scope:
    """The sources in the order of the text; `merged` are the columns that USING made one."""

    sources: tuple[Source, ...]
    merged: tuple[Output, ...] = ()

    def find(self, node: exp.Column) -> Expr | None:
        """The expression that a column reference stands for, None where there is none; refused where there are two."""
        self._check_qualifiers(node)
        if node.table:
            source = self.source(node.table)
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
        return found[0] if found else None

    def source(self, alias: str) -> Source | None:
        """The source of that alias in any case, or None."""
        return next((s for s in self.sources if s.alias.lower() == alias.lower()), None)

    def star(self, node: Node) -> tuple[Output, ...]:
        """What `*` or `alias.*` stands for."""
        if isinstance(node, exp.Column):
            source = self.source(node.table)
            if source is None:
                raise QueryRefused(f'there is no table "{node.table}" here', place=place_of(node))
            return source.outputs
        merged = {o.name.lower() for o in self.merged}
        rest = (o for s in self.sources for o in s.outputs if o.name.lower() not in merged)
        return (*self.merged, *rest)

    def unknown(self, node: exp.Column) -> QueryRefused:
        """The refusal of a column that no source has, with the nearest name that exists."""
        names = [o.name for s in self.sources for o in s.outputs]
        if any(node.name.lower() == h.lower() for s in self.sources for h in s.hidden):
            return QueryRefused(f'the column "{node.name}" may not be used in a query', place=place_of(node))
        near = difflib.get_close_matches(node.name.lower(), [n.lower() for n in names], n=1)
        hint = f'Did you mean "{near[0]}"?' if near else None
        return QueryRefused(f'there is no column "{node.name}"', place=place_of(node), hint=hint)

    def _check_qualifiers(self, node: exp.Column) -> None:
        schema = node.args.get("db")
        if node.args.get("catalog") is not None or (schema is not None and schema.name.lower() != "main"):
            raise QueryRefused(
                "a column may be qualified by its table only",
                place=place_of(node),
                hint="Give the table an alias.",
            )
