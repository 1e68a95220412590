"""Everything that text and policy decide about a query: a plan, its engine queries, its charges, its columns."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TypeVar

from dpsql.algebra.functions.table import Mistyped
from dpsql.engines.base import FinishFailed, FinishStopped, OutputColumn
from dpsql.errors import MADE_UP_ROWS, Error, InternalError, QueryRefused, Refusal
from dpsql.plan.types import Plan
from dpsql.release.prepared_query import PreparedQuery
from dpsql.sql.ast.present_moment import reads_present
from dpsql.sql.ast.traversal import every
from dpsql.sql.bind.bound_texts import write_bound_texts
from dpsql.sql.bind.unreadable_texts import check_texts
from dpsql.sql.catalog_queries.show_statements import introspected
from dpsql.sql.lex.text import Explain, Text, bare, read_text
from dpsql.sql.normalize import Stage, apply_rules
from dpsql.sql.normalize.series_bounds import computed_bounds
from dpsql.sql.parse.gate import Admitted, admitted
from dpsql.sql.parse.privacy_options import says_options
from dpsql.sql.parse.session_statements import changes_nothing
from dpsql.sql.public.cut_query import Query
from dpsql.sql.public.written_bounds import write_bounds
from dpsql.sql.split.cut import cut
from dpsql.sql.split.returned_rows import rows_refused
from dpsql.sql.split.schema_probes import asks_for_no_row, check_probe, returns_rows
from dpsql.sql.system_tables.column_places import column_places, places_of_tables
from dpsql.sql.validate.query_size import check_correlated_text
from dpsql.sql.validate.ungiven_values import check_given, ungiven_values
from dpsql.sql.validate.unknown_columns import check_fields, elsewhere, unknown_column
from dpsql.sql.validate.wide_days import date_moved_by_bigint
from dpsql.stages.arguments.list_values import BoundQuery, admitted_with
from dpsql.stages.arguments.query_options import Params, Rows, of_query
from dpsql.stages.dry_run import accepted, try_public_query
from dpsql.stages.finish import columns_of
from dpsql.stages.made_up.made_up_rows import made_up_query, shows_made_up
from dpsql.stages.planning import advice, has_few_groups, plan_query
from dpsql.stages.state import State
from dpsql.stages.system_statement import about_system
from dpsql.stages.unlisted_literals import check_literals

T = TypeVar("T")


def prepare(sql: str, params: Params, s: State) -> PreparedQuery:
    """Everything that text and policy decide: a refusal comes from here, and costs nothing."""
    return s.remembered(
        "plan",
        sql,
        params,
        lambda: s.stack.run(lambda: refusing(lambda: _planned(sql, params, s), s)),
        _is_kept,
    )


def refusing(work: Callable[[], T], s: State) -> T:
    """What a step of planning gives; whatever goes wrong in it is a refusal, or a bug that the admin's log has."""
    try:
        return work()
    except Mistyped as problem:
        raise QueryRefused(str(problem)) from None
    except RecursionError:
        raise QueryRefused("the query is nested too deeply") from None
    except FinishStopped:
        raise QueryRefused("planning the query takes too much time or memory", hint="Ask for less.") from None
    except FinishFailed:
        raise QueryRefused(
            "the groups of the query cannot be listed", hint="Group by fewer columns."
        ) from None
    except MemoryError:
        raise QueryRefused("the query takes too much memory to plan") from None
    except Error:
        raise
    except Exception:
        s.log_failure(f"a query could not be planned\n{traceback.format_exc()}")
    raise InternalError("the query could not be planned: this is a bug in dpsql; nothing was charged")


def _planned(sql: str, params: Params, s: State) -> PreparedQuery:
    if changes_nothing(sql):
        return _schema((), explain=Explain.NO)
    catalog_query = of_postgresql(sql, params, s)
    if catalog_query is not None:
        return catalog_query
    text = introspected(sql, s.context.catalog, s.request.analyst)
    try:
        return _ordinary(text, params, s)
    except QueryRefused as error:
        refusal = error
    system_query = about_system(text, params, s)
    if system_query is None:
        raise refusal
    return system_query


def of_postgresql(sql: str, params: Params, s: State) -> PreparedQuery | None:
    """A statement about the system for a PostgreSQL client; None where it is to be read as any other.

    Where both readings refuse it, the other one says why.
    """
    if s.options.database is None:
        return None
    try:
        return about_system(sql, params, s)
    except QueryRefused:
        return None


def _schema(columns: tuple[OutputColumn, ...], *, explain: Explain, withheld: str = "") -> PreparedQuery:
    """A query of which names and types alone are asked for, or given: then `withheld` says why."""
    return PreparedQuery(
        *(Query((), "", None), Plan((), "")),
        columns=columns,
        explain=explain,
        schema_only=True,
        withheld=withheld,
    )


def _ordinary(sql: str, params: Params, s: State) -> PreparedQuery:
    """The plan of a query; one whose words are the same has the same, whatever comments and white space it has."""
    text = read_text(sql)
    if says_options(text):
        return _of_text(text, params, s)
    return s.remembered("words", bare(text), params, lambda: _of_text(text, params, s), _is_kept)


def _is_kept(query: PreparedQuery) -> bool:
    return not query.of_moment and has_few_groups(query.plan.releases)


