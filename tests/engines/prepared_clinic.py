"""The clinic of `engines.opened` with prepared tables."""

from __future__ import annotations

from pathlib import Path

from dpsql.engines.prepare_tables import Prepared, prepare_tables
from dpsql.policy.model import Policy
from engines.opened import clinic


def prepared_clinic(folder: Path, isolation: str = "inline") -> Policy:
    """The policy of the clinic, with its tables prepared where it says."""
    policy = clinic(folder, isolation, "prepared: copies")
    prepare_again(policy)
    return policy


def prepare_again(policy: Policy) -> Prepared:
    """Prepares the tables of a policy where it says."""
    assert policy.engine.prepared is not None
    return prepare_tables(policy, policy.engine.prepared)
