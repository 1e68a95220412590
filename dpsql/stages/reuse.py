"""Answers that an analyst has received already: read again for nothing, also where the question is another one.

What is found depends on the text, the policy and what this analyst received before; never on what others asked. The
earliest release that implies a question answers it, so that a question keeps its answer.
"""

from __future__ import annotations

import secrets
from dataclasses import replace

from dpsql.algebra.canonical import digest
from dpsql.algebra.encoding.reading import question_of
from dpsql.algebra.expressions import Expr
from dpsql.engines.base import EngineQuery
from dpsql.errors import Error
from dpsql.plan.derivation import Beginning, Derivation, derived_release
from dpsql.plan.releases import plan_releases
from dpsql.plan.types import Release
from dpsql.privacy import Charge
from dpsql.release.prepared_query import PreparedQuery
from dpsql.release.uncertainty.expected_error import largest_error
from dpsql.release.uncertainty.intervals import half_width
from dpsql.stages.charges import charged, read_by
from dpsql.stages.planning import engine_queries, has_few_groups
from dpsql.stages.state import State

# How a fresh draw's canonical text begins: no other question is answered from it.
FRESH = "fresh "
# More releases about the same rows than these are not looked at.
_MOST_EARLIER = 64
_Found = tuple[Release, Derivation, Charge]
_Earlier = tuple[Charge, tuple[Expr, ...]]


def reuse_received(query: PreparedQuery, s: State) -> PreparedQuery:
    """The query with every release that the analyst's earlier ones imply read from those; with new keys if `fresh`."""
    if not query.due:
        return query
    if query.fresh:
        return _drawn_anew(query)
    other_keys = tuple(o.key for o in query.others if o is not None)
    received = s.ledger.received(s.request, query.keys + other_keys)
    missing = set(query.keys) - received
    if not missing or any(read_by(q) for queries in query.queries for q in queries):
        return query
    if any(key in received for key in other_keys):
        query = _as_received(query, received)
        missing = set(query.keys) - received
    return _remembered(query, missing, s) if missing else query


def _as_received(query: PreparedQuery, received: frozenset[str]) -> PreparedQuery:
    """The same query with what was received before the policy's windows changed as what was received then."""
    pairs = zip(query.charges, query.others, strict=True)
    return replace(
        query,
        charges=tuple(o if c and o and c.key not in received and o.key in received else c for c, o in pairs),
    )


def _drawn_anew(query: PreparedQuery) -> PreparedQuery:
    """The same query under keys that nothing is stored under, so that all of it is drawn and paid for."""
    nonce = secrets.token_hex(16)
    charges = tuple(
        c and Charge(digest(FRESH, nonce, c.key), FRESH + c.canonical, c.events, confined=c.confined)
        for c in query.charges
    )
    return replace(query, charges=charges)


def _remembered(query: PreparedQuery, missing: set[str], s: State) -> PreparedQuery:
    """What was found for the same query in this session, which has one ledger: what is received stays received."""
    remembered = s.received.find(query.memory)
    if isinstance(remembered, PreparedQuery):
        return remembered
    earlier = [_earlier(b, c, missing, s) for b, c in zip(query.begins, query.charges, strict=True)]
    if not any(earlier):
        return query
    # The ledger belongs to the caller's thread; what may be deep is read on the planner's stack.
    made = s.stack.run(lambda: _looked_up(query, earlier, s))
    if made is not query:
        s.received.keep(query.memory, made)
    return made


def _earlier(
    begins: tuple[Beginning, ...], charge: Charge | None, missing: set[str], s: State
) -> tuple[_Earlier, ...]:
    """Received releases at the same cost or a higher one, the earliest first, with the conditions they lack."""
    if charge is None or charge.key not in missing:
        return ()
    candidates = [
        (entry, earlier, dropped)
        for begin, dropped in begins
        for earlier, entry in s.ledger.received_alike(s.request, begin)
        if earlier.cost.epsilon >= charge.cost.epsilon and earlier.cost.delta >= charge.cost.delta
    ]
    first = sorted(candidates, key=lambda f: (f[0], f[1].key))[:_MOST_EARLIER]
    return tuple((earlier, dropped) for _, earlier, dropped in first)


def _looked_up(query: PreparedQuery, earlier: list[tuple[_Earlier, ...]], s: State) -> PreparedQuery:
    sources = [_derived(r, e, s) for r, e in zip(query.plan.releases, earlier, strict=True)]
    if not any(sources):
        return query
    made = replace(
        query,
        plan=replace(
            query.plan,
            releases=tuple(f[0] if f else r for f, r in zip(sources, query.plan.releases, strict=True)),
        ),
        charges=tuple(f[2] if f else c for f, c in zip(sources, query.charges, strict=True)),
        queries=tuple(_queries(f, s) if f else q for f, q in zip(sources, query.queries, strict=True)),
        derivations=tuple(f[1] if f else None for f in sources),
    )
    return made if _sure_enough(made) else query


def _derived(requested: Release, candidates: tuple[_Earlier, ...], s: State) -> _Found | None:
    """The earliest release that implies the requested one."""
    for earlier, dropped in candidates:
        release = _planned(earlier, s)
        source = derived_release(requested, release, dropped, s.context) if release is not None else None
        if source is not None and (source[1].copies == 1 or _no_worse(source[0], requested)):
            return *source, earlier
    return None


def _planned(charge: Charge, s: State) -> Release | None:
    """The release as it was planned when it was charged; None unless exactly that comes out again."""
    key = (charge, s.request.data_version)
    remembered = s.received.find(key)
    if remembered is None:
        planned = _planned_again(charge, s)
        remembered = (planned,)
        if planned is None or has_few_groups([planned]):
            s.received.keep(key, remembered)
    assert isinstance(remembered, tuple)
    return remembered[0]  # type: ignore[no-any-return]


def _planned_again(charge: Charge, s: State) -> Release | None:
    question = question_of(charge.canonical)
    if question is None:
        return None
    try:
        (release,) = plan_releases((question,), "", charge.cost, s.context).releases
    except Error:
        return None
    return release if charge in charged(release, (), s) else None


def _no_worse(earlier: Release, requested: Release) -> bool:
    """Whether no measure has a wider interval than if it were drawn."""
    widths = (
        (half_width(e, earlier), half_width(f, requested))
        for e, f in zip(earlier.estimators, requested.estimators, strict=True)
    )
    return all(new is not None and old is not None and new <= old for new, old in widths)


def _sure_enough(query: PreparedQuery) -> bool:
    """Whether the error that was asked for is still promised."""
    if query.accuracy is None:
        return True
    error = largest_error(query.plan, query.cut.trace)
    return error is not None and error <= query.accuracy


def _queries(source: _Found, s: State) -> tuple[EngineQuery, ...]:
    """What ran when the earlier release was drawn, of the parts that are read."""
    _, derivation, _ = source
    every = engine_queries(derivation.earlier, s)
    return tuple(every[i] for i in derivation.parts)
