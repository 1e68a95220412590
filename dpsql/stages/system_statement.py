"""Statements about the system that ordinary SQL does not have: PostgreSQL's and DuckDB's catalogs, from the policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from dpsql.engines.base import OutputColumn, ReleasedTable
from dpsql.errors import QueryRefused
from dpsql.plan.types import Plan
from dpsql.release.prepared_query import PreparedQuery
from dpsql.sql.ast.present_moment import reads_present
from dpsql.sql.catalog_queries.catalog_query import catalog_query, may_be_catalog_query
from dpsql.sql.catalog_queries.lookups import KINDS
from dpsql.sql.catalog_queries.missing_columns import missing_in_catalogs
from dpsql.sql.catalog_queries.pg_type_rules import UNKNOWN
from dpsql.sql.catalog_queries.source_columns import PgColumn
from dpsql.sql.public.cross_join_size import check_room
from dpsql.sql.public.cut_query import Query
from dpsql.sql.public.render import render
from dpsql.sql.system_tables.catalog_relations import relations
from dpsql.sql.system_tables.catalog_rows import rows_of_system_table
from dpsql.sql.system_tables.declarations import columns_of_system_table
from dpsql.sql.system_tables.object_names import names_of, numbers_of
from dpsql.sql.system_tables.pg_objects import OF_SESSIONS
from dpsql.sql.system_tables.pg_types import pg_type_of
from dpsql.sql.validate.ungiven_values import check_given
from dpsql.stages.arguments.query_options import Params, bound
from dpsql.stages.dry_run import accepted, described
from dpsql.stages.state import State

MOST_BESIDE = 10_000_000
"""The most rows that system tables may make side by side, where nothing ties them together."""
_ROWS_OF_LEDGER = 1_000
"""How many rows a table about the analyst's own account is taken to have."""


def about_system(sql: str, params: Params, s: State) -> PreparedQuery | None:
    """The statement of a text that reads tables about the system alone; None for any other.

    Its rows are a function of the policy and the analyst's own account, and it costs nothing. Raises QueryRefused for
    what is not known in one.
    """
    database = s.options.database
    if not may_be_catalog_query(sql, database):
        return None
    query = catalog_query(
        *(sql, s.context.catalog, lambda: names_of(relations(s.system)), partial(bound, params), database)
    )
    if query is None:
        return None
    tables = {name: _tried_on(name, s) for name in query.tables}
    check_room(query.tree, lambda table: _rows(tables.get(table.name)), MOST_BESIDE)
    of_moment = reads_present(query.tree)
    text = render(query.tree, {}, s.clock())
    columns = _columns(sql, text, tuple(tables.values()), query.columns, s)
    check_given(query.ungiven, [column.type for column in columns])
    return PreparedQuery(
        Query((), text, None, query.tables),
        Plan((), text),
        columns=columns,
        explain=query.explain,
        of_moment=of_moment,
    )


def _tried_on(name: str, s: State) -> ReleasedTable:
    """A table to try a statement on: what the ledger says is read when it is asked, not when it is planned."""
    if _is_of_ledger(name):
        return ReleasedTable(name, columns_of_system_table(name), ())
    return system_table(name, s)


def _is_of_ledger(name: str) -> bool:
    return name.startswith("dpsql.")


def _rows(table: ReleasedTable | None) -> int | None:
    if table is None:
        return None
    return _ROWS_OF_LEDGER if _is_of_ledger(table.name) else len(table.rows)


def _columns(
    written: str,
    sql: str,
    tables: Sequence[ReleasedTable],
    pg_columns: tuple[PgColumn, ...],
    s: State,
) -> tuple[OutputColumn, ...]:
    """The columns of a query on system tables, which is tried on their rows before it is taken."""
    refusal = QueryRefused(
        "this statement about the system cannot be answered",
        hint="Check the names of the columns in it, and the types of what is compared or joined.",
    )
    try:
        accepted(lambda: s.public.check(sql, tables), refusal)
        columns = accepted(lambda: described(sql, tables, s.public), refusal)
    except QueryRefused:
        raise missing_in_catalogs(written) or refusal from None
    if len(columns) != len(pg_columns):
        pg_columns = tuple(PgColumn(name, None) for name, _ in columns)
    return tuple(_column(held, pg, s) for (_, held), pg in zip(columns, pg_columns, strict=True))


def _column(held: str, pg: PgColumn, s: State) -> OutputColumn:
    """A column under PostgreSQL's name and type, where that is known."""
    kind = pg.type
    if kind == UNKNOWN or (kind is None and held.removesuffix("[]") in ("VARCHAR", '"NULL"')):
        kind = "_text" if held.endswith("[]") else "text"
    return OutputColumn(pg.name, held, kind or pg_type_of(held).name, objects=_objects(kind or "", s))


def _objects(kind: str, s: State) -> Mapping[str, int] | None:
    """The numbers of the objects that a type such as regclass or regtype[] names; None for any other."""
    of = kind.removeprefix("_")
    if of not in KINDS:
        return None
    return s.memo(("objects", of), lambda: numbers_of(names_of(relations(s.system)), of))


def system_table(name: str, s: State) -> ReleasedTable:
    """A table about the system with its rows at this moment; most catalogs keep theirs."""
    if _is_of_ledger(name) or name in OF_SESSIONS:
        rows = rows_of_system_table(name, s.system)
    else:
        rows = s.memo(("rows", name), lambda: rows_of_system_table(name, s.system))
    return ReleasedTable(name, columns_of_system_table(name), rows)
