"""Everything that text and policy decide about a query: a plan, its engine queries, its charges, its columns."""

from __future__ import annotations

import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from dpsql.algebra.canonical import spelled
from dpsql.algebra.functions.table import Mistyped
from dpsql.algebra.question import Question
from dpsql.algebra.shape import shape
from dpsql.engines.base import EngineQuery, FinishFailed, FinishStopped, OutputColumn, ReleasedTable
from dpsql.engines.sqlgen.engine_query import engine_query
from dpsql.errors import Error, InternalError, QueryRefused
from dpsql.plan.choices.selection import worth_selecting
from dpsql.plan.derivation import Beginning, Derivation, beginnings
from dpsql.plan.keys.domains import declared
from dpsql.plan.releases import plan_releases, released_by_grouping_set
from dpsql.plan.rollup.additive import adds_up
from dpsql.plan.types import Plan, Release
from dpsql.plan.verify.cost import check_cost
from dpsql.privacy import Charge, Cost
from dpsql.release.estimate.measures import released_columns
from dpsql.release.estimate.rollup import rolled_up
from dpsql.release.uncertainty.accuracy import least_cost
from dpsql.sql.catalog_queries.show_statements import introspected
from dpsql.sql.lex.text import Text, bare, read_text
from dpsql.sql.normalize import Stage, apply_rules
from dpsql.sql.parse.gate import Admitted, admitted
from dpsql.sql.parse.options import says_options
from dpsql.sql.parse.session_statements import changes_nothing
from dpsql.sql.public.planner_hints import Advice
from dpsql.sql.public.query import Bounds, Query
from dpsql.sql.public.rollup_levels import Level
from dpsql.sql.split.cut import cut
from dpsql.sql.split.schema_probes import asks_for_no_row, check_probe, returns_rows
from dpsql.sql.system_tables.declarations import columns_of_system_table
from dpsql.sql.validate.query_size import check_correlated_text
from dpsql.stages.answer_cache import LastFinished
from dpsql.stages.charges import Charged, charges_of
from dpsql.stages.dry_run import Trial, keys_of, level_keys, numbers_of
from dpsql.stages.finish import columns_of
from dpsql.stages.parameters import bound
from dpsql.stages.query_options import accuracy_of, asked, fresh_of
from dpsql.stages.state import Rows, State
from dpsql.stages.system_statement import about_system

# Plans with more groups are made again rather than remembered.
_FEW_GROUPS = 20_000
Params = Sequence[object] | Mapping[str, object] | None
_Begins = tuple[tuple[Beginning, ...], ...]
_Planned = tuple[Plan, tuple[tuple[EngineQuery, ...], ...], tuple[Charged, ...], _Begins]


@dataclass(frozen=True, slots=True)
class Ready:
    """A query that may run: its plan, every engine query, what to charge, and the answer's columns.

    With `fresh` every release is drawn anew. `accuracy` is the error that was asked for. `derivations` say, for each
    release, which earlier one it is read from; empty where none is. `partition` names the column whose values are parts
    of the budget, where there is one. `others` are what releases would be charged as under the same policy with or
    without windows, where that is another draw. `begins` says how the texts of what may answer each release begin.
    `last` is of this very plan: a changed one begins anew.
    """

    plan: Plan
    queries: tuple[tuple[EngineQuery, ...], ...]
    charges: tuple[Charge | None, ...]
    columns: tuple[OutputColumn, ...]
    query: Query | None
    explain: bool
    fresh: bool = False
    accuracy: float | None = None
    derivations: tuple[Derivation | None, ...] = ()
    partition: str = ""
    others: tuple[Charge | None, ...] = ()
    begins: _Begins = ()
    last: LastFinished = field(default_factory=LastFinished, init=False, repr=False, compare=False)

    @property
    def due(self) -> tuple[Charge, ...]:
        """What has to be paid for, unless it is stored."""
        return tuple(c for c in self.charges if c is not None)

    @property
    def keys(self) -> tuple[str, ...]:
        """The names of the draws that answer it, each once."""
        return tuple(dict.fromkeys(c.key for c in self.due))


def has_few_groups(releases: Sequence[Release]) -> bool:
    """Whether releases list so few public groups that they are remembered."""
    return sum(len(r.keys.domain) for r in releases if r.keys.domain is not None) <= _FEW_GROUPS


def prepare(sql: str, params: Params, s: State) -> Ready:
    """Everything that text and policy decide: a refusal comes from here, and costs nothing."""
    return s.remembered(
        "plan",
        sql,
        params,
        lambda: s.stack.run(lambda: _prepared(sql, params, s)),
        _is_kept,
    )


def _prepared(sql: str, params: Params, s: State) -> Ready:
    try:
        return _planned(sql, params, s)
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


