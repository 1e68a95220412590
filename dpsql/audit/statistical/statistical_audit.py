"""The statistical audit: every claim tested on outcomes, of mechanisms alone and of a session end to end.

All bounds of one audit hold together: a mechanism that keeps its claim is reported with the probability that is left,
whatever the number of runs. Silence proves nothing beyond the power at that number.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path

from dpsql.audit.statistical.confidence import at_most, epsilon_lower_bound, sharpest_threshold
from dpsql.audit.statistical.end_to_end import end_to_end, executions_per_run
from dpsql.audit.statistical.worst_pairs import Trial, worst_pairs
from dpsql.mechanisms.sampler import ExactSampler, Sampler
from dpsql.progress import Phase, Progress, untold
from dpsql.slotted import dataclass

FEWEST_RUNS = 100
_MEASURED_RUNS = (4, 64)
_LEAST_SECONDS = 1e-3
# The mechanisms alone, and queries that read and answer more than a single count.
_OTHER_WORK = 1.3


@dataclass(frozen=True, slots=True)
class Evidence:
    """What one trial showed: a lower bound of the epsilon that the mechanism has, at the claimed delta.

    `runs`: independent draws that were tested on each side. `confidence`: with which the bounds of all trials of the
    audit hold together.
    """

    mechanism: str
    claimed_epsilon: Fraction
    claimed_delta: Fraction
    runs: int
    event: str
    lower_bound: float
    confidence: float

    @property
    def violated(self) -> bool:
        """Whether more than the claimed epsilon was proven."""
        return self.lower_bound > self.claimed_epsilon


def trials(folder: Path) -> tuple[Trial, ...]:
    """Every trial of the audit: the mechanisms alone, then through a session; databases are made in `folder`."""
    return worst_pairs() + end_to_end(folder)


def statistical_audit(
    folder: Path, sampler: Sampler, runs: int, progress: Progress = untold
) -> Iterator[Evidence]:
    """Evidence on every trial, `runs` draws a side, as it is found.

    `sampler` draws all noise. `folder` exists; databases are made in it and removed. ValueError below FEWEST_RUNS,
    where nothing can be found.
    """
    if runs < FEWEST_RUNS:
        raise ValueError(f"a statistical audit needs at least {FEWEST_RUNS} runs a side, not {runs}")
    every = trials(folder)
    confidence = confidence_of(every)
    return _each(every, lambda trial: evidence(trial, sampler, runs, confidence), progress)


def _each(
    every: tuple[Trial, ...], shown_by: Callable[[Trial], Evidence], progress: Progress
) -> Iterator[Evidence]:
    for done, trial in enumerate(every):
        progress(Phase("drawing noise again and again", done, len(every), "trials"))
        yield shown_by(trial)


def confidence_of(every: tuple[Trial, ...]) -> float:
    """With which confidence all bounds hold together: levels add up (Bonferroni)."""
    return 1 - sum(trial.level for trial in every)


def evidence(trial: Trial, sampler: Sampler, runs: int, confidence: float) -> Evidence:
    """What `runs` draws a side show of one trial."""
    first, second = trial.scores(sampler, True, runs), trial.scores(sampler, False, runs)
    cut = trial.cut
    if cut is None:
        part = min(first.size, second.size) // 4
        cut = sharpest_threshold(first[:part], second[:part], float(trial.epsilon))
        first, second = first[part:], second[part:]
    bound = epsilon_lower_bound(
        at_most(first, cut),
        at_most(second, cut),
        delta=float(trial.delta),
        level=trial.level,
        sharpest=float(trial.epsilon),
    )
    event = trial.event if trial.cut is not None else f"{trial.event}, {cut:.6g}"
    return Evidence(
        trial.mechanism, trial.epsilon, trial.delta, min(first.size, second.size), event, bound, confidence
    )


def runs_within(seconds: float) -> int:
    """About how many runs a side an audit finishes in that time on this machine; at least FEWEST_RUNS.

    Measured on one query through one session: these take nearly all the time.
    """
    with tempfile.TemporaryDirectory(prefix="dpsql-audit-") as folder:
        few, more = (_seconds(Path(folder), runs) for runs in _MEASURED_RUNS)
        each = max((more - few) / (_MEASURED_RUNS[1] - _MEASURED_RUNS[0]), _LEAST_SECONDS)
        queries, sessions = executions_per_run(), 2 * len(trials(Path(folder)))
    return max(FEWEST_RUNS, int((seconds - few - more - sessions * few) / (_OTHER_WORK * queries * each)))


def _seconds(folder: Path, runs: int) -> float:
    """What one question takes that is asked once in each run, with the session that it is asked in."""
    question = next(t for t in end_to_end(folder) if t.cut is not None)
    started = time.perf_counter()
    question.scores(ExactSampler(), True, runs)
    return time.perf_counter() - started
