"""The story of a query: text to a plan, a charge, exact integers, noise, and ordinary SQL on what was released."""

from __future__ import annotations

from dpsql.accounting.types import Shelf
from dpsql.answers import Answer, Explanation, Released, Row
from dpsql.draw import draw
from dpsql.engines.finish import FinishFailed, ReleasedTable
from dpsql.errors import QueryFailed
from dpsql.estimate import released_rows
from dpsql.explain import as_answer, explanation
from dpsql.noisy import Noisy
from dpsql.prepare import Params, Ready, prepare, released_table
from dpsql.results import intervals_of, typed_rows
from dpsql.session_state import State


def answer(sql: str, params: Params, s: State) -> Answer:
    """The private answer to a query, charged before any data is touched. Raises dpsql.Error only."""
    ready = prepare(sql, params, s)  # gate, cut, plan, check_cost, rewrite: text and policy alone decide
    if ready.explain:
        return as_answer(_explained(ready, s))
    if ready.query is None:  # LIMIT 0: names and types are public
        return Answer(ready.columns, ())
    s.check_sources()
    shelf = s.ledger.charge(s.request, ready.due)  # stored releases found, the rest paid, durably
    released = [draw(i, ready, shelf, s) for i in range(len(ready.plan.releases))]
    return _finished(ready, released, shelf, s)


def explain(sql: str, params: Params, s: State) -> Explanation:
    """The plan of a query; nothing is charged and no private row is read."""
    return s.remembered("explanation", sql, params, lambda: _explained(prepare(sql, params, s), s))


def _finished(ready: Ready, released: list[Noisy], shelf: Shelf, s: State) -> Answer:
    """Ordinary SQL on released tables, in the public engine."""
    assert ready.query is not None
    releases = ready.plan.releases
    tables = [
        released_table(i, r, released_rows(r, n))
        for i, (r, n) in enumerate(zip(releases, released, strict=True))
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
    return explanation(ready.plan, sql)
