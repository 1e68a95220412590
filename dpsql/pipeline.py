"""The story of a query: text to a plan, a charge, exact integers, noise, and ordinary SQL on what was released."""

from __future__ import annotations

from functools import partial

from dpsql.accounting.ledger.path_credit import Credit
from dpsql.accounting.types import StoredReleases
from dpsql.engines.base import ReleasedTable, Row
from dpsql.errors import Error, QueryFailed, QueryRefused, TooManyRows, failing_as
from dpsql.release.draw.noisy import Noisy
from dpsql.release.estimate.measures import released_rows
from dpsql.release.estimate.plain_rows import listed_rows
from dpsql.release.estimate.rollup import added_up, level_rows, rolled_up
from dpsql.release.explain.derived import with_derivations
from dpsql.release.explain.partitions import charged_to, with_charged
from dpsql.release.explain.plan import as_answer, explanation, noise_choice
from dpsql.release.types import Answer, Explanation, Released
from dpsql.release.uncertainty.expected_error import expected_errors
from dpsql.release.uncertainty.intervals import intervals
from dpsql.release.uncertainty.replay import Again
from dpsql.sql.public.query import Query
from dpsql.sql.public.rollup_levels import Level
from dpsql.stages.answer_cache import Finished
from dpsql.stages.draw import drawn
from dpsql.stages.explain_refinements import credits_of, with_credits
from dpsql.stages.finish import intervals_of, typed_rows, with_ends
from dpsql.stages.prepare import Params, Ready, bounds_of, level_table, prepare, released_table
from dpsql.stages.replay import rerun
from dpsql.stages.reuse import from_received
from dpsql.stages.state import State
from dpsql.stages.system_statement import system_table


def answer(sql: str, params: Params, s: State) -> Answer:
    """The private answer to a query, charged before any data is touched. Raises dpsql.Error only."""
    ready = prepare(sql, params, s)  # gate, cut, plan, check_cost, rewrite: text and policy alone decide
    ready = from_received(ready, s)  # what the analyst has received may imply it
    if ready.explain:
        return as_answer(_explained(ready, noise_choice(s.context), rerun(ready, s), credits_of(ready, s)))
    if ready.query is None:  # LIMIT 0: names and types are public
        return Answer(ready.columns, ())
    s.check_sources()
    stored = s.ledger.charge(s.request, ready.due)  # stored releases found, the rest paid, durably
    if ready.due:
        s.note("stored" if stored.entry is None else "paid", sql, stored.charged, keys=ready.keys)
    failed = partial(QueryFailed, charged=stored.entry is not None) if _reads(ready.query) else _impossible
    with failing_as(failed, s.log_failure, passing=(TooManyRows,)):
        done = _finished(ready, stored, s)
    report = Released(
        stored.charged,
        partial(_explained, ready, noise_choice(s.context), rerun(ready, s, later=True)),
        done.intervals,
        (ready.columns, done.rows),
    )
    return Answer(ready.columns, done.rows, report)


def explain(sql: str, params: Params, s: State) -> Explanation:
    """The plan of a query; nothing is charged and no private row is read."""
    ready, choice = from_received(prepare(sql, params, s), s), noise_choice(s.context)
    credits = credits_of(ready, s)
    if ready.derivations or any(credits):
        return _explained(ready, choice, rerun(ready, s), credits)
    return s.remembered("explanation", sql, params, lambda: _explained(ready, choice, rerun(ready, s)))


def _finished(ready: Ready, stored: StoredReleases, s: State) -> Finished:
    """The rows of an answer, from memory where the same plan was finished from the same draws before."""
    payloads = _payloads(ready, stored)
    known = ready.last.of(payloads) if payloads is not None else None
    if known is not None:
        return known
    released = drawn(ready, stored, s)  # exact integers meet their noise, at the policy's deadline
    done = _finish(ready, released, s)
    if payloads is not None:
        ready.last.keep(payloads, done)
    return done


