"""The clinic of `engines.opened` with prepared tables, and what watches over their making."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from dpsql.engines.prepare_tables import Prepared, prepare_tables
from dpsql.policy.model import Policy
from engines.opened import clinic


class Unwatched:
    """Remembers which parts of the work began."""

    def __init__(self) -> None:
        self.began: list[tuple[str, int | None]] = []

    def begins(self, what: str, rows: int | None, percent: Callable[[], float]) -> None:
        assert -1 <= percent() <= 100
        self.began.append((what, rows))


def unwatched() -> Unwatched:
    """Nobody looks on."""
    return Unwatched()


def prepared_clinic(folder: Path, isolation: str = "inline") -> Policy:
    """The policy of the clinic, with its tables prepared where it says."""
    policy = clinic(folder, isolation, "prepared: copies")
    prepare_again(policy)
    return policy


def prepare_again(policy: Policy) -> Prepared:
    """Prepares the tables of a policy where it says."""
    assert policy.engine.prepared is not None
    return prepare_tables(policy, policy.engine.prepared, unwatched())
