"""The charge: which draw each release of a plan is, whose loss it is, and how it is paid."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial

from dpsql.accounting.types import StoredReleases
from dpsql.algebra.canonical import canonical_tuple, digest
from dpsql.algebra.encoding.reading import beginning
from dpsql.algebra.relations import every_released
from dpsql.algebra.released_values import columns_read
from dpsql.engines.base import EngineQuery
from dpsql.errors import Error, QueryFailed, QueryRefused, TooManyRows, failing_as
from dpsql.plan.forms import canonical
from dpsql.plan.noise_paths import adds_up, has_paths, path_text
from dpsql.plan.partitions import confined_to
from dpsql.plan.types import Plan, Release
from dpsql.plan.verify.cost_partitions import check_confined
from dpsql.privacy import Charge
from dpsql.release.prepared_query import PreparedQuery
from dpsql.stages.state import State

Charged = tuple[Charge | None, Charge | None]
"""What a release is charged as, and what it would be charged as if the policy's windows were others: None where that is
the same draw. A policy's digest says nothing of its windows, so that what was received before they changed is received
all the same."""


def charges_of(plan: Plan, queries: Sequence[tuple[EngineQuery, ...]], s: State) -> tuple[Charged, ...]:
    """What each release is charged as; one that reads an earlier draw is named by that draw as well."""
    charges: list[Charged] = []
    for release, parts in zip(plan.releases, queries, strict=True):
        earlier = sorted({i for q in parts for i in read_by(q)})
        read = tuple(c.key for i in earlier if (c := charges[i][0]) is not None)
        charges.append(charged(release, read, s))
    return tuple(charges)


def charged(release: Release, read: tuple[str, ...], s: State) -> Charged:
    """What a release is charged as; its key names the draw: question, mechanisms, policy and data version, and whether
    it is drawn on a path of noise.

    Raises InternalError where it would be charged to too few parts of the policy's partition.
    """
    if not release.parts:
        return None, None
    question, domain = canonical(release.question), canonical(release.keys.domain)
    alone = _alone(release, question, domain, read, s)
    text = path_text(release, question, domain) if adds_up(s.context.policy) and not read else ""
    text += "".join(_public_rows(release, s)) if text else ""
    if not text:
        return alone, None
    path = digest("path", text, s.context.policy.digest, str(s.request.data_version))
    on_path = replace(alone, key=digest("on a path", alone.key), path=path)
    return (on_path, alone) if has_paths(s.context.policy) else (alone, on_path)


def _public_rows(release: Release, s: State) -> Iterator[str]:
    """What the public queries gave that a release reads: its exact cells are others where one gives other rows."""
    for node in every_released(release.question.relation):
        columns = columns_read(node, s.context.evaluate)
        yield digest("rows", *sorted(map(repr, zip(*columns, strict=True))))


def _alone(release: Release, question: str, domain: str, read: tuple[str, ...], s: State) -> Charge:
    text = canonical_tuple(question, canonical(release.parts))
    key = digest(text, domain, s.context.policy.digest, str(s.request.data_version), *read)
    about = beginning(release.question.relation)
    confined = confined_to(release, s.context)
    check_confined(release, confined, s.context)
    return Charge(key, text, release.events, len(about) if text.startswith(about) else 0, confined)


def read_by(query: EngineQuery) -> frozenset[int]:
    """The earlier releases that an engine query reads, as single values or as tables."""
    return frozenset(
        {h.question for h in query.parameters} | {i for node in query.tables for i in node.reads}
    )


def charge_releases(query: PreparedQuery, sql: str, s: State) -> StoredReleases:
    """Pays for what is not stored, durably, and notes in the audit log what was paid or was stored.

    Raises BudgetExhausted and LedgerUnavailable, and OperationalError where a source changed: then nothing is charged.
    """
    s.check_sources()
    stored = s.ledger.charge(s.request, query.due)
    if query.due:
        s.note("stored" if stored.entry is None else "paid", sql, stored.charged, keys=query.keys)
    return stored


def failing_after(stored: StoredReleases, query: PreparedQuery, s: State) -> AbstractContextManager[None]:
    """A block after the charge: whatever goes wrong in it is one fixed sentence, and for the admin's log."""
    reads = query.cut.questions or query.cut.system
    failed = partial(QueryFailed, charged=stored.entry is not None) if reads else _impossible
    return failing_as(failed, s.log_failure, passing=(TooManyRows,))


def _impossible() -> Error:
    """What is public fails whatever the data is: the text is at fault."""
    return QueryRefused(
        "DuckDB cannot compute the query from what is public",
        hint="A value in it does not convert (TRY_CAST gives NULL for it), or it takes too much time or memory.",
    )
