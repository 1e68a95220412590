"""The releases of a query: each as it stands on the shelf, or drawn now and kept."""

from __future__ import annotations

from contextlib import nullcontext

from dpsql.accounting.types import Shelf
from dpsql.deadline import Left
from dpsql.engines.base import EngineQuery, Exact
from dpsql.noisy import Noisy, decoded
from dpsql.perform import perform
from dpsql.prepare import Ready
from dpsql.session_state import State


def drawn(ready: Ready, shelf: Shelf, s: State) -> list[Noisy]:
    """Every release of a paid query, at the deadline where one of them is drawn now, also where that fails.

    Whatever goes wrong here is the caller's one failure. Whether something is stored is known to who asks.
    """
    fresh = any(c is not None and shelf.get(c.key) is None for c in ready.charges)
    with s.deadline.held() if fresh else nullcontext(_unlimited) as left:
        return [_release(i, ready, shelf, s, left) for i in range(len(ready.plan.releases))]


def _release(index: int, ready: Ready, shelf: Shelf, s: State, left: Left) -> Noisy:
    release, charge, queries = ready.plan.releases[index], ready.charges[index], ready.queries[index]
    if charge is None:
        return perform(release, s.never, s.sampler)
    payload = shelf.get(charge.key)
    if payload is None:
        by_part = dict(zip(release.parts, queries, strict=True))
        noisy = perform(release, lambda part: _run(by_part[part], s, left()), s.sampler)
        payload = s.ledger.keep(shelf, charge.key, noisy.encoded(release.keys.domain)).get(charge.key)
    assert payload is not None
    return decoded(payload, release.keys.domain)


def _run(query: EngineQuery, s: State, seconds: float | None) -> Exact:
    return s.engine.run(query) if seconds is None else s.engine.run(query, seconds)


def _unlimited() -> None:
    return None
