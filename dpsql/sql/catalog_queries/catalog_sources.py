"""The FROM clause of a catalog query: system tables by name, and set-returning functions."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from sqlglot import exp

from dpsql.algebra.catalog import Catalog
from dpsql.algebra.system_tables import CATALOG
from dpsql.errors import QueryRefused
from dpsql.sql.ast.positions import place_of, refuse_node
from dpsql.sql.ast.traversal import all_of
from dpsql.sql.catalog_queries.calls import TEMPLATES
from dpsql.sql.catalog_queries.lookups import duckdb_call
from dpsql.sql.catalog_queries.operators import is_count, is_vector
from dpsql.sql.dialect import Node
from dpsql.sql.public.render import SCHEMA
from dpsql.sql.system_tables.declarations import (
    ALWAYS_EMPTY,
    CALLED,
    SHAPED,
    columns_of_system_table,
    listed_name,
)

_MOST_SPREAD = 100_000
_DESCRIBED = "duckdb.pragma_table_info"


def system_sources(
    tree: Node, catalog: Catalog, database: str | None
) -> tuple[tuple[exp.Table, str], ...] | None:
    """The system tables that a query reads, each with its node; None where it reads another table.

    With the name of a PostgreSQL client's `database`, information_schema is as PostgreSQL has it.
    """
    names = {cte.alias.lower() for cte in all_of(tree, exp.CTE)}
    tables = [t for t in all_of(tree, exp.Table) if not _is_name_of_with(t, names)]
    named = [(t, _system_name(t, catalog, database or CATALOG)) for t in tables]
    if any(name is None for _, name in named) or any(listed_name("", name) is not None for name in names):
        return None
    shaped = SHAPED if database is not None else {}
    return tuple((table, shaped.get(name, name)) for table, name in named if name)


def without_empty_laterals(tree: Node) -> None:
    """Reads LATERAL functions that have no row as plain ones: their arguments say nothing."""
    for lateral in all_of(tree, exp.Lateral):
        call = lateral.this
        if isinstance(call, exp.Anonymous) and str(call.this).lower() in ALWAYS_EMPTY:
            lateral.replace(exp.Table(this=call, alias=lateral.args.get("alias")))


def _is_name_of_with(table: exp.Table, names: set[str]) -> bool:
    is_name = isinstance(table.this, exp.Identifier) and table.args.get("db") is None
    return is_name and table.name.lower() in names


def _system_name(table: exp.Table, catalog: Catalog, own: str) -> str | None:
    """The system table that a source names; empty for a set-returning function."""
    call = table.this
    if isinstance(call, exp.Anonymous):
        name = str(call.this).lower()
        if table.args.get("joins") or table.args.get("laterals"):
            return None
        if name == "pragma_table_info" and len(call.expressions) == 1:
            return _DESCRIBED
        if name in CALLED and not call.expressions:
            return CALLED[name]
        if name in ALWAYS_EMPTY:
            return f"functions.{name}"
        return "" if name in TEMPLATES else None
    schema, database = table.args.get("db"), table.args.get("catalog")
    if database is not None and database.name.lower() != own.lower():
        return None
    if not isinstance(call, exp.Identifier) or not isinstance(schema, exp.Identifier | None):
        return None
    if schema is None and catalog.table(table.name) is not None:
        return None
    return listed_name(schema.name if schema is not None else "", table.name)


def stand_in(table: exp.Table, name: str) -> None:
    """Point a source at the engine's copy of a system table, under the same alias."""
    if not table.alias:
        written = table.this.this if isinstance(table.this, exp.Anonymous) else table.name
        table.set("alias", exp.TableAlias(this=exp.to_identifier(str(written), quoted=True)))
    if name == _DESCRIBED:
        _describe(table)
        return
    table.set("db", exp.to_identifier(SCHEMA))
    table.set("catalog", None)
    table.set("this", exp.to_identifier(name, quoted=True))


