"""Catalog queries read system catalogs alone; they are rewritten to DuckDB's SQL on tables made of the policy."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from sqlglot import exp

from dpsql.algebra.catalog import Catalog
from dpsql.algebra.system_tables import VERSION
from dpsql.errors import QueryRefused
from dpsql.slotted import dataclass
from dpsql.sql.ast.pg_column_names import column_name, folded
from dpsql.sql.ast.positions import refuse_node
from dpsql.sql.ast.traversal import all_of, every
from dpsql.sql.bind.bound_texts import write_bound_texts
from dpsql.sql.catalog_queries.calls import CONSTANTS, KNOWN, check_ages, rewrite_calls
from dpsql.sql.catalog_queries.catalog_sources import (
    check_spread,
    rewrite_row_calls,
    rewrite_table_oids,
    spread_lists,
    stand_in,
    system_sources,
    without_empty_laterals,
)
from dpsql.sql.catalog_queries.catalog_syntax import check_allowed
from dpsql.sql.catalog_queries.lookups import Lookups
from dpsql.sql.catalog_queries.operators import rewrite_operators
from dpsql.sql.catalog_queries.parse import Parsed, Unreadable, parse_catalog_query
from dpsql.sql.catalog_queries.pg_casts import rewrite_casts, rewrite_lists, show_functions, write_bound_lists
from dpsql.sql.catalog_queries.pg_result_types import ResultTypes, is_large
from dpsql.sql.catalog_queries.source_columns import PgColumn
from dpsql.sql.dialect import Node
from dpsql.sql.lex.text import Explain, read_text, with_plain_strings
from dpsql.sql.own_stack import OwnStack
from dpsql.sql.public.render import bind_values
from dpsql.sql.system_tables.declarations import columns_of_system_table, held_as
from dpsql.sql.system_tables.object_names import Names
from dpsql.sql.system_tables.pg_settings import SERVER_VERSION
from dpsql.sql.validate.made_texts import COLUMN_TEXT
from dpsql.sql.validate.text_lengths import check_lengths
from dpsql.sql.validate.ungiven_values import Ungiven, ungiven_values

_CATALOG_WORDS: Final = re.compile(
    r"pg_|information_schema|duckdb_|pragma_|sqlite_|current_|session_user|version|_privilege|::|regclass|quote_|inet_|set_config|txid_|"
    r"getdatabase|_description|format_type",
    re.IGNORECASE,
)
_TABLE: Final = re.compile(
    r"\b(?<!distinct )(?:from|join)\s+(?!\(|lateral\b|values\b|[\w.]+\s*\(|['\d])", re.IGNORECASE
)
_OWN_VERSION: Final = f"dpsql {VERSION}"
_VERSION: Final = f"PostgreSQL {SERVER_VERSION} (dpsql {VERSION})"
_HIDDEN: Final = frozenset({"xmin", "xmax", "cmin", "cmax", "ctid"})
_SIZES: Final = frozenset({"estimated_size"})
_OWN_TABLES: Final = "duckdb."
_DESCRIBED: Final = "duckdb.pragma_table_info"
_WORDS: Final = frozenset({"user", "current_role"})
_OF_ANY_QUERY: Final = frozenset({"generate_series"})
ALWAYS_THERE: Final = _HIDDEN | _WORDS
"""What is read as a column, and no table declares."""


@dataclass(frozen=True, slots=True)
class CatalogQuery:
    """A catalog query ready to be bound: its rewritten tree, the system tables that it reads, its columns, and what
    of it may make values that cannot be given.
    """

    tree: exp.Query
    tables: tuple[str, ...]
    columns: tuple[PgColumn, ...]
    explain: Explain
    ungiven: tuple[Ungiven, ...]


def may_be_catalog_query(sql: str, database: str | None = None) -> bool:
    """Whether a text can be a catalog query: a cheap test that rules most texts out.

    For a PostgreSQL client, which knows a `database`, a query that names no table behind FROM is one too.
    """
    return _CATALOG_WORDS.search(sql) is not None or (database is not None and _TABLE.search(sql) is None)


def catalog_query(
    sql: str,
    catalog: Catalog,
    names: Callable[[], Names],
    values: Callable[[int, tuple[str, ...]], Mapping[str, object]],
    database: str | None = None,
) -> CatalogQuery | None:
    """The catalog query of a text; None where it reads anything but system tables and constants of a connection.

    `values` are those of its placeholders, given how many `?` it has and the names of its $name: they are read as if
    they stood in the text. With the name of a PostgreSQL client's `database`, a query that reads no table is one too.
    Raises QueryRefused for a catalog query with something unsupported in it.
    """
    text = read_text(sql)
    parsed = OwnStack().run(lambda: _read(text.sql))
    if parsed is None:
        return None
    tree = parsed.tree
    holder = exp.Subquery(this=tree)
    without_empty_laterals(tree)
    sources = system_sources(tree, catalog, database)
    if sources is None or not (sources or database is not None or _reads_constants(tree)):
        return None
    tables = tuple(dict.fromkeys(name for _, name in sources))
    check_allowed(tree)
    check_spread(tree)
    check_ages(tree)
    _check_own(tree, tables)
    given = values(parsed.positional, parsed.named)
    write_bound_texts(tree, given)
    ungiven = ungiven_values(every(tree))
    lookups = Lookups(names(), _OWN_VERSION if database is None else _VERSION)
    large = frozenset(name for name, value in given.items() if is_large(value))
    types = ResultTypes(text.sql, {id(source): name for source, name in sources}, large)
    columns = types.of_query(tree)
    _write_lists(tree, types.lists)
    _write_types(tree, types.typeofs)
    _write_rows(tree, types.rows)
    _write_stars(tree, types.joined)
    _name_outputs(tree, text.sql)
    _number_groups(tree)
    rewrite_row_calls(tree)
    rewrite_table_oids(tree, sources, lookups.names.numbers["regclass"])
    write_bound_lists(tree, given)
    bind_values(tree, given)
    for source, name in sources:
        stand_in(source, name)
    spread_lists(tree)
    check_lengths(tree, catalog, gathered=COLUMN_TEXT)
    _rewrite_columns(tree, tables)
    rewrite_lists(tree)
    rewrite_operators(tree, lookups)
    show_functions(tree, types.stars, lookups)
    rewrite_casts(tree, lookups)
    rewrite_calls(tree, lookups)
    query = holder.this
    assert isinstance(query, exp.Query)
    return CatalogQuery(query.pop(), tables, columns, text.explain, ungiven)


def catalog_marks(sql: str) -> tuple[exp.Query, int, tuple[str, ...]] | None:
    """The tree of a text in PostgreSQL's dialect, how many `?` it has, and the names of its $name; None where it
    cannot be read. For a caller whose stack is always as deep.
    """
    try:
        parsed = _read(with_plain_strings(sql))
    except QueryRefused:
        return None
    return None if parsed is None else (parsed.tree, parsed.positional, parsed.named)


def _read(sql: str) -> Parsed | None:
    try:
        return parse_catalog_query(sql)
    except Unreadable:
        return None


def _reads_constants(tree: Node) -> bool:
    calls = {str(n.this).lower() for n in all_of(tree, exp.Anonymous)} - _OF_ANY_QUERY
    return tree.find(*CONSTANTS, exp.ObjectIdentifier) is not None or bool(calls & KNOWN)


def _check_own(tree: Node, tables: tuple[str, ...]) -> None:
    """Refuses `*` and row counts of DuckDB's catalogs, whose columns are not all declared."""
    if not any(name.startswith(_OWN_TABLES) and name != _DESCRIBED for name in tables):
        return
    for star in all_of(tree, exp.Star):
        if not isinstance(star.parent, exp.Count):
            raise refuse_node(
                star,
                "DuckDB's catalogs have columns that are not known here",
                "Name the columns, such as schema_name and table_name.",
            )
    for column in all_of(tree, exp.Column):
        if column.name.lower() in _SIZES:
            raise refuse_node(
                column, "how many rows a table has is private", "Ask SELECT COUNT(*) FROM the table."
            )


