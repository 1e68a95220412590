"""Catalog queries read system catalogs alone; they are rewritten to DuckDB's SQL on tables made of the policy."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from dpsql.algebra.catalog import Catalog
from dpsql.sql.ast.positions import refuse_node
from dpsql.sql.ast.traversal import all_of
from dpsql.sql.catalog_queries.calls import CONSTANTS, KNOWN, rewrite_calls
from dpsql.sql.catalog_queries.catalog_sources import check_spread, spread_lists, stand_in, system_sources
from dpsql.sql.catalog_queries.catalog_syntax import check_allowed
from dpsql.sql.catalog_queries.lookups import Lookups
from dpsql.sql.catalog_queries.operators import rewrite_operators
from dpsql.sql.catalog_queries.parse import Parsed, Unreadable, parse_catalog_query, with_plain_literals
from dpsql.sql.catalog_queries.pg_casts import rewrite_casts, rewrite_lists
from dpsql.sql.dialect import Node
from dpsql.sql.lex.text import read_text
from dpsql.sql.own_stack import OwnStack
from dpsql.sql.system_tables.declarations import columns_of_system_table
from dpsql.sql.system_tables.object_names import Names
from dpsql.sql.validate.text_lengths import COLUMN_TEXT, check_lengths

_CATALOG_WORDS: Final = re.compile(
    r"pg_|information_schema|duckdb_|pragma_|sqlite_|current_|session_user|version|_privilege|::|regclass|quote_|inet_|set_config|txid_|"
    r"getdatabase|_description|format_type",
    re.IGNORECASE,
)
_HIDDEN: Final = frozenset({"xmin", "xmax", "cmin", "cmax", "ctid"})
_SIZES: Final = frozenset({"estimated_size"})
_OWN_TABLES: Final = "duckdb."
_DESCRIBED: Final = "duckdb.pragma_table_info"
_WORDS: Final = frozenset({"user", "current_role"})


@dataclass(frozen=True, slots=True)
class CatalogQuery:
    """A catalog query ready to be bound: its rewritten tree, and the system tables that it reads."""

    tree: exp.Query
    tables: tuple[str, ...]
    positional: int
    named: tuple[str, ...]
    explain: bool


def may_be_catalog_query(sql: str) -> bool:
    """Whether a text can be a catalog query: a cheap test that rules most texts out."""
    return _CATALOG_WORDS.search(sql) is not None


def catalog_query(sql: str, catalog: Catalog, names: Callable[[], Names]) -> CatalogQuery | None:
    """The catalog query of a text; None where it reads anything but system tables and constants of a connection.

    Raises QueryRefused for a catalog query with something unsupported in it.
    """
    text = read_text(with_plain_literals(sql))
    parsed = OwnStack().run(lambda: _read(text.sql))
    if parsed is None:
        return None
    tree = parsed.tree
    holder = exp.Subquery(this=tree)
    sources = system_sources(tree, catalog)
    if sources is None or not (sources or _reads_constants(tree)):
        return None
    tables = tuple(dict.fromkeys(name for _, name in sources))
    check_allowed(tree)
    check_spread(tree)
    _check_own(tree, tables)
    lookups = Lookups(names())
    _name_outputs(tree)
    for source, name in sources:
        stand_in(source, name)
    spread_lists(tree)
    check_lengths(tree, catalog, gathered=COLUMN_TEXT)
    _rewrite_columns(tree, tables)
    rewrite_lists(tree)
    rewrite_operators(tree)
    rewrite_casts(tree, lookups)
    rewrite_calls(tree, lookups)
    query = holder.this
    assert isinstance(query, exp.Query)
    return CatalogQuery(query.pop(), tables, parsed.positional, parsed.named, text.explain)


def catalog_marks(sql: str) -> tuple[exp.Query, int, tuple[str, ...]] | None:
    """The tree of a text in PostgreSQL's dialect, how many `?` it has, and the names of its $name; None where it
    cannot be read. For a caller whose stack is always as deep.
    """
    parsed = _read(with_plain_literals(sql))
    return None if parsed is None else (parsed.tree, parsed.positional, parsed.named)


def _read(sql: str) -> Parsed | None:
    try:
        return parse_catalog_query(sql)
    except Unreadable:
        return None


def _reads_constants(tree: Node) -> bool:
    calls = (str(n.this).lower() for n in all_of(tree, exp.Anonymous))
    return tree.find(*CONSTANTS, exp.ObjectIdentifier) is not None or any(name in KNOWN for name in calls)


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


def _name_outputs(tree: exp.Query) -> None:
    """Name the columns of the answer as they are written."""
    left: Node = tree
    while isinstance(left, exp.SetOperation | exp.Subquery):
        left = left.this
    assert isinstance(left, exp.Select)
    for item in list(left.expressions):
        if not isinstance(item, exp.Alias | exp.Column | exp.Star):
            name = item.sql(dialect="postgres", normalize_functions="lower", comments=False)
            name = "count_star()" if name == "count(*)" else name
            named = exp.Alias(alias=exp.to_identifier(name, quoted=True))
            item.replace(named)
            named.set("this", item)


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