def _of_text(text: Text, params: Params, s: State) -> PreparedQuery:
    query = admitted_with(text, params, s.public, s.context.catalog.values_of, s.options.database)
    of_moment = reads_present(query.statement.tree)
    prepared = _of_statement(query, text, s)
    return replace(prepared, of_moment=True) if of_moment else prepared


def _of_statement(query: BoundQuery, text: Text, s: State) -> PreparedQuery:
    statement, values, params = placed_in_tables(query.statement, s), query.values, query.params
    tree, now = statement.tree, s.clock()
    nodes = every(tree)
    if computed_bounds(nodes):
        write_bound_texts(tree, values)
        write_bounds(tree, s.context.catalog, values, now, s.context.evaluate)
        nodes = every(tree)
    options = of_query(statement.options or (), s.options, s.request.per_query, s.context.policy)
    s = s.limited_by(options)
    check_fields(tree, nodes, statement.fields, s.context.catalog)
    no_row = asks_for_no_row(statement.tree)
    if no_row or (options.rows is Rows.EMPTY and returns_rows(statement.tree, s.context.catalog)):
        check_probe(statement.tree, s.context.catalog)
        withheld = "" if no_row else str(rows_refused(statement.tree))
        columns = described_columns(statement, text, params, s)
        return _schema(columns, explain=statement.explain, withheld=withheld)
    check_correlated_text(tree, nodes, s.context.catalog.names_of)
    if shows_made_up(statement.tree, options, s.context.catalog):
        return made_up_query(statement, values, now, lambda: described_columns(statement, text, params, s), s)
    write_bound_texts(statement.tree, values)
    nodes = every(statement.tree)
    check_texts(nodes, lambda text: _public(text, s))
    ungiven = ungiven_values(nodes)
    apply_rules(statement.tree, Stage.CUT)
    with _offering_more(text, s):
        halves = cut(
            *(statement.tree, s.context.catalog, values, now),
            lambda text: _public(text, s),
            advice(options.cost, s),
        )
    if options.checks_literals:
        check_literals(halves.questions, s.context.catalog, text.sql, values)
    planned = plan_query(halves, options, s)
    described = described_columns(statement, text, params, s)
    columns = columns_of(described, try_public_query(planned, s.public), planned)
    check_given(ungiven, [c.type for c in columns])
    return replace(
        planned,
        columns=columns,
        explain=statement.explain,
        fresh=options.fresh,
        combine=options.combine,
    )


@contextmanager
def _offering_more(text: Text, s: State) -> Iterator[None]:
    """A refusal of rows of a private table offers made-up ones, that of a column the tables that have it."""
    try:
        yield
    except QueryRefused as refusal:
        if tables := elsewhere(refusal, s.context.catalog):
            raise refusal.offering(tables) from None
        wanted = refusal.kind is Refusal.PRIVATE_ROWS
        if not wanted or not returns_rows(_read_again(text, s).tree, s.context.catalog):
            raise
        raise refusal.offering(MADE_UP_ROWS) from None


def _read_again(text: Text, s: State) -> Admitted:
    return admitted(text, s.public, values=s.context.catalog.values_of, database=s.options.database)


def _public(text: str, s: State) -> list[tuple[object, ...]]:
    """The rows of a public part of a query, which is a constant in what is left."""
    try:
        return [tuple(row) for row in s.context.evaluate(text)]
    except FinishFailed:
        pass
    raise QueryRefused(
        "a subquery over public tables cannot be evaluated",
        hint="Run it by itself, and give each of its columns a type such as BIGINT, VARCHAR, DATE or TIMESTAMP.",
    )


def described_columns(statement: Admitted, text: Text, params: Params, s: State) -> tuple[OutputColumn, ...]:
    """Types as DuckDB gives them to the analyst's text, on tables without rows, and names as its client knows them."""
    columns = _described(statement, text, params, s)
    if len(statement.places) == len(columns):
        placed = zip(columns, statement.places, strict=True)
        columns = tuple(_placed(c, table, place) for c, (table, place) in placed)
    first, last = statement.names_shown
    if len(first) + len(last) > len(columns):
        return columns
    names = (*first, *[""] * (len(columns) - len(first) - len(last)), *last)
    return tuple(replace(c, name=name) if name else c for c, name in zip(columns, names, strict=True))


def _placed(column: OutputColumn, table: int, place: int) -> OutputColumn:
    """A column with the place that it has in a table, whose own texts the catalogs call varchar."""
    kind = "varchar" if table and column.type == "VARCHAR" else column.pg_type
    return replace(column, table=table, place=place, pg_type=kind)


def placed_in_tables(statement: Admitted, s: State) -> Admitted:
    """The statement with the places of its columns in tables, for a client of the server; before anything is cut."""
    if s.options.database is None:
        return statement
    tables = s.memo("places of tables", lambda: places_of_tables(s.system))
    return replace(statement, places=column_places(statement.tree, tables))


def _described(statement: Admitted, text: Text, params: Params, s: State) -> tuple[OutputColumn, ...]:
    """The columns that DuckDB tells."""
    refusal = QueryRefused(
        "DuckDB does not accept the query as it is written",
        hint="Check the names in it, and the types of what is compared, added or passed to a function.",
    )
    try:
        return accepted(
            lambda: s.public.describe(statement.described, params if params is not None else ()), refusal
        )
    except QueryRefused:  # the tree may be another one by now: it is read again
        tree, catalog = _read_again(text, s).tree, s.context.catalog
        raise unknown_column(tree, catalog) or date_moved_by_bigint(tree, catalog) or refusal from None