def _planned(sql: str, params: Params, s: State) -> Ready:
    if changes_nothing(sql):
        return Ready(Plan((), ""), (), (), (), None, False)
    text = introspected(sql, s.context.catalog, s.request.analyst)
    try:
        return _ordinary(text, params, s)
    except QueryRefused as error:
        refusal = error
    found = _about(text, params, s)
    if found is None:
        raise refusal
    return found


def _about(sql: str, params: Params, s: State) -> Ready | None:
    found = about_system(sql, params, s)
    if found is None:
        return None
    return Ready(Plan((), found.query.public_query), (), (), found.columns, found.query, found.explain)


def _ordinary(sql: str, params: Params, s: State) -> Ready:
    """The plan of a query; one whose words are the same has the same, whatever comments and white space it has."""
    text = read_text(sql)
    if says_options(text):
        return _of_text(text, params, s)
    return s.remembered("words", bare(text), params, lambda: _of_text(text, params, s), _is_kept)


def _is_kept(ready: Ready) -> bool:
    return has_few_groups(ready.plan.releases)


def _of_text(text: Text, params: Params, s: State) -> Ready:
    found = admitted(text, s.public)
    values = bound(params, found.positional, found.named)
    cost = asked(found.options, s)
    if asks_for_no_row(found.tree) or (s.rows is Rows.EMPTY and returns_rows(found.tree, s.context.catalog)):
        check_probe(found.tree, s.context.catalog)
        return Ready(Plan((), ""), (), (), _described(found, params, s), None, found.explain)
    check_correlated_text(found.tree, s.context.catalog.names_of)
    apply_rules(found.tree, Stage.CUT)
    query = cut(
        found.tree, s.context.catalog, values, s.now(), lambda text: _public(text, s), _advice(cost, s)
    )
    accuracy = accuracy_of(found.options, s)
    plan, queries, charged, begins = _planned_once(query, cost, accuracy, s)
    columns = columns_of(_described(found, params, s), _checked(plan, queries, query, s))
    charges, others = tuple(c for c, _ in charged), tuple(o for _, o in charged)
    parts = s.context.catalog.partition
    return Ready(
        *(plan, queries, charges, columns, query, found.explain, fresh_of(found.options, s), accuracy),
        partition=parts.name if parts is not None else "",
        others=others,
        begins=begins,
    )


def _planned_once(query: Query, cost: Cost, accuracy: float | None, s: State) -> _Planned:
    """The plan, checked, with its engine queries and charges; the same questions are planned once."""
    if accuracy is not None or not query.questions:
        return _planned_now(query, cost, accuracy, s)
    key = ("questions", spelled(query.questions), str(cost.epsilon), str(cost.delta))
    plan, queries, charged, begins = s.known(
        key, lambda: _planned_now(query, cost, None, s), lambda p: has_few_groups(p[0].releases)
    )
    return replace(plan, public_query=query.public_query), queries, charged, begins


def _planned_now(query: Query, most: Cost, accuracy: float | None, s: State) -> _Planned:
    plan, cost = _plan(query, most, accuracy, s)
    check_cost(plan, cost, s.context)
    queries = tuple(engine_queries(r, s) for r in plan.releases)
    return plan, queries, charges_of(plan, queries, s), tuple(map(beginnings, plan.releases))


def _plan(query: Query, most: Cost, accuracy: float | None, s: State) -> tuple[Plan, Cost]:
    """The plan and what it may cost: all that was asked, or the least that promises the wanted error."""

    def plan_at(cost: Cost) -> Plan:
        return plan_releases(query.questions, query.public_query, cost, s.context)

    if accuracy is None or not query.questions:
        return plan_at(most), most
    cost, plan = least_cost(accuracy, most, plan_at, query.trace)
    return plan, cost


def _advice(cost: Cost, s: State) -> Advice:
    policy, catalog = s.context.policy, s.context.catalog
    return Advice(
        lambda q: worth_selecting(q, policy, catalog),
        lambda q: adds_up(q, policy, catalog),
        lambda q: released_by_grouping_set(q, cost, s.context),
        lambda text, questions: _columns_of(text, questions, s),
    )


def _public(text: str, s: State) -> list[tuple[object, ...]]:
    """The rows of a public part of a query, which is a constant of the rest."""
    try:
        return [tuple(row) for row in s.context.evaluate(text)]
    except FinishFailed:
        pass
    raise QueryRefused(
        "a subquery over public tables cannot be evaluated",
        hint="Run it by itself, and give each of its columns a type such as BIGINT, VARCHAR, DATE or TIMESTAMP.",
    )


