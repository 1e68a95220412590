"""What the releases of a plan are charged as: which draw each of them is, and whose loss it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dpsql.algebra.canonical import canonical_tuple, digest
from dpsql.algebra.encoding.reading import beginning
from dpsql.engines.base import EngineQuery
from dpsql.plan.forms import canonical
from dpsql.plan.noise_paths import adds_up, has_paths, path_text
from dpsql.plan.partitions import confined_to
from dpsql.plan.types import Plan, Release
from dpsql.plan.verify.cost_partitions import check_confined
from dpsql.privacy import Charge
from dpsql.stages.state import State

Charged = tuple[Charge | None, Charge | None]
"""What a release is charged as, and what it would be charged as if the policy's windows were others: None where that is
the same draw. A policy's digest says nothing of its windows, so that what was received before they changed is received
all the same."""


def charges_of(plan: Plan, queries: Sequence[tuple[EngineQuery, ...]], s: State) -> tuple[Charged, ...]:
    """What each release is charged as; one that reads an earlier draw is named by that draw as well."""
    found: list[Charged] = []
    for release, parts in zip(plan.releases, queries, strict=True):
        earlier = sorted({i for q in parts for i in read_by(q)})
        read = tuple(c.key for i in earlier if (c := found[i][0]) is not None)
        found.append(charged(release, read, s))
    return tuple(found)


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
    if not text:
        return alone, None
    path = digest("path", text, s.context.policy.digest, str(s.request.data_version))
    on_path = replace(alone, key=digest("on a path", alone.key), path=path)
    return (on_path, alone) if has_paths(s.context.policy) else (alone, on_path)


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
