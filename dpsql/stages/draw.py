"""The releases of a query: each as it stands on the shelf, or drawn now and kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from fractions import Fraction

from dpsql.accounting.types import Shelf
from dpsql.algebra.expressions import Hole, LiteralValue
from dpsql.algebra.facts import number_of, value_at
from dpsql.algebra.released_values import double_within, fed_columns
from dpsql.algebra.types import SqlType
from dpsql.engines.base import EngineQuery, Exact, PublicEngine
from dpsql.engines.sqlgen.relation import fed_name
from dpsql.errors import InternalError
from dpsql.plan.types import Part, Release
from dpsql.privacy import Charge
from dpsql.release.draw.derived_release import viewed
from dpsql.release.draw.noisy import Noisy, decoded
from dpsql.release.draw.perform import perform
from dpsql.release.draw.refinement import drawn_on_path
from dpsql.release.estimate.measures import measure_values, released_rows
from dpsql.stages.deadline import Left
from dpsql.stages.prepare import Ready, released_table
from dpsql.stages.state import State


def drawn(ready: Ready, shelf: Shelf, s: State) -> list[Noisy]:
    """Every release of a query, at the deadline where it was paid for, also where that fails.

    Whatever goes wrong here is the caller's one failure. What was paid for may be stored, since others have asked it;
    that is not for the analyst to know, so that it takes as long as a draw.
    """
    with s.deadline.held() if shelf.entry is not None else nullcontext(_unlimited) as left:
        released: list[Noisy] = []
        for i in range(len(ready.plan.releases)):  # in order: a later one may read an earlier
            released.append(_release(i, ready, shelf, released, s, left))
        return released


def _release(index: int, ready: Ready, shelf: Shelf, earlier: Sequence[Noisy], s: State, left: Left) -> Noisy:
    release, charge, queries = ready.plan.releases[index], ready.charges[index], ready.queries[index]
    if charge is None:
        return perform(release, s.never, s.sampler)
    payload = shelf.get(charge.key)
    view = ready.views[index] if ready.views else None
    if view is not None:
        if payload is None:
            raise InternalError("a release that was received before is not stored")
        return viewed(decoded(payload, view.earlier.keys.domain), view, release.keys.domain)
    if payload is None:
        fed = [_fed(q, ready, earlier, s) for q in queries]
        by_part = dict(zip(release.parts, fed, strict=True))
        payload = _drawn(release, charge, shelf, lambda part: _run(by_part[part], s, left()), s)
    assert payload is not None
    return decoded(payload, release.keys.domain)


def _drawn(
    release: Release, charge: Charge, shelf: Shelf, run: Callable[[Part], Exact], s: State
) -> bytes | None:
    """The payload that stands for a release which is drawn now."""
    if charge.path:
        return drawn_on_path(release, charge, shelf, run, s.ledger, s.sampler)
    noisy = perform(release, run, s.sampler)
    return s.ledger.keep(shelf, charge.key, noisy.encoded(release.keys.domain)).get(charge.key)


def _fed(query: EngineQuery, ready: Ready, earlier: Sequence[Noisy], s: State) -> EngineQuery:
    """The query with the released values that it reads, each inside of its derived range."""
    if not query.holes and not query.feeds:
        return query
    values = [(h.name, _value(h, ready, earlier)) for h in query.holes]
    return replace(query, values=(*values, *fed_tables(query, ready, earlier, s.public)))


def fed_tables(
    query: EngineQuery, ready: Ready, earlier: Sequence[Noisy], public: PublicEngine
) -> Iterator[tuple[str, tuple[LiteralValue, ...]]]:
    """The released tables that a query reads, as the values of its parameters, column by column."""
    for node in query.feeds:
        releases = [(i, ready.plan.releases[i]) for i in node.reads]
        tables = [released_table(i, r, released_rows(r, earlier[i])) for i, r in releases]
        columns = fed_columns(node, public.finish(node.sql, tables))
        yield from ((fed_name(node, i), values) for i, values in enumerate(columns))


def _value(hole: Hole, ready: Ready, earlier: Sequence[Noisy]) -> LiteralValue:
    estimator = ready.plan.releases[hole.question].estimators[hole.measure]
    (found,) = measure_values(estimator, earlier[hole.question].cells)
    known = number_of(found)
    at = (hole.lo + hole.hi) / 2 if known is None else min(max(known, hole.lo), hole.hi)
    if hole.type is SqlType.DOUBLE:
        return double_within(at, hole.lo, hole.hi)
    return value_at(Fraction(round(at)), hole.type)


def _run(query: EngineQuery, s: State, seconds: float | None) -> Exact:
    with s.sources_read():
        return s.engine.run(query) if seconds is None else s.engine.run(query, seconds)


def _unlimited() -> None:
    return None