def _write_lists(tree: Node, lists: Mapping[int, str]) -> None:
    """Cast the literals that stand for arrays to arrays, which DuckDB writes otherwise."""
    for literal in [node for node in all_of(tree, exp.Literal) if id(node) in lists]:
        to = exp.DataType.build(held_as(lists[id(literal)]), dialect="duckdb")
        literal.replace(exp.Cast(this=literal.copy(), to=to))


def _write_types(tree: Node, typeofs: Mapping[int, str]) -> None:
    """Write calls of pg_typeof as the types that they give; aggregates must stay, since they make one row of many."""
    for call in [node for node in all_of(tree, exp.Anonymous) if id(node) in typeofs]:
        if call.find(exp.AggFunc) is None:
            name = exp.Literal.string(typeofs[id(call)])
            call.replace(exp.Cast(this=name, to=exp.ObjectIdentifier(this="REGTYPE")))


def _write_rows(tree: Node, rows: Mapping[int, tuple[str, ...]]) -> None:
    """Write the names of sources that stand for their rows as JSON objects of their columns."""
    for name in [node for node in all_of(tree, exp.Column) if id(node) in rows]:
        fields: list[Node] = []
        source = name.args["table"] if isinstance(name.this, exp.Star) else name.this
        for column in rows[id(name)]:
            value = exp.Column(this=exp.to_identifier(column, quoted=True), table=source.copy())
            fields += [exp.Literal.string(column), value]
        name.replace(exp.Anonymous(this="json_build_object", expressions=fields))