def _describe(table: exp.Table) -> None:
    """The rows of pragma_table_info about one table, without the column that names the table."""
    wanted = exp.Lower(this=exp.cast(table.this.expressions[0], "varchar", dialect="duckdb"))
    shown = [exp.column(c, quoted=True) for c, _ in columns_of_system_table(_DESCRIBED)[:-1]]
    rows = exp.select(*shown).from_(exp.table_(_DESCRIBED, db=SCHEMA, quoted=True))
    rows = rows.where(exp.EQ(this=exp.column("of_table"), expression=wanted))
    around = exp.Subquery(this=rows, alias=table.args["alias"])
    for key in ("joins", "laterals"):
        around.set(key, table.args.get(key))
    table.replace(around)


def rewrite_table_oids(
    tree: Node, sources: tuple[tuple[exp.Table, str], ...], oids: Mapping[str, int]
) -> None:
    """Replace `t.tableoid` by the OID of the system table that t is, before the tables are replaced."""
    named = {(id(s.parent_select), (s.alias or s.name).lower()): name for s, name in sources}
    for column in [c for c in all_of(tree, exp.Column) if c.name.lower() == "tableoid"]:
        select = column.parent_select
        source_name = None
        while select is not None and source_name is None:
            alias = column.table.lower()
            source_name = next(
                (n for (at, a), n in named.items() if at == id(select) and alias in ("", a)), None
            )
            select = select.parent_select
        if source_name is None or source_name not in oids:  # a column that a subquery gives that name
            continue
        number = exp.Literal.number(oids[source_name])
        is_item = isinstance(column.parent, exp.Select) and column.arg_key == "expressions"
        column.replace(exp.alias_(number, "tableoid") if is_item else number)


_ROW_CALLS: Final = MappingProxyType(
    {"_pg_truetypid": ("typbasetype", "atttypid"), "_pg_truetypmod": ("typtypmod", "atttypmod")}
)
"""Functions of a row of pg_attribute and one of pg_type: what they give of a domain, and of any other type."""


def rewrite_row_calls(tree: Node) -> None:
    """Replace functions of whole rows, as in `_pg_truetypid(a.*, t.*)`, by what they say of their columns."""
    for call in all_of(tree, exp.Anonymous):
        columns = _ROW_CALLS.get(str(call.this).lower())
        if columns is None:
            continue
        rows = [_row_name(row) for row in call.expressions]
        if len(rows) != 2 or None in rows:
            raise refuse_node(call, "this function takes the rows of pg_attribute and pg_type here")
        attribute, kind = rows
        is_domain = exp.EQ(this=exp.column("typtype", kind), expression=exp.Literal.string("d"))
        case = exp.Case(ifs=[exp.If(this=is_domain, true=exp.column(columns[0], kind))])
        case.set("default", exp.column(columns[1], attribute))
        call.replace(case)


def _row_name(row: Node) -> exp.Identifier | None:
    """The name of a source, of which a whole row is meant by `a.*` or `a`."""
    if not isinstance(row, exp.Column):
        return None
    name = row.args.get("table") if isinstance(row.this, exp.Star) else row.this
    return name.copy() if isinstance(name, exp.Identifier) else None


def spread_lists(tree: Node) -> None:
    """Make `FROM generate_series(1, n) AS s(r)` an UNNEST, whose list may depend on other sources."""
    for spread in all_of(tree, exp.Unnest):
        holder = spread.parent if isinstance(spread.parent, exp.Lateral) else spread
        if len(spread.expressions) > 1:
            holder.replace(_side_by_side(spread, holder))
            continue
        holder.set("alias", _with_column(holder.args.get("alias"), "unnest"))
    for table in [t for t in all_of(tree, exp.Table) if isinstance(t.this, exp.Anonymous)]:
        call = table.this
        name = str(call.this).lower()
        alias = _with_column(table.args.get("alias"), name)
        around = exp.Unnest(expressions=[_list_of(call, name)], alias=alias)
        if table.args.get("ordinality"):
            names = alias.args["columns"]
            around.set("offset", names.pop() if len(names) > 1 else exp.to_identifier("ordinality"))
        table.replace(around)


