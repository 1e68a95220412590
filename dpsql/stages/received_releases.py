"""Releases that an analyst has received, as they were planned when they were charged, and what they were fitted to.

An answer that is fitted to earlier draws is charged under the text of its release with a line more, which names those
draws: so the analyst's own payment says what was shown, while the draw itself is the one that others share.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dpsql.algebra.encoding.reading import question_of
from dpsql.algebra.question import Question
from dpsql.errors import Error
from dpsql.plan.releases import plan_releases
from dpsql.plan.rollup.fitted_sums import can_be_fitted, fitted_release
from dpsql.plan.types import Release
from dpsql.policy.model import ClippingMode
from dpsql.privacy import FITTED_TO, Charge, Cost
from dpsql.release.prepared_query import Fitted
from dpsql.stages.charges import Charged, charged
from dpsql.stages.planning import has_few_groups
from dpsql.stages.state import State

# In the text of a release that finds its limits, and else in constants alone: then nothing is found in it.
_HISTOGRAM = "Histogram("
Planned = tuple[Release, Charged]


def unmarked(charge: Charge) -> Charge:
    """The charge of the draw alone."""
    return replace(charge, canonical=charge.canonical.partition(FITTED_TO)[0])


def marked(charge: Charge, keys: Sequence[str]) -> Charge:
    """The charge of a draw whose answer is fitted to the draws of these keys."""
    return replace(charge, canonical=f"{charge.canonical}{FITTED_TO}{' '.join(keys)}")


def fitted_to(charge: Charge) -> tuple[str, ...]:
    """The keys of the draws that an answer was fitted to; none where it is its draw alone."""
    return tuple(charge.canonical.partition(FITTED_TO)[2].split())


def planned(charge: Charge, s: State) -> Release | None:
    """The release as it was planned when it was charged; None unless exactly that comes out again."""
    replanned = planned_as(charge, s)
    return replanned[0] if replanned is not None and charge in replanned[1] else None


def planned_as(charge: Charge, s: State) -> Planned | None:
    """The release as the charge's text and cost say, and what it would be charged as."""
    key = (charge, s.request.data_version)
    remembered = s.received.find(key)
    if remembered is None:
        planned_now = _planned_again(charge, s)
        remembered = (planned_now,)
        if planned_now is None or has_few_groups([planned_now[0]]):
            s.received.keep(key, remembered)
    assert isinstance(remembered, tuple)
    return remembered[0]  # type: ignore[no-any-return]


def _planned_again(charge: Charge, s: State) -> Planned | None:
    question = question_of(charge.canonical)
    mode = ClippingMode.PRIVATE if _HISTOGRAM in charge.canonical else ClippingMode.FIXED
    release = planned_at(question, charge.cost, s, mode) if question is not None else None
    return (release, charged(release, (), s)) if release is not None else None


def planned_at(
    question: Question, cost: Cost, s: State, mode: ClippingMode = ClippingMode.FIXED
) -> Release | None:
    """The release that answers a question at that cost; None where it is refused."""
    try:
        (release,) = plan_releases((question,), "", cost, replace(s.context, clipping=mode)).releases
    except Error:
        return None
    return release


def fitted_again(release: Release, others: Sequence[Charge], s: State) -> Fitted | None:
    """The release fitted to exactly these draws, as it was when it was answered; None where that does not come out."""
    releases = [planned(c, s) for c in others]
    fitting = [r for r in releases if r is not None and can_be_fitted(r)]
    made = fitted_release(release, fitting, s.context) if len(fitting) == len(releases) else None
    if made is None or len(made[1]) < len(releases):
        return None
    return Fitted(tuple(others), tuple(fitting), release, made[0])
