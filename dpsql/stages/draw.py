"""The releases of a query: each as it is stored, or drawn now and kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from fractions import Fraction
from functools import cache

from dpsql.accounting.types import StoredReleases
from dpsql.algebra.expressions import LiteralValue, ScalarParameter
from dpsql.algebra.facts import number_of, value_at
from dpsql.algebra.relations import Released
from dpsql.algebra.released_values import columns_read, double_within
from dpsql.algebra.types import SqlType
from dpsql.engines.base import EngineQuery, Exact, PublicEngine
from dpsql.engines.sqlgen.clipping.contributions import DrawnBefore, with_drawn
from dpsql.engines.sqlgen.relation import input_name
from dpsql.errors import InternalError
from dpsql.plan.types import Part, Release
from dpsql.privacy import Charge
from dpsql.release.draw.domain_check import NOTHING_DRAWN, Run
from dpsql.release.draw.earlier_releases import averaged, derived, drawn_on_path
from dpsql.release.draw.fit_received import fitted
from dpsql.release.draw.noise import Noisy, decoded
from dpsql.release.draw.perform import perform
from dpsql.release.estimate.measures import measure_values, released_rows
from dpsql.release.prepared_query import Averaged, Drawn, Fitted, PreparedQuery
from dpsql.stages.deadline import Left
from dpsql.stages.released_tables import released_table
from dpsql.stages.state import State

_Inputs = Callable[[Released], tuple[tuple[LiteralValue, ...], ...]]


def draw_releases(query: PreparedQuery, stored: StoredReleases, s: State) -> Drawn:
    """Every release of a query, at the deadline where it was paid for, also where that fails.

    Whatever goes wrong here is the caller's one failure. What was paid for may be stored, since others have asked it;
    that is not for the analyst to know, so that it takes as long as a draw.
    """
    payloads = _payloads(query, stored)
    if payloads is not None and stored.entry is None and (last := query.memory.drawn(payloads)) is not None:
        return last
    with s.deadline.held() if stored.entry is not None else nullcontext(_unlimited) as left:
        released: list[Noisy] = []
        for i in range(len(query.plan.releases)):  # in order: a later one may read an earlier
            released.append(_release(i, query, stored, released, s, left))
        return Drawn(tuple(released), payloads)


def _payloads(query: PreparedQuery, stored: StoredReleases) -> tuple[bytes, ...] | None:
    """The draws that alone make the answer, one for each release; None where one is missing or more is read."""
    if query.cut.system:
        return None
    received = [stored.get(c.key) for c in query.beside]
    draws = [stored.get(c.key) if c is not None else None for c in query.charges]
    payloads = tuple(d for d in (*draws, *received) if d is not None)
    return payloads if len(payloads) == len(draws) + len(received) else None


def _release(
    index: int, query: PreparedQuery, stored: StoredReleases, earlier: Sequence[Noisy], s: State, left: Left
) -> Noisy:
    release, charge, queries = query.plan.releases[index], query.charges[index], query.queries[index]
    if charge is None:
        return perform(release, _never, s.sampler)
    payload = stored.get(charge.key)
    derivation, mean, fit = query.derivations[index], query.averaged[index], query.fitted[index]
    if derivation is not None:
        if payload is None:
            raise InternalError("a release that was received before is not stored")
        source = decoded(payload, derivation.earlier.keys.domain)
        source = source if fit is None else _fitted(fit, source, stored)
        return derived(source, derivation, release.keys.domain)
    release = mean.drawn if mean is not None else fit.drawn if fit is not None else release
    if payload is None:
        # Read once for all parts, which are parts of one release only where they read the same rows.
        inputs = cache(lambda node: _columns(node, query.plan.releases, earlier, s.public))
        whole = (_with_inputs(q, query.plan.releases, earlier, inputs) for q in queries)
        by_part = dict(zip(release.parts, whole, strict=True))

        def run(part: Part, drawn: DrawnBefore = NOTHING_DRAWN) -> Exact:
            asked = by_part[part]
            if drawn.largest and asked.of_largest is None:
                return asked.nothing()
            return _run(with_drawn(asked, drawn), s, left())

        payload = _drawn(release, charge, stored, run, s)
    elif stored.entry is not None and stored.missing(query.keys):
        s.ledger.hand_over(stored, charge.key)
    assert payload is not None
    last = decoded(payload, release.keys.domain)
    if fit is not None:
        return _fitted(fit, last, stored)
    return last if mean is None else _averaged(mean, charge, last, stored)


def _averaged(mean: Averaged, charge: Charge, last: Noisy, stored: StoredReleases) -> Noisy:
    """The weighted mean of draws that were received before and the last one."""
    received = [_received(c, mean.drawn, stored) for c in mean.received]
    return averaged((*received, last), mean.weights(charge))


def _fitted(fit: Fitted, drawn: Noisy, stored: StoredReleases) -> Noisy:
    """The draw fitted to those that were received before."""
    earlier = [(r, _received(c, r, stored)) for c, r in zip(fit.received, fit.releases, strict=True)]
    return fitted(fit.release, drawn, earlier)


def _received(charge: Charge, release: Release, stored: StoredReleases) -> Noisy:
    payload = stored.get(charge.key)
    if payload is None:
        raise InternalError("a release that was received before is not stored")
    return decoded(payload, release.keys.domain)


def _drawn(release: Release, charge: Charge, stored: StoredReleases, run: Run, s: State) -> bytes | None:
    """The payload that stands for a release which is drawn now."""
    if charge.path:
        return drawn_on_path(release, charge, stored, run, s.ledger, s.sampler)
    noisy = perform(release, run, s.sampler)
    return s.ledger.keep(stored, charge.key, noisy.encoded(release.keys.domain)).get(charge.key)


def _with_inputs(
    query: EngineQuery, releases: Sequence[Release], earlier: Sequence[Noisy], inputs: _Inputs
) -> EngineQuery:
    """The query with the released values that it reads, each inside of its derived range."""
    if not query.parameters and not query.tables:
        return query
    scalars = ((p.name, _scalar(p, releases[p.question], earlier[p.question])) for p in query.parameters)
    tables = ((input_name(node, i), v) for node in query.tables for i, v in enumerate(inputs(node)))
    return replace(query, values=(*scalars, *tables))


def _columns(
    node: Released, releases: Sequence[Release], earlier: Sequence[Noisy], public: PublicEngine
) -> tuple[tuple[LiteralValue, ...], ...]:
    """The values of a released table that is read, column by column."""
    tables = [released_table(i, releases[i], released_rows(releases[i], earlier[i])) for i in node.reads]
    return columns_read(node, lambda sql: public.finish(sql, tables))


def _scalar(parameter: ScalarParameter, release: Release, noisy: Noisy) -> LiteralValue:
    (value,) = measure_values(release.estimators[parameter.measure], noisy.cells)
    number = number_of(value)
    lo, hi = parameter.lo, parameter.hi
    at = (lo + hi) / 2 if number is None else min(max(number, lo), hi)
    if parameter.type is SqlType.DOUBLE:
        return double_within(at, lo, hi)
    return value_at(Fraction(round(at)), parameter.type)


def _run(query: EngineQuery, s: State, seconds: float | None) -> Exact:
    with s.sources_read():
        return s.engine.run(query) if seconds is None else s.engine.run(query, seconds)


def _unlimited() -> None:
    return None


def _never(part: Part, drawn: DrawnBefore = NOTHING_DRAWN) -> Exact:
    raise InternalError("a public release has no part to run")
