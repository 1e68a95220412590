"""One release of a query: as it stands on the shelf, or drawn now and kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from dpsql.accounting.types import Shelf
from dpsql.algebra.expr import Hole
from dpsql.algebra.types import SqlType
from dpsql.engines.base import EngineQuery
from dpsql.estimate import measure_values
from dpsql.noisy import Noisy, decoded
from dpsql.perform import perform
from dpsql.prepare import Ready
from dpsql.session_state import State


def draw(index: int, ready: Ready, shelf: Shelf, earlier: Sequence[Noisy], s: State) -> Noisy:
    """The n-th release of a paid query, which may read `earlier` ones; what goes wrong is the caller's one failure."""
    release, charge, queries = ready.plan.releases[index], ready.charges[index], ready.queries[index]
    if charge is None:
        return perform(release, s.never, s.sampler)
    payload = shelf.get(charge.key)
    if payload is None:
        fed = (_fed(q, ready, earlier) for q in queries)
        by_part = dict(zip(release.parts, fed, strict=True))
        noisy = perform(release, lambda part: s.engine.run(by_part[part]), s.sampler)
        payload = s.ledger.keep(shelf, charge.key, noisy.encoded(release.keys.domain)).get(charge.key)
    assert payload is not None
    return decoded(payload, release.keys.domain)


def _fed(query: EngineQuery, ready: Ready, earlier: Sequence[Noisy]) -> EngineQuery:
    """The query with the released values that it reads, each inside of its derived range."""
    if not query.holes:
        return query
    values = tuple((h.name, _value(h, ready, earlier)) for h in query.holes)
    return replace(query, values=values)


def _value(hole: Hole, ready: Ready, earlier: Sequence[Noisy]) -> int | float:
    estimator = ready.plan.releases[hole.question].estimators[hole.measure]
    (found,) = measure_values(estimator, earlier[hole.question].cells)
    at = (hole.lo + hole.hi) / 2 if found is None else min(max(Fraction(found), hole.lo), hole.hi)
    return round(at) if hole.type is SqlType.INTEGER else float(at)
