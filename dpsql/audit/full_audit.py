"""Both halves of an audit: the sensitivity fuzz on a policy, then the statistical audit of the mechanisms."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from dpsql.audit.databases.random_database import Style
from dpsql.audit.report import Tried
from dpsql.audit.sensitivity import fuzz, subject
from dpsql.audit.statistical.statistical_audit import Evidence, runs_within, statistical_audit
from dpsql.mechanisms.sampler import ExactSampler
from dpsql.policy.model import Isolation, Policy
from dpsql.progress import Phase, Progress, untold
from dpsql.slotted import dataclass

# The part of the time that goes to the sensitivity fuzz.
_FUZZ = 2 / 3
_MOST_VIOLATIONS = 3

Watch = Callable[[Tried], None]


@dataclass(frozen=True, slots=True)
class Report:
    """What an audit of a policy found; `runs` is the number of draws a side of the statistical half."""

    seed: int
    tried: Tried
    evidence: tuple[Evidence, ...]
    runs: int

    @property
    def violated(self) -> bool:
        """Whether any promise was broken."""
        return bool(self.tried.violations) or any(e.violated for e in self.evidence)


def audit(
    policy: Policy,
    *,
    seconds: float,
    seed: int,
    isolation: Isolation,
    watch: Watch,
    progress: Progress = untold,
) -> Report:
    """Audits a policy for about so many seconds; of its sources only the public tables are read.

    The engines of the generated databases run as `isolation` says, with the policy's limits, and write to no log.

    `seed` is where the generated databases and queries begin; noise is drawn by the product's own sampler, which has
    no seed. `watch` is called with what was tried so far, before each query, and `progress` in the second half. Raises
    PolicyError where a public table cannot be read.
    """
    started = time.monotonic()
    limits = replace(policy.engine, isolation=isolation, deadline=None)
    policy = replace(policy, engine=limits, admin_log=None)
    with tempfile.TemporaryDirectory(prefix="dpsql-audit-") as folder:
        tried = sensitivity_audit(policy, Path(folder), seconds * _FUZZ, seed, watch)
    left = max(seconds - (time.monotonic() - started), 0.0)
    progress(Phase("measuring how long a draw takes"))
    runs = runs_within(left)
    with tempfile.TemporaryDirectory(prefix="dpsql-audit-") as folder:
        evidence = tuple(statistical_audit(Path(folder), ExactSampler(), runs, progress))
    return Report(seed, tried, evidence, runs)


def sensitivity_audit(policy: Policy, folder: Path, seconds: float, seed: int, watch: Watch) -> Tried:
    """The fuzz on one policy for so many seconds, and at least one query long."""
    until = time.monotonic() + seconds

    def enough(tried: Tried) -> bool:
        watch(tried)
        return tried.executions > 0 and time.monotonic() >= until

    subjects = (subject(policy, policy.path.name, Style()),)
    return fuzz(subjects, folder, seed, enough, most_violations=_MOST_VIOLATIONS)
