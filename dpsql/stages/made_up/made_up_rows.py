"""Rows of private tables for a connection that asks for made-up ones: what a raw SELECT gives on tables that the policy
alone has made.

Only what would return rows of a private table is answered so. An aggregate is always a release, so that no made-up
number looks like one; and every column of a made-up answer has a name that says what it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from dpsql.algebra.catalog import Catalog, ColumnInfo, PublicTables, TableInfo
from dpsql.algebra.made_up.made_up_tables import made_up_tables
from dpsql.algebra.scan import quoted
from dpsql.engines.base import FinishFailed, OutputColumn, ReleasedTable, Row
from dpsql.errors import QueryFailed, QueryRefused
from dpsql.plan.types import Plan
from dpsql.privacy import FREE
from dpsql.release.prepared_query import PreparedQuery
from dpsql.release.types import Answer, Explanation, Released
from dpsql.slotted import dataclass
from dpsql.sql.ast.column_names import without_schemas
from dpsql.sql.dialect import Node
from dpsql.sql.normalize import Stage, apply_rules
from dpsql.sql.parse.gate import Admitted
from dpsql.sql.public.cut_query import Query
from dpsql.sql.public.render import SCHEMA
from dpsql.sql.split.cut import cut
from dpsql.sql.split.schema_probes import asks_for_responses, returns_rows
from dpsql.stages.arguments.query_options import Options, Rows
from dpsql.stages.dry_run import accepted
from dpsql.stages.planning import advice
from dpsql.stages.state import State

SUFFIX: Final = " (made up)"
NOTE: Final = "made-up rows: the policy alone says what is in them, nothing of the data does"
COUNT: Final = 100
"""The most rows of a made-up table."""
_TABLE: Final = "made up: "


def shows_made_up(tree: Node, options: Options, catalog: Catalog) -> bool:
    """Whether a query is answered with made-up rows. Refuses tables that do not exist."""
    return options.rows is Rows.MOCK and not asks_for_responses(tree) and returns_rows(tree, catalog)


def marked(columns: tuple[OutputColumn, ...]) -> tuple[OutputColumn, ...]:
    """The columns under names that say that their values are made up."""
    return tuple(replace(c, name=c.name + SUFFIX) for c in columns)


def made_up_query(
    statement: Admitted,
    values: Mapping[str, object],
    now: datetime,
    described: Callable[[], tuple[OutputColumn, ...]],
    s: State,
) -> PreparedQuery:
    """The query as ordinary SQL over made-up tables; its tree is taken over.

    `described` says what its columns are, once it is known to be allowed. It is tried at once: a query that fails on
    made-up rows is refused.
    """
    tree = statement.tree
    apply_rules(tree, Stage.CUT)
    without_schemas(tree)
    catalog = _as_public(s.context.catalog)
    halves = cut(tree, catalog, values, now, s.context.evaluate, advice(s.options.cost, s))
    if halves.system:
        raise QueryRefused(
            "made-up rows cannot stand beside tables about the system",
            hint="Ask for each in a query of its own.",
        )
    columns = marked(described())
    names = tuple(sorted(t.name for t in s.context.catalog.tables.values() if not t.public))
    text = _over_made_up(halves.public_query, names)
    refusal = QueryRefused(
        "the query fails on made-up rows", hint="Check its casts, and constants that are written as text."
    )
    accepted(lambda: s.public.check(text, _tables(names, s)), refusal)
    return PreparedQuery(
        Query((), text, None),
        Plan((), text),
        columns=columns,
        explain=statement.explain,
        made_up=names,
    )


def made_up_answer(query: PreparedQuery, s: State) -> Answer:
    """The rows of such a query; free, and written down nowhere."""
    try:
        rows = s.public.finish(query.plan.public_query, _tables(query.made_up, s))
    except FinishFailed:
        raise QueryFailed(charged=False) from None
    intervals = ((None,) * len(query.columns),) * len(rows)
    released = Released(
        FREE, lambda: explain_made_up(query), lambda: intervals, (query.columns, rows), made_up=True
    )
    return Answer(query.columns, rows, released)


def explain_made_up(query: PreparedQuery) -> Explanation:
    """What there is to say of such a query."""
    return Explanation(FREE.epsilon, FREE.delta, (), query.plan.public_query, (NOTE,))


def _over_made_up(public_query: str, names: Sequence[str]) -> str:
    """The query with the made-up tables under the names of the private ones."""
    tables = ", ".join(f"{quoted(n)} AS (FROM {SCHEMA}.{quoted(_TABLE + n)})" for n in names)
    return f"WITH {tables} SELECT * FROM ({public_query}) AS q"


def _tables(names: Sequence[str], s: State) -> list[ReleasedTable]:
    """The made-up tables with their rows, which are made once a session."""
    made = s.memo("made-up rows", lambda: made_up_tables(s.context.policy, s.context.catalog, COUNT))
    return [_table(s.context.catalog.tables[name.lower()], made[name]) for name in names]


def _table(info: TableInfo, rows: Sequence[Row]) -> ReleasedTable:
    """A made-up table without what is hidden."""
    shown = [(i, c) for i, c in enumerate(info.columns) if not c.hidden]
    columns = tuple((c.name, c.type.value) for _, c in shown)
    return ReleasedTable(_TABLE + info.name, columns, tuple(tuple(row[i] for i, _ in shown) for row in rows))


@dataclass(frozen=True, slots=True)
class _WithMadeUp:
    """The public tables, and the made-up ones beside them, of which nothing is known but how many rows they have."""

    public: PublicTables
    made_up: frozenset[str]

    def columns(self, table: str) -> tuple[ColumnInfo, ...]:
        return self.public.columns(table)

    def fan_out(self, table: str, columns: tuple[str, ...]) -> int:
        return COUNT if table in self.made_up else self.public.fan_out(table, columns)


def _as_public(catalog: Catalog) -> Catalog:
    """The catalog in which every table is public."""
    private = frozenset(t.name for t in catalog.tables.values() if not t.public)
    tables = {key: replace(info, public=True) for key, info in catalog.tables.items()}
    return replace(catalog, tables=tables, public=_WithMadeUp(catalog.public, private))
