"""One release of a query: as it stands on the shelf, or drawn now and kept."""

from __future__ import annotations

from collections.abc import Mapping

from dpsql.accounting.types import Shelf
from dpsql.engines.base import EngineFailed, EngineQuery
from dpsql.errors import QueryFailed
from dpsql.noisy import Noisy, decoded
from dpsql.perform import perform
from dpsql.plan.types import Part, Release
from dpsql.prepare import Ready
from dpsql.session_state import State


def draw(index: int, ready: Ready, shelf: Shelf, s: State) -> Noisy:
    """The n-th release of a paid query. Raises QueryFailed, whose charge stands."""
    release, charge, queries = ready.plan.releases[index], ready.charges[index], ready.queries[index]
    if charge is None:
        return perform(release, s.never, s.sampler)
    payload = shelf.get(charge.key)
    if payload is None:
        by_part = dict(zip(release.parts, queries, strict=True))
        noisy = _drawn(release, by_part, s)
        payload = s.ledger.keep(shelf, charge.key, noisy.encoded(release.keys.domain)).get(charge.key)
    assert payload is not None
    return decoded(payload, release.keys.domain)


def _drawn(release: Release, queries: Mapping[Part, EngineQuery], s: State) -> Noisy:
    """Runs the private side. Whatever goes wrong there is one fixed sentence, with no trace of the cause."""
    try:
        return perform(release, lambda part: s.engine.run(queries[part]), s.sampler)
    except EngineFailed as error:
        s.log_failure(str(error))
    except Exception as error:
        s.log_failure(f"{type(error).__name__}: {error}")
    raise QueryFailed
