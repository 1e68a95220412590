"""Limits that are found for a query in words and numbers: what finding them costs, and what error to expect."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from dpsql.algebra.question import MOMENTS
from dpsql.mechanisms.clipping.unit_bins import LIMIT_BITS
from dpsql.plan.types import Histogram, Release, ScaledScores, ScaledSums, Sums
from dpsql.release.draw.thresholds import at_most, scores_under
from dpsql.release.explain.mechanisms import name_of, report, selection_report
from dpsql.release.explain.sums import sums_reports
from dpsql.release.explanation import LARGEST_LIMIT
from dpsql.release.plain_numbers import four_digits
from dpsql.release.types import ExpectedError, ReleaseReport

_SHARED = "epsilon stands for the rho of all limits that are found and of the sums under them together"
_CANCELS = (
    "a smaller limit than for the sums themselves, since quotients of them alone are shown, in which most of what a "
    "limit leaves out cancels"
)
_FOUND = "its limit on what one person adds is found for this query"


def histogram_report(part: Histogram) -> ReleaseReport:
    """Of the histogram that a threshold is read from."""
    note = "how many people add how much, in powers of two: the limit on what one person adds is read from it"
    if part.clipping.quotients:
        note = f"{note}; {_CANCELS}"
    made = report("the limit of a sum", part.events[0], note)
    if not part.noise.gaussian:
        return made
    return replace(made, scale=math.sqrt(part.noise.rate(1)), note=f"{note}; {_SHARED}")


def scaled_reports(release: Release, part: ScaledSums) -> list[ReleaseReport]:
    """The reports of scaled sums, with the most noise that they can get."""
    reports = sums_reports(at_most(release), Sums(part.bounding, part.families))
    names = {name_of(e) for e in release.estimators if e.measure.aggregate in MOMENTS or e.second is not None}
    return [_at_most(r, part.clipping.shift if r.output in names else 0) for r in reports]


def scaled_choice_report(release: Release, part: ScaledScores) -> ReleaseReport:
    """The report of a choice by scaled scores, with the largest limit, in the units of what one row adds."""
    largest = max(part.clipping.most >> part.clipping.shift, 1)
    made = selection_report(release, scores_under(part, largest))
    return replace(made, note=f"{made.note}; {LARGEST_LIMIT}")


def _at_most(report: ReleaseReport, shift: int) -> ReleaseReport:
    """A report whose numbers are counted in units of 2**-shift."""
    return replace(
        report,
        sensitivity=report.sensitivity / (1 << shift),
        scale=report.scale / (1 << shift),
        note=f"{report.note}; {LARGEST_LIMIT}",
    )


def under_found_limits(error: ExpectedError, releases: Sequence[Release]) -> ExpectedError:
    """What is expected of a column at most, since its limit is found with the answer."""
    parts = [p for r in releases for p in r.parts if isinstance(p, ScaledSums)]
    if not error.half_width or not parts:
        return error
    if any(p.clipping.bins.highest == LIMIT_BITS for p in parts):
        return ExpectedError(error.column, None, f"comes with the answer: {_FOUND}")
    return replace(error, note=f"at most ±{four_digits(error.half_width)}, mostly far less: {_FOUND}")
