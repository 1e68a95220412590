"""Prepared tables of made-up databases: an audit of a policy that has them is one of how they are read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from dpsql.audit.exact import Violated
from dpsql.engines.prepare_tables import prepare_tables
from dpsql.engines.prepared.fitting import Unfit
from dpsql.engines.prepared.manifest import PreparedFile
from dpsql.engines.sources.fingerprints import sources_of
from dpsql.policy.model import Isolation, Policy
from dpsql.stages.state import State, prepared_at_present


def with_copy(policy: Policy, folder: Path) -> Policy:
    """The policy of a stored database with a copy in that folder, if the policy names one; else as it is."""
    if policy.engine.prepared is None:
        return policy
    place = folder / "prepared"
    engine = replace(policy.engine, prepared=place)
    prepare_tables(replace(policy, engine=replace(engine, isolation=Isolation.INLINE)), place)
    return replace(policy, engine=engine)


def copy_of(policy: Policy) -> PreparedFile | None:
    """The copy that a policy of `with_copy` has. Raises Violated where it would not be read."""
    prepared = prepared_at_present(policy, sources_of(policy))
    if isinstance(prepared, Unfit):
        raise Violated(f"the prepared tables do not fit: {prepared.reason}")
    return prepared


def check_read(state: State) -> None:
    """Raises Violated where a session reads its sources although the policy names prepared tables."""
    context = state.context
    private = [t for t in context.catalog.tables.values() if not t.public]
    if context.policy.engine.prepared is not None and any(t.prepared is None for t in private):
        raise Violated("the prepared tables are not read")
