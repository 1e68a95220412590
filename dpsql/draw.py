"""One release of a query: as it stands on the shelf, or drawn now and kept."""

from __future__ import annotations

from dpsql.accounting.types import Shelf
from dpsql.noisy import Noisy, decoded
from dpsql.perform import perform
from dpsql.prepare import Ready
from dpsql.session_state import State


def draw(index: int, ready: Ready, shelf: Shelf, s: State) -> Noisy:
    """The n-th release of a paid query; whatever goes wrong here is the caller's one failure."""
    release, charge, queries = ready.plan.releases[index], ready.charges[index], ready.queries[index]
    if charge is None:
        return perform(release, s.never, s.sampler)
    payload = shelf.get(charge.key)
    if payload is None:
        by_part = dict(zip(release.parts, queries, strict=True))
        noisy = perform(release, lambda part: s.engine.run(by_part[part]), s.sampler)
        payload = s.ledger.keep(shelf, charge.key, noisy.encoded(release.keys.domain)).get(charge.key)
    assert payload is not None
    return decoded(payload, release.keys.domain)
