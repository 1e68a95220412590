"""The columns that a SELECT can name, without regard to case, and those that stand for the row around a query."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence

from sqlglot import exp

from dpsql.algebra.expressions import Expr
from dpsql.algebra.scan import text_literal
from dpsql.errors import QueryRefused, Refusal
from dpsql.policy.json_paths import arrow_text
from dpsql.slotted import dataclass
from dpsql.sql.ast.positions import place_of
from dpsql.sql.ast.traversal import all_of, from_items, of_kinds
from dpsql.sql.dialect import Node

# A refusal does not list more columns than this.
_MOST_LISTED = 20
_LISTED = "There is: "


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

    `outer` is the scope of the query around a subquery, whose columns the subquery may name as well. `either` are pairs
    of columns that a FULL JOIN compares, of which the one that is there is the unit, and that unit.
    """

    sources: tuple[Source, ...]
    merged: tuple[Output, ...] = ()
    outer: Scope | None = None
    either: tuple[tuple[frozenset[Expr], Expr], ...] = ()

    def unit_of(self, columns: tuple[Expr, ...]) -> Expr | None:
        """What COALESCE of such a pair is; None for other columns."""
        return next((unit for pair, unit in self.either if len(columns) == 2 and pair == {*columns}), None)

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
        exprs = [expr for s in self.sources if (expr := s.find(node.name)) is not None]
        if len(exprs) > 1:
            raise QueryRefused(
                f'the column "{node.name}" is ambiguous',
                place=place_of(node),
                hint="Qualify it with its table.",
            )
        if not exprs and self.outer is not None:
            return self.outer.find(node)
        return exprs[0] if exprs else None

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
        if not sources and (field := self._field(node)) is not None:
            reason = f"behind {field.split('->')[0]}. stands a column, and no field of JSON"
            return QueryRefused(reason, place=place_of(node), hint=f"Write {field}.", kind=Refusal.NO_TABLE)
        if not sources:
            aliases = ", ".join(s.alias for s in self.sources)
            reason = f'there is no table "{node.table}" in FROM'
            return QueryRefused(
                reason, place=place_of(node), hint=f"There is: {aliases}.", kind=Refusal.NO_TABLE
            )
        if any(node.name.lower() == h.lower() for s in sources for h in s.hidden):
            return QueryRefused(f'the column "{node.name}" may not be used in a query', place=place_of(node))
        where = f' in "{sources[0].alias}"' if node.table else ""
        reason = f'there is no column "{node.name}"{where}'
        hint = self._nearest(node.name.lower(), sources, () if node.table else _given_names(node))
        if hint.startswith(_LISTED) and _may_be_text(node):
            hint = f"If a text is meant, write {text_literal(node.name)}. {hint}"
        return QueryRefused(reason, place=place_of(node), hint=hint, kind=Refusal.NO_COLUMN)

    def _field(self, node: exp.Column) -> str | None:
        """The declared field of JSON that two names with a dot between them may mean."""
        meant = arrow_text(node.table, (node.name,)).lower()
        return next((o.name for s in self.sources for o in s.outputs if o.name.lower() == meant), None)

    def _nearest(self, name: str, sources: list[Source], given: tuple[str, ...]) -> str:
        """Where a column of that name, or of a similar one, is to be found; else what there is, or is given a name."""
        elsewhere = [s.alias for s in self.sources if s.find(name) is not None]
        if elsewhere:
            return f'"{elsewhere[0]}" has one.'
        names = list(dict.fromkeys((*(o.name for s in sources for o in s.outputs), *given)))
        written = {n.lower(): n for n in reversed(names)}
        near = difflib.get_close_matches(name, list(reversed(written)), n=1)
        if near:
            meant = written[near[0]]
            return f'Did you mean "{meant}"?' + ("" if meant.isidentifier() else " Its quotes are needed.")
        listed = ", ".join(names[:_MOST_LISTED]) + (", ..." if len(names) > _MOST_LISTED else "")
        return f"{_LISTED}{listed}."

    def _check_qualifiers(self, node: exp.Column) -> None:
        schema = node.args.get("db")
        source = self.source(node.table)
        inherited = source is None and self.outer is not None
        qualified = (
            schema is None
            or inherited
            or (source is not None and source.schema.lower() == schema.name.lower())
        )
        if node.args.get("catalog") is not None or not qualified:
            raise QueryRefused(
                "a column may be qualified by its table, and by the schema that the table has in FROM, only",
                place=place_of(node),
                hint="Give the table an alias.",
            )


def _given_names(column: exp.Column) -> tuple[str, ...]:
    """The names that the SELECT list around a column gives."""
    select = column.find_ancestor(exp.Select)
    return tuple(i.alias for i in select.expressions if i.alias) if select is not None else ()


OUTER = "of a row around the query"
"""The mark of a column whose table stands around the innermost SELECT that the column is in."""


def marked(nodes: Sequence[Node]) -> None:
    """Marks the columns of rows around their SELECT, so that a refusal can say that they are there."""
    names = {id(select): _names(select) for select in of_kinds(nodes, exp.Select)}
    for column in of_kinds(nodes, exp.Column) if len(names) > 1 else ():
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
        released = key(column)
        if released is None:
            continue
        if any(s.alias_or_name.lower() == name for s in all_of(query, exp.Table, exp.Subquery)):
            raise QueryRefused(
                "a subquery over the same results cannot name a group of the query around it",
                place=place_of(column),
                hint="Join two derived tables, each with the results.",
            )
        is_item = isinstance(column.parent, exp.Select) and column.arg_key == "expressions"
        column.replace(exp.alias_(released, column.name, quoted=True) if is_item else released)


def _is_inside(column: exp.Column, query: Node) -> bool:
    at: Node | None = column
    while at is not None:
        if isinstance(at, exp.Select) and column.table.lower() in _names(at):
            return True
        at = at.parent if at is not query else None
    return False


def _names(select: exp.Select) -> set[str]:
    return {item.alias_or_name.lower() for item in from_items(select)}


def _may_be_text(column: exp.Column) -> bool:
    """Whether a name stands where a text is likely: a column is compared with it, in double quotes or in none."""
    compares = isinstance(column.parent, exp.EQ | exp.NEQ | exp.In | exp.Like | exp.ILike)
    return compares and column.arg_key != "this" and not column.table
