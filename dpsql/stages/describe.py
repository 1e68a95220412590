"""What a statement would give: planned, never run; free. For drivers that ask before they send values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import partial
from types import MappingProxyType
from typing import Final, TypeVar
from uuid import UUID

from dpsql.algebra.system_tables import Columns
from dpsql.engines.base import OutputColumn
from dpsql.errors import QueryRefused
from dpsql.release.explain.plan import explain_columns
from dpsql.release.prepared_query import PreparedQuery
from dpsql.release.types import Description
from dpsql.sql.catalog_queries.catalog_query import catalog_marks, may_be_catalog_query
from dpsql.sql.catalog_queries.show_statements import introspected
from dpsql.sql.lex.text import read_text
from dpsql.sql.parse.gate import admitted
from dpsql.sql.parse.placeholder_types import LIST, OF_CATALOGS, OID, TEXT, ZONED, placeholder_types
from dpsql.sql.parse.session_statements import changes_nothing
from dpsql.sql.system_tables.declarations import (
    SHAPED,
    columns_of_system_table,
    listed_name,
    pg_types_of_system_table,
)
from dpsql.stages.arguments.list_values import admitted_with
from dpsql.stages.arguments.query_options import Params
from dpsql.stages.made_up.made_up_rows import marked, shows_made_up
from dpsql.stages.prepare import described_columns, of_postgresql, placed_in_tables, prepare, refusing
from dpsql.stages.state import State
from dpsql.stages.system_statement import about_system

T = TypeVar("T")
Types = Mapping[str, str]
"""Types of placeholders by name, where a caller knows them."""
_LARGE: Final = 2**31
_VALUES: Final = MappingProxyType[str, object](
    {
        "BOOLEAN": True,
        "INTEGER": 1,
        "BIGINT": 1,
        OID: 1,
        OF_CATALOGS["int2"]: 1,
        "HUGEINT": 1,
        "DOUBLE": 1.0,
        "DECIMAL": Decimal("1.0"),
        TEXT: "1",
        "DATE": date(2000, 1, 1),
        "TIME": time(0),
        "TIMESTAMP": datetime(2000, 1, 1),
        ZONED: datetime(2000, 1, 1),
        "INTERVAL": timedelta(days=1),
        "UUID": UUID(int=1),
        "BLOB": b"1",
    }
)


def describe_query(sql: str, params: Params, types: Types, s: State) -> Description:
    """Columns and placeholders of a statement.

    With values it is planned with them; without, only its text, its names and its types are looked at. Raises
    QueryRefused.
    """
    marks = _planning(lambda: _marks(sql, types, s), s) if params is None else None
    if marks is None or not marks.parameters:
        return Description(_columns_of(prepare(sql, params, s)))
    tried = [_values(marks, texts) for texts in ("1", "{1}", None)]
    if "BIGINT" in types.values():
        tried.append(tried[0])
        tried[0] = _with_large(tried[0], types)
    columns = _planning(lambda: _first_accepted(sql, tried, s), s)
    return Description(columns, marks.parameters, marks.positional)


def _planning(work: Callable[[], T], s: State) -> T:
    return s.stack.run(lambda: refusing(work, s))


def _columns_of(query: PreparedQuery) -> tuple[OutputColumn, ...]:
    return explain_columns(query.explain) if query.explain else query.columns


def _marks(sql: str, types: Types, s: State) -> Description | None:
    """The placeholders of a statement with their types; None where it has none, or cannot be read."""
    if ("?" not in sql and "$" not in sql) or changes_nothing(sql):
        return None
    try:
        read = read_text(introspected(sql, s.context.catalog, s.request.analyst))
        statement = admitted(read, s.public, values=s.context.catalog.values_of, database=s.options.database)
        tree, positional, named = statement.tree, statement.positional, statement.named
    except QueryRefused as error:
        marks = catalog_marks(sql) if may_be_catalog_query(sql, s.options.database) else None
        if marks is None:
            raise error from None
        tree, positional, named = marks
    names = tuple(str(i) for i in range(1, positional + 1)) or named
    inferred = (
        placeholder_types(tree, s.context.catalog, partial(_system_columns, s.options.database is not None))
        if any(n not in types for n in names)
        else {}
    )
    kinds = {**{n: inferred.get(n, TEXT) for n in names}, **{n: k for n, k in types.items() if n in names}}
    return Description((), tuple((n, kinds[n]) for n in names), bool(positional))


def _system_columns(shaped: bool, schema: str, table: str) -> Columns:
    """The columns of a system table; with `shaped` as PostgreSQL has them, where DuckDB's table has that name, too."""
    name = listed_name(schema, table)
    if name is None:
        return ()
    name = SHAPED.get(name, name) if shaped else name
    columns = zip(columns_of_system_table(name), pg_types_of_system_table(name), strict=True)
    return tuple((column, OF_CATALOGS.get(kind, held)) for (column, held), kind in columns)


def _values(marks: Description, text: str | None) -> Params:
    """Some value of each type; `text` is that of texts, since not every one is fit for every place."""
    values = {n: _value(k, text) for n, k in marks.parameters}
    return tuple(values.values()) if marks.positional else values


def _with_large(values: Params, types: Types) -> Params:
    """The values with a large number for each placeholder that its client declared so: columns made of it are, too."""
    return (
        {name: _LARGE if types.get(name) == "BIGINT" else v for name, v in values.items()}
        if isinstance(values, Mapping)
        else values
    )


def _value(kind: str, text: str | None) -> object:
    if kind.endswith(LIST):
        return (_value(kind.removesuffix(LIST), text or "1"),)
    return text if kind == TEXT else _VALUES.get(kind, text)


def _first_accepted(sql: str, tried: list[Params], s: State) -> tuple[OutputColumn, ...]:
    refusals: list[QueryRefused] = []
    for values in tried:
        try:
            return _columns(sql, values, s)
        except QueryRefused as error:
            refusals.append(error)
    raise refusals[0]


def _columns(sql: str, values: Params, s: State) -> tuple[OutputColumn, ...]:
    catalog_columns = of_postgresql(sql, values, s)
    if catalog_columns is not None:
        return _columns_of(catalog_columns)
    text = introspected(sql, s.context.catalog, s.request.analyst)
    try:
        read = read_text(text)
        given = admitted_with(read, values, s.public, s.context.catalog.values_of, s.options.database)
        if given.statement.explain:
            return explain_columns(given.statement.explain)
        columns = described_columns(placed_in_tables(given.statement, s), read, given.params, s)
        return (
            marked(columns) if shows_made_up(given.statement.tree, s.options, s.context.catalog) else columns
        )
    except QueryRefused as error:
        refusal = error
    query = about_system(text, values, s)
    if query is None:
        raise refusal
    return _columns_of(query)
