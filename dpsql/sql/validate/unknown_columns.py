"""The column, or the field of JSON, that a query names and none of its tables has.

Fields of JSON are held against those that the policy declares: JSON itself is in no query.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from sqlglot import exp

from dpsql.algebra.catalog import Catalog, TableInfo
from dpsql.errors import QueryRefused, Refusal
from dpsql.sql.ast.column_names import default_name
from dpsql.sql.ast.positions import place_of
from dpsql.sql.ast.traversal import all_of, from_items, is_star, of_kinds
from dpsql.sql.dialect import Node
from dpsql.sql.lex.field_tokens import WrittenField

Columns = Callable[[str, str], Mapping[str, bool] | None]
"""The columns of a table, given by schema and name, with whether each is told; None where they are not known."""


def unknown_column(tree: exp.Query, catalog: Catalog) -> QueryRefused | None:
    """The refusal of the first column that neither a table of the query nor an alias in it has, or of its table.

    None where there is no such column, or a table whose columns are not known here.
    """

    def columns(schema: str, table: str) -> Mapping[str, bool] | None:
        info = catalog.named(schema, table)
        return {c.name: not c.hidden for c in info.columns} if info is not None else None

    refusal = missing_column(tree, columns)
    tables = elsewhere(refusal, catalog) if refusal is not None else ""
    return refusal.offering(tables) if refusal is not None and tables else refusal


def missing_column(tree: exp.Query, columns: Columns) -> QueryRefused | None:
    """The same for tables with these columns."""
    if (refusal := _unknown_table(tree)) is not None:
        return refusal
    own = _own_names(tree)
    written = {a.alias.lower(): a.alias for a in all_of(tree, exp.Alias)}
    for table in all_of(tree, exp.Table):
        names = columns(table.db, table.name)
        if names is None and table.name.lower() not in own:
            return None
        own |= {table.name.lower(), *(name.lower() for name in names or ())}
        written |= {name.lower(): name for name, is_told in (names or {}).items() if is_told}
    missing = (c for c in all_of(tree, exp.Column) if c.name and c.name.lower() not in own)
    column = next(missing, None)
    return _unknown(column, _in_reach(column, columns) or written) if column is not None else None


def _in_reach(column: exp.Column, columns: Columns) -> Mapping[str, str]:
    """The names that may stand where a column does, in lower case and as they are; nothing where some are not known."""
    select = column.find_ancestor(exp.Select)
    if select is None or len(all_of(select, exp.Subquery)) > len(from_items(select)):
        return {}
    listed = [_outputs(item, columns) for item in from_items(select)]
    if not listed or None in listed:
        return {}
    names = [name for source in listed for name in source or ()]
    return {n.lower(): n for n in (*names, *(i.alias for i in select.expressions if i.alias))}


def _outputs(item: Node, columns: Columns) -> list[str] | None:
    """The names of the columns of a source of FROM; None where they are not known."""
    query = item.this if isinstance(item, exp.Subquery) else _named(item)
    if query is None and isinstance(item, exp.Table):
        named = columns(item.db, item.name)
        return [n for n, is_told in named.items() if is_told] if named is not None else None
    alias = item.args.get("alias")
    if not isinstance(query, exp.Select) or any(map(is_star, query.expressions)):
        return None
    if isinstance(alias, exp.TableAlias) and alias.args.get("columns"):
        return None
    return [i.alias or default_name(i) for i in query.expressions]


def _named(item: Node) -> Node | None:
    """The query that a name of WITH stands for."""
    ctes = all_of(item.root(), exp.CTE) if isinstance(item, exp.Table) and not item.db else []
    found: Node | None = next((c.this for c in ctes if c.alias.lower() == item.name.lower()), None)
    return found


def _unknown_table(tree: exp.Query) -> QueryRefused | None:
    """The refusal of the first column that is qualified by what stands nowhere in FROM."""
    sources = all_of(tree, exp.Table, exp.Subquery, exp.CTE, exp.Lateral, exp.Values, exp.UDTF)
    names = {s.alias_or_name: None for s in sources if s.alias_or_name}
    known = {name.lower() for name in names}
    column = next((c for c in all_of(tree, exp.Column) if c.table and c.table.lower() not in known), None)
    if column is None:
        return None
    reason = f'there is no table "{column.table}" in FROM'
    hint = f"There is: {_listed(list(names))}." if names else None
    return QueryRefused(reason, place=place_of(column), hint=hint, kind=Refusal.NO_TABLE)


def _unknown(column: exp.Column, written: Mapping[str, str]) -> QueryRefused:
    near = difflib.get_close_matches(column.name.lower(), written, n=1)
    names = list(written.values())
    hint = f'Did you mean "{written[near[0]]}"?' if near else f"{_LISTED}{_listed(names)}."
    return QueryRefused(
        f'there is no column "{column.name}"',
        place=place_of(column),
        hint=hint if names else None,
        kind=Refusal.NO_COLUMN,
    )


_MISSING = re.compile(r'there is no column "([^"]+)"(?: in ".*")?')
_LISTED = "There is: "
_MOST_TABLES = 3


def elsewhere(refusal: QueryRefused, catalog: Catalog) -> str:
    """Which tables have the column that is said to be missing, where nothing like it was found; else nothing."""
    found = _MISSING.fullmatch(refusal.reason)
    if refusal.kind is not Refusal.NO_COLUMN or found is None or _LISTED not in (refusal.hint or ""):
        return ""
    name = found[1].lower()
    having = [
        t.name
        for t in catalog.tables.values()
        if any(c.name.lower() == name and not c.hidden for c in t.columns)
    ]
    if not having:
        return ""
    more = ", ..." if len(having) > _MOST_TABLES else ""
    return f"Tables with such a column: {', '.join(having[:_MOST_TABLES])}{more}."


_ARROW = "->"
_MOST_LISTED = 20


def check_fields(
    tree: exp.Query, nodes: Sequence[Node], written: Sequence[WrittenField], catalog: Catalog
) -> None:
    """Refuses a field that no table of the query declares exactly so, and a JSON column without a field.

    `nodes` are those of the tree. Columns are compared without regard to case, the names within JSON are not. Raises
    QueryRefused.
    """
    tables = [
        t for item in of_kinds(nodes, exp.Table) if (t := catalog.named(item.db, item.name)) is not None
    ]
    declared = [c.name for t in tables for c in t.columns if _ARROW in c.name]
    for field in written:
        if not any(_same(field.name, name) for name in declared):
            raise _undeclared(field, declared)
    if declared:
        _check_whole(tree, tables, declared)


def _same(written: str, name: str) -> bool:
    column, _, path = name.partition(_ARROW)
    other, _, steps = written.partition(_ARROW)
    return column.lower() == other.lower() and path == steps


def _undeclared(field: WrittenField, declared: Sequence[str]) -> QueryRefused:
    fields = list(_fields_of(field.column, declared))
    reason = f"the policy declares no field {field.name}"
    hint = f"There is: {_listed(fields)}." if fields else "The admin declares fields of JSON under `fields`."
    return QueryRefused(reason, place=field.place, hint=hint, kind=Refusal.NO_COLUMN)


def _check_whole(tree: exp.Query, tables: Sequence[TableInfo], declared: Sequence[str]) -> None:
    """Refuses a column of JSON by its own name, unless the query gives that name to something else."""
    own = _own_names(tree) | {c.name.lower() for t in tables for c in t.columns}
    for column in all_of(tree, exp.Column):
        fields = list(_fields_of(column.name, declared)) if column.name.lower() not in own else []
        if fields:
            raise QueryRefused(
                f'"{column.name}" is JSON, of which a query reads declared fields alone',
                place=place_of(column),
                hint=f"There is: {_listed(fields)}.",
                kind=Refusal.NO_COLUMN,
            )


def _own_names(tree: exp.Query) -> set[str]:
    """The names that a query itself gives to tables and columns."""
    own = {a.alias.lower() for a in all_of(tree, exp.Alias, exp.Subquery, exp.CTE, exp.Table) if a.alias}
    return own | {c.name.lower() for a in all_of(tree, exp.TableAlias) for c in a.args.get("columns") or ()}


def _fields_of(column: str, declared: Sequence[str]) -> Iterator[str]:
    return (n for n in dict.fromkeys(declared) if n.partition(_ARROW)[0].lower() == column.lower())


def _listed(fields: Sequence[str]) -> str:
    return ", ".join(fields[:_MOST_LISTED]) + (", ..." if len(fields) > _MOST_LISTED else "")
