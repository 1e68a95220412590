"""The story of a query: text to a plan, a charge, exact integers, noise, and ordinary SQL on what was released."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dpsql.accounting.types import Shelf
from dpsql.algebra.canonical import canonical, digest
from dpsql.answers import Answer, Explanation, OutputColumn, Released, Row
from dpsql.engines.base import EngineFailed, EngineQuery
from dpsql.engines.finish import FinishFailed, ReleasedTable
from dpsql.errors import QueryFailed, QueryRefused
from dpsql.estimate import released_columns, released_rows
from dpsql.explain import as_answer, explanation
from dpsql.functions.table import Mistyped
from dpsql.noisy import Noisy, decoded
from dpsql.parameters import bound
from dpsql.perform import perform
from dpsql.plan.cost import check_cost
from dpsql.plan.releases import plan_releases
from dpsql.plan.types import Part, Plan, Release
from dpsql.privacy import Charge
from dpsql.results import columns_of, intervals_of, typed_rows
from dpsql.rewrite.query import engine_query
from dpsql.session_state import State
from dpsql.sql.cut import Query, cut
from dpsql.sql.gate import Admitted, gate
from dpsql.sql.probe import asks_for_no_row, check_probe
from dpsql.stack import on_own_stack

Params = Sequence[object] | Mapping[str, object] | None


@dataclass(frozen=True, slots=True)
class Ready:
    """A query that may run: its plan, every engine query, what to charge, and the answer's columns."""

    plan: Plan
    queries: tuple[tuple[EngineQuery, ...], ...]
    charges: tuple[Charge | None, ...]
    columns: tuple[OutputColumn, ...]
    query: Query | None
    explain: bool


def answer(sql: str, params: Params, s: State) -> Answer:
    """The private answer to a query, charged before any data is touched. Raises dpsql.Error only."""
    ready = prepare(sql, params, s)
    if ready.explain:
        return as_answer(_explained(ready, s))
    if ready.query is None:
        return Answer(ready.columns, ())
    s.check_sources()
    shelf = s.ledger.charge(s.request, tuple(c for c in ready.charges if c is not None))
    released = [_release(i, ready, shelf, s) for i in range(len(ready.plan.releases))]
    return _finished(ready, released, shelf, s)


def explain(sql: str, params: Params, s: State) -> Explanation:
    """The plan of a query; nothing is charged and no private row is read."""
    return s.remembered("explanation", sql, params, lambda: _explained(prepare(sql, params, s), s))


def prepare(sql: str, params: Params, s: State) -> Ready:
    """Everything that text and policy decide: a refusal comes from here, and costs nothing."""
    return s.remembered("plan", sql, params, lambda: on_own_stack(lambda: _prepared(sql, params, s)))


def _prepared(sql: str, params: Params, s: State) -> Ready:
    try:
        return _planned(sql, params, s)
    except Mistyped as problem:
        raise QueryRefused(str(problem)) from None
    except RecursionError:
        raise QueryRefused("the query is nested too deeply") from None
    except FinishFailed:
        raise QueryRefused(
            "the groups of the query cannot be listed", hint="Group by fewer columns."
        ) from None


def _planned(sql: str, params: Params, s: State) -> Ready:
    admitted = gate(sql, s.public)
    values = bound(params, admitted.positional, admitted.named)
    if asks_for_no_row(admitted.tree):
        check_probe(admitted.tree, s.world.catalog)
        return Ready(Plan((), ""), (), (), _described(admitted, params, s), None, admitted.explain)
    query = cut(admitted.tree, s.world.catalog, values, s.now())
    plan = plan_releases(query.questions, query.rest, s.asked, s.world)
    check_cost(plan, s.asked, s.world)
    queries = tuple(_engine_queries(r, s) for r in plan.releases)
    columns = columns_of(_described(admitted, params, s), _checked(plan, s))
    return Ready(plan, queries, tuple(_charge(r, s) for r in plan.releases), columns, query, admitted.explain)