def _write_stars(tree: Node, joined: Mapping[int, tuple[str, ...]]) -> None:
    """Write `*` over joins that share columns as those columns in PostgreSQL's order, which is not DuckDB's."""
    for star in [node for node in all_of(tree, exp.Star) if id(node) in joined]:
        select = star.parent
        assert isinstance(select, exp.Select)
        written = [exp.column(name, quoted=True) for name in joined[id(star)]]
        items = [each for item in select.expressions for each in (written if item is star else [item])]
        select.set("expressions", items)


def _name_outputs(tree: exp.Query, sql: str) -> None:
    """Name the columns of each SELECT as PostgreSQL does, which a query around it may refer to."""
    for select in all_of(tree, exp.Select):
        for item in list(select.expressions) if _has_names(select) else ():
            if not isinstance(item, exp.Alias | exp.Column | exp.Star):
                name = column_name(item, sql)
                named = exp.Alias(alias=exp.to_identifier(name, quoted=True))
                item.replace(named)
                named.set("this", item)


def _has_names(select: Node) -> bool:
    """Whether the names of a SELECT's columns matter: not of one that stands for a value, whose own column DuckDB would
    take for one of the query around it.
    """
    around = select.parent
    while isinstance(around, exp.SetOperation | exp.Subquery):
        around = around.parent
    return around is None or isinstance(around, exp.From | exp.Join | exp.Lateral | exp.CTE)


def _number_groups(tree: Node) -> None:
    """Write a group that is an output's name by its place, where a source has that name too: DuckDB reads that one."""
    for select in all_of(tree, exp.Select):
        group, joins = select.args.get("group"), select.args.get("joins") or []
        found = [select.args.get("from_") or select.args.get("from"), *joins]
        sources = {source.this.alias_or_name.lower() for source in found if source is not None}
        outputs = [folded(item.args.get("alias")) for item in select.expressions]
        for by in list(group.expressions) if group is not None else ():
            name = folded(by.this) if isinstance(by, exp.Column) and not by.table else ""
            if name in sources and name in outputs:
                by.replace(exp.Literal.number(outputs.index(name) + 1))


def _rewrite_columns(tree: Node, tables: tuple[str, ...]) -> None:
    """Drop schemas of columns, and give PostgreSQL's hidden columns, such as xmin, a constant."""
    declared = {c.lower() for t in tables for c, _ in columns_of_system_table(t)}
    for column in all_of(tree, exp.Column):
        column.set("db", None)
        column.set("catalog", None)
        name = column.name.lower()
        if name in _HIDDEN and name not in declared:
            column.replace(_aliased(exp.cast(exp.Literal.number(1), "bigint", dialect="duckdb"), column))
        elif name in _WORDS and not column.table and not column.this.args.get("quoted"):
            column.replace(_aliased(exp.Anonymous(this="current_user"), column))


def _aliased(value: Node, column: exp.Column) -> Node:
    if isinstance(column.parent, exp.Select) and column.arg_key == "expressions":
        return exp.alias_(value, column.name, quoted=True)
    return value
