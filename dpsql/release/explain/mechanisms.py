"""The mechanisms of a release in words and numbers, a report for each."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

from dpsql.mechanisms.partition.weighted_selection import UNIT_WEIGHT, even_units, weight_variance
from dpsql.mechanisms.selection.exponential import exponential_loss_bound, exponential_rho
from dpsql.mechanisms.selection.noisy_max import permute_and_flip_loss_bound
from dpsql.plan.keys.selection_by_weights import least_noisy
from dpsql.plan.types import Bounding, Estimator, LocalColumn, Presence, Release, Scores
from dpsql.privacy import Event, Mechanism
from dpsql.release.draw.local_responses import rates, standard_error
from dpsql.release.explanation import TABLE_CAP
from dpsql.release.types import ReleaseReport
from dpsql.release.uncertainty.intervals import half_width

_RARELY = Fraction(1, 20)


def report(
    output: str, event: Event, note: str, *, unit: Fraction = Fraction(1), error: float | None = None
) -> ReleaseReport:
    """The report of one event, whose sensitivity is that many times `unit`; the plan adds the SQL that runs."""
    size, cost = event.sensitivity * unit, event.cost
    numbers = (float(size), float(size / cost.epsilon), cost.epsilon, cost.delta)
    return ReleaseReport(output, event.mechanism.value, *numbers, "", error, note)


def name_of(e: Estimator) -> str:
    """What a measure is called: as it was written, or its aggregate."""
    return e.measure.text or e.measure.aggregate.value


def rows_of(count: int) -> str:
    """A number of rows in words."""
    return f"{count:,} {'row' if count == 1 else 'rows'}"


def groups_of(most: int) -> str:
    """In how many groups a person counts."""
    return f"a person is counted in at most {most} {'group' if most == 1 else 'groups'}"


def bounding_note(bounding: Bounding) -> str:
    """How a unit's rows are bounded; nothing where they need not be."""
    if bounding.rows is not None:
        return f"at most {rows_of(bounding.rows)} of a person are counted"
    if bounding.totals:
        return "a person's values are clipped to their total"
    if bounding.groups is not None:
        return f"a person is counted in at most {bounding.groups} groups, with all of their rows there"
    return TABLE_CAP if bounding.table_cap else ""


def presence_reports(release: Release, part: Presence) -> list[ReleaseReport]:
    """Of the groups that exist, or of each number of units that they are released with."""
    event = part.events[0]
    touched = groups_of(part.groups)
    if part.rows is not None:
        touched += f" with at most {part.rows} rows in all"
    if part.weights is not None:
        return [_weighted_report(part, event, touched)]
    if not part.counted:
        return [report("which groups exist", event, f"{touched}; {groups_below(part)}")]
    note = f"{touched}; groups of fewer than {least_noisy(part)} with noise are withheld"
    return [report(name_of(e), event, note, error=half_width(e, release)) for e in release.estimators]


def groups_below(part: Presence) -> str:
    """How many people a group needs to be shown with probability 1/2: from epsilon, delta and the groups of a unit.

    It is the noisy number from which on groups are shown, since the noise is as often below 0 as above it.
    """
    if part.weights is not None:
        n = _even_units(part, 1)
        return (
            f"groups below about {n:,} people are withheld, or more if these are in many groups (one of {n:,} people "
            "who are in no other is shown with probability 1/2)"
        )
    n, what = least_noisy(part), "people" if part.rows is None else "rows"
    return f"groups below about {n:,} {what} are withheld (one of {n:,} is shown with probability 1/2)"


def _even_units(part: Presence, groups: int) -> int:
    """The units, each in so many groups, at which half of the groups are shown that are selected by weights."""
    weights = part.weights
    assert weights is not None
    return even_units(
        groups,
        rho=weights.rho,
        delta=weights.tail,
        groups_per_unit=part.groups,
        neighbours=weights.neighbours,
    )


def _weighted_report(part: Presence, noise: Event, touched: str) -> ReleaseReport:
    """Of groups that are selected by weights: in units of one that is in one group alone."""
    weights = part.weights
    assert weights is not None
    alone, spread = (_even_units(part, d) for d in (1, part.groups))
    sizes = f"{alone} people in no other group" + (f" or {spread} in {part.groups}" if spread > alone else "")
    note = (
        f"{touched}, and counts for 1 / sqrt(d) in each where they are in d; half of the groups of {sizes} are shown, "
        "smaller ones are withheld"
    )
    made = report("which groups exist", noise, note)
    scale = math.sqrt(weight_variance(weights.rho, weights.neighbours)) / UNIT_WEIGHT
    mechanism = Mechanism.WEIGHTED_SELECTION.value
    return replace(made, mechanism=mechanism, sensitivity=1.0, scale=scale, delta=part.delta)


def selection_report(release: Release, part: Scores) -> ReleaseReport:
    """Of all choices of groups together."""
    output = "the first group" if part.count == 1 else f"the first {part.count} groups"
    return replace(report(output, part.events[0], _selection_note(part, release)), epsilon=part.epsilon)


def response_report(index: int, column: LocalColumn) -> ReleaseReport:
    """The response of every row; `scale` is c where c sqrt(n) is the standard error of a count among n rows."""
    made = report(f"response {index + 1} of each row", column.event, _response_note(column))
    return replace(made, scale=standard_error(column))


def _response_note(column: LocalColumn) -> str:
    lie, _ = rates(column)
    k = len(column.values)
    if column.mechanism is Mechanism.RANDOMIZED_RESPONSE:
        how = f"the other of 2 values with probability p = {lie:.4g}"
    elif column.mechanism is Mechanism.RAPPOR:
        how = f"{k} bits, each flipped with probability {lie:.4g}"
    else:
        how = f"each of the {k - 1} other values with probability {lie:.4g}"
    error = standard_error(column)
    return (
        f"{how}; among n rows an estimated count has a standard error of at most {error:.4g} sqrt(n), "
        f"an estimated mean {error:.4g} / sqrt(n)"
    )


def _selection_note(part: Scores, release: Release) -> str:
    chosen = "one group is chosen privately"
    if part.count > 1:
        chosen = f"{part.count} groups are chosen privately, one after another"
    notes = [f"{chosen}; no score is released"]
    domain = release.keys.domain
    if domain:
        notes.append(_loss_note(part, len(domain)))
    if part.mechanism is Mechanism.EXPONENTIAL:
        rho = exponential_rho(part.each) * part.count
        notes.append(
            f"where rho adds up it is {float(rho):.4g}, a quarter of what permute-and-flip would cost"
        )
    if not part.descending and domain is not None:
        notes.append("groups without rows are candidates, and have the least count")
    return "; ".join(n for n in (*notes, bounding_note(part.bounding)) if n)


def _loss_note(part: Scores, groups: int) -> str:
    """How far the score of a chosen group can lie from the best one's, in the units of the score."""
    step = part.term.grid.step if part.term.grid is not None else Fraction(1)
    exponential = part.mechanism is Mechanism.EXPONENTIAL
    bound = exponential_loss_bound if exponential else permute_and_flip_loss_bound
    most = bound(_RARELY, candidates=groups, epsilon=part.each, score_range=part.score_range)
    return f"in 95 of 100 choices a chosen score is at most {float(most * step):.4g} from the best one left"