def _payloads(ready: Ready, stored: StoredReleases) -> tuple[bytes, ...] | None:
    """The draws that alone make the answer, one for each release; None where one is missing or more is read."""
    if ready.query is None or ready.query.system:
        return None
    draws = [stored.get(c.key) if c is not None else None for c in ready.charges]
    found = tuple(d for d in draws if d is not None)
    return found if len(found) == len(draws) else None


def _reads(query: Query) -> bool:
    """Whether a query reads more than public tables."""
    return bool(query.questions or query.system)


def _impossible() -> Error:
    """What is public fails whatever the data is: the text is at fault."""
    return QueryRefused(
        "DuckDB cannot compute the query from what is public",
        hint="A value in it does not convert (TRY_CAST gives NULL for it), or it takes too much time or memory.",
    )


def _finish(ready: Ready, released: list[Noisy], s: State) -> Finished:
    """Ordinary SQL on released tables, in the public engine."""
    assert ready.query is not None
    releases = ready.plan.releases
    tables = [_table(i, n, ready, s) for i, n in enumerate(released)]
    tables += [_level(v, ready, released[v.release], tables[v.release], s) for v in ready.query.levels]
    tables += [system_table(name, s) for name in ready.query.system]
    trace = ready.query.trace
    rows = _rows(ready.query, ready.plan.public_query, tables, s)
    places = tuple(int(row[-1]) for row in rows) if trace is not None else ()  # type: ignore[call-overload]
    shown = tuple(row[:-1] for row in rows) if trace is not None else rows
    again = rerun(ready, s, later=True)
    sure = intervals_of(trace, places, releases, released, shown, len(ready.columns), s.sampler, again)
    return Finished(typed_rows(shown, ready.columns), sure)


def _rows(query: Query, rest: str, tables: list[ReleasedTable], s: State) -> tuple[Row, ...]:
    """The rows of the traced rest, or of the rest itself where there is no trace."""
    listed = listed_rows(query.plain, tables[query.plain.release]) if query.plain is not None else None
    if listed is not None:
        return listed
    return s.public.finish(query.trace.sql if query.trace is not None else rest, tables)


def _table(index: int, noisy: Noisy, ready: Ready, s: State) -> ReleasedTable:
    """What a release made public, with the ends of the intervals that the query asks for."""
    assert ready.query is not None
    release, bounds = ready.plan.releases[index], bounds_of(ready.query, f"r{index}")
    rows = with_ends(
        released_rows(release, noisy), [intervals(release, b.formula, noisy, s.sampler) for b in bounds]
    )
    return released_table(index, release, rows, bounds)


def _level(level: Level, ready: Ready, noisy: Noisy, whole: ReleasedTable, s: State) -> ReleasedTable:
    """The same of a level of a release, of which `whole` is shown."""
    assert ready.query is not None
    release, bounds = ready.plan.releases[level.release], bounds_of(ready.query, level.name)
    coarser, total = rolled_up(release, level.kept), added_up(noisy, level.kept)
    rows = with_ends(
        level_rows(coarser, level.kept, total, whole.rows),
        [intervals(coarser, b.formula, total, s.sampler) for b in bounds],
    )
    return level_table(level, release, rows, bounds)


def _explained(
    ready: Ready, choice: str, again: Again | None, credits: tuple[Credit, ...] = ()
) -> Explanation:
    sql = {(r, p): q.sql for r, queries in enumerate(ready.queries) for p, q in enumerate(queries)}
    trace = ready.query.trace if ready.query is not None else None
    levels = ready.query.levels if ready.query is not None else ()
    errors = expected_errors([c.name for c in ready.columns], trace, ready.plan.releases, again)
    charged = charged_to(ready.partition, ready.charges, ready.derivations)
    found = explanation(ready.plan, choice, sql, errors if ready.plan.releases else (), levels, charged)
    found = with_charged(with_derivations(found, ready.charges, ready.derivations), charged)
    return with_credits(found, ready.charges, credits) if any(credits) else found