def _engine_queries(release: Release, s: State) -> tuple[EngineQuery, ...]:
    return tuple(engine_query(release, part, s.world.policy, s.world.catalog) for part in release.parts)


def _described(admitted: Admitted, params: Params, s: State) -> tuple[OutputColumn, ...]:
    """Names and types as DuckDB gives them to the analyst's text, on tables without rows."""
    try:
        return s.public.describe(admitted.text, params if params is not None else ())
    except FinishFailed:
        raise QueryRefused("DuckDB does not accept the query as it is written") from None


def _checked(plan: Plan, s: State) -> tuple[str, ...]:
    """The types of the rest's columns, found on empty released tables before anything is charged."""
    try:
        return s.public.check(plan.rest, [_table(i, r, ()) for i, r in enumerate(plan.releases)])
    except FinishFailed:
        raise QueryRefused(
            "what is left of the query on the released results is not accepted by DuckDB",
            hint="Give every computed column of a subquery an alias, and refer to it by that.",
        ) from None


def _charge(release: Release, s: State) -> Charge | None:
    """What a release is charged as; its key names the draw: question, mechanisms, policy and data version."""
    if not release.parts:
        return None
    text = canonical((release.question, release.parts))
    domain = canonical(release.keys.domain)
    key = digest(text, domain, s.world.policy.digest, str(s.request.data_version))
    return Charge(key, text, release.events)


def _release(index: int, ready: Ready, shelf: Shelf, s: State) -> Noisy:
    """A release as it stands on the shelf, or drawn now and kept."""
    release, charge, queries = ready.plan.releases[index], ready.charges[index], ready.queries[index]
    if charge is None:
        return perform(release, s.never, s.sampler)
    payload = shelf.get(charge.key)
    if payload is None:
        by_part = dict(zip(release.parts, queries, strict=True))
        noisy = _drawn(release, by_part, s)
        payload = s.ledger.keep(shelf, charge.key, noisy.encoded()).get(charge.key)
    assert payload is not None
    return decoded(payload)


def _drawn(release: Release, queries: Mapping[Part, EngineQuery], s: State) -> Noisy:
    """Runs the private side. Whatever goes wrong there is one fixed sentence, with no trace of the cause."""
    try:
        return perform(release, lambda part: s.engine.run(queries[part]), s.sampler)
    except EngineFailed as error:
        s.log_failure(str(error))
    except Exception as error:
        s.log_failure(f"{type(error).__name__}: {error}")
    raise QueryFailed


def _table(index: int, release: Release, rows: Sequence[Sequence[object]]) -> ReleasedTable:
    return ReleasedTable(f"r{index}", released_columns(release), rows)


def _finished(ready: Ready, released: list[Noisy], shelf: Shelf, s: State) -> Answer:
    """Ordinary SQL on released tables, in the public engine."""
    assert ready.query is not None
    releases = ready.plan.releases
    tables = [
        _table(i, r, released_rows(r, n)) for i, (r, n) in enumerate(zip(releases, released, strict=True))
    ]
    trace = ready.query.trace
    rows = _rows(trace.sql if trace is not None else ready.plan.rest, tables, s)
    places = tuple(int(row[-1]) for row in rows) if trace is not None else ()  # type: ignore[call-overload]
    shown = tuple(row[:-1] for row in rows) if trace is not None else rows
    intervals = intervals_of(trace, places, releases, released, len(shown), len(ready.columns), s.sampler)
    return Answer(
        ready.columns,
        typed_rows(shown, ready.columns),
        Released(shelf.charged, lambda: _explained(ready, s), intervals),
    )


def _rows(rest: str, tables: list[ReleasedTable], s: State) -> tuple[Row, ...]:
    try:
        return s.public.finish(rest, tables)
    except FinishFailed:
        s.log_failure("the public engine could not finish a query")
    raise QueryFailed


def _explained(ready: Ready, s: State) -> Explanation:
    sql = {(r, p): q.sql for r, queries in enumerate(ready.queries) for p, q in enumerate(queries)}
    return explanation(ready.plan, sql, s.sampler)