def _side_by_side(spread: exp.Unnest, holder: Node) -> exp.Lateral:
    """Several lists, the shorter ones with NULLs behind them; WITH ORDINALITY numbers the values of the longest."""
    alias, lists, number = holder.args.get("alias"), spread.expressions, spread.args.get("offset")
    alias = alias if isinstance(alias, exp.TableAlias) else exp.TableAlias()
    names = [*(alias.args.get("columns") or ())]
    if len(names) != len(lists):
        raise refuse_node(spread, "unnest of several arrays needs a name for each of its columns")
    values = [duckdb_call("unnest", each.copy()) for each in lists]
    if isinstance(number, exp.Identifier):
        longest = duckdb_call("greatest", *(duckdb_call("len", each.copy()) for each in lists))
        counted = duckdb_call("generate_series", exp.Literal.number(1), longest)
        names, values = [*names, number], [*values, duckdb_call("unnest", counted)]
    items = [exp.alias_(value, name.copy()) for value, name in zip(values, names, strict=True)]
    around = exp.Subquery(this=exp.select(*items))
    return exp.Lateral(this=around, alias=exp.TableAlias(this=alias.this))


def _with_column(alias: exp.TableAlias | None, name: str) -> exp.TableAlias:
    """The alias of a function behind FROM, which is the name of its column too, unless it names one."""
    alias = alias or exp.TableAlias(this=exp.to_identifier(name))
    if not alias.args.get("columns"):
        alias.set("columns", [exp.to_identifier(alias.name)])
    return alias


def _list_of(call: exp.Anonymous, name: str) -> Node:
    if name == "unnest":
        listed: Node = call.expressions[0]
        return listed
    if name in ("regexp_split_to_table", "string_to_table"):
        split = "string_split" if name == "string_to_table" else "string_split_regex"
        return duckdb_call(split, *call.expressions)
    if name == "generate_series":
        return duckdb_call("generate_series", *call.expressions)
    if name == "generate_subscripts":
        first = exp.Literal.number(0 if is_vector(call.expressions[0]) else 1)
        count = duckdb_call("len", call.expressions[0])
        return duckdb_call("range", first, exp.Add(this=count, expression=first.copy()))
    if name == "pg_partition_ancestors":  # no table is a partition
        return exp.cast(exp.Array(expressions=[]), "BIGINT[]", dialect="duckdb")
    if name == "_pg_expandarray":
        raise QueryRefused(f"the function {name} is not supported behind FROM", place=place_of(call))
    return exp.Array(expressions=[call])


def check_spread(tree: Node) -> None:
    """Refuses a generate_series of unbounded length."""
    for call in all_of(tree, exp.Anonymous):
        if str(call.this).lower() == "generate_series":
            for argument in call.expressions:
                if not _is_bounded(argument):
                    raise QueryRefused(
                        "generate_series takes numbers up to 100000 and lengths of lists here",
                        place=place_of(call),
                    )


def _is_bounded(node: Node) -> bool:
    """Whether a number is a small constant, the length of an array, or a sum of those."""
    match node:
        case exp.Literal():
            return node.is_number and node.this.isdigit() and int(node.this) <= _MOST_SPREAD
        case exp.Paren() | exp.Neg() | exp.Cast():
            return _is_bounded(node.this)
        case exp.Add() | exp.Sub():
            return _is_bounded(node.this) and _is_bounded(node.expression)
        case exp.Column():
            return is_count(node)
        case exp.Anonymous():
            return str(node.this).lower() in (
                "array_upper", "array_lower", "array_length", "cardinality", "current_setting",
            )  # fmt: skip
    return False
