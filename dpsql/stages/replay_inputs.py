"""What the public query of a prepared query is replayed on, for telling how sure its columns are."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from dpsql.algebra.scan import quoted
from dpsql.engines.base import FinishFailed, ReleasedTable
from dpsql.engines.replayed_query import replayed
from dpsql.plan.types import Release
from dpsql.release.draw.thresholds import at_most
from dpsql.release.prepared_query import PreparedQuery
from dpsql.release.uncertainty.replay import Replay
from dpsql.sql.public.cut_query import Query
from dpsql.stages.dry_run import described
from dpsql.stages.state import State

# Public tables of more rows are not held a second time.
_SMALL = 10_000


def replay_of(query: PreparedQuery, s: State, *, later: bool = False) -> Replay | None:
    """What the public query is replayed on; None where formulas say all, or where that is not known.

    With `later` it runs in an engine of its own, when the session may be gone, else in the session's. Two releases
    that are read from earlier ones may have the same noise.
    """
    earlier = sum(d is not None for d in (*query.derivations, *query.averaged))
    return None if earlier > 1 else replay_on(query.cut, query.plan.releases, s, later=later)


def replay_on(cut: Query, releases: Sequence[Release], s: State, *, later: bool = False) -> Replay | None:
    """The same of releases that are drawn for the query."""
    replay = cut.replay
    if replay is None:
        return None
    tables = [s.memo(("rows of a table", name), partial(_small, name, s)) for name in replay.public]
    small = tuple(t for t in tables if t is not None)
    if len(small) < len(tables):
        return None
    run = partial(replayed, s.context.policy) if later else s.public.finish
    return Replay(replay, run, tuple(at_most(r) for r in releases), cut.levels, small)


def _small(table: str, s: State) -> ReleasedTable | None:
    """All of a public table, or None where it has too many rows to be held a second time."""
    try:
        columns = described(quoted(table), (), s.public)
        rows = s.public.finish(f"SELECT * FROM {quoted(table)} LIMIT {_SMALL + 1}", ())
    except FinishFailed:
        return None
    return ReleasedTable(table, tuple(columns), rows) if len(rows) <= _SMALL else None