def _columns_of(text: str, questions: Sequence[Question], s: State) -> list[tuple[str, str]]:
    """The names and types of the columns of a public query over what questions will release."""
    tables = [ReleasedTable(f"r{i}", _asked(q, s), ()) for i, q in enumerate(questions)]
    try:
        rows = s.public.finish(f"SELECT column_name, column_type FROM (DESCRIBE {text})", tables)
    except FinishStopped:
        raise
    except FinishFailed:
        rows = None
    if rows is None:
        raise QueryRefused(
            "a query beside private rows is not accepted by DuckDB on the released results",
            hint="Give every computed column of a subquery an alias, and refer to it by that; "
            "check its GROUP BY, and the types of its functions' arguments.",
        )
    return [(str(name), str(kind)) for name, kind in rows]


def _asked(question: Question, s: State) -> tuple[tuple[str, str], ...]:
    """The columns of the released table of a question that is yet to be planned."""
    base = shape(question.relation, s.context.catalog).base_facts()
    keys = [(f"k{i}", declared(k, base.of(k))) for i, k in enumerate(question.keys)]
    return (("i", "BIGINT"), *keys, *((f"a{i}", m.sql_type) for i, m in enumerate(question.measures)))


def engine_queries(release: Release, s: State) -> tuple[EngineQuery, ...]:
    """One engine query for each part of a release."""
    return tuple(engine_query(release, part, s.context.policy, s.context.catalog) for part in release.parts)


def _described(admitted: Admitted, params: Params, s: State) -> tuple[OutputColumn, ...]:
    """Names and types as DuckDB gives them to the analyst's text, on tables without rows."""
    try:
        return s.public.describe(admitted.described, params if params is not None else ())
    except FinishStopped:
        raise
    except FinishFailed:
        pass
    raise QueryRefused(
        "DuckDB does not accept the query as it is written",
        hint="Check the names in it, and the types of what is compared, added or passed to a function.",
    )


def _checked(
    plan: Plan, queries: tuple[tuple[EngineQuery, ...], ...], query: Query, s: State
) -> tuple[str, ...]:
    """The types of the rest's columns. What public SQL will run is tried before anything is charged."""
    released = [
        Trial(
            released_table(i, r, (), bounds_of(query, f"r{i}")), keys_of(r) if r.parts else (), numbers_of(r)
        )
        for i, r in enumerate(plan.releases)
    ]
    for node in dict.fromkeys(node for parts in queries for q in parts for node in q.tables):
        _tried(node.sql, [released[i] for i in node.reads], s)
    if query.plain is not None:
        known = query.plain.types(released[query.plain.release].table.columns)
        if known is not None:
            return known
    tables = list(released)
    for level in query.levels:
        release = plan.releases[level.release]
        table = level_table(level, release, (), bounds_of(query, level.name))
        tables.append(Trial(table, level_keys(release, level.kept), numbers_of(release)))
    tables += [Trial(ReleasedTable(name, columns_of_system_table(name), ())) for name in query.system]
    return _tried(plan.public_query, tables, s)


def _tried(sql: str, tables: list[Trial], s: State) -> tuple[str, ...]:
    """The types of the columns of a query on results as they might be. Refused if it fails on NULLs and on values."""
    for null, number in ((True, 1), (False, 1), (True, 1000)):
        try:
            return s.public.check(sql, [t.filled(null=null, number=number) for t in tables])
        except FinishStopped:
            raise
        except FinishFailed:
            pass
    raise QueryRefused(
        "what is left of the query on the released results is not accepted by DuckDB",
        hint="Give every computed column of a subquery an alias, and refer to it by that; check casts, and constants "
        "such as dates and numbers that are written as text: it fails whatever the results are.",
    )


def level_table(
    level: Level, release: Release, rows: Sequence[Sequence[object]], bounds: Sequence[Bounds] = ()
) -> ReleasedTable:
    """The table of a level of a release, with the ends of intervals as its last columns."""
    columns = released_columns(rolled_up(release, level.kept))
    return ReleasedTable(level.name, (*columns, *_ends(bounds)), rows)


def _ends(bounds: Sequence[Bounds]) -> tuple[tuple[str, str], ...]:
    return tuple((name, "DOUBLE") for b in bounds for name in (b.low, b.high))


def released_table(
    index: int, release: Release, rows: Sequence[Sequence[object]], bounds: Sequence[Bounds] = ()
) -> ReleasedTable:
    """The released table of a query's n-th release, with the ends of intervals as its last columns."""
    return ReleasedTable(f"r{index}", (*released_columns(release), *_ends(bounds)), rows)


def bounds_of(query: Query, table: str) -> tuple[Bounds, ...]:
    """The intervals that a query reads from a released table."""
    return tuple(b for b in query.bounds if b.table == table)
